-- Everything is in the schema `tacit` and belongs to the role `tacit_owner`, which nobody logs in as.
-- People are login roles with the role `tacit_member`; row-level security decides what they see.
--
-- Filters under row-level security use an index only if their operators are leakproof, as `=` and `<` of
-- numbers, text and bytes are, and those of arrays and tsvector are not. Hence the tables of marks and
-- words with ordinary indexes instead of arrays with GIN.
--
-- What is private must not be in the way of others, nor be counted by an index scan that they run. So in
-- keys and indexes with anything that a memory says, `holder` comes right after the project, before it.
--
-- Text columns have the collation "C": every server compares them alike. Times are milliseconds, from the
-- year 1 to 9999. `tacit_vector` stands for the schema of the extension.

CREATE TABLE projects (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- The address of the repository, or what the configuration says instead.
    identity text COLLATE "C" NOT NULL UNIQUE,
    name text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE members (
    project bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    member name NOT NULL,
    role text NOT NULL CHECK (role IN ('reader', 'contributor', 'curator')),
    PRIMARY KEY (project, member)
);
CREATE INDEX members_member ON members (member, project);

-- The last numbers that were given. Writers lock the row of their project first, so numbers become visible
-- in order, and none is given twice. `judged` is the commit whose checkout was last compared with the memories.
CREATE TABLE counters (
    project bigint PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    memory bigint NOT NULL DEFAULT 0,
    change bigint NOT NULL DEFAULT 0,
    judged text,
    judged_at bigint
);

-- `doc` is the whole memory as JSON, except for its usage. The other columns serve filters and orders.
-- `holder` is the only person who sees the memory; empty if the team does. Rows about a memory repeat it.
CREATE TABLE memories (
    project bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    seq bigint NOT NULL CHECK (seq > 0),
    -- A UUID of version 7.
    id bytea NOT NULL CHECK (octet_length(id) = 16 AND get_byte(id, 6) / 16 = 7),
    -- Who stored the memory and who wrote `doc` last, as the server knows.
    owner text COLLATE "C" NOT NULL DEFAULT session_user,
    changed_by text COLLATE "C" NOT NULL DEFAULT session_user,
    visibility text NOT NULL DEFAULT 'team' CHECK (visibility IN ('private', 'team')),
    holder text COLLATE "C" NOT NULL GENERATED ALWAYS AS
        (CASE WHEN visibility = 'private' THEN owner ELSE '' END) STORED,
    short bigint NOT NULL,
    content_hash bytea NOT NULL CHECK (octet_length(content_hash) = 32),
    type text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,
    review text COLLATE "C" NOT NULL,
    author text COLLATE "C",
    -- The derived confidence if there is one, else the memory's own.
    confidence double precision NOT NULL,
    created_at bigint NOT NULL CHECK (created_at BETWEEN -62135596800000 AND 253402207200000),
    updated_at bigint NOT NULL CHECK (updated_at BETWEEN -62135596800000 AND 253402207200000),
    stale_at bigint,
    access_count bigint NOT NULL CHECK (access_count >= 0),
    last_accessed_at bigint NOT NULL
        CHECK (last_accessed_at BETWEEN -62135596800000 AND 253402207200000),
    methodology text COLLATE "C",
    -- The hierarchy of the unit of work, outermost first, each entry followed by U+001F.
    unit_path text COLLATE "C",
    fingerprint text COLLATE "C",
    -- The hash of the text that was last given to a model; NULL if the memory is not embedded.
    meaning bigint,
    -- The `updated_at` as of which the links were found.
    linked_at bigint,
    -- The number of words in the text index; NULL if the memory is not in it.
    length integer,
    doc text NOT NULL,
    PRIMARY KEY (project, seq),
    UNIQUE (project, id),
    UNIQUE (project, seq, holder)
) WITH (fillfactor = 80);
CREATE INDEX memories_short ON memories (project, holder, short);
CREATE INDEX memories_content_hash ON memories (project, holder, content_hash);
CREATE INDEX memories_created ON memories (project, created_at, id, holder);
CREATE INDEX memories_updated ON memories (project, updated_at, id, holder);
CREATE INDEX memories_type ON memories (project, holder, type, confidence DESC);
CREATE INDEX memories_review ON memories (project, seq) WHERE review = 'needed';
-- Few memories belong to a unit, and its path may be longer than an entry of an index.
CREATE INDEX memories_unit ON memories (project, seq) WHERE unit_path IS NOT NULL;
CREATE INDEX memories_fingerprint ON memories (project, holder, fingerprint)
WHERE fingerprint IS NOT NULL;
CREATE INDEX memories_unlinked ON memories (project, seq) WHERE linked_at IS DISTINCT FROM updated_at;
CREATE INDEX memories_unindexed ON memories (project, seq) WHERE length IS NULL;

-- What memories are looked up by: tags, files, modules, sessions, files of relations ('relation_file'),
-- memories that a stated relation supersedes or contradicts ('contradicted', as hexadecimal), and bands of
-- signatures ('band').
--
-- Here and in the text index, a foreign key would look a row up for each row, a third of the cost of a memory.
-- A trigger compares the rows of a statement with the memories all at once.
CREATE TABLE memory_marks (
    project bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    holder text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, holder, kind, value, seq)
);
CREATE INDEX memory_marks_memory ON memory_marks (project, holder, seq);

-- The text index: our own tokens, with their number in the title, the text, and the labels, and the number
-- of all words of the memory.
CREATE TABLE memory_words (
    project bigint NOT NULL,
    word text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    title integer NOT NULL,
    body integer NOT NULL,
    labels integer NOT NULL,
    length integer NOT NULL,
    holder text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, holder, word, seq) INCLUDE (title, body, labels, length)
);
CREATE INDEX memory_words_memory ON memory_words (project, holder, seq);

-- The number of memories with each word, and of all indexed memories and their words. Those of private
-- memories are counted apart: the words tell what they say. The limits keep sums within their type.
CREATE TABLE terms (
    project bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    term text COLLATE "C" NOT NULL,
    holder text COLLATE "C" NOT NULL,
    documents bigint NOT NULL CHECK (abs(documents) <= 1000000000000),
    PRIMARY KEY (project, holder, term)
) WITH (fillfactor = 70);

CREATE TABLE text_totals (
    project bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    holder text COLLATE "C" NOT NULL,
    memories bigint NOT NULL CHECK (abs(memories) <= 1000000000000),
    words bigint NOT NULL CHECK (abs(words) <= 1000000000000),
    PRIMARY KEY (project, holder)
);

-- The history. Nothing in it is ever changed; a purge may only blank what it says. `owner` is who wrote
-- it, as the server knows; `actor` is who it says it was. A change can only undo an earlier one, so chains
-- of undos end.
CREATE TABLE changes (
    project bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    id bigint NOT NULL CHECK (id > 0),
    owner text COLLATE "C" NOT NULL DEFAULT session_user,
    holder text COLLATE "C" NOT NULL,
    at bigint NOT NULL CHECK (at BETWEEN -62135596800000 AND 253402207200000),
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('remember', 'edit', 'forget', 'restore', 'tag', 'link',
        'import', 'rename', 'undo', 'purge')),
    actor text COLLATE "C" NOT NULL CHECK (actor <> '' AND char_length(actor) <= 400),
    reason text CHECK (octet_length(reason) <= 8192),
    reverts bigint CHECK (reverts > 0 AND reverts < id),
    PRIMARY KEY (project, id),
    UNIQUE (project, id, owner)
);
CREATE INDEX changes_reverts ON changes (project, reverts) WHERE reverts IS NOT NULL;

CREATE TABLE change_items (
    project bigint NOT NULL,
    change bigint NOT NULL,
    item integer NOT NULL CHECK (item > 0),
    owner text COLLATE "C" NOT NULL DEFAULT session_user,
    memory bytea NOT NULL CHECK (octet_length(memory) = 16 AND get_byte(memory, 6) / 16 = 7),
    holder text COLLATE "C" NOT NULL,
    before text CHECK (json_typeof(before::json) = 'object'),
    after text CHECK (json_typeof(after::json) = 'object'),
    PRIMARY KEY (project, change, item),
    -- Nobody adds to the change of another.
    FOREIGN KEY (project, change, owner) REFERENCES changes (project, id, owner) ON DELETE CASCADE
);
CREATE INDEX change_items_memory ON change_items (project, memory, change);

-- Requests that were spooled and then done, so that a crash between doing one and removing its file does
-- not do it twice.
CREATE TABLE requests (
    project bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    name text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL DEFAULT session_user,
    at bigint NOT NULL,
    PRIMARY KEY (project, name)
);

-- Symbols of the code graph that memories are about, with a checksum of their source.
CREATE TABLE memory_links (
    project bigint NOT NULL,
    seq bigint NOT NULL,
    path text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    checksum bigint NOT NULL,
    holder text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, holder, seq, path, name),
    FOREIGN KEY (project, seq, holder) REFERENCES memories (project, seq, holder)
        ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX memory_links_symbol ON memory_links (project, holder, path, name, seq);

-- Embedding models. Exactly one is active; another may be on its way to replace it. `generation` counts the
-- transactions that changed its vectors.
CREATE TABLE models (
    project bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    name text COLLATE "C" NOT NULL,
    dims integer NOT NULL CHECK (dims BETWEEN 1 AND 16000),
    active boolean NOT NULL DEFAULT false,
    generation bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (project, seq),
    UNIQUE (project, name, dims),
    UNIQUE (project, seq, dims)
);

-- One partition per project, so that each has indexes of its own. `part` numbers the pieces of the text,
-- then the cues. `dims` makes every vector as long as its model says: one of another length could not be
-- indexed with the others.
CREATE TABLE memory_vectors (
    project bigint NOT NULL,
    model bigint NOT NULL,
    seq bigint NOT NULL,
    part smallint NOT NULL CHECK (part BETWEEN 0 AND 255),
    generation bigint NOT NULL,
    holder text COLLATE "C" NOT NULL,
    v tacit_vector.vector NOT NULL,
    dims integer NOT NULL GENERATED ALWAYS AS (tacit_vector.vector_dims(v)) STORED,
    PRIMARY KEY (project, model, seq, part, holder),
    FOREIGN KEY (project, seq, holder) REFERENCES memories (project, seq, holder)
        ON DELETE CASCADE ON UPDATE CASCADE,
    FOREIGN KEY (project, model, dims) REFERENCES models (project, seq, dims) ON DELETE CASCADE
) PARTITION BY LIST (project);
CREATE INDEX memory_vectors_generation ON memory_vectors (project, model, generation);
CREATE INDEX memory_vectors_memory ON memory_vectors (project, holder, seq);

-- Memories whose text has no vectors yet, or has changed since it got them.
CREATE TABLE vector_queue (
    project bigint NOT NULL,
    model bigint NOT NULL,
    seq bigint NOT NULL,
    holder text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, model, seq, holder),
    FOREIGN KEY (project, seq, holder) REFERENCES memories (project, seq, holder)
        ON DELETE CASCADE ON UPDATE CASCADE,
    FOREIGN KEY (project, model) REFERENCES models ON DELETE CASCADE
);
CREATE INDEX vector_queue_memory ON vector_queue (project, seq, holder);

-- The sessions of agents, what happened in them and what they were shown. Each person sees only their own.
CREATE TABLE agent_sessions (
    project bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    owner text COLLATE "C" NOT NULL DEFAULT session_user,
    id text COLLATE "C" NOT NULL,
    client text NOT NULL,
    started_at bigint NOT NULL,
    last_at bigint NOT NULL,
    ended text,
    context bigint NOT NULL DEFAULT 0,
    asked boolean NOT NULL DEFAULT false,
    -- True for a session from which everything is withheld, false for one that it is compared with; NULL
    -- outside such a trial.
    held_out boolean,
    -- The last activity up to which the injections of the session were judged.
    judged_upto bigint,
    PRIMARY KEY (project, owner, id)
);
CREATE INDEX agent_sessions_last ON agent_sessions (project, owner, last_at, id);

-- The paths that a client reports with each event, once per session. They may be longer than an entry of an
-- index, so their hashes are compared.
CREATE TABLE agent_event_paths (
    project bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    owner text COLLATE "C" NOT NULL DEFAULT session_user,
    id bigint GENERATED ALWAYS AS IDENTITY,
    session text COLLATE "C" NOT NULL,
    cwd text COLLATE "C",
    transcript text COLLATE "C",
    PRIMARY KEY (project, owner, id)
);
CREATE UNIQUE INDEX agent_event_paths_once ON agent_event_paths
    (project, owner, session, hashtextextended(cwd, 0), hashtextextended(transcript, 0))
NULLS NOT DISTINCT;

CREATE TABLE agent_events (
    project bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    owner text COLLATE "C" NOT NULL DEFAULT session_user,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    id text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    tool text COLLATE "C",
    subject text COLLATE "C",
    body text NOT NULL,
    -- The body, compressed. The column `body` is empty then.
    packed bytea,
    paths bigint,
    PRIMARY KEY (project, owner, seq),
    UNIQUE (project, owner, id)
);
CREATE INDEX agent_events_session ON agent_events (project, owner, session, seq);
CREATE INDEX agent_events_kind ON agent_events (project, owner, kind, seq);

CREATE TABLE agent_injections (
    project bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    owner text COLLATE "C" NOT NULL DEFAULT session_user,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    session text COLLATE "C" NOT NULL,
    agent text,
    context bigint NOT NULL,
    at bigint NOT NULL,
    layer text NOT NULL,
    event text COLLATE "C" NOT NULL,
    memory bytea,
    text text NOT NULL,
    tokens bigint NOT NULL,
    why text NOT NULL,
    -- True if the session was one from which everything is withheld, to measure the benefit.
    withheld boolean NOT NULL DEFAULT false,
    -- The effect of the injection and the reason; NULL until it is decided.
    fate text,
    fate_why text,
    PRIMARY KEY (project, owner, seq)
);
CREATE INDEX agent_injections_session ON agent_injections (project, owner, session, context);
CREATE INDEX agent_injections_event ON agent_injections (project, owner, event);
CREATE INDEX agent_injections_memory ON agent_injections (project, owner, memory)
WHERE memory IS NOT NULL;

CREATE TABLE agent_notes (
    project bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    owner text COLLATE "C" NOT NULL DEFAULT session_user,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    id text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    text text NOT NULL,
    files text NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (project, owner, seq),
    UNIQUE (project, owner, id)
);
CREATE INDEX agent_notes_session ON agent_notes (project, owner, session, seq);

CREATE TABLE observer_signal_log (
    project bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    owner text COLLATE "C" NOT NULL DEFAULT session_user,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    session text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    body text NOT NULL,
    score double precision,
    created_at bigint NOT NULL,
    PRIMARY KEY (project, owner, seq)
);
CREATE INDEX observer_signal_log_session ON observer_signal_log (project, owner, session, seq);

-- What was concluded from each session. The sessions of one tree have its name; the digest is in the row of
-- the session it is named by. A row without `applied`, the owner's share in the counters, is shared by the
-- members of the project, and so are the counters of files below.
CREATE TABLE observer_sessions (
    project bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    owner text COLLATE "C" NOT NULL DEFAULT session_user,
    session text COLLATE "C" NOT NULL,
    tree text COLLATE "C" NOT NULL,
    upto bigint NOT NULL,
    state text NOT NULL,
    at bigint NOT NULL,
    digest text,
    applied text,
    PRIMARY KEY (project, owner, session)
);
CREATE INDEX observer_sessions_at ON observer_sessions (project, at, session)
WHERE digest IS NOT NULL;

CREATE TABLE observer_file_nodes (
    project bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    path text COLLATE "C" NOT NULL,
    access_count bigint NOT NULL DEFAULT 0,
    last_accessed_at bigint NOT NULL,
    session_count bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (project, path)
);

-- Files that belong together. What sessions tell holds both ways; what the git history tells, from the
-- first file to the second.
CREATE TABLE observer_co_access_edges (
    project bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    file_a text COLLATE "C" NOT NULL,
    file_b text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL DEFAULT 'sessions',
    weight double precision NOT NULL DEFAULT 0,
    raw_count bigint NOT NULL DEFAULT 0,
    avg_time_delta_ms double precision,
    directional boolean NOT NULL DEFAULT false,
    last_observed_at bigint NOT NULL,
    -- In how many of the counted sessions the first file was used first.
    forward_count bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (project, file_a, file_b, source)
);
CREATE INDEX observer_co_access_b ON observer_co_access_edges (project, file_b);

-- Errors that occurred in sessions, and what resolved them, as they were seen: each person sees their own.
CREATE TABLE observer_error_patterns (
    project bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    owner text COLLATE "C" NOT NULL DEFAULT session_user,
    fingerprint text COLLATE "C" NOT NULL,
    tool text COLLATE "C" NOT NULL,
    message text NOT NULL,
    occurrence_count bigint NOT NULL DEFAULT 1,
    last_seen_at bigint NOT NULL,
    resolved_how text,
    PRIMARY KEY (project, owner, fingerprint, tool)
);

-- How often each memory was of use when it was shown, by the person it was shown to: each derives their own
-- rows from injections that only they see. `holder` is that of the memory; rows about one that is not there
-- are their owner's alone.
CREATE TABLE memory_uses (
    project bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    owner text COLLATE "C" NOT NULL DEFAULT session_user,
    memory bytea NOT NULL CHECK (octet_length(memory) = 16 AND get_byte(memory, 6) / 16 = 7),
    holder text COLLATE "C" NOT NULL DEFAULT session_user,
    judged bigint NOT NULL CHECK (judged BETWEEN 0 AND 4294967295),
    sessions bigint NOT NULL CHECK (sessions BETWEEN 0 AND 4294967295),
    used bigint NOT NULL CHECK (used BETWEEN 0 AND 4294967295),
    helped bigint NOT NULL CHECK (helped BETWEEN 0 AND 4294967295),
    contradicted bigint NOT NULL CHECK (contradicted BETWEEN 0 AND 4294967295),
    flagged bigint NOT NULL CHECK (flagged BETWEEN 0 AND 4294967295),
    direct_judged bigint NOT NULL CHECK (direct_judged BETWEEN 0 AND 4294967295),
    direct_sessions bigint NOT NULL CHECK (direct_sessions BETWEEN 0 AND 4294967295),
    PRIMARY KEY (project, memory, owner)
);
