"""A command whose module is imported only when it is asked for: the help above it costs one line of a table."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from typer import Typer
from typer.core import TyperCommand
from typer.main import get_group

from resources.foundation.interrupts import end_quietly

if TYPE_CHECKING:
    from typer._click import Command


class DeferredCommand(TyperCommand):
    """Stands in a group for the function or the :class:`Typer` at ``place``, which is ``module:attribute``."""

    def __init__(self, name: str, place: str, line: str) -> None:
        super().__init__(name, help=line)
        self.place = place

    def make_context(self, *given: Any, **extra: Any) -> Any:
        """The context of the command itself, which from here on does everything."""
        return self.load().make_context(*given, **extra)

    def load(self) -> Command:
        """The command itself; an interrupt while it is imported ends the process, unless it is ignored."""
        module, _, attribute = self.place.partition(":")
        with end_quietly():
            found = getattr(import_module(module), attribute)
        around = Typer(pretty_exceptions_enable=False, add_completion=False)
        if isinstance(found, Typer):
            around.add_typer(found, name=self.name)
        else:
            around.command(self.name)(found)
        return get_group(around).commands[str(self.name)]
