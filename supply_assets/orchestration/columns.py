"""The columns of the supply location's tables, in the words of who reads them, and what each is made of."""

from __future__ import annotations

from collections.abc import Mapping

from resources.platform.columns import Column

TASK = Column("task_id", "string", "任务编号", ("supply_tasks.task_id",))
CANDIDATE = Column("candidate_id", "int", "候选文章", ("candidate_pool.id",))

COLUMNS: Mapping[str, tuple[Column, ...]] = {
    "demand_snapshots": (
        Column("demand_id", "int", "需求编号", ("demand_content.id",)),
        Column("state", "string", "taken（已接收）或 refused（已拒绝）"),
        Column("rule_id", "string", "拒绝时违反的规则"),
        Column("reason", "string", "拒绝原因"),
        Column("task_id", "string", "由它产生的任务"),
        Column("snapshot_id", "int", "快照编号"),
        Column("version", "int", "快照版本"),
        Column("query", "string", "搜索词", ("demand_content.name",)),
        Column("query_expansion", "json", "扩展搜索词", ("demand_content.ext_data",)),
        Column("expected_count", "int", "想要的文章数"),
        Column("origin", "string", "来自需求表还是请求文件"),
        Column("pattern_execution_id", "int", "挖掘执行", ("demand_content.ext_data",)),
        Column("itemset_id", "int", "项集", ("demand_content.ext_data",)),
        Column("source_post_id", "string", "来源帖子", ("demand_content.ext_data",)),
    ),
    "supply_tasks": (
        Column("task_id", "string", "任务编号", ("demand_snapshots.task_id",)),
        Column("demand_id", "int", "需求编号", ("demand_snapshots.demand_id",)),
        Column("trace_id", "string", "追踪编号"),
        Column("snapshot_id", "int", "快照编号", ("demand_snapshots.snapshot_id",)),
        Column("idempotency_key", "string", "同一要求只做一次的键"),
        Column("batch", "string", "批次"),
    ),
    "candidate_pool": (
        Column("id", "int", "候选文章编号"),
        TASK,
        Column(
            "source_keyword", "string", "搜到它的词", ("demand_snapshots.query", "demand_snapshots.query_expansion")
        ),
        Column("recall_round", "int", "第几轮召回"),
        Column("recall_page", "int", "第几页"),
        Column("title", "string", "标题"),
        Column("url", "string", "链接"),
        Column("publish_time", "datetime", "发布时间"),
        Column("account_id", "string", "账号编号"),
        Column("account_name", "string", "账号名称"),
        Column("biz_info", "string", "账号标识"),
        Column("view_count", "int", "阅读数"),
        Column("like_count", "int", "点赞数"),
        Column("dedup_hash", "string", "去重哈希"),
        Column("quality_flag", "string", "人工标记"),
        Column("reject_reason", "string", "排除原因"),
    ),
    "content_scores": (
        TASK,
        CANDIDATE,
        Column("rank_no", "int", "名次"),
        Column("is_selected", "bool", "是否入选"),
        Column("total_score", "float", "总分"),
        Column("relevance_score", "float", "相关性", ("candidate_pool.title", "content_features.summary")),
        Column("popularity_score", "float", "热度", ("candidate_pool.view_count", "candidate_pool.like_count")),
        Column("quality_score", "float", "内容质量", ("content_features.information_density_score",)),
        Column("account_score", "float", "账号", ("account_profiles.credibility_score",)),
        Column("elder_fit_score", "float", "适老", ("content_features.elder_friendly_score",)),
        Column("diversity_penalty", "float", "多样性扣分"),
        Column("filter_status", "string", "PASS 或被过滤"),
        Column("filter_reason", "string", "过滤原因"),
        Column("score_version", "string", "评分版本"),
        Column("title", "string", "标题", ("candidate_pool.title",)),
    ),
    "crawler_plans": (
        TASK,
        Column("crawler_plan_id", "string", "爬取计划编号"),
        Column("crawler_plan_name", "string", "计划名称"),
        Column("plan_type", "string", "按文章还是按账号"),
        Column("input_count", "int", "计划中的条目数", ("content_scores.is_selected",)),
        Column("plan_status", "string", "计划状态"),
        Column("produce_plan_id", "string", "绑定的生产计划"),
        Column("produce_bind_status", "string", "绑定状态"),
        Column("error_code", "string", "错误代码"),
        Column("error_message", "string", "错误说明"),
    ),
    "supply_results": (
        TASK,
        Column("trace_id", "string", "追踪编号", ("supply_tasks.trace_id",)),
        Column("demand_id", "int", "需求编号", ("supply_tasks.demand_id",)),
        Column("status", "string", "任务状态"),
        Column("crawler_plan_id", "string", "爬取计划", ("crawler_plans.crawler_plan_id",)),
        Column("selected", "int", "入选文章数", ("content_scores.is_selected",)),
        Column("shortfall", "int", "还缺多少篇"),
        Column("error_code", "string", "错误代码"),
        Column("error_message", "string", "错误说明"),
        Column("result", "json", "结果记录：每篇文章回到它的模式"),
    ),
}

SAYS: Mapping[str, str] = {
    "demand_snapshots": "接收的需求快照；证据不闭合的行被拒绝并说明规则。",
    "supply_tasks": "任务：每个需求版本一个，从搜索一直到计划。",
    "candidate_pool": "候选文章池：每个任务搜到的 40 到 60 篇不同文章。",
    "account_profiles": "发布这些文章的账号：是否稳定、是否可信。",
    "content_features": "读过的文章页面有哪些特征。",
    "content_scores": "评分与排名：过滤、五项分数、去重、多样性。",
    "crawler_plans": "爬取计划：每个任务一个，绝不重复。",
    "supply_results": "结果：每篇入选文章对应的模式、帖子与分类。",
    "execution_report": "整个批次的一页报告：从项集到计划。",
    "demand_standing": "今天的事实是否仍支持未完成的任务；不支持的冻结，恢复后放行。",
}
"""What an asset is, in one sentence for who reads the pool; the registry's own follows it, with the rules."""
