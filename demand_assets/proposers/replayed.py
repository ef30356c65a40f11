"""Candidates that were paid for before a run was cut off are judged again before the model is asked for more."""

from __future__ import annotations

from collections.abc import Sequence

from demand_assets.evidence.closure import Reject
from demand_assets.proposers.proposer import Identity, Proposals, Proposer
from resources.model.usage import Usage


class ReplayedProposer:
    """Hands out ``saved`` first, then asks ``proposer``."""

    def __init__(self, saved: Sequence[object], proposer: Proposer) -> None:
        self._saved = list(saved)
        self._proposer = proposer

    @property
    def identity(self) -> Identity:
        return self._proposer.identity

    @property
    def usage(self) -> Usage:
        return self._proposer.usage

    def propose(self, wanted: int, feedback: Sequence[Reject]) -> Proposals:
        """The saved candidates as one batch; every later call goes to the proposer."""
        if self._saved:
            saved, self._saved = self._saved, []
            return Proposals(saved)
        return self._proposer.propose(wanted, feedback)
