-- The account of DEMAND_PATTERN_PG_DSN: reads the seven pattern tables and can do nothing else.
--
--   FACTS_READER_PASSWORD=… psql -v role=facts_reader -d FACTS_DATABASE -f postgres_facts_reader.sql
--
-- Run it as the owner of the tables, once they are there. Running it again sets the password and the rights anew.
\set ON_ERROR_STOP on
\getenv password FACTS_READER_PASSWORD
BEGIN;
SELECT format('CREATE ROLE %I', :'role') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'role') \gexec
ALTER ROLE :"role" WITH LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION CONNECTION LIMIT 40 PASSWORD :'password';
ALTER ROLE :"role" SET default_transaction_read_only = on;
ALTER ROLE :"role" SET statement_timeout = '5min';
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM :"role";
GRANT USAGE ON SCHEMA public TO :"role";
GRANT SELECT ON
    pattern_mining_execution,
    pattern_mining_config,
    pattern_mining_category,
    pattern_mining_element,
    pattern_itemset,
    pattern_itemset_item,
    pattern_itemset_post
TO :"role";
COMMIT;
