"""One mutant in one tree: its tests are run until one fails. A tree without fault is left behind."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from tests.harden.mutants import Mutant, StaleMutant
from tests.harden.nursery import Nursery

ALL_PASSED, SOME_FAILED = 0, 1
OPTIONS = ("-q", "-x", "--tb=no", "-p", "no:cacheprovider")
_FAILED = re.compile(r"^(?:FAILED|ERROR) ([^\s\[]+::[^\s\[]+)", re.MULTILINE)


class Verdict(StrEnum):
    """What became of a mutant; only the first is good."""

    CAUGHT = "caught"
    SURVIVED = "survived"
    STALE = "stale"
    TIMED_OUT = "timed out"
    NOT_RUN = "not run"
    """The tests could not be run at all: a fault that cannot be imported shows nothing."""
    NOT_BY_ITSELF = "not by itself"
    """The test that failed fails without the fault as well."""


@dataclass(frozen=True)
class Trial:
    """A mutant's verdict, what it took, and the test that failed or the last words of pytest."""

    mutant: str
    verdict: Verdict
    seconds: float
    shown: str


def try_mutant(mutant: Mutant, tests: Sequence[str], nursery: Nursery, limit_s: float) -> Trial:
    """Put the fault into the tree, run the tests there, and put the file back as it was."""
    started = time.monotonic()
    place = nursery.tree / mutant.file
    try:
        with_fault = mutant.placed_in(nursery.tree)
    except StaleMutant as stale:
        return Trial(mutant.id, Verdict.STALE, 0.0, str(stale))
    sound = place.read_bytes()
    place.write_text(with_fault)
    try:
        code, said = nursery.run([*OPTIONS, *tests], limit_s)
    finally:
        place.write_bytes(sound)
    failed = _FAILED.search(said)
    seconds = round(time.monotonic() - started, 1)
    if code is None:
        return Trial(mutant.id, Verdict.TIMED_OUT, seconds, f"no end within {limit_s:.0f} s")
    if code == SOME_FAILED and failed:
        return Trial(mutant.id, Verdict.CAUGHT, seconds, failed[1])
    verdict = Verdict.SURVIVED if code == ALL_PASSED else Verdict.NOT_RUN
    return Trial(mutant.id, verdict, seconds, (said.strip().splitlines() or ["pytest said nothing"])[-1])


def failing(tests: Sequence[str], nursery: Nursery, limit_s: float) -> set[str]:
    """Those of the tests that fail in a tree without fault; all of them where they do not end."""
    code, said = nursery.run([*(option for option in OPTIONS if option != "-x"), *tests], limit_s)
    if code == ALL_PASSED:
        return set()
    return set(_FAILED.findall(said)) or set(tests)
