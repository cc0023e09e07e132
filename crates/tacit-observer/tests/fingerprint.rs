//! Fingerprints of failed tools' output.

mod fingerprint {
    mod differ;
    mod properties;
    mod same;
}
