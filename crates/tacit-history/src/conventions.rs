//! Conventions that the history measures: files that change with every new file, the form of commit
//! messages, and where tests are.

mod companions;
mod style;
mod test_places;

pub(crate) use companions::companions;
pub(crate) use style::commit_style;
pub(crate) use test_places::test_layout;
