"""The file proposer (D-013, D-014, LM5): each broken line is one broken candidate with its number, the rest lives."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from demand_assets.evidence.refs import Broken
from demand_assets.proposers.file import MAX_LINE_BYTES, FileProposer
from demand_assets.proposers.proposer import StopReason
from resources.foundation import strict_json
from resources.foundation.errors import UsageError
from resources.model.usage import Usage
from tests.small_facts import good_candidate

GOOD = good_candidate()
LINE = strict_json.dumps(GOOD).encode()


def read(path: Path, content: bytes) -> list[Any]:
    file = path / "candidates.jsonl"
    file.write_bytes(content)
    batch = FileProposer(file).propose(1000, [])
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
    "duplicate key": (b'{"a": 1, "a": 1}', "duplicate key 'a'"),
    "duplicate key deep down": (b'{"a": [{"b": {"c": 1, "c": 2}}]}', "duplicate key 'c'"),
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
    assert len(broken.text) <= 500


def long_line(length: int) -> bytes:
    return b'{"reason": "' + b"x" * (length - 14) + b'"}'


@pytest.mark.parametrize("end", [b"\n" + LINE + b"\n", b""])
def test_d014_a_line_of_the_greatest_length_is_read(tmp_path: Path, end: bytes) -> None:
    found = read(tmp_path, long_line(MAX_LINE_BYTES) + end)

    assert len(found[0]["reason"]) == MAX_LINE_BYTES - 14
    assert found[1:] == ([GOOD] if end else [])


@pytest.mark.parametrize("length", [MAX_LINE_BYTES + 1, 2 * MAX_LINE_BYTES, 2 * MAX_LINE_BYTES + 1, 3_500_000])
@pytest.mark.parametrize("end", [b"\n" + LINE + b"\n", b""])
def test_d014_a_longer_line_is_broken_and_the_next_is_read(tmp_path: Path, length: int, end: bytes) -> None:
    broken, *rest = read(tmp_path, long_line(length) + end)

    assert broken.reason == "line 1: longer than 1000000 bytes"
    assert broken.text.startswith('{"reason": "x')
    assert len(broken.text) <= 500
    assert rest == ([GOOD] if end else [])


def test_d053_pg5_values_are_not_changed(tmp_path: Path) -> None:
    candidate = good_candidate(element_names=["🫠神兵𠮷", "降价50%"], refs={"itemset_ids": [2**53 + 1, 2**63 - 1]})

    assert read(tmp_path, strict_json.dumps(candidate).encode()) == [candidate]


def test_d015_lines_are_handed_out_as_they_are_wanted(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_bytes((LINE + b"\n") * 5)
    proposer = FileProposer(tmp_path / "c.jsonl")

    batches = [proposer.propose(2, []) for _ in range(4)]

    assert [len(batch.candidates) for batch in batches] == [2, 2, 1, 0]
    assert [batch.stop for batch in batches] == [None, None, StopReason.FILE_USED_UP, StopReason.FILE_USED_UP]
    assert proposer.usage == Usage()
    assert (proposer.identity.proposer, proposer.identity.settings) == ("file", {"file": "c.jsonl"})


def test_d015_an_empty_file_is_used_up_at_once(tmp_path: Path) -> None:
    assert read(tmp_path, b"") == []
    assert read(tmp_path, b"\xef\xbb\xbf") == []


def test_d013_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"proposer file .*none\.jsonl: No such file"):
        FileProposer(tmp_path / "none.jsonl")


def test_d013_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Is a directory"):
        FileProposer(tmp_path)


def test_d013_a_big_file_is_read_with_flat_memory(tmp_path: Path) -> None:
    line = strict_json.dumps(good_candidate(reason="x" * 60_000)).encode() + b"\n"
    with (tmp_path / "big.jsonl").open("wb") as file:
        for _ in range(1000):
            file.write(line)
    assert (tmp_path / "big.jsonl").stat().st_size > 60_000_000
    proposer = FileProposer(tmp_path / "big.jsonl")

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
    proposer = FileProposer(tmp_path / "big.jsonl")

    tracemalloc.start()
    broken, good = proposer.propose(9, []).candidates
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert isinstance(broken, Broken)
    assert good == GOOD
    assert peak < 5_000_000
