//! Tests of redaction: what must be found, what must be kept, and properties of any text.

mod lookalikes;
mod placement;
mod properties;
mod secrets;
