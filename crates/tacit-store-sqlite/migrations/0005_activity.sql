-- The sessions of agents, what happened in them and what they were shown.
CREATE TABLE agent_sessions (
    id TEXT PRIMARY KEY,
    client TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    ended TEXT,
    context INTEGER NOT NULL DEFAULT 0,
    asked INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE agent_events (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    tool TEXT,
    subject TEXT,
    body TEXT NOT NULL
) STRICT;
CREATE INDEX agent_events_session ON agent_events (session, seq);

CREATE TABLE agent_injections (
    seq INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    agent TEXT,
    context INTEGER NOT NULL,
    at INTEGER NOT NULL,
    layer TEXT NOT NULL,
    event TEXT NOT NULL,
    memory BLOB,
    text TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    why TEXT NOT NULL
) STRICT;
CREATE INDEX agent_injections_session ON agent_injections (session, context);
CREATE INDEX agent_injections_event ON agent_injections (event);

CREATE TABLE agent_notes (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    files TEXT NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE INDEX agent_notes_session ON agent_notes (session, seq);

-- What was last used is asked for whenever a session starts.
CREATE INDEX memories_used ON memories (last_accessed_at);
