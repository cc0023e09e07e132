//! What the scanner must find, what it must leave, and what holds for any text.

mod lookalikes;
mod placement;
mod properties;
mod secrets;
