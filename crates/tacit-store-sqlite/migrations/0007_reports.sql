-- What was reported of the work is looked for whenever a session starts, among everything else that
-- happened.
CREATE INDEX agent_events_kind ON agent_events (kind);
