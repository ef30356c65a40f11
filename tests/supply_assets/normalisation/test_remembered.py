"""A memory of what was made of texts: once a text, bounded by characters, the oldest goes first."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from supply_assets.normalisation.remembered import remembered


def test_a_text_is_worked_on_once_also_where_threads_ask_at_the_same_time() -> None:
    worked: list[str] = []
    start = threading.Barrier(4)

    @remembered(100)
    def upper(text: str) -> str:
        worked.append(text)
        return text.upper()

    def ask(_: int) -> str:
        start.wait()
        return upper("abc")

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(ask, range(4))) == ["ABC"] * 4
    assert worked == ["abc"]


def test_the_texts_asked_for_last_are_kept_and_no_more_characters_than_allowed() -> None:
    worked: list[str] = []

    @remembered(8)  # two texts of three characters, each counted as four
    def upper(text: str, place: int) -> str:
        worked.append(text)
        return f"{text.upper()}{place}"

    for text in ("aaa", "bbb", "aaa", "ccc", "aaa", "bbb"):
        assert upper(text, 1) == f"{text.upper()}1"
    assert worked == ["aaa", "bbb", "ccc", "bbb"]
    assert upper("longer than all", 1) == upper("longer than all", 1)
    assert worked[-2:] == ["longer than all"] * 2
    assert upper("ccc", 2) == "CCC2"


def test_arguments_without_text_are_bounded_too() -> None:
    worked: list[int] = []

    @remembered(10)
    def double(text: str, number: int) -> int:
        worked.append(number)
        return 2 * number

    for number in range(12):
        double("", number)
    double("", 11)
    double("", 0)
    assert worked == [*range(12), 0]
