#!/bin/sh
# Makes the two accounts of the compose file; the SQL files beside it say what each may do.
set -eu
cd "$(dirname "$0")"
{
    printf "SET @password='%s', @account='demand_writer', @host='%%', @demand_database='content';\n" "$DEMAND_WRITER_PASSWORD"
    cat mysql_demand_writer.sql
} | mysql -h mysql -u root
{
    printf "SET @password='%s', @account='supply_worker', @host='%%', @supply_database='content';\n" "$SUPPLY_WORKER_PASSWORD"
    cat mysql_supply_worker.sql
} | mysql -h mysql -u root
