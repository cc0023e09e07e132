-- The code graph is kept beside this database, where it can be thrown away and built again. These
-- tables never held anything, and whoever opens the database reads what tables it has.
DROP TABLE graph_edges;
DROP TABLE graph_nodes;
