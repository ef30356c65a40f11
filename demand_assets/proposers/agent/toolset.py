"""The tools as pydantic-ai sees them; arguments reach our own strict parser as the model wrote them (LM5).

pydantic-ai parses arguments with a JSON reader that lets the last of two equal keys win, so the validator that it is
given here parses nothing.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic_ai import RunContext
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool

from demand_assets.proposers.agent.recorder import CREATE_MANY, CREATE_ONE, Recorder
from demand_assets.proposers.agent.tool_schemas import TOOL_SCHEMAS
from demand_assets.proposers.agent.tools import FactTools
from resources.foundation import strict_json

_RAW = "raw"
_Partial = bool | Literal["off", "on", "trailing-strings"]


class RawArguments:
    """A validator that hands the text of the arguments on."""

    def validate_json(
        self, input: str | bytes | bytearray, *, allow_partial: _Partial = False, **_: Any
    ) -> dict[str, str]:
        """The text, undecoded."""
        return {_RAW: input if isinstance(input, str) else bytes(input).decode("utf-8", "replace")}

    def validate_python(self, input: Any, *, allow_partial: _Partial = False, **_: Any) -> dict[str, str]:
        """Arguments that a client library has decoded already, as text again."""
        return {_RAW: strict_json.dumps(input)}


class DemandToolset(AbstractToolset[None]):
    """Exactly the named tools, executed one after the other; a call that is repeated whole is answered once.

    Raises:
        FactsUnreadable: through the run, where the facts could not be read.
    """

    def __init__(self, names: tuple[str, ...], facts: FactTools, recorder: Recorder) -> None:
        self._names = names
        self._facts = facts
        self._recorder = recorder
        self._given: dict[tuple[str | None, str, str], dict[str, Any]] = {}

    @property
    def id(self) -> str:
        return "demand"

    async def get_tools(self, ctx: RunContext[None]) -> dict[str, ToolsetTool[None]]:
        return {name: self._tool(name, ctx.max_retries) for name in self._names}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[None], tool: ToolsetTool[None]
    ) -> str:
        call = (ctx.tool_call_id, name, tool_args[_RAW])
        answer = self._given.get(call)
        if answer is None:
            answer = self._given[call] = self._execute(name, tool_args[_RAW])
        else:
            self._recorder.note_repeated(answer)
        return strict_json.dumps(answer)

    def _execute(self, name: str, arguments: str) -> dict[str, Any]:
        if name in (CREATE_ONE, CREATE_MANY):
            return self._recorder.record_call(name, arguments)
        return self._facts.answer(name, arguments)

    def _tool(self, name: str, max_retries: int) -> ToolsetTool[None]:
        schema = TOOL_SCHEMAS[name]
        definition = ToolDefinition(
            name=name,
            description=schema.description,
            parameters_json_schema=schema.arguments,
            strict=False,
            sequential=True,
        )
        return ToolsetTool(toolset=self, tool_def=definition, max_retries=max_retries, args_validator=RawArguments())
