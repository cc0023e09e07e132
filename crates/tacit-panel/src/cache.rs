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
pub(crate) struct Cache(Mutex<BTreeMap<String, CacheEntry>>);

struct CacheEntry {
    version: DataVersion,
    made: Instant,
    /// The time for which the result is good enough even if a store changes.
    tolerated: Duration,
    value: Arc<dyn Any + Send + Sync>,
}

impl CacheEntry {
    fn is_valid(&self, version: &DataVersion) -> bool {
        let age = self.made.elapsed();
        age < self.tolerated || (age < LONGEST && self.version == *version)
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
    pub(crate) fn get_within<T: Send + Sync + 'static>(
        &self,
        name: &str,
        version: &DataVersion,
        times: u32,
        compute: impl FnOnce() -> Result<T, ApiError>,
    ) -> Result<Arc<T>, ApiError> {
        let kept = held(&self.0)
            .get(name)
            .filter(|entry| entry.is_valid(version))
            .map(|entry| entry.value.clone());
        if let Some(Ok(value)) = kept.map(|value| value.downcast::<T>()) {
            return Ok(value);
        }
        let begin = Instant::now();
        let value = Arc::new(compute()?);
        let made = Instant::now();
        let tolerated = (made - begin) * times;
        let entry = CacheEntry { version: version.clone(), made, tolerated, value: value.clone() };
        let mut entries = held(&self.0);
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
        held(&self.0).clear();
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(held(&cache.0).len(), MOST);
    }
}
