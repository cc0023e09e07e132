-- Whether this database is a copy of a project on a team's server, and how far it follows. The row changes in
-- the transaction that changes the memories, so a database that is restored or lost takes its place along.
CREATE TABLE team_copy (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    server TEXT NOT NULL,
    project TEXT NOT NULL,
    -- The number of the last change on the server that the memories include.
    change INTEGER NOT NULL
) STRICT;
