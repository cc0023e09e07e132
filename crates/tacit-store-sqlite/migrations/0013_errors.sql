-- The fingerprint of the error that a memory was learnt from: its own where it was observed, else that
-- of its text. Before, it was a word of the text index, and of what was observed a tag as well.
ALTER TABLE memories ADD COLUMN fingerprint TEXT;
CREATE INDEX memories_fingerprint ON memories (fingerprint) WHERE fingerprint IS NOT NULL;

-- The command that failed, of an error that was observed. The commit is in commit_sha.
ALTER TABLE memories ADD COLUMN failing_command TEXT GENERATED ALWAYS AS (
    CASE WHEN type = 'error_pattern' AND json_valid(details)
        THEN json_extract(details, '$.fix.failing_command') END
) VIRTUAL;
