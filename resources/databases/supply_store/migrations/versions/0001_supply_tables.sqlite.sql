CREATE TABLE IF NOT EXISTS supply_demand_snapshot (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  demand_id BIGINT NOT NULL,
  demand_code VARCHAR(64) DEFAULT NULL,
  query VARCHAR(255) NOT NULL,
  query_expansion TEXT DEFAULT NULL CHECK (query_expansion IS NULL OR json_valid(query_expansion)),
  platform VARCHAR(32) NOT NULL DEFAULT 'weixin',
  expected_count INTEGER NOT NULL DEFAULT 10,
  audience_profile TEXT DEFAULT NULL CHECK (audience_profile IS NULL OR json_valid(audience_profile)),
  quality_constraints TEXT DEFAULT NULL CHECK (quality_constraints IS NULL OR json_valid(quality_constraints)),
  source_payload TEXT DEFAULT NULL CHECK (source_payload IS NULL OR json_valid(source_payload)),
  version INTEGER NOT NULL DEFAULT 1,
  created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX IF NOT EXISTS supply_demand_snapshot_idx_demand_id ON supply_demand_snapshot (demand_id);
CREATE INDEX IF NOT EXISTS supply_demand_snapshot_idx_platform ON supply_demand_snapshot (platform);
CREATE INDEX IF NOT EXISTS supply_demand_snapshot_idx_created_at ON supply_demand_snapshot (created_at);

CREATE TABLE IF NOT EXISTS supply_task (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  task_id VARCHAR(64) NOT NULL,
  demand_snapshot_id BIGINT NOT NULL,
  demand_id BIGINT NOT NULL,
  trace_id VARCHAR(64) DEFAULT NULL,
  status VARCHAR(32) NOT NULL,
  current_stage VARCHAR(32) DEFAULT NULL,
  priority SMALLINT NOT NULL DEFAULT 5,
  retry_count INTEGER NOT NULL DEFAULT 0,
  max_retry INTEGER NOT NULL DEFAULT 3,
  is_idempotent SMALLINT NOT NULL DEFAULT 1,
  idempotency_key VARCHAR(128) DEFAULT NULL,
  started_at DATETIME DEFAULT NULL,
  finished_at DATETIME DEFAULT NULL,
  duration_ms BIGINT DEFAULT NULL,
  error_code VARCHAR(64) DEFAULT NULL,
  error_message TEXT,
  operator VARCHAR(64) DEFAULT 'agent',
  ext TEXT DEFAULT NULL CHECK (ext IS NULL OR json_valid(ext)),
  created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT supply_task_uk_task_id UNIQUE (task_id),
  CONSTRAINT supply_task_uk_idempotency_key UNIQUE (idempotency_key),
  CONSTRAINT fk_task_demand_snapshot FOREIGN KEY (demand_snapshot_id) REFERENCES supply_demand_snapshot(id)
);
CREATE INDEX IF NOT EXISTS supply_task_idx_demand_id ON supply_task (demand_id);
CREATE INDEX IF NOT EXISTS supply_task_idx_status_priority ON supply_task (status, priority);
CREATE INDEX IF NOT EXISTS supply_task_idx_current_stage ON supply_task (current_stage);
CREATE INDEX IF NOT EXISTS supply_task_idx_created_at ON supply_task (created_at);

CREATE TABLE IF NOT EXISTS supply_task_stage (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  task_id VARCHAR(64) NOT NULL,
  stage_name VARCHAR(32) NOT NULL,
  stage_status VARCHAR(32) NOT NULL,
  attempt_no INTEGER NOT NULL DEFAULT 1,
  input_payload TEXT DEFAULT NULL CHECK (input_payload IS NULL OR json_valid(input_payload)),
  output_payload TEXT DEFAULT NULL CHECK (output_payload IS NULL OR json_valid(output_payload)),
  started_at DATETIME DEFAULT NULL,
  finished_at DATETIME DEFAULT NULL,
  duration_ms BIGINT DEFAULT NULL,
  error_code VARCHAR(64) DEFAULT NULL,
  error_message TEXT,
  created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX IF NOT EXISTS supply_task_stage_idx_task_stage ON supply_task_stage (task_id, stage_name);
CREATE INDEX IF NOT EXISTS supply_task_stage_idx_stage_status ON supply_task_stage (stage_status);
CREATE INDEX IF NOT EXISTS supply_task_stage_idx_started_at ON supply_task_stage (started_at);

CREATE TABLE IF NOT EXISTS supply_candidate_content (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  task_id VARCHAR(64) NOT NULL,
  source_keyword VARCHAR(255) DEFAULT NULL,
  recall_round INTEGER NOT NULL DEFAULT 1,
  recall_page INTEGER DEFAULT NULL,
  platform VARCHAR(32) NOT NULL DEFAULT 'weixin',
  content_id VARCHAR(128) DEFAULT NULL,
  title VARCHAR(512) NOT NULL,
  url VARCHAR(1024) NOT NULL,
  digest VARCHAR(1000) DEFAULT NULL,
  cover_url VARCHAR(1024) DEFAULT NULL,
  publish_time DATETIME DEFAULT NULL,
  account_id VARCHAR(128) DEFAULT NULL,
  account_name VARCHAR(255) DEFAULT NULL,
  biz_info VARCHAR(128) DEFAULT NULL,
  view_count BIGINT DEFAULT NULL,
  like_count BIGINT DEFAULT NULL,
  comment_count BIGINT DEFAULT NULL,
  favorite_count BIGINT DEFAULT NULL,
  share_count BIGINT DEFAULT NULL,
  raw_statistics TEXT DEFAULT NULL CHECK (raw_statistics IS NULL OR json_valid(raw_statistics)),
  raw_payload TEXT DEFAULT NULL CHECK (raw_payload IS NULL OR json_valid(raw_payload)),
  dedup_hash CHAR(64) DEFAULT NULL,
  quality_flag VARCHAR(32) DEFAULT 'UNKNOWN',
  reject_reason VARCHAR(255) DEFAULT NULL,
  is_deleted SMALLINT NOT NULL DEFAULT 0,
  created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT supply_candidate_content_uk_task_url UNIQUE (task_id, dedup_hash)
);
CREATE INDEX IF NOT EXISTS supply_candidate_content_idx_task_round ON supply_candidate_content (task_id, recall_round);
CREATE INDEX IF NOT EXISTS supply_candidate_content_idx_task_account ON supply_candidate_content (task_id, account_id);
CREATE INDEX IF NOT EXISTS supply_candidate_content_idx_publish_time ON supply_candidate_content (publish_time);
CREATE INDEX IF NOT EXISTS supply_candidate_content_idx_quality_flag ON supply_candidate_content (quality_flag);
CREATE INDEX IF NOT EXISTS supply_candidate_content_idx_dedup_hash ON supply_candidate_content (dedup_hash);

CREATE TABLE IF NOT EXISTS supply_account_profile (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  task_id VARCHAR(64) NOT NULL,
  account_id VARCHAR(128) NOT NULL,
  account_name VARCHAR(255) DEFAULT NULL,
  biz_info VARCHAR(128) DEFAULT NULL,
  intro TEXT,
  verify_status SMALLINT DEFAULT NULL,
  category VARCHAR(64) DEFAULT NULL,
  update_frequency VARCHAR(32) DEFAULT NULL,
  recent_article_count INTEGER DEFAULT 0,
  median_view_count BIGINT DEFAULT NULL,
  median_like_count BIGINT DEFAULT NULL,
  vertical_score DECIMAL(5,2) DEFAULT 0,
  stability_score DECIMAL(5,2) DEFAULT 0,
  credibility_score DECIMAL(5,2) DEFAULT 0,
  risk_tags TEXT DEFAULT NULL CHECK (risk_tags IS NULL OR json_valid(risk_tags)),
  raw_profile_payload TEXT DEFAULT NULL CHECK (raw_profile_payload IS NULL OR json_valid(raw_profile_payload)),
  raw_history_payload TEXT DEFAULT NULL CHECK (raw_history_payload IS NULL OR json_valid(raw_history_payload)),
  created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT supply_account_profile_uk_task_account UNIQUE (task_id, account_id)
);
CREATE INDEX IF NOT EXISTS supply_account_profile_idx_task_credibility ON supply_account_profile (task_id, credibility_score);
CREATE INDEX IF NOT EXISTS supply_account_profile_idx_category ON supply_account_profile (category);

CREATE TABLE IF NOT EXISTS supply_content_feature (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  task_id VARCHAR(64) NOT NULL,
  candidate_id BIGINT NOT NULL,
  content_length INTEGER DEFAULT NULL,
  image_count INTEGER DEFAULT NULL,
  video_count INTEGER DEFAULT NULL,
  has_source_reference SMALLINT DEFAULT 0,
  readability_score DECIMAL(5,2) DEFAULT 0,
  information_density_score DECIMAL(5,2) DEFAULT 0,
  elder_friendly_score DECIMAL(5,2) DEFAULT 0,
  sentiment_score DECIMAL(5,2) DEFAULT NULL,
  risk_score DECIMAL(5,2) DEFAULT 0,
  risk_reasons TEXT DEFAULT NULL CHECK (risk_reasons IS NULL OR json_valid(risk_reasons)),
  keyword_coverage TEXT DEFAULT NULL CHECK (keyword_coverage IS NULL OR json_valid(keyword_coverage)),
  summary TEXT,
  raw_detail_payload TEXT DEFAULT NULL CHECK (raw_detail_payload IS NULL OR json_valid(raw_detail_payload)),
  created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT supply_content_feature_uk_task_candidate_feature UNIQUE (task_id, candidate_id),
  CONSTRAINT fk_feature_candidate FOREIGN KEY (candidate_id) REFERENCES supply_candidate_content(id)
);
CREATE INDEX IF NOT EXISTS supply_content_feature_idx_task_quality ON supply_content_feature (task_id, readability_score, information_density_score);

CREATE TABLE IF NOT EXISTS supply_content_score (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  task_id VARCHAR(64) NOT NULL,
  candidate_id BIGINT NOT NULL,
  relevance_score DECIMAL(5,2) NOT NULL DEFAULT 0,
  popularity_score DECIMAL(5,2) NOT NULL DEFAULT 0,
  quality_score DECIMAL(5,2) NOT NULL DEFAULT 0,
  account_score DECIMAL(5,2) NOT NULL DEFAULT 0,
  elder_fit_score DECIMAL(5,2) NOT NULL DEFAULT 0,
  diversity_penalty DECIMAL(5,2) NOT NULL DEFAULT 0,
  total_score DECIMAL(6,2) NOT NULL DEFAULT 0,
  filter_status VARCHAR(32) NOT NULL DEFAULT 'PENDING',
  filter_reason VARCHAR(255) DEFAULT NULL,
  is_selected SMALLINT NOT NULL DEFAULT 0,
  rank_no INTEGER DEFAULT NULL,
  score_version VARCHAR(32) DEFAULT 'v1',
  score_detail TEXT DEFAULT NULL CHECK (score_detail IS NULL OR json_valid(score_detail)),
  created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT supply_content_score_uk_task_candidate_score UNIQUE (task_id, candidate_id),
  CONSTRAINT fk_score_candidate FOREIGN KEY (candidate_id) REFERENCES supply_candidate_content(id)
);
CREATE INDEX IF NOT EXISTS supply_content_score_idx_task_selected_rank ON supply_content_score (task_id, is_selected, rank_no);
CREATE INDEX IF NOT EXISTS supply_content_score_idx_task_total_score ON supply_content_score (task_id, total_score);

CREATE TABLE IF NOT EXISTS supply_crawler_plan (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  task_id VARCHAR(64) NOT NULL,
  platform VARCHAR(32) NOT NULL DEFAULT 'weixin',
  plan_type VARCHAR(32) NOT NULL,
  input_count INTEGER NOT NULL DEFAULT 0,
  crawler_plan_id VARCHAR(128) DEFAULT NULL,
  crawler_plan_name VARCHAR(255) DEFAULT NULL,
  produce_plan_id VARCHAR(128) DEFAULT NULL,
  produce_bind_status VARCHAR(32) DEFAULT NULL,
  request_payload TEXT NOT NULL CHECK (request_payload IS NULL OR json_valid(request_payload)),
  response_payload TEXT DEFAULT NULL CHECK (response_payload IS NULL OR json_valid(response_payload)),
  plan_status VARCHAR(32) NOT NULL,
  error_code VARCHAR(64) DEFAULT NULL,
  error_message TEXT,
  created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX IF NOT EXISTS supply_crawler_plan_idx_task_id ON supply_crawler_plan (task_id);
CREATE INDEX IF NOT EXISTS supply_crawler_plan_idx_crawler_plan_id ON supply_crawler_plan (crawler_plan_id);
CREATE INDEX IF NOT EXISTS supply_crawler_plan_idx_plan_status ON supply_crawler_plan (plan_status);

CREATE TABLE IF NOT EXISTS supply_task_event (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  task_id VARCHAR(64) NOT NULL,
  stage_name VARCHAR(32) DEFAULT NULL,
  event_type VARCHAR(64) NOT NULL,
  event_level VARCHAR(16) NOT NULL DEFAULT 'INFO',
  tool_name VARCHAR(64) DEFAULT NULL,
  request_id VARCHAR(64) DEFAULT NULL,
  event_payload TEXT DEFAULT NULL CHECK (event_payload IS NULL OR json_valid(event_payload)),
  message VARCHAR(1000) DEFAULT NULL,
  created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX IF NOT EXISTS supply_task_event_idx_task_created ON supply_task_event (task_id, created_at);
CREATE INDEX IF NOT EXISTS supply_task_event_idx_stage_type ON supply_task_event (stage_name, event_type);
CREATE INDEX IF NOT EXISTS supply_task_event_idx_tool_name ON supply_task_event (tool_name);
CREATE INDEX IF NOT EXISTS supply_task_event_idx_event_level ON supply_task_event (event_level);
