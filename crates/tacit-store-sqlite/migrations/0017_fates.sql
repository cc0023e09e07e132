-- True if the session was one from which everything is withheld, to measure the benefit.
ALTER TABLE agent_injections ADD COLUMN withheld INTEGER NOT NULL DEFAULT 0;

-- The effect of an injection, decided from the log of its session, and the reason. NULL until then.
ALTER TABLE agent_injections ADD COLUMN fate TEXT;
ALTER TABLE agent_injections ADD COLUMN fate_why TEXT;

-- Injections are counted by memory and by time.
CREATE INDEX agent_injections_memory ON agent_injections (memory) WHERE memory IS NOT NULL;
