"""What the model handed in during one round, kept as given; nothing is judged here (D-014)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from demand_assets.evidence.refs import Broken
from demand_assets.proposers.agent.answers import Entries, read_list, read_prose, read_single
from demand_assets.proposers.agent.markup import holds_tool_call

CREATE_ONE = "create_demand_item"
CREATE_MANY = "create_demand_items"
_READERS = {CREATE_ONE: read_single, CREATE_MANY: read_list}
_CUT_OFF_NOTE = "这次提交在中途被截断：完整的条目已记录，请从被截断的那一条起重新提交，一次少提交几条。"


@dataclass
class Recorder:
    """Candidates of one round in order, how often an answer was cut off, and whether "none" was said.

    Args:
        tools: names of the tools that the model has.
        unturned_calls: answers in which a tool call stood as text; an empty list among them says nothing.
    """

    tools: tuple[str, ...] = ()
    candidates: list[object] = field(default_factory=list)
    cut_offs: int = 0
    stated_none: bool = False
    unturned_calls: int = 0

    @property
    def whole(self) -> int:
        """How many candidates have at least the form of one."""
        return sum(not isinstance(candidate, Broken) for candidate in self.candidates)

    def record_call(self, tool: str, arguments: str) -> dict[str, Any]:
        """Keep the candidates of a ``create_…`` call.

        Returns:
            What the model is told: how many were recorded, and each refused entry with its reason.
        """
        entries = _READERS[tool](arguments)
        self._keep(entries)
        refused = [
            {"entry": place, "reason": entry.reason}
            for place, entry in enumerate(entries.found, 1)
            if isinstance(entry, Broken)
        ]
        answer: dict[str, Any] = {"recorded": len(entries.found) - len(refused), "refused": refused}
        if entries.cut_off:
            answer["cut_off"] = _CUT_OFF_NOTE
        return answer

    def note_repeated(self, answer: dict[str, Any]) -> None:
        """The same call came again and gets the same answer; where it was cut off, it was cut off again."""
        self.cut_offs += "cut_off" in answer

    def record_repeated_id(self, tool: str, call_id: str, arguments: str) -> None:
        """A ``create_…`` call under an id that was used for another call is a reject, not an execution."""
        if tool in _READERS:
            self.candidates.append(Broken(arguments[:500], f"call id {call_id!r} was used for two calls"))

    def record_text(self, text: str) -> bool:
        """Keep candidates of a final answer that were not handed in before; true where the text was cut off."""
        entries = read_prose(text)
        is_call = holds_tool_call(text, self.tools)
        self.unturned_calls += is_call
        fresh = [entry for entry in entries.found if entry not in self.candidates]
        self._keep(Entries(fresh, stated_none=entries.stated_none and not is_call))
        return entries.cut_off

    def _keep(self, entries: Entries) -> None:
        self.candidates.extend(entries.found)
        self.cut_offs += entries.cut_off
        self.stated_none = self.stated_none or entries.stated_none
