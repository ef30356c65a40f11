"""Every sentence of the page, in English and Chinese.

Belongs here: words. A text is a format string; what is put into it is escaped by the page, never here.
"""

from __future__ import annotations

from typing import NamedTuple


class Both(NamedTuple):
    """One text in both languages."""

    en: str
    zh: str

    def filled(self, **values: str) -> Both:
        """With its gaps filled; ``{rows_s}`` is the plural's letter of ``{rows}``."""
        plurals = {f"{name}_s": "" if value == "1" else "s" for name, value in values.items()}
        return Both(self.en.format(**values, **plurals), self.zh.format(**values))


TEXTS: dict[str, Both] = {
    "title": Both("Report of batch {batch}", "批次 {batch} 报告"),
    "language": Both("中文", "English"),
    "language_label": Both("切换到中文", "Switch to English"),
    "skip": Both("Skip to the numbers", "跳到正文"),
    "made_at": Both("as of {at} (Asia/Shanghai)", "截至 {at}（上海时间）"),
    "execution": Both("Execution {batch}", "执行 {batch}"),
    "adhoc": Both("Requests {batch}", "外部请求 {batch}"),
    "no_pattern": Both(
        "Requests from outside: no execution and no pattern stand behind this batch, so there is no demand half.",
        "外部请求：这个批次背后没有执行也没有模式，因此没有需求侧。",
    ),
    "head_demands": Both(
        "{demands} demand{demands_s} → {plans} plan{plans_s}, {articles} article{articles_s}",
        "{demands} 个需求 → {plans} 个计划，{articles} 篇文章",
    ),
    "head_requests": Both(
        "{demands} request{demands_s} → {plans} plan{plans_s}, {articles} article{articles_s}",
        "{demands} 个请求 → {plans} 个计划，{articles} 篇文章",
    ),
    "all_close": Both("all chains close", "所有链路闭合"),
    "broken_chains": Both("broken: {broken} of {chains} chain{chains_s}", "{chains} 条链路中 {broken} 条断裂"),
    "broken_rows": Both(
        "not closing any more: {broken} of {rows} published row{rows_s}", "{rows} 行已发布需求中 {broken} 行不再闭合"
    ),
    "nothing": Both("Nothing was run of this batch yet", "这个批次还没有运行过"),
    "state_closed": Both("closed", "闭合"),
    "state_attention": Both("needs a look", "需要留意"),
    "state_broken": Both("broken", "断裂"),
    "state_nothing": Both("nothing there", "没有内容"),
    "todo_failed": Both("{n} task{n_s} with an error", "{n} 个任务带有错误"),
    "todo_unfinished": Both("{n} task{n_s} not finished", "{n} 个任务未完成"),
    "todo_shortfall": Both("{n} article{n_s} missing", "缺 {n} 篇文章"),
    "todo_stopped": Both("{n} hold{n_s} or freeze{n_s}", "{n} 处暂停或冻结"),
    "todo_not_taken": Both("{n} published row{n_s} without a task", "{n} 行已发布需求没有任务"),
    "todo_no_task": Both("no task was made yet", "还没有任务"),
    "unreadable": Both("Records that could not be read: {files}", "无法读取的记录：{files}"),
    "not_recorded": Both("not recorded here", "此处没有记录"),
    "none": Both("none", "无"),
    "more": Both("… {n} more", "…… 另有 {n} 项"),
    # the sections
    "nav": Both("Sections", "章节"),
    "funnel": Both("Funnel", "漏斗"),
    "closure": Both("Closure", "闭合"),
    "losses": Both("What was kept out", "被拦下的"),
    "tasks": Both("Tasks", "任务"),
    "scores": Both("Scores", "评分"),
    "calls": Both("Calls", "调用"),
    "chains": Both("Chains", "链路"),
    # the funnel
    "funnel_demands": Both("From patterns to tasks", "从模式到任务"),
    "funnel_articles": Both("From candidates to plans", "从候选到计划"),
    "funnel_note": Both(
        "Each half has a scale of its own, drawn by square root. The percentage is of the step before.",
        "两半各有刻度，按平方根绘制；百分比相对于上一步。",
    ),
    "step_itemsets": Both("itemsets of the execution", "执行的项集"),
    "step_proposed": Both("candidates proposed", "提出的候选需求"),
    "step_accepted": Both("accepted", "通过"),
    "step_published": Both("published rows", "已发布行"),
    "step_taken_in": Both("demands taken in", "接收的需求"),
    "step_tasks": Both("tasks", "任务"),
    "step_candidates": Both("candidate articles", "候选文章"),
    "step_read": Both("read", "已读取"),
    "step_passed": Both("passed the filters", "通过过滤"),
    "step_selected": Both("selected", "入选"),
    "step_plan_items": Both("plan items", "计划条目"),
    "step_plans": Both("plans", "计划"),
    # closure
    "closure_note": Both(
        "Published rows of the execution, proved against today's facts: {rows}. A row counts under each rule that "
        "it breaks; its pack is compared with the facts where no rule of the closure is broken.",
        "执行的全部 {rows} 行已发布需求，用今天的事实重新证明。一行在它违反的每条规则下各计一次；"
        "闭合规则都满足时才比较证据包。",
    ),
    "no_rows": Both("No row of this execution is published.", "这个执行没有已发布的行。"),
    "rules_hold": Both("{n} rule{n_s} hold for every row", "{n} 条规则对每一行都成立"),
    "rule": Both("rule", "规则"),
    "says": Both("says", "内容"),
    "holds": Both("hold", "成立"),
    "breaks": Both("break", "违反"),
    "D-011": Both("the refs have the given shape", "引用字段形式正确"),
    "D-012": Both("the source is a pattern itemset", "来源是模式项集"),
    "D-030": Both("the execution exists and succeeded", "执行存在且成功"),
    "D-031": Both("the itemset exists", "项集存在"),
    "D-032": Both("the itemset is of this execution", "项集属于本执行"),
    "D-033": Both("itemset and mining config have scope topic", "项集与挖掘配置的范围为 topic"),
    "D-034": Both("exactly one itemset, with its support", "恰好一个项集及其支持度"),
    "D-035": Both("every item stands on a category with a path", "每一项都挂在有路径的类目上"),
    "D-036": Both("distinct posts equal the absolute support", "去重帖子数等于绝对支持数"),
    "D-037": Both("the source post is one of them", "来源帖子在其中"),
    "D-038": Both("every item is bound in the source post", "每一项都在来源帖子中有绑定"),
    "D-039": Both("cited categories are the itemset's", "引用的类目属于项集"),
    "D-040": Both("cited cases are matched posts", "引用的案例是匹配帖子"),
    "D-041": Both("names and terms are the evidence's own words", "名称与词来自证据本身"),
    "D-050": Both("today's facts make the same pack", "今天的事实得到同样的证据包"),
    "D-051": Both("case ids are the matched posts", "案例编号即匹配帖子"),
    "D-053": Both("the row can be read by the contract", "该行符合契约可读"),
    "D-064": Both("the pack carries its own row's id", "证据包带有本行编号"),
    # what was kept out
    "rejected": Both("Candidates rejected", "被拒的候选需求"),
    "rejected_note": Both(
        "{rejected} of {proposed} rejected, {duplicates} met twice; recorded {at} in {source}",
        "{proposed} 个中拒绝 {rejected} 个，重复 {duplicates} 个；记录于 {at}，{source}",
    ),
    "trial_note": Both("a trial into files, which published nothing", "写入文件的试运行，没有发布"),
    "refused_rows": Both("Rows refused at intake", "接收时拒绝的行"),
    "refused_articles": Both("Articles refused before ranking", "排序前拒绝的文章"),
    "filtered_articles": Both("Articles filtered by ranking", "排序时过滤的文章"),
    "reason": Both("reason", "原因"),
    "count": Both("count", "数量"),
    "r_duplicate": Both("a duplicate of a better one", "与更好的一篇重复"),
    "r_account_quota": Both("its account has enough selected", "该账号入选已够"),
    "r_clickbait": Both("a clickbait title", "标题党"),
    "r_irrelevant": Both("not relevant enough", "相关性不足"),
    "r_risk": Both("risk", "有风险"),
    "r_marketing": Both("marketing", "营销内容"),
    "r_low_quality": Both("low quality", "质量低"),
    "r_below_min_views": Both("too few views", "阅读量不足"),
    "r_unresolved_link": Both("only a link that expires", "只有会过期的链接"),
    "r_manual_reject": Both("rejected by a person", "人工拒绝"),
    "r_manual_hold": Both("held by a person", "人工暂停"),
    "r_blocked_account": Both("a blocked account", "账号被屏蔽"),
    "r_banned_word": Both("a banned word", "含禁用词"),
    "r_detail_missing": Both("its page was not read", "页面未读取"),
    "r_deleted_by_publisher": Both("deleted by its publisher", "发布者已删除"),
    "r_removed_for_violation": Both("removed for a violation", "因违规被移除"),
    "r_expired_link": Both("the link expired", "链接已过期"),
    "r_account_gone": Both("its account is gone", "账号已不存在"),
    "r_failed": Both("the task failed", "任务失败"),
    "r_not_ranked": Both("not ranked yet", "尚未排序"),
    "r_found": Both("candidates found", "找到的候选"),
    "r_terms_exhausted": Both("all searches are used up", "搜索词已用尽"),
    # tasks
    "by_status": Both("By status", "按状态"),
    "by_error": Both("By error code", "按错误码"),
    "shortfalls": Both("Shortfalls", "缺口"),
    "with_errors": Both("Tasks with an error", "带有错误的任务"),
    "stopped": Both("Held and frozen", "暂停与冻结"),
    "s_HELD": Both("held by {by}", "由 {by} 暂停"),
    "s_FROZEN": Both("frozen by {by}", "被 {by} 冻结"),
    "since": Both("since", "自"),
    "task": Both("task", "任务"),
    "query": Both("query", "查询"),
    "status": Both("status", "状态"),
    "stage": Both("stage", "阶段"),
    "error": Both("error", "错误"),
    "wanted": Both("wanted", "需要"),
    "selected": Both("selected", "入选"),
    "why": Both("why", "原因"),
    # scores
    "scores_note": Both(
        "Articles that passed the filters, in bars of five points; the dark part was selected.",
        "通过过滤的文章，每柱五分；深色为入选。",
    ),
    "no_scores": Both("Nothing was ranked yet.", "尚未排序。"),
    "total_score": Both("total", "总分"),
    "relevance_score": Both("relevance", "相关性"),
    "popularity_score": Both("popularity", "热度"),
    "quality_score": Both("quality", "质量"),
    "account_score": Both("account", "账号"),
    "elder_fit_score": Both("fit for the elderly", "适老度"),
    "spread": Both(
        "mean {mean}, from {lowest} to {highest}; {passed} passed, {selected} selected",
        "均值 {mean}，{lowest} 至 {highest}；通过 {passed}，入选 {selected}",
    ),
    # calls
    "calls_note": Both(
        "Calls that ended, with everything a caller waited for: pauses, retries, other providers. In milliseconds.",
        "已结束的调用，含等待、重试与换供应方的全部时间，单位毫秒。",
    ),
    "no_calls": Both("No call is recorded.", "没有调用记录。"),
    "by_tool": Both("By tool", "按工具"),
    "slowest": Both("The slowest {n}", "最慢的 {n} 次"),
    "slowest_calls": Both("Slowest calls", "最慢的调用"),
    "tool": Both("tool", "工具"),
    "number": Both("calls", "次数"),
    "errors": Both("errors", "错误"),
    "median": Both("median", "中位数"),
    "p95": Both("95 %", "95%"),
    "longest": Both("longest", "最长"),
    "took": Both("ms", "毫秒"),
    "provider": Both("provider", "供应方"),
    "outcome": Both("outcome", "结果"),
    "request_id": Both("request id", "请求编号"),
    # chains
    "chains_note": Both(
        "Each article in a plan, back to the category nodes that asked for it. Open a plan to walk its chain.",
        "计划中的每篇文章，一直追溯到提出需求的类目节点。展开计划即可查看链路。",
    ),
    "search": Both("Find", "查找"),
    "search_hint": Both(
        "Title, link, account, category path, post id or any other id",
        "标题、链接、账号、类目路径、帖子编号或其他编号",
    ),
    "search_result": Both("articles {articles} · plans {plans}", "文章 {articles} 篇 · 计划 {plans} 个"),
    "search_nothing": Both("nothing found", "没有找到"),
    "left_out": Both(
        "Not on this page: {articles} article{articles_s} of {chains} task{chains_s}; `pattern2plan trace` finds each.",
        "另有 {chains} 个任务的 {articles} 篇文章不在本页；用 `pattern2plan trace` 可以查到。",
    ),
    "no_chains": Both("There is no task yet.", "还没有任务。"),
    "closes": Both("closes", "闭合"),
    "broken": Both("BROKEN", "断裂"),
    "no_plan": Both("no plan yet", "尚无计划"),
    "n_articles": Both("{n} article{n_s}", "{n} 篇文章"),
    "articles": Both("Articles", "文章"),
    "no_articles": Both("nothing is selected", "没有入选文章"),
    "walk": Both("The chain", "链路"),
    "plan": Both("Plan", "计划"),
    "plan_says": Both("{type} · {status} · {items} item{items_s}", "{type} · {status} · {items} 项"),
    "chain_task": Both("Task", "任务"),
    "demand": Both("Demand", "需求"),
    "demand_gone": Both("the row cannot be read any more", "该行已无法读取"),
    "request": Both(
        "Request {id}: asked from outside, no pattern stands behind it", "请求 {id}：来自外部，背后没有模式"
    ),
    "itemset": Both("Itemset", "项集"),
    "itemset_says": Both("execution {execution} · mining config {config}", "执行 {execution} · 挖掘配置 {config}"),
    "support_says": Both("support {support} in {posts} post{posts_s}", "支持度 {support}，{posts} 个帖子"),
    "posts": Both("Posts", "帖子"),
    "source_post": Both("source post", "来源帖子"),
    "other_posts": Both("{n} more post{n_s}", "另有 {n} 个帖子"),
    "posts_left_out": Both("… {n} more post{n_s}, not on this page", "…… 另有 {n} 个帖子不在本页"),
    "categories": Both("Category nodes", "类目节点"),
    "proof": Both("Proof", "证明"),
    "proof_closes": Both(
        "closes: every record carries the same evidence, and the pack closes against today's facts",
        "闭合：每条记录带有同样的证据，证据包与今天的事实一致",
    ),
    "proof_request": Both("closes: every record of the task agrees", "闭合：任务的每条记录一致"),
    "candidate": Both("candidate", "候选"),
    "footer": Both(
        "pattern2plan · nothing on this page was loaded from elsewhere", "pattern2plan · 本页没有从别处加载任何内容"
    ),
}


def text(name: str, **values: str) -> Both:
    """A text with its gaps filled.

    Raises:
        KeyError: the page asks for a text that is not here.
    """
    return TEXTS[name].filled(**values)


def reason_text(reason: str) -> Both | None:
    """What a filter's own name means: ``unavailable:detail_missing`` by its last part; ``None`` where not known."""
    return TEXTS.get(f"r_{reason.rpartition(':')[2]}")
