"""Texts that a statement compares as Python does: byte for byte, whatever the collation of a column (MY3).

The usual collations of MySQL and MariaDB take ``A`` for ``a``, ``é`` for ``e`` and ``x `` for ``x``, and so does
``utf8mb4_bin`` with the last of these. A text that is compared as bytes equals itself alone; the servers still find it
by the index of a column with any collation, and look at the bytes of what they found. SQLite compares bytes anyway.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Function, String, type_coerce
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator


class as_bytes(FunctionElement[str]):  # noqa: N801
    """The bytes of a text on MySQL and MariaDB, the text itself elsewhere."""

    inherit_cache = True
    type = String()


@compiles(as_bytes)
def _itself(element: Function[str], compiler: Any, **how: Any) -> str:
    return str(compiler.process(element.clauses, **how))


@compiles(as_bytes, "mysql")
@compiles(as_bytes, "mariadb")
def _its_bytes(element: Function[str], compiler: Any, **how: Any) -> str:
    return f"CAST({compiler.process(element.clauses, **how)} AS BINARY)"


class ExactText(TypeDecorator[str]):
    """The type of an expression whose value is compared exactly with whatever Python text it is compared with."""

    impl = String
    cache_ok = True

    def bind_expression(self, bindvalue: Any) -> ColumnElement[str]:
        return as_bytes(bindvalue)


def exactly(text: ColumnElement[str]) -> ColumnElement[str]:
    """The same expression; ``==`` and ``in_`` with Python texts look at its bytes."""
    return type_coerce(text, ExactText())
