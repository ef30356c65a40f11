"""The file proposer: candidates handed in as JSON lines, so that any outside agent can use the closure.

The file is foreign text: of a line that is no candidate nothing is kept but its place, its length and its hash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from demand_assets.evidence.closure import Reject
from demand_assets.evidence.refs import TELLING_FIELDS, Broken
from demand_assets.proposers.candidate_files import open_candidates
from demand_assets.proposers.proposer import Identity, Proposals, Proposer, StopReason
from resources.foundation import strict_json

MAX_LINE_BYTES = 1_000_000


class FileProposer(Proposer):
    """Reads ``{element_names, reason, desc, type, evidence_refs}`` a line, lazily: size does not matter.

    A byte-order mark and blank lines are passed over; a line that is not one strict JSON object, names neither
    ``element_names`` nor ``evidence_refs``, or is longer than 1,000,000 bytes, becomes a broken candidate with its line
    number, and the next line is read.

    Args:
        name: the file, looked up below ``folder``.

    Raises:
        UsageError: the file lies outside the folder or cannot be read.
    """

    def __init__(self, name: Path, folder: Path) -> None:
        self._name = name
        self._lines = _entries(open_candidates(name, folder))

    @property
    def identity(self) -> Identity:
        return Identity(proposer="file", settings={"file": self._name.name})

    def propose(self, wanted: int, feedback: Sequence[Reject]) -> Proposals:
        """The next ``wanted`` lines of the file."""
        candidates: list[object] = []
        try:
            for entry in self._lines:
                candidates.append(entry)
                if len(candidates) == wanted:
                    return Proposals(candidates)
        except OSError as error:
            failure = f"proposer file {self._name}: {error.strerror or type(error).__name__}"
            return Proposals(candidates, StopReason.PROPOSER_FAILED, failure)
        return Proposals(candidates, StopReason.FILE_USED_UP)


def _entries(stream: BinaryIO) -> Iterator[object]:
    number = 0
    with stream as lines:
        while line := lines.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
                yield _too_long(line, lines, number)
                continue
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            if line.strip():
                yield _parse(line, number)


def _too_long(line: bytes, lines: BinaryIO, number: int) -> Broken:
    """The line of whose beginning ``line`` was read; the rest is read past."""
    length, digest = len(line), hashlib.sha256(line)
    while not line.endswith(b"\n") and (line := lines.readline(MAX_LINE_BYTES)):
        length += len(line)
        digest.update(line)
    return Broken(_trace(length, digest.hexdigest()), f"line {number}: longer than {MAX_LINE_BYTES} bytes")


def _parse(line: bytes, number: int) -> object:
    try:
        value = strict_json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return _broken(line, number, f"not UTF-8 at byte {error.start}")
    except strict_json.JsonRefused as error:
        return _broken(line, number, error.without_text)
    if not isinstance(value, dict):
        return _broken(line, number, "not a JSON object")
    if not TELLING_FIELDS & value.keys():
        return _broken(line, number, "no candidate: it names neither element_names nor evidence_refs")
    return value


def _broken(line: bytes, number: int, why: str) -> Broken:
    return Broken(_trace(len(line), hashlib.sha256(line).hexdigest()), f"line {number}: {why}")


def _trace(length: int, digest: str) -> str:
    return f"{length} bytes, sha256 {digest}"
