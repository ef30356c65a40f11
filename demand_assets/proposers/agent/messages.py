"""The words in which the agent is asked: the prompt file and the messages of each round, facts and ids as JSON."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from demand_assets.evidence.closure import Reject
from resources.foundation import strict_json

PROMPT_FILE = "demand_prompt.zh.md"
CONTINUE = (
    "上一个回答在中途被截断，已经完整收到的条目都已记录。请从被截断的那一条起继续提交，"
    "一次少提交几条，不要重复已记录的条目。"
)
ASK_AGAIN = (
    "上一个回答里没有可以读取的候选需求。请调用 create_demand_item 或 create_demand_items 提交；"
    "如果确实没有可提的需求，请用 create_demand_items 提交空列表。"
)
_MAX_REJECTS = 50
_MAX_TEXT = 300


def read_prompt() -> str:
    """The prompt, as the file has it."""
    return files(__package__).joinpath(PROMPT_FILE).read_text(encoding="utf-8")


def prompt_sha256() -> str:
    """Hexadecimal SHA-256 of the prompt file's text: its version in ledger and manifest."""
    return hashlib.sha256(read_prompt().encode()).hexdigest()


def opening(execution_id: int, wanted: int) -> str:
    """The first message of a run."""
    task = strict_json.dumps({"execution_id": execution_id, "wanted": wanted})
    return f"任务：{task}\n请先查阅项集，再提交 {wanted} 条候选需求。"


def more(wanted: int) -> str:
    """The message of a round in which nothing was wrong but demands are missing."""
    return f"此前提交的候选已核验。还缺 {wanted} 条，请提交与此前不同的候选需求。"


def corrections(wanted: int, rejects: Sequence[Reject]) -> str:
    """The message that gives rejects back with what would have been right (D-043a)."""
    shown = [_correction(reject) for reject in rejects[:_MAX_REJECTS]]
    listed = strict_json.dumps({"rejected": shown, "left_out": len(rejects) - len(shown)})
    return (
        f"以下候选未通过核验，还缺 {wanted} 条。offending 是不成立的值，nearest 是最接近的有效值（可能没有）。"
        f"请改正后重新提交，或换一个项集。\n{listed}"
    )


def _correction(reject: Reject) -> dict[str, Any]:
    return {
        "element_names": [_cut(name) for name in reject.element_names[:10]],
        "itemset_ids": _claimed_itemsets(reject.candidate),
        "corrections": [
            {
                "code": str(correction.code),
                "offending": _cut(correction.offending),
                "nearest": _cut(correction.nearest),
                "message": _cut(correction.message),
            }
            for correction in reject.corrections[:10]
        ],
    }


def _claimed_itemsets(candidate: object) -> list[str]:
    refs = candidate.get("evidence_refs") if isinstance(candidate, dict) else None
    ids = refs.get("itemset_ids") if isinstance(refs, dict) else None
    return [str(one)[:40] for one in ids[:12]] if isinstance(ids, list) else []


def _cut(text: str | None) -> str | None:
    return text if text is None or len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…"
