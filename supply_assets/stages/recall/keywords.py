"""What is searched for, round by round: core terms, expansion terms, scene terms (S-020)."""

from __future__ import annotations

from typing import NamedTuple

from supply_assets.normalisation import texts
from supply_assets.scoring.records import Wanted
from supply_assets.scoring.terms.lexicon import SCENES
from supply_assets.stages.policy import SupplyPolicy

CORE, EXPANSION, SCENE = 1, 2, 3
LONGEST = 255


class Keyword(NamedTuple):
    """A search and the round it belongs to."""

    round_no: int
    text: str


def keywords_of(wanted: Wanted, policy: SupplyPolicy) -> list[Keyword]:
    """All searches of a task in their order, none twice; the place in this list is what a checkpoint stores."""
    core = " ".join(wanted.terms)
    single = list(wanted.terms) if len(wanted.terms) > 1 else []
    rounds = [
        *(Keyword(CORE, text) for text in (core, *single)),
        *(Keyword(EXPANSION, f"{core} {word}") for word in wanted.expansion[: policy.expansion_keywords]),
        *(Keyword(SCENE, f"{core} {scene}") for scene in SCENES[: policy.scene_keywords]),
    ]
    distinct: dict[str, Keyword] = {}
    for keyword in rounds:
        if len(keyword.text) <= LONGEST:
            distinct.setdefault(texts.key(keyword.text), keyword)
    return list(distinct.values())
