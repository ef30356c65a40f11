"""The file proposer (D-013, D-014, LM5): each broken line is one broken candidate with its number, the rest lives."""

from __future__ import annotations

import hashlib
import os
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from demand_assets.evidence.refs import Broken
from demand_assets.proposers.candidate_files import MAX_FILE_BYTES
from demand_assets.proposers.file import MAX_LINE_BYTES, FileProposer
from demand_assets.proposers.proposer import StopReason
from resources.foundation import strict_json
from resources.foundation.errors import UsageError
from resources.model.usage import Usage
from tests.small_facts import good_candidate

GOOD = good_candidate()
LINE = strict_json.dumps(GOOD).encode()
LF = b"\n"


def read(path: Path, content: bytes) -> list[Any]:
    file = path / "candidates.jsonl"
    file.write_bytes(content)
    batch = FileProposer(Path("candidates.jsonl"), path).propose(1000, [])
    assert batch.stop == StopReason.FILE_USED_UP
    return batch.candidates


WHOLE = {
    "plain": LINE + b"\n",
    "no newline at the end": LINE,
    "byte-order mark": b"\xef\xbb\xbf" + LINE + b"\n",
    "CRLF": LINE + b"\r\n",
    "blank lines": b"\n  \n\r\n\t\n" + LINE + b"\n\n\n",
    "byte-order mark and CRLF": b"\xef\xbb\xbf" + LINE + b"\r\n\r\n",
    "blanks around": b"  " + LINE + b" \t\n",
}


@pytest.mark.parametrize("content", WHOLE.values(), ids=WHOLE)
def test_d013_a_good_line_is_read(tmp_path: Path, content: bytes) -> None:
    assert read(tmp_path, content) == [GOOD]


BROKEN_LINES = {
    "half an object": (b'{"element_names": ["x"', "not strict JSON"),
    "text around": (b"Here it is: {}", "not strict JSON"),
    "trailing comma": (b'{"a": 1,}', "not strict JSON"),
    "two objects": (b"{} {}", "not strict JSON"),
    "duplicate key": (b'{"a": 1, "a": 1}', "duplicate key"),
    "duplicate key deep down": (b'{"a": [{"b": {"c": 1, "c": 2}}]}', "duplicate key"),
    "NaN": (b'{"support": NaN}', "NaN is not JSON"),
    "infinity": (b'{"support": -Infinity}', "-Infinity is not JSON"),
    "NUL byte": (b'{"a": "\x00"}', "not strict JSON"),
    "only a NUL byte": (b"\x00", "not strict JSON"),
    "not UTF-8": (b'{"a": "\xff"}', "not UTF-8 at byte 7"),
    "GBK": ('{"a": "狗"}'.encode("gbk"), "not UTF-8 at byte 7"),
    "UTF-8 surrogate": (b'{"a": "\xed\xa0\x80"}', "not UTF-8 at byte 7"),
    "array": (b"[{}]", "not a JSON object"),
    "string": (b'"{}"', "not a JSON object"),
    "number": (b"1", "not a JSON object"),
    "null": (b"null", "not a JSON object"),
    "an object that is no candidate": (b'{"reason": "x"}', "no candidate"),
    "second byte-order mark": (b"\xef\xbb\xbf{}", "not strict JSON"),
    "too deep": (b"[" * 100_000, "not strict JSON"),
    "a number of 5000 digits": (b'{"a": ' + b"9" * 5000 + b"}", "not strict JSON"),
}


@pytest.mark.parametrize(("line", "why"), BROKEN_LINES.values(), ids=BROKEN_LINES)
def test_d014_a_broken_line_among_good_ones(tmp_path: Path, line: bytes, why: str) -> None:
    before, broken, after = read(tmp_path, LINE + b"\n\n" + line + b"\n" + LINE)

    assert before == after == GOOD
    assert isinstance(broken, Broken)
    assert broken.reason.startswith(f"line 3: {why}")
    assert broken.text == f"{len(line) + 1} bytes, sha256 {hashlib.sha256(line + LF).hexdigest()}"


def long_line(length: int) -> bytes:
    return b'{"element_names": "' + b"x" * (length - 21) + b'"}'


@pytest.mark.parametrize("end", [b"\n" + LINE + b"\n", b""])
def test_d014_a_line_of_the_greatest_length_is_read(tmp_path: Path, end: bytes) -> None:
    found = read(tmp_path, long_line(MAX_LINE_BYTES) + end)

    assert len(found[0]["element_names"]) == MAX_LINE_BYTES - 21
    assert found[1:] == ([GOOD] if end else [])


@pytest.mark.parametrize("length", [MAX_LINE_BYTES + 1, 2 * MAX_LINE_BYTES, 2 * MAX_LINE_BYTES + 1, 3_500_000])
@pytest.mark.parametrize("end", [b"\n" + LINE + b"\n", b""])
def test_d014_a_longer_line_is_broken_and_the_next_is_read(tmp_path: Path, length: int, end: bytes) -> None:
    broken, *rest = read(tmp_path, long_line(length) + end)

    assert broken.reason == "line 1: longer than 1000000 bytes"
    whole = long_line(length) + end[:1]
    assert broken.text == f"{len(whole)} bytes, sha256 {hashlib.sha256(whole).hexdigest()}"
    assert rest == ([GOOD] if end else [])


def test_d053_pg5_values_are_not_changed(tmp_path: Path) -> None:
    candidate = good_candidate(element_names=["🫠神兵𠮷", "降价50%"], refs={"itemset_ids": [2**53 + 1, 2**63 - 1]})

    assert read(tmp_path, strict_json.dumps(candidate).encode()) == [candidate]


def test_d015_lines_are_handed_out_as_they_are_wanted(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_bytes((LINE + b"\n") * 5)
    proposer = FileProposer(Path("c.jsonl"), tmp_path)

    batches = [proposer.propose(2, []) for _ in range(4)]

    assert [len(batch.candidates) for batch in batches] == [2, 2, 1, 0]
    assert [batch.stop for batch in batches] == [None, None, StopReason.FILE_USED_UP, StopReason.FILE_USED_UP]
    assert proposer.usage == Usage()
    assert (proposer.identity.proposer, proposer.identity.settings) == ("file", {"file": "c.jsonl"})


def test_d015_an_empty_file_is_used_up_at_once(tmp_path: Path) -> None:
    assert read(tmp_path, b"") == []
    assert read(tmp_path, b"\xef\xbb\xbf") == []


def test_d013_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"proposer file none\.jsonl: No such file .*DEMAND_PROPOSER_DIR"):
        FileProposer(Path("none.jsonl"), tmp_path)


def test_d013_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no regular file"):
        FileProposer(Path(), tmp_path)


def outside_world(tmp_path: Path) -> Path:
    """The folder of candidate files, beside a secret file and with links to it."""
    folder = tmp_path / "proposals"
    (folder / "inner").mkdir(parents=True)
    (tmp_path / "secret").write_bytes(LINE)
    (folder / "good.jsonl").write_bytes(LINE)
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "folder_link").symlink_to(tmp_path)
    (folder / "loop").symlink_to("loop")
    (tmp_path / "other_name").symlink_to(folder)
    os.mkfifo(folder / "pipe")
    with (folder / "huge").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    return folder


OUTSIDE = [
    "../secret",
    "link",
    "folder_link/secret",
    "inner/../../secret",
    "/etc/passwd",
    "/proc/self/environ",
    "/dev/stdin",
]


@pytest.mark.parametrize("name", OUTSIDE)
def test_d013_no_file_outside_the_folder_is_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"lies outside the folder of proposer files .*DEMAND_PROPOSER_DIR"):
        FileProposer(Path(name), outside_world(tmp_path))


@pytest.mark.parametrize(
    ("name", "why"), [("pipe", "no regular file"), ("loop", "."), ("huge", "is larger than"), ("inner", "no regular")]
)
def test_d013_what_is_no_bounded_file_is_refused_at_once(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(UsageError, match=f"{why}.*DEMAND_PROPOSER_DIR"):
        FileProposer(Path(name), outside_world(tmp_path))


def test_d013_the_folder_may_be_a_link_and_the_name_absolute(tmp_path: Path) -> None:
    folder = outside_world(tmp_path)
    for name, below in (("good.jsonl", tmp_path / "other_name"), (str(folder / "good.jsonl"), folder)):
        assert FileProposer(Path(name), below).propose(1, []).candidates == [GOOD]


def test_d014_of_a_broken_line_place_length_and_hash_are_kept_and_nothing_else(tmp_path: Path) -> None:
    secrets = [
        b"PASSWORD=Zq9-hunter2",
        b'"Zq9-hunter2"',
        b'{"Zq9-hunter2": 1, "Zq9-hunter2": 2}',
        b'{"private_key": "Zq9-hunter2"}',
        b'{"n": 1' + b"9" * 400 + b'.5, "Zq9": 1}',
        b"\xff Zq9-hunter2",
        b"Zq9-hunter2" * 100_000,
    ]

    for line, broken in zip(secrets, read(tmp_path, b"\n".join(secrets)), strict=True):
        kept = line + b"\n" * (line != secrets[-1])
        assert broken.text == f"{len(kept)} bytes, sha256 {hashlib.sha256(kept).hexdigest()}"
        assert "Zq9" not in broken.reason
        assert "99999" not in broken.reason


def test_d013_a_big_file_is_read_with_flat_memory(tmp_path: Path) -> None:
    line = strict_json.dumps(good_candidate(reason="x" * 60_000)).encode() + b"\n"
    with (tmp_path / "big.jsonl").open("wb") as file:
        for _ in range(1000):
            file.write(line)
    assert (tmp_path / "big.jsonl").stat().st_size > 60_000_000
    proposer = FileProposer(Path("big.jsonl"), tmp_path)

    tracemalloc.start()
    read_lines = sum(len(proposer.propose(10, []).candidates) for _ in range(101))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert read_lines == 1000
    assert peak < 5_000_000


def test_d014_a_line_without_end_is_skipped_with_flat_memory(tmp_path: Path) -> None:
    with (tmp_path / "big.jsonl").open("wb") as file:
        for _ in range(60):
            file.write(b"x" * 1_000_000)
        file.write(b"\n" + LINE)
    proposer = FileProposer(Path("big.jsonl"), tmp_path)

    tracemalloc.start()
    broken, good = proposer.propose(9, []).candidates
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert isinstance(broken, Broken)
    assert good == GOOD
    assert peak < 5_000_000
