-- Tells the text that was last given to a model from another.
ALTER TABLE memories ADD COLUMN meaning INTEGER;
-- What was kept before there were vectors has never been given to any.
UPDATE memories SET meaning = 0
WHERE type NOT IN ('work_unit_outcome', 'context_cost') AND source <> 'commit_auto';

-- The truth about vectors; the mapped file beside the database is made from this. A model's name
-- tells everything that makes vectors incomparable when it changes.
CREATE TABLE models (
    seq INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    dims INTEGER NOT NULL,
    -- Exactly one model answers questions; another may be on its way to replace it.
    active INTEGER NOT NULL DEFAULT 0,
    -- Counts the transactions that changed this model's vectors.
    generation INTEGER NOT NULL DEFAULT 0,
    UNIQUE (name, dims)
) STRICT;

-- A long text has several vectors, one for each piece.
CREATE TABLE memory_vectors (
    memory INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    model INTEGER NOT NULL REFERENCES models (seq) ON DELETE CASCADE,
    piece INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (memory, model, piece)
) STRICT;
CREATE INDEX memory_vectors_generation ON memory_vectors (model, generation);

-- Memories whose text has no vectors yet, or has changed since it got them.
CREATE TABLE vector_queue (
    memory INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    model INTEGER NOT NULL REFERENCES models (seq) ON DELETE CASCADE,
    PRIMARY KEY (model, memory)
) STRICT, WITHOUT ROWID;

-- How many memories have a word.
CREATE VIRTUAL TABLE memory_terms USING fts5vocab (memory_text, 'row');

-- Words in so many memories that looking at all of them would take longer than they are worth.
CREATE TABLE common_terms (
    term TEXT PRIMARY KEY,
    documents INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
