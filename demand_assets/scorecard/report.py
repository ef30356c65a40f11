"""Scoring the closure of one execution (D-074)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import cycle
from typing import Any, Literal

from pydantic import ValidationError
from sqlalchemy import Connection

from demand_assets.evidence.closure import Accepted, Decision, Provenance, decide
from demand_assets.evidence.codes import RejectCode
from demand_assets.evidence.pack import EvidencePack
from demand_assets.evidence.reproof import Published, reprove
from demand_assets.evidence.weights import read_weight_scores
from demand_assets.proposers.rules import RulesProposer
from demand_assets.scorecard.candidate_faults import CANDIDATE_FAULTS
from demand_assets.scorecard.fact_faults import FACT_FAULTS, Alter
from demand_assets.scorecard.oracle import is_right
from demand_assets.scorecard.pack_faults import PACK_FAULTS, AlterPack, altered
from demand_assets.scorecard.sound_candidates import CaseMaterial, FaultClass, SoundCandidate, Spoil
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.pattern_facts.listing import find_stray_itemsets
from resources.databases.pattern_facts.spoiled.scratch import ScratchFacts, copy_facts
from resources.foundation.errors import ProposerFailed

SAMPLE = 200
NAMED_FOR_FIELD = {
    "pattern_execution_id": ("D-032", "D-030"),
    "category_bindings": ("itemset_items", "items without an element"),
    "itemset_items": ("category_bindings",),
    "element_bindings": ("items without an element", "an element is bound", "D-038"),
    "itemset_ids": ("another itemset",),
    "source_post_id": ("an element is bound",),
    "matched_post_ids": ("D-036", "D-037", "post"),
    "seed_terms": ("D-041",),
}
TRACE = Provenance("scorecard")
Verdict = Literal["admitted", "right_code", "other_code"]
CANNOT_CATCH = (
    "Closure proves that a claim is true in the facts, not that it is worth making: a pattern that is true and "
    "irrelevant, an element name that is covered but says something else in its post, prose in reason and desc, "
    "and facts that were mined wrongly in the first place all pass. The ids a pack carries for the product itself "
    "(trace_id, demand_task_id) are checked for shape only."
)


@dataclass
class Line:
    """One fault class: cases, admitted (must be 0), rejected with the right code, with another code."""

    fault: str
    kind: str
    expected: str
    cases: int = 0
    admitted: int = 0
    right_code: int = 0
    other_code: int = 0


@dataclass
class Scorecard:
    """All classes, and what became of candidates that were left alone."""

    execution_id: int
    seed: int
    lines: list[Line]
    untouched: int
    false_rejects: int
    wrongly_accepted: int

    @property
    def cases(self) -> int:
        return sum(line.cases for line in self.lines)

    @property
    def admitted(self) -> int:
        return sum(line.admitted for line in self.lines) + self.wrongly_accepted

    @property
    def untested(self) -> list[str]:
        """Classes without a case: these facts, or this number of cases, offered none."""
        return [line.fault for line in self.lines if line.cases == 0]

    @property
    def clean(self) -> bool:
        """No fault admitted, no right candidate rejected, every code the right one; untested classes are named."""
        wrong_codes = any(line.other_code for line in self.lines)
        return self.cases > 0 and self.admitted == 0 and self.false_rejects == 0 and not wrong_codes

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self) | {
            "cases": self.cases,
            "admitted": self.admitted,
            "clean": self.clean,
            "untested": self.untested,
            "cannot_catch": CANNOT_CATCH,
        }


def score(
    facts: FactsDatabase,
    execution_id: int,
    cases: int,
    seed: int,
    on_progress: Callable[[Line], None] = lambda _: None,
) -> Scorecard:
    """Spoil ``cases`` sound candidates and packs, evenly over the classes, and count what happens.

    Raises:
        ProposerFailed: no candidate of the execution closes, so there is nothing to spoil.
        FactsUnreadable: the facts could not be read.
    """
    rng = random.Random(seed)
    with facts.snapshot() as snapshot:
        weights = read_weight_scores(snapshot, execution_id)
    proposed = RulesProposer(facts, execution_id, weights, seed=seed).propose(SAMPLE, []).candidates
    lines = []
    with facts.snapshot() as snapshot:
        decisions = decide(snapshot, execution_id, proposed, TRACE)
        right = [is_right(snapshot, execution_id, candidate) for candidate in proposed]  # type: ignore[arg-type]
        sound = _sound(proposed, decisions)
        if not sound:
            raise ProposerFailed(f"no candidate of execution {execution_id} closes", "choose another execution")
        around = CaseMaterial(sound, *find_stray_itemsets(snapshot, execution_id), rng)
        for line in _Spoiling(snapshot, execution_id, around, _plan(cases, rng)).lines():
            lines.append(line)
            on_progress(line)
    accepted = [isinstance(decision, Accepted) for decision in decisions]
    return Scorecard(
        execution_id,
        seed,
        lines,
        untouched=sum(right),
        false_rejects=sum(r and not a for r, a in zip(right, accepted, strict=True)),
        wrongly_accepted=sum(a and not r for r, a in zip(right, accepted, strict=True)),
    )


def _sound(proposed: list[object], decisions: list[Decision]) -> list[SoundCandidate]:
    return [
        SoundCandidate(raw, decision.candidate.name, decision.pack)  # type: ignore[arg-type]
        for raw, decision in zip(proposed, decisions, strict=True)
        if isinstance(decision, Accepted)
    ]


def _plan(cases: int, rng: random.Random) -> Counter[str]:
    """How many cases each class gets: as even as the number allows."""
    names = [fault.name for fault in (*CANDIDATE_FAULTS, *FACT_FAULTS)] + list(PACK_FAULTS)
    rng.shuffle(names)
    chooser = cycle(names)
    return Counter(next(chooser) for _ in range(cases))


@dataclass(frozen=True)
class _Spoiling:
    """SoundCandidate candidates and packs of one snapshot, spoiled as often as ``plan`` gives each class cases."""

    snapshot: Connection
    execution_id: int
    around: CaseMaterial
    plan: Counter[str]

    def lines(self) -> Iterator[Line]:
        """The classes of faults one by one: of candidates, of the facts, of packs."""
        for fault, spoil in CANDIDATE_FAULTS.items():
            yield _counted(fault.name, "candidate", fault.expected, self._spoiled_candidates(fault, spoil))
        sound = self.around.sound
        itemsets, posts = [s.pack.itemset_ids[0] for s in sound], [s.pack.source_post_id for s in sound]
        with copy_facts(self.snapshot, self.execution_id, itemsets, posts) as scratch:
            for fault, alter in FACT_FAULTS.items():
                yield _counted(fault.name, "facts", fault.expected, self._altered_facts(scratch, fault, alter))
        for name, alter_pack in PACK_FAULTS.items():
            field = name.split(":")[0]
            yield _counted(name, "pack", field, self._altered_packs(name, field, alter_pack))

    def _drawn(self, fault: str) -> Iterator[SoundCandidate]:
        return (self.around.rng.choice(self.around.sound) for _ in range(self.plan[fault]))

    def _spoiled_candidates(self, fault: FaultClass, spoil: Spoil) -> Iterator[Verdict]:
        made = [spoil(sound, self.around) for sound in self._drawn(fault.name)]
        spoiled = [candidate for candidate in made if candidate is not None]
        for decision in decide(self.snapshot, self.execution_id, spoiled, TRACE):
            yield _verdict(decision, fault)

    def _altered_facts(self, scratch: ScratchFacts, fault: FaultClass, alter: Alter) -> Iterator[Verdict]:
        for sound in self._drawn(fault.name):
            with scratch.altered(*alter(sound, self.execution_id)) as connection:
                yield _verdict(decide(connection, self.execution_id, [sound.candidate], TRACE)[0], fault)

    def _altered_packs(self, name: str, field: str, alter: AlterPack) -> Iterator[Verdict]:
        survivors = []
        for place, sound in enumerate(self._drawn(name)):
            spoiled = altered(sound.pack.model_dump(mode="json"), alter)
            try:
                survivors.append(Published(str(place), sound.name, EvidencePack.model_validate(spoiled)))
            except ValidationError as error:
                yield _refusal(field, str(error))
        drifts = {drift.key: drift for drift in reversed(reprove(self.snapshot, survivors))}
        for survivor in survivors:
            drift = drifts.get(survivor.key)
            yield "admitted" if drift is None else _refusal(field, f"{drift.rule_id} {drift.message}")


def _counted(fault: str, kind: str, expected: str, verdicts: Iterable[Verdict]) -> Line:
    counts = Counter(verdicts)
    return Line(
        fault,
        kind,
        expected,
        cases=counts.total(),
        admitted=counts["admitted"],
        right_code=counts["right_code"],
        other_code=counts["other_code"],
    )


def _verdict(decision: Decision, fault: FaultClass) -> Verdict:
    if isinstance(decision, Accepted):
        return "admitted"
    return "right_code" if decision.reject_code is RejectCode(fault.expected) else "other_code"


def _refusal(field: str, said: str) -> Verdict:
    """A refusal is right where it names the altered field or the rule that the field stands under."""
    return "right_code" if any(name in said for name in (field, *NAMED_FOR_FIELD.get(field, ()))) else "other_code"
