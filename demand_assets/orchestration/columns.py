"""The columns of the demand location's tables, in the words of who reads them, and what each is made of."""

from __future__ import annotations

from collections.abc import Mapping

from resources.platform.columns import Column

PACKS = ("validated_demands.evidence_pack",)

COLUMNS: Mapping[str, tuple[Column, ...]] = {
    "pattern_itemsets": (
        Column("itemset_id", "int", "项集编号（pattern_itemset）"),
        Column("support", "float", "支持度：出现该组合的帖子占比"),
        Column("absolute_support", "int", "出现该组合的帖子数"),
        Column("items", "int", "组合中的条目数"),
        Column("branches", "string", "各条目所在的分类路径"),
    ),
    "weight_scores": (
        Column("kind", "string", "element（元素）或 category（分类）"),
        Column("name", "string", "元素名"),
        Column("category_id", "int", "分类编号"),
        Column("score", "float", "权重分，0 到 1"),
    ),
    "candidate_demands": (
        Column("seq", "int", "提出的次序"),
        Column("round", "int", "第几轮提出"),
        Column("candidate", "json", "提出时的原样内容", ("pattern_itemsets.itemset_id", "weight_scores.score")),
    ),
    "validated_demands": (
        Column("seq", "int", "提出的次序", ("candidate_demands.seq",)),
        Column("name", "string", "需求名称：元素名以逗号相连", ("candidate_demands.candidate",)),
        Column("score", "float", "权重分", ("weight_scores.score",)),
        Column("itemset_id", "int", "所依据的项集", ("pattern_itemsets.itemset_id",)),
        Column("source_post_id", "string", "来源帖子", ("candidate_demands.candidate",)),
        Column("candidate", "json", "候选需求", ("candidate_demands.candidate",)),
        Column("evidence_pack", "json", "证据包：数据库填入的全部证据", ("pattern_itemsets.itemset_id",)),
    ),
    "rejected_demands": (
        Column("seq", "int", "提出的次序", ("candidate_demands.seq",)),
        Column("round", "int", "第几轮提出", ("candidate_demands.round",)),
        Column("reject_code", "string", "最先违反的规则"),
        Column("reject_reason", "string", "拒绝原因"),
        Column("reject_codes", "json", "违反的全部规则"),
        Column("element_names", "json", "元素名", ("candidate_demands.candidate",)),
        Column("corrections", "json", "最接近的有效值"),
        Column("candidate", "json", "候选需求原样", ("candidate_demands.candidate",)),
        Column("proposer", "string", "由谁提出"),
        Column("model", "string", "所用模型"),
        Column("prompt_version", "string", "提示词版本"),
    ),
    "demand_content": (
        Column("id", "int", "行号"),
        Column("merge_leve2", "string", "业务层级"),
        Column("name", "string", "需求名称", ("validated_demands.name",)),
        Column("reason", "string", "为什么需要", ("validated_demands.candidate",)),
        Column("suggestion", "string", "内容建议", ("validated_demands.candidate",)),
        Column("score", "float", "权重分", ("validated_demands.score",)),
        Column("ext_data", "json", "证据包与补充字段", PACKS),
        Column("dt", "string", "业务日，yyyymmdd，上海时间"),
        Column("run_label", "string", "运行标签"),
        Column("output_mode", "string", "写入文件还是写入表"),
        Column("run_folder", "string", "运行文件夹"),
    ),
}

SAYS: Mapping[str, str] = {
    "pattern_itemsets": "这次执行挖掘出的项集：哪些分类常一起出现，支持度多少。执行不存在或未成功时在此停止。",
    "weight_scores": "元素与分类的权重分：有多少帖子带有它。",
    "candidate_demands": "提出的候选需求，按次序；只是主张，还不是事实。",
    "validated_demands": "通过验证的需求：证据与数据库完全一致。",
    "rejected_demands": "被拒绝的候选需求：违反了哪条规则，最接近的有效值是什么。",
    "demand_content": "已发布的需求：要什么内容、为什么。写入前再验证一次。",
    "dwd_multi_demand_pool_di": "两种缺口策略的需求池镜像，不带证据。",
    "feature_point_data": "全局树层级的特征点，不带证据。",
    "run_manifest": "运行清单：要了什么、得到什么、文件的哈希。最后写入。",
    "demand_content_drift": "已发布但今天的事实不再支持的需求；只列出，不改动。",
}
"""What an asset is, in one sentence for who reads the pool; the registry's own follows it, with the rules."""
