-- True if the session was one from which everything is withheld, to measure the benefit.
ALTER TABLE agent_injections ADD COLUMN withheld INTEGER NOT NULL DEFAULT 0;

-- The effect of an injection, decided from the log of its session, and the reason. NULL until then.
ALTER TABLE agent_injections ADD COLUMN fate TEXT;
ALTER TABLE agent_injections ADD COLUMN fate_why TEXT;

-- Injections are counted by memory and by time.
CREATE INDEX agent_injections_memory ON agent_injections (memory) WHERE memory IS NOT NULL;

-- The last activity up to which the injections of a session were judged.
ALTER TABLE agent_sessions ADD COLUMN judged_upto INTEGER;

-- 1 for a session from which everything is withheld, 0 for one that it is compared with. NULL outside
-- such a trial.
ALTER TABLE agent_sessions ADD COLUMN held_out INTEGER;

-- How often each memory was of use when it was shown: derived from the fates of injections.
CREATE TABLE memory_uses (
    memory   BLOB NOT NULL PRIMARY KEY,
    judged   INTEGER NOT NULL,
    sessions INTEGER NOT NULL,
    used     INTEGER NOT NULL,
    helped   INTEGER NOT NULL,
    contradicted    INTEGER NOT NULL,
    flagged         INTEGER NOT NULL,
    direct_judged   INTEGER NOT NULL,
    direct_sessions INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
