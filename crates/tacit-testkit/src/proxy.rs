//! A TCP proxy between a client and a server, whose network can fail.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A proxy; dropping it drops all connections.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    network: Arc<Network>,
    /// The thread that accepts connections; none while they are refused.
    acceptor: Mutex<Option<JoinHandle<()>>>,
}

/// The state that all threads share.
#[derive(Debug)]
struct Network {
    upstream: String,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    cut: bool,
    stalled: bool,
    delay: Duration,
    /// The number of chunks that may still pass; no limit if there is none.
    left: Option<usize>,
    links: Vec<Weak<Link>>,
}

/// One connection of a client; the server's end is opened when something may pass.
#[derive(Debug)]
struct Link {
    client: TcpStream,
    server: Mutex<Option<Arc<TcpStream>>>,
}

impl Proxy {
    /// Starts a proxy for a server, which is a host with a port.
    ///
    /// # Panics
    ///
    /// If no port is free.
    pub fn start(upstream: &str) -> Proxy {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("a bound listener has an address");
        let network = Arc::new(Network {
            upstream: upstream.to_owned(),
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let acceptor = Mutex::new(Some(accept(listener, &network)));
        Proxy { address, network, acceptor }
    }

    /// Starts a proxy for the server of a URL; returns it with the URL that leads through it.
    pub fn before(url: &str) -> (Proxy, String) {
        let (head, rest) = url.rsplit_once('@').expect("a URL with an account");
        let (host, database) = rest.split_once('/').expect("a URL with a database");
        let proxy = Proxy::start(host);
        let url = format!("{head}@{}/{database}", proxy.address);
        (proxy, url)
    }

    /// Returns the address to connect to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Drops all connections and refuses new ones.
    pub fn cut(&self) {
        let links = {
            let mut state = self.network.state();
            state.cut = true;
            std::mem::take(&mut state.links)
        };
        self.network.changed.notify_all();
        if let Some(acceptor) = self.acceptor().take() {
            // Wakes the thread so that it sees the state and closes the port.
            drop(TcpStream::connect(self.address));
            acceptor.join().expect("accepting does not panic");
        }
        links.iter().filter_map(Weak::upgrade).for_each(|link| link.close());
    }

    /// Cuts the network once this many further chunks have passed, in whichever direction.
    pub fn cut_after(&self, chunks: usize) {
        self.network.change(|state| state.left = Some(chunks));
    }

    /// Accepts new connections but answers nothing, on open ones neither; nothing is lost.
    pub fn stall(&self) {
        self.network.change(|state| state.stalled = true);
    }

    /// Delays every chunk in both directions.
    pub fn delay(&self, delay: Duration) {
        self.network.change(|state| state.delay = delay);
    }

    /// Passes everything on again, what has waited too; dropped connections stay dropped.
    ///
    /// # Panics
    ///
    /// If another process has taken the port since it was closed.
    pub fn heal(&self) {
        if self.network.state().cut {
            // One that chunks have cut has not closed its port yet.
            self.cut();
        }
        self.network.change(|state| {
            (state.cut, state.stalled) = (false, false);
            (state.delay, state.left) = (Duration::ZERO, None);
        });
        let mut acceptor = self.acceptor();
        if acceptor.is_none() {
            let listener = TcpListener::bind(self.address).expect("the port is still free");
            *acceptor = Some(accept(listener, &self.network));
        }
    }

    fn acceptor(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.acceptor.lock().expect("no panic under the lock")
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.cut();
    }
}

/// Accepts connections in a thread until the network is cut.
fn accept(listener: TcpListener, network: &Arc<Network>) -> JoinHandle<()> {
    let network = Arc::clone(network);
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let link = Arc::new(Link { client, server: Mutex::default() });
            {
                let mut state = network.state();
                if state.cut {
                    return;
                }
                state.links.retain(|link| link.strong_count() > 0);
                state.links.push(Arc::downgrade(&link));
            }
            let network = Arc::clone(&network);
            thread::spawn(move || network.connect(&link));
        }
    })
}

impl Network {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic under the lock")
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.notify_all();
    }

    /// Waits while the network is stalled; returns the delay of a chunk, or `None` if the network was cut.
    fn passage(&self) -> Option<Duration> {
        let stalled = |state: &mut State| state.stalled && !state.cut;
        let state =
            self.changed.wait_while(self.state(), stalled).expect("no panic under the lock");
        (!state.cut).then_some(state.delay)
    }

    /// Counts a chunk; returns false, and cuts the network, if it is one too many.
    fn admit(&self) -> bool {
        let links = {
            let mut state = self.state();
            match &mut state.left {
                None => return true,
                Some(left @ 1..) => {
                    *left -= 1;
                    return true;
                }
                Some(0) => state.cut = true,
            }
            std::mem::take(&mut state.links)
        };
        self.changed.notify_all();
        links.iter().filter_map(Weak::upgrade).for_each(|link| link.close());
        false
    }

    /// Connects a client to the server and passes on what both say.
    fn connect(self: &Arc<Self>, link: &Arc<Link>) {
        let Some(server) = self.passage().and_then(|_| TcpStream::connect(&self.upstream).ok())
        else {
            return link.close();
        };
        let server = Arc::new(server);
        *link.server.lock().expect("no panic under the lock") = Some(Arc::clone(&server));
        // Small messages must not wait for the acknowledgement of earlier ones.
        let _: [Result<(), _>; 2] = [link.client.set_nodelay(true), server.set_nodelay(true)];
        let (network, back, from) = (Arc::clone(self), Arc::clone(link), Arc::clone(&server));
        let answers = thread::spawn(move || network.pass(&from, &back.client));
        self.pass(&link.client, &server);
        let _: thread::Result<()> = answers.join();
    }

    /// Passes on bytes in one direction until either side ends.
    fn pass(&self, mut from: &TcpStream, mut to: &TcpStream) {
        let mut chunk = vec![0; 0x10000];
        while let Ok(length @ 1..) = from.read(&mut chunk) {
            let Some(delay) = self.passage().filter(|_| self.admit()) else { break };
            if !delay.is_zero() {
                thread::sleep(delay);
            }
            if to.write_all(&chunk[..length]).is_err() {
                break;
            }
        }
        let _: std::io::Result<()> = to.shutdown(Shutdown::Write);
        let _: std::io::Result<()> = from.shutdown(Shutdown::Read);
    }
}

impl Link {
    /// Closes both ends, so that threads that read from them end.
    fn close(&self) {
        let _: std::io::Result<()> = self.client.shutdown(Shutdown::Both);
        if let Some(server) = &*self.server.lock().expect("no panic under the lock") {
            let _: std::io::Result<()> = server.shutdown(Shutdown::Both);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    /// The time that is certainly enough for an answer of this machine.
    const ENOUGH: Duration = Duration::from_secs(20);
    /// A time in which an answer would come, were it not held back.
    const BRIEFLY: Duration = Duration::from_millis(50);

    /// Starts a server that sends back every byte.
    fn echo() -> String {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                thread::spawn(move || std::io::copy(&mut &stream, &mut &stream));
            }
        });
        address
    }

    fn client(proxy: &Proxy) -> TcpStream {
        TcpStream::connect(proxy.address()).unwrap()
    }

    /// Says a byte and returns the answer; `None` if none comes in time or the connection ends.
    fn ask(mut stream: &TcpStream, byte: u8, time: Duration) -> Option<u8> {
        stream.write_all(&[byte]).ok()?;
        answer(stream, time)
    }

    fn answer(mut stream: &TcpStream, time: Duration) -> Option<u8> {
        stream.set_read_timeout(Some(time)).unwrap();
        let mut answer = [0];
        stream.read_exact(&mut answer).ok().map(|()| answer[0])
    }

    #[test]
    fn a_cut_ends_connections_and_refuses_new_ones_until_it_heals() {
        let proxy = Proxy::start(&echo());
        let before = client(&proxy);
        assert_eq!(ask(&before, 1, ENOUGH), Some(1));
        for _ in 0..3 {
            proxy.cut();
            assert_eq!(ask(&before, 2, ENOUGH), None);
            assert!(TcpStream::connect(proxy.address()).is_err());
            proxy.heal();
            assert_eq!(ask(&client(&proxy), 3, ENOUGH), Some(3));
        }
    }

    #[test]
    fn a_stalled_network_answers_late_but_loses_nothing() {
        let proxy = Proxy::start(&echo());
        let before = client(&proxy);
        assert_eq!(ask(&before, 1, ENOUGH), Some(1));
        proxy.stall();
        let during = client(&proxy);
        for stream in [&before, &during] {
            assert_eq!(ask(stream, 2, BRIEFLY), None);
        }
        proxy.heal();
        for stream in [&before, &during] {
            assert_eq!(answer(stream, ENOUGH), Some(2));
        }
        proxy.stall();
        proxy.cut();
        assert_eq!(ask(&before, 3, ENOUGH), None);
    }

    #[test]
    fn a_network_is_cut_after_some_chunks() {
        let proxy = Proxy::start(&echo());
        for chunks in 0..5 {
            proxy.cut_after(chunks);
            let stream = client(&proxy);
            // Each byte and its answer are a chunk.
            let answers = (0..5).map_while(|byte| ask(&stream, byte, ENOUGH)).count();
            assert_eq!(answers, chunks / 2);
            proxy.heal();
            assert_eq!(ask(&client(&proxy), 3, ENOUGH), Some(3));
        }
    }

    #[test]
    fn chunks_are_delayed_in_both_directions() {
        let proxy = Proxy::start(&echo());
        let stream = client(&proxy);
        proxy.delay(BRIEFLY);
        let start = Instant::now();
        assert_eq!(ask(&stream, 1, ENOUGH), Some(1));
        assert!(start.elapsed() >= 2 * BRIEFLY);
    }
}
