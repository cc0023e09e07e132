//! Fingerprints of what tools print when they fail.

mod fingerprint {
    mod differ;
    mod properties;
    mod same;
}
