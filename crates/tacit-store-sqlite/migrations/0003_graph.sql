-- The structure of the code. Reachability is computed from the edges, not stored.
CREATE TABLE graph_nodes (
    seq INTEGER PRIMARY KEY,
    label TEXT NOT NULL,
    type TEXT NOT NULL,
    metadata TEXT NOT NULL DEFAULT '{}',
    stale_at INTEGER,
    last_analyzed_at INTEGER NOT NULL,
    UNIQUE (label, type)
) STRICT;

CREATE TABLE graph_edges (
    from_node INTEGER NOT NULL REFERENCES graph_nodes (seq) ON DELETE CASCADE,
    to_node INTEGER NOT NULL REFERENCES graph_nodes (seq) ON DELETE CASCADE,
    type TEXT NOT NULL,
    weight REAL NOT NULL DEFAULT 0.5,
    confidence REAL NOT NULL DEFAULT 0.8,
    auto_extracted INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (from_node, to_node, type)
) STRICT, WITHOUT ROWID;
CREATE INDEX graph_edges_to ON graph_edges (to_node, from_node);
