-- What was concluded from each session, and what is kept of it for those that come after. The
-- sessions of one tree have its name; the digest is in the row of the session it is named by.
CREATE TABLE observer_sessions (
    session TEXT PRIMARY KEY,
    tree TEXT NOT NULL,
    upto INTEGER NOT NULL,
    state TEXT NOT NULL,
    at INTEGER NOT NULL,
    digest TEXT,
    applied TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX observer_sessions_at ON observer_sessions (at) WHERE digest IS NOT NULL;

-- In how many of the sessions that are counted the first file was used first.
ALTER TABLE observer_co_access_edges ADD COLUMN forward_count INTEGER NOT NULL DEFAULT 0;
