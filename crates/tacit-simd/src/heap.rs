//! Freed memory that the allocator holds back.

/// Returns freed memory to the system. The allocator of glibc keeps what each thread once needed, so a server that
/// answers one large request stays large. Takes milliseconds; elsewhere it does nothing.
pub fn release_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function takes no memory of ours, and locks each arena while it works.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    /// Returns the memory of this process that no file backs, in kilobytes.
    fn resident() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").expect("the status");
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("a line");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    #[test]
    fn freed_memory_is_returned_to_the_system() {
        let before = resident();
        let blocks: Vec<Vec<u8>> = (0..64 * 1024).map(|_| vec![1; 1024]).collect();
        // The last block stays, so the allocator keeps everything below it.
        let last = blocks.into_iter().last().expect("a block");
        let kept = resident() - before;
        release_freed();
        let left = resident() - before;
        assert!(kept > 32 * 1024 && left < kept / 4, "{kept} kB, then {left} kB");
        drop(last);
    }
}
