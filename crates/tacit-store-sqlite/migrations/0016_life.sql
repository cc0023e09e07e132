-- The cause of a memory's staleness; rows of earlier versions have none.
ALTER TABLE memories ADD COLUMN stale_kind TEXT;

-- The phase of work in which a memory was learnt.
ALTER TABLE memories ADD COLUMN phase TEXT;

-- The confidence in the light of related memories, if it differs noticeably from the memory's own.
ALTER TABLE memories ADD COLUMN derived_confidence REAL;
