-- The database of the pattern facts beside Dagster's own, for the compose file's first start.
CREATE DATABASE facts;
