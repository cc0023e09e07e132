//! A process that does nothing: the unit for the cost of starting `tacit`.

fn main() {}
