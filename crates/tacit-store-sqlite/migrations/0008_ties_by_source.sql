-- Which files belong together is told by sessions and by the history of the repository. What
-- sessions tell holds both ways; what history tells, from the first file to the second.
CREATE TABLE ties (
    file_a TEXT NOT NULL,
    file_b TEXT NOT NULL,
    source TEXT NOT NULL DEFAULT 'sessions',
    weight REAL NOT NULL DEFAULT 0.0,
    raw_count INTEGER NOT NULL DEFAULT 0,
    avg_time_delta_ms REAL,
    directional INTEGER NOT NULL DEFAULT 0,
    last_observed_at INTEGER NOT NULL,
    forward_count INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (file_a, file_b, source)
) STRICT, WITHOUT ROWID;
INSERT INTO ties (file_a, file_b, weight, raw_count, avg_time_delta_ms, directional,
                  last_observed_at, forward_count)
    SELECT file_a, file_b, weight, raw_count, avg_time_delta_ms, directional, last_observed_at,
           forward_count
    FROM observer_co_access_edges;
DROP TABLE observer_co_access_edges;
ALTER TABLE ties RENAME TO observer_co_access_edges;
CREATE INDEX observer_co_access_b ON observer_co_access_edges (file_b);
