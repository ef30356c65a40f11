"""Ask, decide, and ask again until enough demands are accepted (D-015); everything that happened is kept."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from demand_assets.evidence.closure import Accepted, Provenance, Reject, decide, reject_unread
from demand_assets.evidence.pack import EvidencePack
from demand_assets.evidence.refs import Candidate
from demand_assets.evidence.weights import WeightScores
from demand_assets.proposers.proposer import Identity, Proposer, StopReason
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.foundation.errors import FactsUnreadable
from resources.foundation.secret_masking import SecretMask
from resources.model.usage import Usage

CHUNK = 2_000


@dataclass(frozen=True)
class Proposed:
    """A raw candidate with its place in the run and the round it came in, both from 1."""

    seq: int
    round: int
    raw: object


@dataclass(frozen=True)
class AcceptedDemand:
    """A candidate that closed: its place in the run from 1, its pack and its score in [0, 1]."""

    seq: int
    candidate: Candidate
    pack: EvidencePack
    score: float

    @property
    def key(self) -> tuple[str, str]:
        """What makes two demands of one run the same demand (D-064)."""
        return (self.candidate.name, self.pack.source_post_id)


@dataclass(frozen=True)
class LedgerEntry:
    """A reject with its place in the run and the round it came in (D-043a)."""

    seq: int
    round: int
    reject: Reject


@dataclass
class Outcome:
    """What a run came to. ``proposed == accepted + rejects + duplicates`` in numbers, always."""

    identity: Identity
    proposed: list[Proposed] = field(default_factory=list)
    accepted: list[AcceptedDemand] = field(default_factory=list)
    rejects: list[LedgerEntry] = field(default_factory=list)
    duplicates: list[int] = field(default_factory=list)
    rounds: int = 0
    usage: Usage = field(default_factory=Usage)
    stop_reason: StopReason = StopReason.COUNT_REACHED
    failure: str = ""

    def rejects_by_code(self) -> dict[str, int]:
        """Number of rejects by their first failing rule, most frequent first."""
        return dict(Counter(str(entry.reject.reject_code) for entry in self.rejects).most_common())


@dataclass(frozen=True)
class Observer:
    """Who is told as the run goes on: of each round's raw candidates, and of the outcome so far."""

    on_proposed: Callable[[Sequence[Proposed]], None] = lambda _: None
    on_decided: Callable[[Outcome], None] = lambda _: None


@dataclass(frozen=True)
class Loop:
    """A decision loop over one execution.

    Args:
        count: accepted demands wanted.
        max_rounds: how often the proposer is asked at the most.
        mask: takes secrets out of rejects before they are kept or given back.
    """

    facts: FactsDatabase
    execution_id: int
    weights: WeightScores
    provenance: Provenance
    count: int
    max_rounds: int
    observer: Observer = field(default_factory=Observer)
    mask: SecretMask = field(default_factory=SecretMask.of_environment)

    def run(self, proposer: Proposer) -> Outcome:
        """Ask and decide until ``count`` are accepted, the proposer stops, or the rounds are spent.

        Raises:
            UnreadableRun: the facts could not be read; it carries the outcome so far with every undecided candidate
                in the ledger as ``facts_unreadable`` (D-042).
        """
        outcome = Outcome(proposer.identity)
        waiting: deque[Proposed] = deque()
        feedback: list[Reject] = []
        stop: StopReason | None = None
        while len(outcome.accepted) < self.count:
            if not waiting:
                stop = stop or (StopReason.ROUNDS_SPENT if outcome.rounds >= self.max_rounds else None)
                if stop is not None:
                    break
                stop = self._ask(proposer, outcome, waiting, feedback)
                feedback = []
            missing = min(self.count - len(outcome.accepted), CHUNK)
            chunk = [waiting.popleft() for _ in range(min(missing, len(waiting)))]
            try:
                feedback.extend(self._decide(chunk, outcome))
            except FactsUnreadable as error:
                raise self._unreadable(error, [*chunk, *waiting], outcome, proposer) from error
            self.observer.on_decided(outcome)
        outcome.stop_reason = (
            StopReason.COUNT_REACHED if len(outcome.accepted) >= self.count else stop or outcome.stop_reason
        )
        outcome.usage = proposer.usage
        del outcome.proposed[len(outcome.proposed) - len(waiting) :]
        return outcome

    def _ask(
        self, proposer: Proposer, outcome: Outcome, waiting: deque[Proposed], feedback: Sequence[Reject]
    ) -> StopReason | None:
        outcome.rounds += 1
        batch = proposer.propose(self.count - len(outcome.accepted), feedback)
        first = len(outcome.proposed) + 1
        fresh = [Proposed(first + place, outcome.rounds, raw) for place, raw in enumerate(batch.candidates)]
        self.observer.on_proposed(fresh)
        outcome.proposed.extend(fresh)
        waiting.extend(fresh)
        outcome.failure = batch.failure
        if batch.stop is None and not fresh:
            return StopReason.PROPOSER_STOPPED
        return batch.stop

    def _unreadable(
        self, error: FactsUnreadable, undecided: Sequence[Proposed], outcome: Outcome, proposer: Proposer
    ) -> UnreadableRun:
        """Every undecided candidate goes into the ledger as ``facts_unreadable``."""
        unread = [r.without_secrets(self.mask) for r in reject_unread([p.raw for p in undecided], error)]
        outcome.rejects.extend(LedgerEntry(p.seq, p.round, r) for p, r in zip(undecided, unread, strict=True))
        outcome.usage = proposer.usage
        outcome.stop_reason = StopReason.FACTS_UNREADABLE
        return UnreadableRun(error, outcome)

    def _decide(self, chunk: Sequence[Proposed], outcome: Outcome) -> list[Reject]:
        raws = [proposed.raw for proposed in chunk]
        with self.facts.snapshot() as snapshot:
            decisions = decide(snapshot, self.execution_id, raws, self.provenance)
        taken = {demand.key for demand in outcome.accepted}
        rejects = []
        for proposed, decision in zip(chunk, decisions, strict=True):
            if isinstance(decision, Accepted):
                score = self.weights.of_pack(decision.pack)
                demand = AcceptedDemand(proposed.seq, decision.candidate, decision.pack, score)
                if demand.key in taken:
                    outcome.duplicates.append(proposed.seq)
                else:
                    taken.add(demand.key)
                    outcome.accepted.append(demand)
            else:
                reject = decision.without_secrets(self.mask)
                outcome.rejects.append(LedgerEntry(proposed.seq, proposed.round, reject))
                rejects.append(reject)
        return rejects


class UnreadableRun(FactsUnreadable):
    """The facts became unreadable while deciding; ``outcome`` is what was decided before."""

    def __init__(self, error: FactsUnreadable, outcome: Outcome) -> None:
        super().__init__(error.message, error.fix)
        self.outcome = outcome
