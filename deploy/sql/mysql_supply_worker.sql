-- The account of SUPPLY_STORE_MYSQL_DSN: advances tasks; rows go nowhere but out of a ranking that is made anew.
--
--   { printf "SET @password='%s', @account='supply_worker', @host='%%', @supply_database='content';\n" "$PASSWORD"
--     cat mysql_supply_worker.sql; } | mariadb
--
-- Run it as an administrator, on MariaDB or MySQL, once the tables are there (`pattern2plan db upgrade`). Running it
-- again sets the password and the rights anew. The password must hold neither ' nor \.
SET @who = CONCAT(QUOTE(@account), '@', QUOTE(@host));
SET @supply = CONCAT('`', REPLACE(@supply_database, '`', '``'), '`');
SET @do = CONCAT('CREATE USER IF NOT EXISTS ', @who, ' IDENTIFIED BY ', QUOTE(@password)); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('ALTER USER ', @who, ' IDENTIFIED BY ', QUOTE(@password)); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('REVOKE ALL PRIVILEGES, GRANT OPTION FROM ', @who); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('GRANT SELECT, INSERT ON ', @supply, '.supply_demand_snapshot TO ', @who); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('GRANT SELECT, INSERT, UPDATE ON ', @supply, '.supply_task TO ', @who); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('GRANT SELECT, INSERT, UPDATE ON ', @supply, '.supply_task_stage TO ', @who); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('GRANT SELECT, INSERT, UPDATE ON ', @supply, '.supply_candidate_content TO ', @who); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('GRANT SELECT, INSERT, UPDATE ON ', @supply, '.supply_account_profile TO ', @who); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('GRANT SELECT, INSERT, UPDATE ON ', @supply, '.supply_content_feature TO ', @who); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('GRANT SELECT, INSERT, UPDATE, DELETE ON ', @supply, '.supply_content_score TO ', @who); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('GRANT SELECT, INSERT, UPDATE ON ', @supply, '.supply_crawler_plan TO ', @who); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('GRANT SELECT, INSERT ON ', @supply, '.supply_task_event TO ', @who); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('GRANT SELECT, INSERT, UPDATE ON ', @supply, '.pattern2plan_task_index TO ', @who); PREPARE p FROM @do; EXECUTE p;
SET @do = CONCAT('GRANT SELECT, INSERT ON ', @supply, '.pattern2plan_evidence_key TO ', @who); PREPARE p FROM @do; EXECUTE p;
DEALLOCATE PREPARE p;
