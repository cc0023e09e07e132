//! Tables whose rows are visited in pages, and changed by their keys. Keys are texts, so that any
//! table's are handled alike.

use tacit_store::StoreResult;
use tokio_postgres::types::Type;

use crate::columns::Columns;
use crate::connection::{Connection, Parameter};
use crate::text::number;

/// The number of rows of a page.
const PAGE: usize = 500;

/// The key of a row: the texts of its columns.
pub(crate) type Key = Vec<String>;

/// A table, and the columns of its keys after the project.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyedTable {
    /// The name.
    pub(crate) name: &'static str,
    /// The columns of the key with their types.
    pub(crate) key: &'static [(&'static str, &'static str)],
    /// True if only the user's own rows are visited.
    pub(crate) own: bool,
}

/// A page of rows, each with its key.
pub(crate) type KeyedRows<T> = Vec<(Key, StoreResult<T>)>;

impl KeyedTable {
    /// Returns a page of rows after a key. `columns` are of the tables `t` and those that `joined`
    /// adds; `condition` is a condition that starts with `AND`.
    pub(crate) fn page<T>(
        &self,
        connection: &Connection,
        project: i64,
        select: &Select<'_>,
        after: Option<&Key>,
        limit: usize,
        read: impl Fn(&Columns<'_>) -> StoreResult<T>,
    ) -> StoreResult<KeyedRows<T>> {
        let own = if self.own { "AND t.owner = session_user" } else { "" };
        let list = |term: &dyn Fn(usize, &str, &str) -> String| {
            let terms = self.key.iter().enumerate();
            terms.map(|(at, (name, kind))| term(at + 1, name, kind)).collect::<Vec<_>>().join(", ")
        };
        let key = list(&|_, name, _| qualified(name));
        let texts = list(&|_, name, _| format!("{}::text", qualified(name)));
        let place = list(&|at, _, kind| format!("$2[{at}]::{kind}"));
        let after_place = match after {
            Some(_) => format!("AND ({key}) > ({place})"),
            None => "AND $2::text[] IS NULL".to_owned(),
        };
        let sql = format!(
            "SELECT {}, ARRAY[{texts}] FROM {} {own} {after_place} ORDER BY {key} LIMIT $3",
            select.columns,
            self.source(select),
        );
        let rows = connection.rows(
            &sql,
            &[(&project, Type::INT8), (&after, Type::TEXT_ARRAY), (&number(limit), Type::INT8)],
        )?;
        rows.iter()
            .map(|row| {
                let row = Columns { connection, row };
                Ok((row.get(row.row.len() - 1)?, read(&row)))
            })
            .collect()
    }

    /// Returns the number of rows.
    pub(crate) fn count(
        &self,
        connection: &Connection,
        project: i64,
        select: &Select<'_>,
    ) -> StoreResult<u64> {
        let own = if self.own { "AND t.owner = session_user" } else { "" };
        let sql = format!("SELECT count(*) FROM {} {own}", self.source(select));
        let row = connection.row(&sql, &[(&project, Type::INT8)])?;
        Ok(connection.get::<i64>(&row, 0)?.unsigned_abs())
    }

    /// Returns the tables and the condition.
    fn source(&self, select: &Select<'_>) -> String {
        let Select { joined, condition, .. } = select;
        let from = match select.from {
            "" => format!("tacit.{}", self.name),
            from => from.to_owned(),
        };
        format!("{from} t {joined} WHERE t.project = $1 {condition}")
    }

    /// Visits all rows with their keys.
    pub(crate) fn visit<T>(
        &self,
        connection: &Connection,
        project: i64,
        select: &Select<'_>,
        read: impl Fn(&Columns<'_>) -> StoreResult<T>,
        mut visit: impl FnMut(Key, StoreResult<T>),
    ) -> StoreResult<()> {
        let mut after: Option<Key> = None;
        loop {
            let page = self.page(connection, project, select, after.as_ref(), PAGE, &read)?;
            let last = page.last().map(|(key, _)| key.clone());
            let is_last = page.len() < PAGE;
            page.into_iter().for_each(|(key, row)| visit(key, row));
            if is_last {
                return Ok(());
            }
            after = last;
        }
    }

    /// Deletes rows. Returns their number.
    pub(crate) fn delete(
        &self,
        connection: &Connection,
        project: i64,
        keys: &[Key],
    ) -> StoreResult<u64> {
        let sql = format!("DELETE FROM tacit.{} t USING {}", self.name, self.given(""));
        self.with_keys(connection, project, &sql, keys, None)
    }

    /// Sets a column of rows. Returns their number.
    pub(crate) fn set(
        &self,
        connection: &Connection,
        project: i64,
        column: &str,
        keys: &[Key],
        values: &[Option<String>],
    ) -> StoreResult<u64> {
        let sql = format!(
            "UPDATE tacit.{} t SET {column} = k.new_value FROM {}",
            self.name,
            self.given("new_value")
        );
        self.with_keys(connection, project, &sql, keys, Some(values))
    }

    /// Returns rows as JSON, in any order.
    pub(crate) fn json(
        &self,
        connection: &Connection,
        project: i64,
        keys: &[Key],
    ) -> StoreResult<Vec<(Key, String)>> {
        let texts: Vec<String> =
            self.key.iter().map(|(name, _)| format!("t.{name}::text")).collect();
        let sql = format!(
            "SELECT ARRAY[{}], row_to_json(t)::text FROM tacit.{} t, {}",
            texts.join(", "),
            self.name,
            self.given("")
        );
        let columns = self.columns(keys);
        let parameters = parameters(&project, &columns, None);
        connection.read(&sql, &parameters, |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// Returns the table of the given keys, with a column of values if it has a name, and the
    /// condition that joins it.
    fn given(&self, value: &str) -> String {
        let values = usize::from(!value.is_empty());
        let arrays: Vec<String> =
            (0..self.key.len() + values).map(|at| format!("${}::text[]", at + 2)).collect();
        let mut names: Vec<&str> = self.key.iter().map(|(name, _)| *name).collect();
        let equal: Vec<String> =
            self.key.iter().map(|(name, kind)| format!("t.{name} = k.{name}::{kind}")).collect();
        if !value.is_empty() {
            names.push(value);
        }
        format!(
            "unnest({}) AS k ({}) WHERE t.project = $1 AND {}",
            arrays.join(", "),
            names.join(", "),
            equal.join(" AND ")
        )
    }

    fn with_keys(
        &self,
        connection: &Connection,
        project: i64,
        sql: &str,
        keys: &[Key],
        values: Option<&[Option<String>]>,
    ) -> StoreResult<u64> {
        if keys.is_empty() {
            return Ok(0);
        }
        let columns = self.columns(keys);
        connection.execute(sql, &parameters(&project, &columns, values.as_ref()))
    }

    fn columns(&self, keys: &[Key]) -> Vec<Vec<String>> {
        (0..self.key.len()).map(|at| keys.iter().map(|key| key[at].clone()).collect()).collect()
    }
}

/// Returns the name of a column of the table `t`, unless it names another.
fn qualified(column: &str) -> String {
    if column.contains('.') { column.to_owned() } else { format!("t.{column}") }
}

fn parameters<'p>(
    project: &'p i64,
    columns: &'p [Vec<String>],
    values: Option<&'p &[Option<String>]>,
) -> Vec<Parameter<'p>> {
    let mut parameters: Vec<Parameter<'p>> = vec![(project, Type::INT8)];
    parameters.extend(columns.iter().map(|column| (column as _, Type::TEXT_ARRAY)));
    parameters.extend(values.map(|values| (values as _, Type::TEXT_ARRAY)));
    parameters
}

/// The columns that are read, and from where.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Select<'s> {
    /// The columns, of the table `t` and of those that are joined.
    pub(crate) columns: &'s str,
    /// The rows in place of the table's, in parentheses; empty for its own.
    pub(crate) from: &'s str,
    /// The tables that are joined.
    pub(crate) joined: &'s str,
    /// A further condition, which starts with `AND`.
    pub(crate) condition: &'s str,
}

impl<'s> Select<'s> {
    /// Returns the columns of a table alone.
    pub(crate) const fn columns(columns: &'s str) -> Select<'s> {
        Select { columns, from: "", joined: "", condition: "" }
    }
}
