-- A memory's row number never comes back, so that everything derived from it (text index,
-- vectors) can name it by eight bytes at most.
CREATE TABLE memories (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id BLOB NOT NULL UNIQUE,
    short INTEGER NOT NULL,
    content_hash BLOB NOT NULL,
    type TEXT NOT NULL,
    title TEXT,
    content TEXT NOT NULL,
    reasoning TEXT,
    category TEXT,
    confidence REAL NOT NULL,
    refs TEXT,
    scope TEXT NOT NULL,
    work_unit INTEGER REFERENCES work_units (seq),
    session TEXT,
    source TEXT NOT NULL,
    author TEXT,
    generator TEXT,
    commit_sha TEXT,
    target_node TEXT,
    decay_half_life_days REAL,
    review TEXT NOT NULL,
    citation TEXT,
    stale_at INTEGER,
    status TEXT NOT NULL,
    status_at INTEGER,
    status_reason TEXT,
    observations INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    access_count INTEGER NOT NULL,
    last_accessed_at INTEGER NOT NULL,
    details TEXT,
    bands BLOB
) STRICT;

CREATE INDEX memories_short ON memories (short);
CREATE INDEX memories_content_hash ON memories (content_hash);
CREATE INDEX memories_created ON memories (created_at);
CREATE INDEX memories_type ON memories (type, confidence DESC);
CREATE INDEX memories_review ON memories (review) WHERE review = 'needed';
CREATE INDEX memories_commit ON memories (commit_sha) WHERE commit_sha IS NOT NULL;
CREATE INDEX memories_work_unit ON memories (work_unit) WHERE work_unit IS NOT NULL;
CREATE INDEX memories_target_node ON memories (target_node) WHERE target_node IS NOT NULL;

-- `path` is the hierarchy, outermost first, each entry followed by U+001F, so that everything
-- inside a unit is a range of paths.
CREATE TABLE work_units (
    seq INTEGER PRIMARY KEY,
    methodology TEXT NOT NULL,
    path TEXT NOT NULL,
    label TEXT NOT NULL,
    UNIQUE (path, methodology, label)
) STRICT;

CREATE TABLE memory_files (
    memory INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    path TEXT NOT NULL,
    PRIMARY KEY (memory, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_files_path ON memory_files (path, memory);

CREATE TABLE memory_modules (
    memory INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    module TEXT NOT NULL,
    PRIMARY KEY (memory, module)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_modules_module ON memory_modules (module, memory);

CREATE TABLE memory_tags (
    memory INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY (memory, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_tags_tag ON memory_tags (tag, memory);

CREATE TABLE memory_sessions (
    memory INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    session TEXT NOT NULL,
    PRIMARY KEY (memory, session)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_sessions_session ON memory_sessions (session, memory);

-- A relation may point to a memory that is not there yet, as it does halfway through an import.
CREATE TABLE memory_relations (
    memory INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    target_memory BLOB,
    target_file TEXT,
    confidence REAL NOT NULL,
    auto_extracted INTEGER NOT NULL,
    CHECK ((target_memory IS NULL) <> (target_file IS NULL))
) STRICT;
CREATE INDEX memory_relations_memory ON memory_relations (memory);
CREATE INDEX memory_relations_target ON memory_relations (target_memory)
WHERE target_memory IS NOT NULL;
CREATE INDEX memory_relations_file ON memory_relations (target_file)
WHERE target_file IS NOT NULL;

-- Which memories share a band of their signature, and so are worth comparing.
CREATE TABLE memory_bands (
    band INTEGER NOT NULL,
    memory INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    PRIMARY KEY (band, memory)
) STRICT, WITHOUT ROWID;

-- Our own tokens, separated by spaces: every character that is not white space or control belongs
-- to a token, so that SQLite splits nothing that we kept whole.
CREATE VIRTUAL TABLE memory_text USING fts5 (
    title, body, labels,
    content = '', contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'"
);

-- The history. Nothing in it is ever changed; a purge may only blank what it says.
CREATE TABLE changes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    actor TEXT NOT NULL,
    reason TEXT,
    reverts INTEGER REFERENCES changes (id)
) STRICT;
CREATE INDEX changes_reverts ON changes (reverts) WHERE reverts IS NOT NULL;

CREATE TABLE change_items (
    change INTEGER NOT NULL REFERENCES changes (id),
    memory BLOB NOT NULL,
    before TEXT,
    after TEXT
) STRICT;
CREATE INDEX change_items_change ON change_items (change);
CREATE INDEX change_items_memory ON change_items (memory, change);

CREATE TRIGGER changes_stay BEFORE UPDATE ON changes
BEGIN
    SELECT RAISE(ABORT, 'the history is append-only');
END;
CREATE TRIGGER changes_remain BEFORE DELETE ON changes
BEGIN
    SELECT RAISE(ABORT, 'the history is append-only');
END;
CREATE TRIGGER change_items_stay BEFORE UPDATE ON change_items
WHEN NEW.before IS NOT NULL OR NEW.after IS NOT NULL
    OR NEW.change IS NOT OLD.change OR NEW.memory IS NOT OLD.memory
BEGIN
    SELECT RAISE(ABORT, 'the history is append-only');
END;
CREATE TRIGGER change_items_remain BEFORE DELETE ON change_items
BEGIN
    SELECT RAISE(ABORT, 'the history is append-only');
END;

-- Requests that were spooled and then done, so that a crash between doing one and removing its
-- file does not do it twice.
CREATE TABLE requests (
    name TEXT PRIMARY KEY,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
