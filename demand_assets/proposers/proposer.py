"""The interface of a proposer: it is asked for candidates, told what was rejected, and says when it is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from demand_assets.evidence.closure import Reject
from resources.model.usage import Usage


class StopReason(StrEnum):
    """Why a run asked for no more candidates (D-015)."""

    COUNT_REACHED = "count_reached"
    NO_FACTS = "no_facts"
    FACTS_USED_UP = "facts_used_up"
    FILE_USED_UP = "file_used_up"
    PROPOSER_STOPPED = "proposer_stopped"
    ROUNDS_SPENT = "rounds_spent"
    CALLS_SPENT = "calls_spent"
    TOKENS_SPENT = "tokens_spent"
    FACTS_UNREADABLE = "facts_unreadable"
    PROPOSER_FAILED = "proposer_failed"


@dataclass(frozen=True)
class Proposals:
    """Raw candidates of one round, in order; ``stop`` says that the proposer has nothing more, and why.

    ``failure`` is one line for a person when ``stop`` is ``PROPOSER_FAILED``.
    """

    candidates: list[object]
    stop: StopReason | None = None
    failure: str = ""


@dataclass(frozen=True)
class Identity:
    """Who proposes, for ledger and manifest: name, model, and the hash of the prompt where there is one."""

    proposer: str
    model: str | None = None
    prompt_sha256: str | None = None
    settings: dict[str, object] = field(default_factory=dict)


class Proposer(Protocol):
    """Source of candidates for one execution; asked again until enough are accepted or it stops."""

    @property
    def identity(self) -> Identity: ...

    @property
    def usage(self) -> Usage:
        """What asking has cost; nothing where no model is asked."""
        return Usage()

    def propose(self, wanted: int, feedback: Sequence[Reject]) -> Proposals:
        """The next candidates.

        Args:
            wanted: how many accepted demands are still missing, at least 1.
            feedback: rejects of the round before, with their corrections.
        """
        ...
