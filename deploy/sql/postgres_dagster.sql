-- The account and the database of DAGSTER_POSTGRES_URL: Dagster makes and changes its own tables there, and only there.
--
--   DAGSTER_PASSWORD=… psql -v role=dagster -v database=dagster -d postgres -f postgres_dagster.sql
--
-- Run it as a superuser. Running it again sets the password anew and keeps the database.
\set ON_ERROR_STOP on
\getenv password DAGSTER_PASSWORD
SELECT format('CREATE ROLE %I', :'role') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'role') \gexec
ALTER ROLE :"role" WITH LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'password';
SELECT format('CREATE DATABASE %I OWNER %I', :'database', :'role')
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') \gexec
REVOKE CONNECT, TEMPORARY ON DATABASE :"database" FROM PUBLIC;
