-- The account of DEMAND_CONTENT_MYSQL_DSN: writes demand_content and never deletes from it (D-063).
--
--   { printf "SET @password='%s', @account='demand_writer', @host='%%', @demand_database='content';\n" "$PASSWORD"
--     cat mysql_demand_writer.sql; } | mariadb
--
-- Run it as an administrator, on MariaDB or MySQL, once the tables are there (`pattern2plan db upgrade`). Running it
-- again sets the password and the rights anew. The password must hold neither ' nor \.
SET @who = CONCAT(QUOTE(@account), '@', QUOTE(@host));
SET @demand = CONCAT('`', REPLACE(@demand_database, '`', '``'), '`');
SET @do = CONCAT('CREATE USER IF NOT EXISTS ', @who, ' IDENTIFIED BY ', QUOTE(@password)); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('ALTER USER ', @who, ' IDENTIFIED BY ', QUOTE(@password)); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('REVOKE ALL PRIVILEGES, GRANT OPTION FROM ', @who); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('GRANT SELECT, INSERT, UPDATE ON ', @demand, '.demand_content TO ', @who); PREPARE p FROM @do; EXECUTE p;
DEALLOCATE PREPARE p;
