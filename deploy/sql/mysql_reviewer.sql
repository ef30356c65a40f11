-- The account of the review desk and of `pattern2plan review`: holds, releases, accepts, rejects (S-030).
--
--   { printf "SET @password='%s', @account='reviewer', @host='%%', @supply_database='content';\n" "$PASSWORD"
--     cat mysql_reviewer.sql; } | mariadb
--
-- Run it as an administrator, on MariaDB or MySQL, once the tables are there (`pattern2plan db upgrade`). Running it
-- again sets the password and the rights anew. The password must hold neither ' nor \.
SET @who = CONCAT(QUOTE(@account), '@', QUOTE(@host));
SET @supply = CONCAT('`', REPLACE(@supply_database, '`', '``'), '`');
SET @do = CONCAT('CREATE USER IF NOT EXISTS ', @who, ' IDENTIFIED BY ', QUOTE(@password)); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('ALTER USER ', @who, ' IDENTIFIED BY ', QUOTE(@password)); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('REVOKE ALL PRIVILEGES, GRANT OPTION FROM ', @who); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('GRANT SELECT ON ', @supply, '.supply_demand_snapshot TO ', @who); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('GRANT SELECT, UPDATE ON ', @supply, '.supply_task TO ', @who); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('GRANT SELECT, UPDATE ON ', @supply, '.supply_task_stage TO ', @who); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('GRANT SELECT, UPDATE (quality_flag, reject_reason, updated_at) ON ', @supply, '.supply_candidate_content TO ', @who); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('GRANT SELECT ON ', @supply, '.supply_content_score TO ', @who); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('GRANT SELECT ON ', @supply, '.supply_crawler_plan TO ', @who); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('GRANT SELECT, INSERT ON ', @supply, '.supply_task_event TO ', @who); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('GRANT SELECT, UPDATE ON ', @supply, '.pattern2plan_task_index TO ', @who); PREPARE p FROM @do; EXECUTE p;
DEALLOCATE PREPARE p;
