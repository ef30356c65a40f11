"""What was tried of a tree, a line a mutant: a run that was cut off goes on where it stopped.

The name holds the tree's digest, so that no outcome outlives what it was found in; a run that ends takes it away.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from tests.harden.trial import Trial, Verdict


class Journal:
    """Trials of one tree, kept as they come."""

    def __init__(self, folder: Path, digest: str) -> None:
        self._path = folder / f"harden-{digest[:16]}.jsonl"

    def read(self) -> dict[str, Trial]:
        """The trials so far, by mutant; a line that was cut off is left out."""
        if not self._path.is_file():
            return {}
        whole = [line for line in self._path.read_text().splitlines(keepends=True) if line.endswith("\n")]
        trials = [Trial(**json.loads(line)) for line in whole]
        return {trial.mutant: Trial(trial.mutant, Verdict(trial.verdict), *_rest(trial)) for trial in trials}

    def add(self, trial: Trial) -> None:
        """Keep one more."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a") as file:
            file.write(json.dumps(asdict(trial), ensure_ascii=False) + "\n")

    def close(self) -> None:
        """The run has ended: the next one tries everything anew."""
        self._path.unlink(missing_ok=True)


def _rest(trial: Trial) -> tuple[float, str]:
    return trial.seconds, trial.shown
