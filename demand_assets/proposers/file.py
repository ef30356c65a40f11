"""The file proposer: candidates handed in as JSON lines, so that any outside agent can use the closure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from demand_assets.evidence.closure import Reject
from demand_assets.evidence.refs import Broken
from demand_assets.proposers.proposer import Identity, Proposals, Proposer, StopReason
from resources.foundation import strict_json
from resources.foundation.errors import UsageError

MAX_LINE_BYTES = 1_000_000
_SHOWN = 500


def open_candidates(path: Path) -> BinaryIO:
    """The file of candidates.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return path.open("rb")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"proposer file {path}: {reason}", "give --proposer file:PATH") from None


class FileProposer(Proposer):
    """Reads ``{element_names, reason, desc, type, evidence_refs}`` a line, lazily: size does not matter.

    A byte-order mark and blank lines are passed over; a line that is not one strict JSON object, or is longer than
    1,000,000 bytes, becomes a broken candidate with its line number, and the next line is read.

    Raises:
        UsageError: the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = _entries(open_candidates(path))

    @property
    def identity(self) -> Identity:
        return Identity(proposer="file", settings={"file": self._path.name})

    def propose(self, wanted: int, feedback: Sequence[Reject]) -> Proposals:
        """The next ``wanted`` lines of the file."""
        candidates: list[object] = []
        try:
            for entry in self._lines:
                candidates.append(entry)
                if len(candidates) == wanted:
                    return Proposals(candidates)
        except OSError as error:
            failure = f"proposer file {self._path}: {error.strerror or type(error).__name__}"
            return Proposals(candidates, StopReason.PROPOSER_FAILED, failure)
        return Proposals(candidates, StopReason.FILE_USED_UP)


def _entries(stream: object) -> Iterator[object]:
    number = 0
    with stream as lines:  # type: ignore[attr-defined]
        while line := lines.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
                _skip_rest(lines)
                shown = line[:_SHOWN].decode("utf-8", "replace")
                yield Broken(shown, f"line {number}: longer than {MAX_LINE_BYTES} bytes")
                continue
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            if line.strip():
                yield _parse(line, number)


def _skip_rest(lines: object) -> None:
    while (more := lines.readline(MAX_LINE_BYTES)) and not more.endswith(b"\n"):  # type: ignore[attr-defined]
        pass


def _parse(line: bytes, number: int) -> object:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        shown = line[:_SHOWN].decode("utf-8", "replace")
        return Broken(shown, f"line {number}: not UTF-8 at byte {error.start}")
    try:
        value = strict_json.loads(text)
    except strict_json.JsonRefused as error:
        return Broken(text[:_SHOWN].strip(), f"line {number}: {error.message}")
    if not isinstance(value, dict):
        return Broken(text[:_SHOWN].strip(), f"line {number}: not a JSON object")
    return value
