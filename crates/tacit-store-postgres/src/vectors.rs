//! Storage of vectors, with an index for each model that answers queries.

mod put;

use tacit_core::Memory;
use tacit_store::{
    EmbeddedPart, MemoryKey, ModelState, StoreResult, VectorKey, VectorModel, VectorPage,
    VectorSet, VectorStore,
};
use tokio_postgres::types::Type;

use crate::columns::Columns;
use crate::connection::Connection;
use crate::row::{COLUMNS, select_with_key};
use crate::store::PostgresStore;
use crate::text::number;

/// The columns that [`vector_row`] reads.
const VECTOR: &str = "v.seq, v.part, v.v::real[]";

impl VectorStore for PostgresStore {
    fn models(&self) -> StoreResult<Vec<ModelState>> {
        let sql = "SELECT name, dims::bigint, active, generation,
                       (SELECT count(*) FROM tacit.vector_queue q
                        WHERE q.project = m.project AND q.model = m.seq)
                   FROM tacit.models m WHERE project = $1 ORDER BY active DESC, seq";
        self.connection.read(sql, &[(&self.project, Type::INT8)], |row| {
            Ok(ModelState {
                model: VectorModel { name: row.get(0)?, dims: row.count(1)? },
                active: row.get(2)?,
                generation: row.count(3)?,
                pending: row.count(4)?,
            })
        })
    }

    fn add_model(&mut self, model: &VectorModel) -> StoreResult<()> {
        if model_number(&self.connection, self.project, model)?.is_none() {
            self.call("SELECT tacit.add_model($1, $2, $3)", model)?;
        }
        Ok(())
    }

    fn activate_model(&mut self, model: &VectorModel) -> StoreResult<()> {
        // Indexed first, because nobody writes memories while the model is activated.
        self.call(
            "SELECT tacit.index_model(project, seq) FROM tacit.models
             WHERE project = $1 AND name = $2 AND dims = $3::bigint",
            model,
        )?;
        self.call("SELECT tacit.activate_model($1, $2, $3)", model)
    }

    fn delete_other_models(&mut self, model: &VectorModel) -> StoreResult<()> {
        self.call("SELECT tacit.delete_other_models($1, $2, $3)", model)
    }

    fn pending(&self, model: &VectorModel, limit: usize) -> StoreResult<Vec<(MemoryKey, Memory)>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM tacit.vector_queue q
             JOIN tacit.models o ON o.project = $1 AND o.seq = q.model
             JOIN tacit.memories m ON m.project = $1 AND m.seq = q.seq
             WHERE q.project = $1 AND o.name = $2 AND o.dims = $3::bigint
             ORDER BY q.seq DESC LIMIT $4"
        );
        select_with_key(
            &self.connection,
            &sql,
            &[
                (&self.project, Type::INT8),
                (&model.name, Type::TEXT),
                (&number(model.dims), Type::INT8),
                (&number(limit), Type::INT8),
            ],
        )
    }

    fn put_vectors(&mut self, model: &VectorModel, sets: &[VectorSet]) -> StoreResult<usize> {
        put::put_vectors(&self.connection, self.project, model, sets)
    }

    fn vectors_since(
        &self,
        model: &VectorModel,
        generation: u64,
        limit: usize,
    ) -> StoreResult<VectorPage> {
        let mut page = VectorPage { generation, ..VectorPage::default() };
        // Writers of a model's vectors wait for each other, so all rows up to a generation are
        // there when it is. The last generation of a page is returned whole, however large it is.
        let sql = "SELECT m.seq, m.generation,
                       (SELECT v.generation FROM tacit.memory_vectors v
                        WHERE v.project = $1 AND v.model = m.seq AND v.generation > $4
                        AND v.generation <= m.generation
                        ORDER BY v.generation LIMIT 1 OFFSET $5)
                   FROM tacit.models m WHERE m.project = $1 AND m.name = $2 AND m.dims = $3::bigint";
        let after = i64::try_from(generation).unwrap_or(i64::MAX);
        let found = self.connection.read(
            sql,
            &[
                (&self.project, Type::INT8),
                (&model.name, Type::TEXT),
                (&number(model.dims), Type::INT8),
                (&after, Type::INT8),
                (&(number(limit).max(1) - 1), Type::INT8),
            ],
            |row| Ok((row.get::<i64>(0)?, row.get::<i64>(1)?, row.get::<Option<i64>>(2)?)),
        )?;
        let Some((model, latest, last)) = found.into_iter().next() else { return Ok(page) };
        let last = last.unwrap_or(latest);
        let sql = format!(
            "SELECT {VECTOR} FROM tacit.memory_vectors v
             WHERE v.project = $1 AND v.model = $2 AND v.generation > $3 AND v.generation <= $4
             ORDER BY v.generation, v.seq, v.part"
        );
        let of_page = [
            (&self.project as _, Type::INT8),
            (&model as _, Type::INT8),
            (&after as _, Type::INT8),
            (&last as _, Type::INT8),
        ];
        page.rows = self.connection.read(&sql, &of_page, vector_row)?;
        page.generation = last.unsigned_abs().max(generation);
        page.more = last < latest;
        Ok(page)
    }

    fn nearest(
        &self,
        model: &VectorModel,
        vector: &[f32],
        limit: usize,
    ) -> StoreResult<Option<Vec<(VectorKey, Vec<f32>)>>> {
        let sql = "SELECT n.seq, n.part, n.v FROM tacit.nearest($1, $2, $3, $4, $5) n";
        let found = self.connection.read(
            sql,
            &[
                (&self.project, Type::INT8),
                (&model.name, Type::TEXT),
                (&number(model.dims), Type::INT8),
                (&vector, Type::FLOAT4_ARRAY),
                (&number(limit), Type::INT8),
            ],
            vector_row,
        )?;
        Ok(Some(found))
    }

    fn vectors_of(
        &self,
        model: &VectorModel,
        keys: &[MemoryKey],
    ) -> StoreResult<Vec<(VectorKey, Vec<f32>)>> {
        let keys: Vec<i64> = keys.iter().filter_map(|key| i64::try_from(*key).ok()).collect();
        let sql = format!(
            "SELECT {VECTOR} FROM tacit.memory_vectors v
             JOIN tacit.models m ON m.project = v.project AND m.seq = v.model
             WHERE v.project = $1 AND m.name = $2 AND m.dims = $3 AND v.seq = ANY ($4)
             ORDER BY v.seq, v.part"
        );
        self.connection.read(
            &sql,
            &[
                (&self.project, Type::INT8),
                (&model.name, Type::TEXT),
                (&number(model.dims), Type::INT8),
                (&keys, Type::INT8_ARRAY),
            ],
            vector_row,
        )
    }
}

impl PostgresStore {
    /// Calls a function with the project, the name of a model and the length of its vectors.
    ///
    /// Takes as long as indexing all vectors of the project, in the worst case.
    fn call(&self, sql: &str, model: &VectorModel) -> StoreResult<()> {
        let dims = number(model.dims);
        self.connection.long_transaction(|connection| {
            let model = [
                (&self.project as _, Type::INT8),
                (&model.name as _, Type::TEXT),
                (&dims as _, Type::INT8),
            ];
            connection.execute(sql, &model).map(drop)
        })
    }
}

/// Returns the number of a model.
fn model_number(
    connection: &Connection,
    project: i64,
    model: &VectorModel,
) -> StoreResult<Option<i64>> {
    let sql = "SELECT seq FROM tacit.models WHERE project = $1 AND name = $2 AND dims = $3::bigint";
    let found = connection.read(
        sql,
        &[(&project, Type::INT8), (&model.name, Type::TEXT), (&number(model.dims), Type::INT8)],
        |row| row.get(0),
    )?;
    Ok(found.into_iter().next())
}

/// Reads a vector and its key from the columns [`VECTOR`].
fn vector_row(row: &Columns<'_>) -> StoreResult<(VectorKey, Vec<f32>)> {
    let part = u8::try_from(row.get::<i16>(1)?).map_err(|_| row.damaged("a part of no memory"))?;
    let key = VectorKey { memory: row.count(0)?, part: EmbeddedPart::from_number(part) };
    Ok((key, row.get(2)?))
}
