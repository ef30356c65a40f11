"""``make harden``: every mutant against the tests of its rule; ends with 1 where one was not caught.

``python -m tests.harden --rule D-036``, ``--only ID`` (each may be given again) or ``--json``. Progress goes to
standard error, a line a mutant and the sum to standard output.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tests.harden.hardening import LIMIT_S, MOST_WORKERS, Bounds, harden
from tests.harden.mutants import Mutant, read_mutants
from tests.harden.trial import Trial, Verdict

ROOT = Path(__file__).resolve().parents[2]
WRONG_USE = 2
INTERRUPTED = 143


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="make harden", description="Try one-line faults against the tests.")
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="this mutant alone")
    parser.add_argument("--rule", action="append", default=[], metavar="RULE", help="the mutants of this rule alone")
    parser.add_argument("--limit", type=float, default=LIMIT_S, metavar="SECONDS", help="most time for one mutant")
    parser.add_argument("--workers", type=int, default=MOST_WORKERS, choices=range(1, MOST_WORKERS + 1))
    parser.add_argument("--json", action="store_true", help="one JSON document")
    given = parser.parse_args(arguments)
    mutants = _chosen(read_mutants(), given.only, given.rule)
    if not mutants:
        print("no mutant has that id or rule: see tests/harden/mutants", file=sys.stderr)
        return WRONG_USE
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(INTERRUPTED))
    started = time.monotonic()
    trials = harden(ROOT, mutants, ROOT / "build", _Progress(len(mutants)), Bounds(given.workers, given.limit))
    numbers = _numbers(trials, round(time.monotonic() - started, 1))
    if given.json:
        print(json.dumps(numbers | {"trials": [asdict(trial) for trial in trials]}, ensure_ascii=False, indent=2))
    else:
        _print_table({mutant.id: mutant for mutant in mutants}, trials, numbers)
    return 0 if numbers["caught"] == numbers["mutants"] else 1


def _chosen(mutants: Sequence[Mutant], ids: Sequence[str], rules: Sequence[str]) -> list[Mutant]:
    if not (ids or rules):
        return list(mutants)
    return [mutant for mutant in mutants if mutant.id in ids or not set(rules).isdisjoint(mutant.rules)]


class _Progress:
    """Says of each trial what came of it, and how many are left."""

    def __init__(self, mutants: int) -> None:
        self._mutants = mutants
        self._done = 0

    def __call__(self, trial: Trial) -> None:
        self._done += 1
        shown = "" if trial.verdict is Verdict.CAUGHT else f": {trial.shown}"
        line = f"[{self._done}/{self._mutants}] {trial.verdict} {trial.seconds:.1f} s {trial.mutant}{shown}"
        print(line, file=sys.stderr, flush=True)


def _numbers(trials: Sequence[Trial], seconds: float) -> dict[str, float]:
    counts = Counter(trial.verdict for trial in trials)
    return {"mutants": len(trials), **{verdict.value: counts[verdict] for verdict in Verdict}, "seconds": seconds}


def _print_table(mutants: dict[str, Mutant], trials: Sequence[Trial], numbers: dict[str, float]) -> None:
    for trial in trials:
        rules = ", ".join(mutants[trial.mutant].rules or ["guard"])
        print(f"{trial.verdict:13} {trial.seconds:6.1f} s  {rules:14} {trial.mutant}  {trial.shown}")
    said = ", ".join(f"{name} {number:g}" for name, number in numbers.items() if name != "seconds")
    print(f"{said}, {numbers['seconds']:.0f} s")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
