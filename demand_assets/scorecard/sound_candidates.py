"""A sound candidate to spoil: as given, with its pack, and what else there is to confuse it with."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from demand_assets.evidence.codes import RejectCode
from demand_assets.evidence.pack import EvidencePack


@dataclass(frozen=True)
class SoundCandidate:
    """A candidate that closes, as plain values, its published name and its pack."""

    candidate: dict[str, Any]
    name: str
    pack: EvidencePack

    def spoiled(self, **refs: Any) -> dict[str, Any]:
        """A copy of the candidate with some refs replaced."""
        altered = copy.deepcopy(self.candidate)
        altered["evidence_refs"].update(refs)
        return altered


@dataclass(frozen=True)
class CaseMaterial:
    """What a fault may borrow: other sound candidates, an itemset of another execution and of another scope."""

    sound: list[SoundCandidate]
    foreign_itemset_id: int | None
    other_scope_itemset_id: int | None
    rng: random.Random

    def other_than(self, one: SoundCandidate) -> SoundCandidate | None:
        """Another sound candidate whose posts and words differ; ``None`` where there is none."""
        choices = [s for s in self.sound if one.pack.source_post_id not in s.pack.matched_post_ids]
        return self.rng.choice(choices) if choices else None


Spoil = Callable[[SoundCandidate, CaseMaterial], dict[str, Any] | None]


@dataclass(frozen=True)
class FaultClass:
    """One kind of fault and the code it must be rejected with."""

    name: str
    expected: RejectCode
