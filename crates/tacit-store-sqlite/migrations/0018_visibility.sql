-- The people who see a memory once its project is shared on a server: `private` for its owner alone,
-- NULL for the team.
ALTER TABLE memories ADD COLUMN visibility TEXT;
