"""Every word of the desk, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Language = Literal["en", "zh"]
_WORDS: dict[str, tuple[str, str]] = {
    "desk": ("Review desk", "审核台"),
    "sign_in": ("Sign in", "登录"),
    "sign_out": ("Sign out", "退出"),
    "name": ("Your name, as it stands beside each decision", "姓名（会写在每个决定旁边）"),
    "token": ("Token", "口令"),
    "wrong_token": ("This is not the token.", "口令不对。"),
    "by_proxy": ("Nobody is named by the proxy in front of this desk.", "前面的代理没有说明来者是谁。"),
    "open": ("open", "未完成"),
    "held": ("held", "搁置"),
    "frozen": ("frozen", "冻结"),
    "failed": ("failed", "失败"),
    "find": ("Search words or task id", "搜索词或任务编号"),
    "show": ("Show", "查看"),
    "query": ("Query", "搜索词"),
    "status": ("Status", "状态"),
    "review": ("Review", "审核"),
    "why": ("Why", "原因"),
    "older": ("Older", "更早"),
    "newest": ("Newest", "最新"),
    "nothing": ("Nothing waits here.", "这里没有等待处理的任务。"),
    "back_to_task": ("Back to the task", "回到任务"),
    "back": ("All tasks", "全部任务"),
    "evidence": ("What asked for it", "由什么而来"),
    "request": ("A request from outside; no pattern stands behind it.", "外部请求，背后没有模式。"),
    "unreadable": (
        "The evidence of this task cannot be read: it was altered. `pattern2plan trace` says where.",
        "这个任务的证据无法读取：已被改动。`pattern2plan trace` 会说明在哪里。",
    ),
    "support": ("Support", "支持度"),
    "snapshot": ("Snapshot", "快照"),
    "demand": ("Demand", "需求"),
    "execution": ("Execution", "执行"),
    "itemset": ("Itemset", "项集"),
    "source_post": ("Source post", "来源帖子"),
    "posts": ("Posts", "帖子数"),
    "categories": ("Category nodes", "分类节点"),
    "wanted": ("Articles wanted", "需要的文章数"),
    "widened": ("Widened by", "扩展词"),
    "task": ("Task", "任务"),
    "decide": ("Decide on the task", "对任务作决定"),
    "reason": ("Reason", "理由"),
    "hold": ("Hold", "搁置"),
    "release": ("Release", "放行"),
    "accept": ("Accept", "接受"),
    "reject": ("Reject", "拒绝"),
    "reject_ends": ("A rejected task is cancelled.", "被拒绝的任务会被取消。"),
    "closed": (
        "Its plan is on its way or made, or the task has ended: a decision changes nothing any more.",
        "计划已在路上或已建成，或任务已结束：决定不再起作用。",
    ),
    "freeze_stays": (
        "Frozen by drift; only evidence that closes again releases it.",
        "因事实漂移而冻结；只有证据重新闭合才会解冻。",
    ),
    "candidates": ("Candidates", "候选文章"),
    "no_candidates": ("No article has been found yet.", "还没有找到文章。"),
    "left_out": (
        "more are not shown; `pattern2plan review list` has them all",
        "篇未显示；`pattern2plan review list` 可看全部",
    ),
    "selected": ("selected", "入选"),
    "total": ("total", "总分"),
    "relevance": ("relevance", "相关"),
    "popularity": ("popularity", "热度"),
    "quality": ("quality", "质量"),
    "account": ("account", "账号"),
    "elder_fit": ("fit for the elderly", "适老"),
    "gone": ("The article is gone: it cannot be decided on.", "文章已不在，不能再作决定。"),
    "history": ("What was decided", "已作的决定"),
    "no_history": ("Nobody has decided anything.", "还没有人作过决定。"),
    "done": ("Decided.", "已决定。"),
    "language": ("中文", "English"),
    "trouble": ("This did not work", "没有成功"),
    "skip": ("Skip to the content", "跳到正文"),
}  # fmt: skip


def words(language: Language) -> Mapping[str, str]:
    """The words of one language."""
    place = 0 if language == "en" else 1
    return {name: both[place] for name, both in _WORDS.items()}


def language_of(asked: str | None, kept: str | None, accepted: str) -> Language:
    """What was asked for, else what was kept, else what the browser prefers."""
    for said in (asked, kept):
        if said == "en":
            return "en"
        if said == "zh":
            return "zh"
    return "zh" if accepted.strip().lower().startswith("zh") else "en"
