-- The situations in which a memory helps, as a JSON list in the order they were added. Their words
-- are in the column `labels` of the text index, their vectors are pieces from 16 on.
ALTER TABLE memories ADD COLUMN cues TEXT;
