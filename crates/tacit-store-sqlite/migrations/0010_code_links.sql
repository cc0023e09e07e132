-- Symbols that a memory was said to be about, as a JSON array of `path::name`; and what changed in
-- the code where that made it stale.
ALTER TABLE memories ADD COLUMN symbols TEXT;
ALTER TABLE memories ADD COLUMN stale_why TEXT;

-- As of which change of a memory its links were found.
ALTER TABLE memories ADD COLUMN linked_at INTEGER;
CREATE INDEX memories_unlinked ON memories (seq) WHERE linked_at IS NOT updated_at;

-- Which symbols of the code graph memories are about, as they were found there, with a sum of the
-- source they had. No part of the history: it can be found again.
CREATE TABLE memory_links (
    memory INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    path TEXT NOT NULL,
    name TEXT NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (memory, path, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_links_symbol ON memory_links (path, name, memory);
