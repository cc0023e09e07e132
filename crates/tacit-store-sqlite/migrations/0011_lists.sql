-- The lists of a memory as one text beside its row, so that reading it does not look into five
-- tables, which remain what is searched. Rows of before are completed when there is time for it.
ALTER TABLE memories ADD COLUMN lists TEXT;
CREATE INDEX memories_unlisted ON memories (seq) WHERE lists IS NULL;
