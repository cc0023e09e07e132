//! Results that cost much to compute, kept until the stores they follow from change.
//!
//! Other processes change the stores, so each look compares the state of their files, which costs
//! microseconds.

use std::any::Any;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use tacit_app::App;
use tacit_app::app::CONFIG_FILE;
use tacit_engine::StoreScope;

use crate::error::ApiError;
use crate::state::held;

/// The results that are kept.
const MOST: usize = 64;
/// The time after which a result is computed again whatever happened: it may depend on the date, and on
/// files other than those of the stores.
const LONGEST: Duration = Duration::from_secs(30);

/// The size and the time of a file.
pub(crate) type SizeAndTime = Option<(u64, Option<SystemTime>)>;

/// Returns the state of a file; `None` if there is none.
pub(crate) fn file_state(path: &Path) -> SizeAndTime {
    path.symlink_metadata().ok().map(|data| (data.len(), data.modified().ok()))
}

/// Returns the files that change when the configuration does.
pub(crate) fn config_files(app: &App) -> Vec<PathBuf> {
    let folders = [&app.environment.config_home, &app.places.project, &app.places.shared];
    folders.map(|folder| folder.join(CONFIG_FILE)).into()
}

/// Returns the files that change when a store does.
pub(crate) fn store_files(app: &App) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for scope in [StoreScope::Project, StoreScope::Global] {
        let database = app.places.database(scope);
        let mut log = database.clone().into_os_string();
        log.push("-wal");
        files.extend([database, log.into(), app.places.directory(scope).join("events")]);
    }
    files
}

/// The state of everything that results follow from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DataVersion(Vec<SizeAndTime>);

impl DataVersion {
    pub(crate) fn of(app: &App) -> DataVersion {
        let files = config_files(app).into_iter().chain(store_files(app));
        DataVersion(files.map(|path| file_state(&path)).collect())
    }
}

/// Results by their names.
#[derive(Default)]
pub(crate) struct Cache {
    entries: Mutex<BTreeMap<String, CacheEntry>>,
    /// The results that are being computed: the thread that computes one holds its lock.
    computing: Mutex<BTreeMap<String, Arc<Mutex<()>>>>,
}

struct CacheEntry {
    version: DataVersion,
    /// The time at which the computation began, and ended.
    begun: Instant,
    made: Instant,
    /// The time for which the result is good enough even if a store changes.
    tolerated: Duration,
    value: Arc<dyn Any + Send + Sync>,
}

impl CacheEntry {
    /// Returns true for a result that a request for this version, which came at this time, may have.
    fn is_valid(&self, version: &DataVersion, came: Instant) -> bool {
        let age = self.made.elapsed();
        let is_current = self.version == *version || self.begun >= came;
        age < self.tolerated || (age < LONGEST && is_current)
    }
}

impl Cache {
    /// Returns a result as of now, computing it if it is not known.
    pub(crate) fn get<T: Send + Sync + 'static>(
        &self,
        name: &str,
        version: &DataVersion,
        compute: impl FnOnce() -> Result<T, ApiError>,
    ) -> Result<Arc<T>, ApiError> {
        self.get_within(name, version, 0, compute)
    }

    /// Like [`Cache::get`], but a result is reused for `times` as long as it took to compute, even if a
    /// store changes: a running session changes it every second.
    ///
    /// Requests for the same result wait for the one that computes it.
    pub(crate) fn get_within<T: Send + Sync + 'static>(
        &self,
        name: &str,
        version: &DataVersion,
        times: u32,
        compute: impl FnOnce() -> Result<T, ApiError>,
    ) -> Result<Arc<T>, ApiError> {
        let came = Instant::now();
        if let Some(value) = self.kept(name, version, came) {
            return Ok(value);
        }
        let lock = held(&self.computing).entry(name.to_owned()).or_default().clone();
        let computed = {
            let _computing = held(&lock);
            match self.kept(name, version, came) {
                Some(value) => Ok(value),
                None => self.compute(name, version, times, compute),
            }
        };
        let mut computing = held(&self.computing);
        // Ours, and the one in the map: nobody else waits.
        if Arc::strong_count(&lock) == 2 {
            computing.remove(name);
        }
        computed
    }

    fn kept<T: Send + Sync + 'static>(
        &self,
        name: &str,
        version: &DataVersion,
        came: Instant,
    ) -> Option<Arc<T>> {
        let entries = held(&self.entries);
        let entry = entries.get(name).filter(|entry| entry.is_valid(version, came))?;
        entry.value.clone().downcast().ok()
    }

    fn compute<T: Send + Sync + 'static>(
        &self,
        name: &str,
        version: &DataVersion,
        times: u32,
        compute: impl FnOnce() -> Result<T, ApiError>,
    ) -> Result<Arc<T>, ApiError> {
        let begun = Instant::now();
        let value = Arc::new(compute()?);
        let made = Instant::now();
        let tolerated = (made - begun) * times;
        let version = version.clone();
        let entry = CacheEntry { version, begun, made, tolerated, value: value.clone() };
        let mut entries = held(&self.entries);
        entries.insert(name.to_owned(), entry);
        if entries.len() > MOST {
            let oldest = entries.iter().min_by_key(|(_, entry)| entry.made);
            let oldest = oldest.map(|(name, _)| name.clone());
            oldest.and_then(|name| entries.remove(&name));
        }
        Ok(value)
    }

    /// Forgets everything: long work changes more than the stores.
    pub(crate) fn clear(&self) {
        held(&self.entries).clear();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn version(number: u64) -> DataVersion {
        DataVersion(vec![Some((number, None)), None])
    }

    #[test]
    fn a_result_is_computed_once_for_each_version() {
        let cache = Cache::default();
        let get = |at, value: u64| *cache.get("sum", &version(at), || Ok(value)).expect("a value");
        assert_eq!(
            (get(1, 10), get(1, 11), get(2, 12), get(2, 13), get(1, 14)),
            (10, 10, 12, 12, 14)
        );
        let text = cache.get("sum", &version(1), || Ok("another type".to_owned()));
        assert_eq!(*text.expect("a value"), "another type");
        cache.clear();
        assert_eq!(get(1, 15), 15);
    }

    #[test]
    fn requests_at_the_same_time_wait_for_one_computation() {
        let cache = Cache::default();
        let computed = AtomicUsize::new(0);
        let begun = Barrier::new(2);
        std::thread::scope(|scope| {
            let first = scope.spawn(|| {
                let slow = || {
                    begun.wait();
                    // Until the others are there; each of them holds the lock's counter.
                    while held(&cache.computing)
                        .get("sum")
                        .is_none_or(|it| Arc::strong_count(it) < 5)
                    {
                        std::thread::yield_now();
                    }
                    Ok(computed.fetch_add(1, Ordering::SeqCst))
                };
                *cache.get("sum", &version(1), slow).expect("a value")
            });
            begun.wait();
            // A store changes all the time, so each request sees another version.
            let others = [1, 2, 3].map(|number| {
                let (cache, computed) = (&cache, &computed);
                scope.spawn(move || {
                    let next = || Ok(computed.fetch_add(1, Ordering::SeqCst));
                    *cache.get("sum", &version(number), next).expect("a value")
                })
            });
            assert_eq!(first.join().expect("a value"), 0);
            others.into_iter().for_each(|other| assert!(other.join().is_ok()));
        });
        assert!(computed.into_inner() <= 2, "what began after a request is new enough for it");
        assert!(held(&cache.computing).is_empty());
    }

    #[test]
    fn an_error_is_not_kept() {
        let cache = Cache::default();
        let failed = cache.get::<u64>("sum", &version(1), || Err(ApiError::failure("no")));
        assert!(failed.is_err());
        assert_eq!(*cache.get("sum", &version(1), || Ok(1_u64)).expect("a value"), 1);
    }

    #[test]
    fn the_number_of_results_is_bounded() {
        let cache = Cache::default();
        for number in 0..2 * MOST {
            cache.get(&number.to_string(), &version(1), || Ok(number)).expect("a value");
        }
        assert_eq!(held(&cache.entries).len(), MOST);
    }
}
