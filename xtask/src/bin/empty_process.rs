//! A process that does nothing: the unit in which the cost of starting `tacit` is counted.

fn main() {}
