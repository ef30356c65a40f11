"""Candidates out of what a model wrote, entry by entry: one broken entry takes no other with it (D-014).

Reads tool-call arguments and free text. Nothing is repaired but a trailing comma, and what was encoded as JSON twice is
decoded twice; whatever else is not strict JSON becomes :class:`Broken` with its reason. A value that ends with the text
is cut off, never half a candidate; one that goes wrong before it ends is malformed (D-090).
Does not belong here: whether a candidate is right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from demand_assets.evidence.refs import TELLING_FIELDS, Broken
from demand_assets.proposers.agent.cut_or_malformed import fault_before_end
from resources.foundation import strict_json

LIST_FIELD = "demands"
MAX_CHARACTERS = 4_000_000
_MAX_WRAPPERS = 4
_SHOWN = 500

_STRING = r'"(?:[^"\\]++|\\.)*+"'
_MARK = re.compile(rf'{_STRING}|[{{}}\[\],"]', re.DOTALL)
_KEY = re.compile(rf"\s*({_STRING})\s*:", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"({_STRING})|,(?=\s*[}}\]])", re.DOTALL)
_OPENING = re.compile(r"[\[{]")
_OPENING_IN_PROSE = re.compile(r'\{(?=\s*["}])|\[(?=\s*[{\]])')


@dataclass(frozen=True)
class Entries:
    """What was found: objects and broken entries in order.

    ``cut_off``: the text ended inside a value, which is not among the entries. ``stated_none``: an empty list was
    given, which says that there is nothing to propose.
    """

    found: list[object] = field(default_factory=list)
    cut_off: bool = False
    stated_none: bool = False

    def __add__(self, other: Entries) -> Entries:
        return Entries(self.found + other.found, self.cut_off or other.cut_off, self.stated_none or other.stated_none)


def read_single(arguments: str) -> Entries:
    """Arguments of ``create_demand_item``: the candidate itself."""
    return _read_arguments(arguments, _single)


def read_list(arguments: str) -> Entries:
    """Arguments of ``create_demand_items``: ``{"demands": […]}``, a bare list, or one candidate."""
    return _read_arguments(arguments, _listed)


def read_prose(text: str) -> Entries:
    """A final answer: candidates may stand in fences, between sentences, in a list or in a wrapper (LM1, LM2).

    JSON that speaks of no candidate is left alone.
    """
    if len(text) > MAX_CHARACTERS:
        return Entries([_broken(text, f"longer than {MAX_CHARACTERS} characters")])
    return sum((_read_value(value, _unwrapped) for value in _values(text, _OPENING_IN_PROSE)), Entries())


@dataclass(frozen=True)
class _Value:
    """The text of a JSON object or list; not ``closed`` where the text around it ended first."""

    text: str
    closed: bool

    def inside(self) -> str:
        return self.text[1:-1] if self.closed else self.text[1:]


def _read_arguments(arguments: str, read: Callable[[_Value], Entries]) -> Entries:
    if len(arguments) > MAX_CHARACTERS:
        return Entries([_broken(arguments, f"longer than {MAX_CHARACTERS} characters")])
    text = _encoded_once(arguments)
    entries = [_read_value(value, read) for value in _values(text, _OPENING)]
    return sum(entries, Entries()) if entries else Entries([_broken(arguments, "not a JSON object")])


def _encoded_once(text: str) -> str:
    """The arguments; the text inside where they were encoded as JSON twice."""
    inner = _decoded(text) if text.lstrip().startswith('"') else None
    return inner if isinstance(inner, str) and inner.lstrip().startswith(("{", "[")) else text


def _read_value(value: _Value, read: Callable[[_Value], Entries]) -> Entries:
    """A value that is not closed because it is malformed is a reject, and is not asked for as if it went on."""
    entries = read(value)
    fault = fault_before_end(value.text) if entries.cut_off else None
    if fault is None:
        return entries
    return Entries([*entries.found, _broken(value.text, f"malformed: {fault}")], stated_none=entries.stated_none)


def _single(value: _Value) -> Entries:
    return Entries([_entry(value.text)]) if value.closed else Entries(cut_off=True)


def _listed(value: _Value) -> Entries:
    if value.text.startswith("["):
        return _elements(value)
    members = _members(value)
    if isinstance(members, Broken):
        return Entries([members])
    if LIST_FIELD in members:
        return _list_member(members[LIST_FIELD], value)
    if not value.closed:
        return Entries(cut_off=True)
    if TELLING_FIELDS & members.keys():
        return Entries([_entry(value.text)])
    return Entries([_broken(value.text, f"no list {LIST_FIELD!r} in the arguments")])


def _list_member(text: str, around: _Value) -> Entries:
    """The list under ``demands``, also where it was encoded twice."""
    text = text.strip()
    if text.startswith("["):
        closed = _end_of_value(text, 0) == len(text)
        if closed or not around.closed:
            return _elements(_Value(text, closed)) + Entries(cut_off=not around.closed)
    if not around.closed:
        return Entries(cut_off=True)
    if text.startswith('"'):
        decoded = _decoded(text)
        if isinstance(decoded, str) and decoded.lstrip().startswith("["):
            return sum((_read_value(value, _elements) for value in _values(decoded, _OPENING)), Entries())
    return Entries([_broken(around.text, f"{LIST_FIELD!r} is not a list")])


def _in_prose(text: str, wrappers: int) -> Entries:
    return sum((_prose_value(value, wrappers) for value in _values(text, _OPENING_IN_PROSE)), Entries())


def _unwrapped(value: _Value) -> Entries:
    return _prose_value(value, 0)


def _prose_value(value: _Value, wrappers: int) -> Entries:
    speaks = any(f'"{name}"' in value.text for name in (*TELLING_FIELDS, LIST_FIELD))
    if value.closed and value.text.startswith("[") and not value.inside().strip():
        return Entries(stated_none=True)
    if not speaks:
        return Entries()
    if value.text.startswith("["):
        return _elements(value)
    members = _members(value)
    if isinstance(members, Broken):
        return Entries([members])
    if LIST_FIELD in members or TELLING_FIELDS & members.keys():
        return _listed(value)
    if wrappers == _MAX_WRAPPERS:
        return Entries([_broken(value.text, "the candidates are wrapped too deep")])
    inner = (_in_prose(text, wrappers + 1) for text in members.values())
    return sum(inner, Entries(cut_off=not value.closed))


def _values(text: str, opening: re.Pattern[str]) -> Iterator[_Value]:
    """Objects and lists that stand side by side in the text; the last may be cut off."""
    position = 0
    while start := opening.search(text, position):
        end = _end_of_value(text, start.start())
        if end is None:
            yield _Value(text[start.start() :], closed=False)
            return
        yield _Value(text[start.start() : end], closed=True)
        position = end


def _end_of_value(text: str, start: int) -> int | None:
    """Where the bracket at ``start`` is closed; brackets and back-ticks inside strings are text (LM1)."""
    depth = 0
    for mark in _MARK.finditer(text, start):
        if mark[0] in "{[":
            depth += 1
        elif mark[0] in "}]":
            depth -= 1
            if depth == 0:
                return mark.end()
        elif mark[0] == '"':
            return None
    return None


def _elements(value: _Value) -> Entries:
    pieces = [piece for piece in _pieces(value.inside()) if piece.strip()]
    if not value.closed and pieces and _end_of_value(pieces[-1].strip(), 0) != len(pieces[-1].strip()):
        pieces.pop()
    return Entries([_entry(piece) for piece in pieces], not value.closed, value.closed and not pieces)


def _members(value: _Value) -> dict[str, str] | Broken:
    """Key to text of value; pieces without a key are left out. A key given twice breaks the object (LM5)."""
    members: dict[str, str] = {}
    for piece in _pieces(value.inside()):
        key = _KEY.match(piece)
        name = _decoded(key[1]) if key else None
        if key is None or not isinstance(name, str):
            continue
        if name in members:
            return _broken(value.text, f"duplicate key {name!r}")
        members[name] = piece[key.end() :]
    return members


def _pieces(inside: str) -> Iterator[str]:
    """The text between the commas of the outermost level."""
    depth = start = 0
    for mark in _MARK.finditer(inside):
        if mark[0] in "{[":
            depth += 1
        elif mark[0] in "}]":
            depth -= 1
        elif mark[0] == '"':
            break
        elif mark[0] == "," and depth == 0:
            yield inside[start : mark.start()]
            start = mark.end()
    yield inside[start:]


def _entry(text: str) -> object:
    """One candidate as given, or why it is none."""
    reason = ""
    for form in (text, _TRAILING_COMMA.sub(r"\1", text)):
        try:
            value = strict_json.loads(form)
        except strict_json.JsonRefused as error:
            reason = error.message
            continue
        return value if isinstance(value, dict) else _broken(text, "not a JSON object")
    return _broken(text, reason)


def _decoded(text: str) -> object:
    try:
        return strict_json.loads(text)
    except strict_json.JsonRefused:
        return None


def _broken(text: str, reason: str) -> Broken:
    return Broken(text.strip()[:_SHOWN], reason)
