"""What number a title gives its work: episode, part, year, count; so that 第1集 and 第2集 stay two (S-024, WX13)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

_NUMERALS = "零〇一二两三四五六七八九十百千"
_VALUES = {"零": 0, "〇": 0, "两": 2} | {digit: place for place, digit in enumerate("一二三四五六七八九", start=1)}
_POWERS = {"十": 10, "百": 100, "千": 1000}
_ROMAN = frozenset(("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"))

_NUMBER = rf"\d+(?:\.\d+)?|[{_NUMERALS}]+"
_COUNTED = re.compile(rf"第\s*({_NUMBER})\s*(?:[-~至到、和]\s*({_NUMBER})\s*)?([^\W\d_a-z{_NUMERALS}])?")
_LATIN = re.compile(
    r"(?<![a-z])(?:(?:ep|e|s|no|day)[\s.:#-]*(\d++)"
    r"|(?:episode|season|vol|volume|part|pt|ch|chapter|lesson|book)[\s.:#-]*(\d++|[ivx]+(?![a-z])))"
)
_HASHED = re.compile(r"#\s*(\d+)(?!\d*\s*#)")
_BRACKETED = re.compile(
    rf"[(\[【〔〈《「『{{]\s*({_NUMBER}|[上中下终完续前后]|[a-h]|[ivx]+)\s*[篇集部册卷季]?\s*[)\]】〕〉》」』}}]"
)
_PART = re.compile(r"(?<![^\W_])([上中下前后终续])(?![^\W_])|([上中下前后终续])[篇集部册卷](?![^\W_])")
_TRAILING = re.compile(rf"(?:(?<=[^\W\d_])(\d+)|[\s:·・\-—_|之](\d+|[{_NUMERALS}]+|[ivx]+))\s*[^\w]*$")
_ANY = re.compile(_NUMBER)
_LAST = re.compile(r"([上中下])[\W_]*$")


@dataclass(frozen=True, slots=True, order=True)
class Numbering:
    """``parts`` are marks like 上, （a）, II that must agree; ``counted`` are numbers in a serial's place (第3集, EP03,
    a last number); ``numbers`` are all numbers in order; ``ending`` is a last 上/中/下, which may be a plain word."""

    parts: tuple[str, ...] = ()
    counted: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    ending: str = ""

    def clarity(self) -> tuple[int, int, tuple[str, ...], tuple[str, ...]]:
        """Sort key: of titles that differ in punctuation only, the one whose marks show most comes first."""
        return -len(self.parts + self.counted), len(self.numbers), self.parts + self.counted, self.numbers


def numbering(folded: str) -> Numbering:
    """The numbers of a folded title, Chinese and Latin ones alike in value: 第十二集 and 第12集 agree."""
    last = _LAST.search(folded)
    marks = set(_serial_marks(folded))
    return Numbering(
        parts=tuple(sorted(mark for mark in marks if not mark[0].isdecimal())),
        counted=tuple(sorted(mark for mark in marks if mark[0].isdecimal())),
        numbers=tuple(_value(found[0]) for found in _ANY.finditer(folded)),
        ending=last[1] if last else "",
    )


def conflict(left: Numbering, right: Numbering) -> str | None:
    """Why two titles that read alike are two works, or ``None``.

    Another part, another number in the place of one, or a number more than a slip of the pen explains (two digits).
    """
    if left.parts != right.parts:
        return f"another part: {_shown(left.parts)} / {_shown(right.parts)}"
    if left.ending != right.ending and left.ending and right.ending:
        return f"another part: {left.ending} / {right.ending}"
    if left.numbers == right.numbers:
        return None
    if left.counted != right.counted:
        return f"another part: {_shown(left.counted)} / {_shown(right.counted)}"
    more_left, more_right = Counter(left.numbers), Counter(right.numbers)
    only_left, only_right = [*(more_left - more_right).elements()], [*(more_right - more_left).elements()]
    if (only_left and only_right) or len("".join(only_left + only_right)) > 2:
        return f"other numbers: {_shown(left.numbers)} / {_shown(right.numbers)}"
    return None


def reordered_numbers(left: Numbering, right: Numbering) -> bool:
    """Whether both have the same numbers in another order (1:2 against 2:1)."""
    return left.numbers != right.numbers and sorted(left.numbers) == sorted(right.numbers)


def _serial_marks(folded: str) -> Iterator[str]:
    for found in _COUNTED.finditer(folded):
        yield "-".join(_value(number) for number in found.group(1, 2) if number) + (found[3] or "")
    for pattern in (_LATIN, _HASHED, _BRACKETED):
        for found in pattern.finditer(folded):
            yield _marked(found[found.lastindex or 0])
    for found in _PART.finditer(folded):
        yield found[1] or found[2]
    trailing = _TRAILING.search(folded)
    if trailing:
        yield _marked(trailing[1] or trailing[2])


def _marked(text: str) -> str:
    return text if text in _ROMAN else _value(text)


def _value(text: str) -> str:
    if text[0].isdecimal():
        return text.lstrip("0") or "0"
    if not _POWERS.keys() & set(text):
        return "".join(str(_VALUES.get(char, char)) for char in text).lstrip("0") or "0"
    total, digit = 0, 0
    for char in text:
        if char in _POWERS:
            total += max(digit, 1) * _POWERS[char]
            digit = 0
        else:
            digit = _VALUES[char]
    return str(total + digit)


def _shown(marks: tuple[str, ...]) -> str:
    return ", ".join(marks) or "none"
