-- The paths that a client reports with each event, once per session. An event with `paths` has
-- neither them nor its session in the body.
CREATE TABLE agent_event_paths (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    cwd TEXT,
    transcript TEXT
) STRICT;
CREATE INDEX agent_event_paths_session ON agent_event_paths (session);
ALTER TABLE agent_events ADD COLUMN paths INTEGER;

-- The body of an event, compressed. The column `body` is empty then.
ALTER TABLE agent_events ADD COLUMN packed BLOB;
