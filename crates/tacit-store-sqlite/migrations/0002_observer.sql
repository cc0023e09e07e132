-- What agents were seen to do.
CREATE TABLE observer_file_nodes (
    file_path TEXT PRIMARY KEY,
    access_count INTEGER NOT NULL DEFAULT 0,
    last_accessed_at INTEGER NOT NULL,
    session_count INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE observer_co_access_edges (
    file_a TEXT NOT NULL,
    file_b TEXT NOT NULL,
    weight REAL NOT NULL DEFAULT 0.0,
    raw_count INTEGER NOT NULL DEFAULT 0,
    avg_time_delta_ms REAL,
    directional INTEGER NOT NULL DEFAULT 0,
    last_observed_at INTEGER NOT NULL,
    PRIMARY KEY (file_a, file_b)
) STRICT, WITHOUT ROWID;
CREATE INDEX observer_co_access_b ON observer_co_access_edges (file_b);

CREATE TABLE observer_error_patterns (
    error_hash TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    error_message TEXT NOT NULL,
    occurrence_count INTEGER NOT NULL DEFAULT 1,
    last_seen_at INTEGER NOT NULL,
    resolved_how TEXT,
    PRIMARY KEY (error_hash, tool_name)
) STRICT, WITHOUT ROWID;

CREATE TABLE observer_signal_log (
    seq INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    signal_type TEXT NOT NULL,
    signal_data TEXT NOT NULL,
    score REAL,
    processed INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX observer_signal_session ON observer_signal_log (session_id);
CREATE INDEX observer_signal_unprocessed ON observer_signal_log (seq) WHERE processed = 0;
