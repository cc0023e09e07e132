//! Copying of tables from a damaged database.

use rusqlite::types::Value;
use rusqlite::{Connection, Row, Transaction, params_from_iter};

use super::validate;

/// Tables that are rebuilt from others. A copy of a server that may lack rows no longer says how far it
/// follows, so it is filled again.
const DERIVED: [&str; 3] = ["memory_bands", "common_terms", "team_copy"];
/// The most row numbers that are tried one by one between the readable ends of a table.
const TRIED: i64 = 200_000;
/// The most row numbers that are tried if the last row is unknown.
const TRIED_BLINDLY: i64 = 5_000;

/// The numbers of copied and of unreadable rows.
#[derive(Debug, Default)]
pub(super) struct Copied {
    pub(super) rows: usize,
    pub(super) unreadable: usize,
}

/// A table of the new database.
pub(crate) struct TableSchema {
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
    /// The columns that order the rows.
    pub(crate) key: Vec<String>,
    /// True if rows have a row number.
    numbered: bool,
}

/// Copies every table that both databases have.
pub(super) fn copy_all(from: &Connection, into: &mut Connection) -> rusqlite::Result<Copied> {
    let mut copied = Copied::default();
    let transaction = into.transaction()?;
    for table in tables(&transaction)? {
        table.copy(from, &transaction, &mut copied);
    }
    // Row numbers must not be reused.
    for (name, column) in [("memories", "seq"), ("changes", "id")] {
        let sql = "SELECT seq FROM sqlite_sequence WHERE name = ?";
        let last: i64 = from.query_row(sql, [name], |row| row.get(0)).unwrap_or(0);
        let most = format!("SELECT coalesce(max({column}), 0) FROM {name}");
        let most: i64 = transaction.query_row(&most, [], |row| row.get(0))?;
        // A greater number is damage too.
        let last = if last < i64::MAX / 2 { last.max(most) } else { most };
        transaction.execute("DELETE FROM sqlite_sequence WHERE name = ?", [name])?;
        transaction
            .execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (name, last))?;
    }
    transaction.commit()?;
    Ok(copied)
}

/// Returns the tables of a database, except derived ones.
pub(crate) fn tables(connection: &Connection) -> rusqlite::Result<Vec<TableSchema>> {
    let sql = "SELECT name, wr FROM pragma_table_list
               WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name";
    let mut statement = connection.prepare(sql)?;
    let names: Vec<(String, bool)> =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    let mut tables = Vec::new();
    for (name, without_number) in names {
        if DERIVED.contains(&name.as_str()) {
            continue;
        }
        let mut columns = Vec::new();
        let mut key = Vec::new();
        let mut alias = false;
        let mut statement =
            connection.prepare("SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid")?;
        let mut rows = statement.query([&name])?;
        while let Some(row) = rows.next()? {
            let (column, kind, place): (String, String, i64) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            if place > 0 {
                key.push((place, column.clone()));
                alias = !without_number && kind == "INTEGER";
            }
            columns.push(column);
        }
        key.sort();
        let single = key.len() == 1 && alias;
        let mut key: Vec<String> = key.into_iter().map(|(_, column)| column).collect();
        if !without_number && !single {
            key = vec!["rowid".into()];
            columns.insert(0, "rowid".into());
        }
        tables.push(TableSchema { name, columns, key, numbered: !without_number });
    }
    Ok(tables)
}

impl TableSchema {
    fn copy(&self, from: &Connection, into: &Transaction<'_>, copied: &mut Copied) {
        let Ok(columns) = self.shared_columns(from) else { return };
        let list = columns.join(", ");
        // A table scan without indexes survives damage elsewhere.
        let select = format!("SELECT {list} FROM {} NOT INDEXED", self.name);
        let marks = vec!["?"; columns.len()].join(", ");
        let insert = format!("INSERT OR IGNORE INTO {} ({list}) VALUES ({marks})", self.name);
        let number = columns.iter().position(|column| *column == self.key[0]).unwrap_or(0);
        let mut ends: [Option<i64>; 2] = [None, None];
        for (end, order) in ends.iter_mut().zip(["ASC", "DESC"]) {
            let order: Vec<String> =
                self.key.iter().map(|column| format!("{column} {order}")).collect();
            let sql = format!("{select} ORDER BY {}", order.join(", "));
            let Ok(mut statement) = from.prepare(&sql) else { return };
            let Ok(mut rows) = statement.query([]) else { continue };
            loop {
                match rows.next() {
                    Ok(Some(row)) => {
                        self.take(row, &columns, into, &insert, copied);
                        *end = row.get(number).ok().or(*end);
                    }
                    Ok(None) => return,
                    Err(_) => break,
                }
            }
        }
        copied.unreadable += usize::from(!self.numbered);
        if self.numbered {
            self.copy_between(from, into, (&select, &insert), &columns, ends, copied);
        }
    }

    /// Tries the row numbers between the readable ends one by one.
    fn copy_between(
        &self,
        from: &Connection,
        into: &Transaction<'_>,
        (select, insert): (&str, &str),
        columns: &[&str],
        ends: [Option<i64>; 2],
        copied: &mut Copied,
    ) {
        let first = ends[0].unwrap_or(0).saturating_add(1);
        let last = match ends[1] {
            Some(last) => last.min(first.saturating_add(TRIED)),
            None => first.saturating_add(TRIED_BLINDLY),
        };
        let sql = format!("{select} WHERE {} = ?", self.key[0]);
        let Ok(mut statement) = from.prepare(&sql) else { return };
        for number in first..last {
            let Ok(mut rows) = statement.query([number]) else { continue };
            match rows.next() {
                Ok(Some(row)) => self.take(row, columns, into, insert, copied),
                Ok(None) => {}
                Err(_) => copied.unreadable += usize::from(ends[1].is_some()),
            }
        }
    }

    /// Returns the columns that the damaged database has too.
    fn shared_columns(&self, from: &Connection) -> rusqlite::Result<Vec<&str>> {
        let mut statement = from.prepare("SELECT name FROM pragma_table_info(?)")?;
        let there: Vec<String> =
            statement.query_map([&self.name], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let shared = |column: &&String| *column == "rowid" || there.contains(column);
        Ok(self.columns.iter().filter(shared).map(String::as_str).collect())
    }

    fn take(
        &self,
        row: &Row<'_>,
        columns: &[&str],
        into: &Transaction<'_>,
        insert: &str,
        copied: &mut Copied,
    ) {
        let values: rusqlite::Result<Vec<Value>> =
            (0..columns.len()).map(|at| row.get::<_, Value>(at)).collect();
        let valid = values
            .ok()
            .filter(|values| validate::invalid_column(&self.name, columns, values).is_none());
        let stored =
            valid.map(|values| into.prepare_cached(insert)?.execute(params_from_iter(values)));
        match stored {
            // A row that exists was already read from the other end.
            Some(Ok(new)) => copied.rows += new,
            _ => copied.unreadable += 1,
        }
    }
}
