"""Trying many mutants: two at once at the most, each in a tree of its worker's own."""

from __future__ import annotations

import queue
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from tests.harden.citing import read_tests, select_tests
from tests.harden.copies import copy_tree, digest_of, files_of
from tests.harden.journal import Journal
from tests.harden.mutants import Mutant
from tests.harden.nursery import Nursery
from tests.harden.trial import Trial, Verdict, failing, try_mutant

MOST_WORKERS = 2
LIMIT_S = 300.0
OnTrial = Callable[[Trial], None]


@dataclass(frozen=True)
class Bounds:
    """How many trees are tried at once, and how long the tests of one mutant may take."""

    workers: int = MOST_WORKERS
    limit_s: float = LIMIT_S


def harden(
    root: Path, mutants: Sequence[Mutant], journals: Path, on_trial: OnTrial, bounds: Bounds = Bounds()
) -> list[Trial]:
    """A trial a mutant, in their order. What a cut-off run found of the same tree is taken over.

    A mutant counts as caught when the test that failed passes without it.
    """
    files = files_of(root)
    journal = Journal(journals, digest_of(root, files))
    known = journal.read()
    citing = read_tests(root)
    tests = {mutant.id: select_tests(mutant, citing) for mutant in mutants}
    waiting = [mutant for mutant in mutants if mutant.id not in known]
    for trial in known.values():
        on_trial(trial)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="harden-")))
        _lay_beside(root, folder)
        nurseries = [
            stack.enter_context(_nursery(root, files, folder / str(number)))
            for number in range(min(bounds.workers, max(1, len(waiting))))
        ]
        for trial in _tried(waiting, tests, nurseries, bounds.limit_s):
            known[trial.mutant] = trial
            journal.add(trial)
            on_trial(trial)
        trials = _without_false(known, nurseries[0], bounds.limit_s)
    journal.close()
    return [trials[mutant.id] for mutant in mutants]


def _lay_beside(root: Path, folder: Path) -> None:
    """The public data, where the tests look for them: beside the tree."""
    shared = root.parent / "shared"
    if shared.is_dir():
        (folder / "shared").symlink_to(shared)


def _nursery(root: Path, files: Sequence[str], tree: Path) -> Nursery:
    copy_tree(root, files, tree)
    return Nursery(tree)


def _tried(
    mutants: Sequence[Mutant], tests: dict[str, list[str]], nurseries: Sequence[Nursery], limit_s: float
) -> Iterator[Trial]:
    free: queue.SimpleQueue[Nursery] = queue.SimpleQueue()
    for nursery in nurseries:
        free.put(nursery)

    def one(mutant: Mutant) -> Trial:
        nursery = free.get()
        try:
            return try_mutant(mutant, tests[mutant.id], nursery, limit_s)
        finally:
            free.put(nursery)

    pool = ThreadPoolExecutor(len(nurseries))
    try:
        for done in as_completed([pool.submit(one, mutant) for mutant in mutants]):
            yield done.result()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for nursery in nurseries:
            nursery.end()
        raise
    finally:
        pool.shutdown()


def _without_false(trials: dict[str, Trial], nursery: Nursery, limit_s: float) -> dict[str, Trial]:
    """The tests that failed are run once more without any fault: one that fails there as well has shown nothing."""
    caught = {trial.shown for trial in trials.values() if trial.verdict is Verdict.CAUGHT}
    false = failing(sorted(caught), nursery, limit_s * 4) if caught else set()
    return {
        name: replace(trial, verdict=Verdict.NOT_BY_ITSELF) if trial.shown in false else trial
        for name, trial in trials.items()
    }
