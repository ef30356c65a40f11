"""The agent proposer (D-013): any OpenAI-compatible model proposes through four tools, within budgets.

What it says is a claim: nothing but raw candidates leaves this module, and the closure decides about each (D-014).
Does not belong here: judging candidates; what a tool answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage

from demand_assets.evidence.closure import Reject
from demand_assets.proposers.agent.messages import corrections, more, opening, prompt_sha256, read_prompt
from demand_assets.proposers.agent.recorder import Recorder
from demand_assets.proposers.agent.round import Ending, Round, RoundBudget
from demand_assets.proposers.agent.tools import FactTools
from demand_assets.proposers.agent.toolset import DemandToolset
from demand_assets.proposers.proposer import Identity, Proposals, StopReason
from resources.foundation.errors import FactsUnreadable, ModelUnreachable
from resources.model.endpoint import EndpointLimits, ModelEndpoint, open_model
from resources.model.transcript import Transcript
from resources.model.usage import Usage
from resources.settings.model_endpoint import ModelSettings

TEMPERATURE = 0.0
MAX_WRONG_TOOLS = 3


@dataclass(frozen=True)
class AgentLimits:
    """What proposing may cost over a whole run (D-015), and how often rejects are given back (D-043a)."""

    max_calls: int = 30
    max_tokens: int = 200_000
    max_corrections: int = 3
    endpoint: EndpointLimits = field(default_factory=EndpointLimits)


class AgentProposer:
    """Asks a model for candidates, one round a call of :meth:`propose`, in one conversation.

    Args:
        tools: the read tools over the execution.
        tool_names: the tools the model gets, see ``agent_tools.tool_names``.
        trace_folder: where each round's transcript is saved.

    Raises:
        SettingsError: the model's key or address cannot be used as they are.
    """

    def __init__(
        self,
        settings: ModelSettings,
        tools: FactTools,
        tool_names: tuple[str, ...],
        trace_folder: Path,
        *,
        limits: AgentLimits | None = None,
    ) -> None:
        self._endpoint = ModelEndpoint(settings)
        self._tools = tools
        self._tool_names = tool_names
        self._limits = limits or AgentLimits()
        self._transcript = Transcript(trace_folder, self._endpoint.hide)
        self._history: list[ModelMessage] = []
        self._usage = Usage()
        self._answered = 0
        self._corrections = 0

    @property
    def identity(self) -> Identity:
        return Identity(
            proposer="agent",
            model=self._endpoint.model_name,
            prompt_sha256=prompt_sha256(),
            settings={
                "endpoint": self._endpoint.address,
                "temperature": TEMPERATURE,
                "tools": list(self._tool_names),
                "limits": asdict(self._limits),
            },
        )

    @property
    def usage(self) -> Usage:
        """Model calls made, and the tokens that the endpoint reported for them (0 where it reported none)."""
        return self._usage

    def propose(self, wanted: int, feedback: Sequence[Reject]) -> Proposals:
        """One round: the model reads, and hands in candidates; what it handed in stands however the round ends.

        Raises:
            ModelUnreachable: the endpoint has never answered and nothing is recorded.
            FactsUnreadable: the facts could not be read and nothing is recorded.
        """
        if feedback:
            if self._corrections >= self._limits.max_corrections:
                return Proposals([], StopReason.ROUNDS_SPENT)
            self._corrections += 1
        recorder = Recorder(self._tool_names)
        ending = Ending(StopReason.PROPOSER_FAILED, "the round was broken off")
        try:
            ending = asyncio.run(self._converse(self._message(wanted, feedback), wanted, recorder))
        except (ModelUnreachable, FactsUnreadable) as error:
            ending = Ending(StopReason.PROPOSER_FAILED, str(error))
            if not recorder.candidates and (isinstance(error, FactsUnreadable) or not self._answered):
                raise
        finally:
            self._transcript.write(self._about(wanted, recorder, ending), self._history)
        return Proposals(recorder.candidates, ending.stop, self._endpoint.hide(ending.failure))

    def _message(self, wanted: int, feedback: Sequence[Reject]) -> str:
        start = "" if self._history else opening(self._tools.execution_id, wanted)
        if feedback:
            return f"{start}\n{corrections(wanted, feedback)}".strip()
        return start or more(wanted)

    async def _converse(self, message: str, wanted: int, recorder: Recorder) -> Ending:
        def on_repeated_id(call: Any) -> None:
            recorder.record_repeated_id(call.tool_name, call.tool_call_id, call.args_as_json_str())

        async with open_model(self._endpoint, self._limits.endpoint, on_repeated_id) as model:
            agent = Agent(
                model,
                name="demand",
                instructions=read_prompt(),
                toolsets=[DemandToolset(self._tool_names, self._tools, recorder)],
                model_settings={"temperature": TEMPERATURE},
                retries=MAX_WRONG_TOOLS,
            )
            left = RoundBudget(self._limits.max_calls - self._usage.calls, self._limits.max_tokens - self._usage.tokens)
            talk = Round(agent, model, recorder, left, wanted, self._history)
            try:
                return await talk.converse(message)
            finally:
                self._history = talk.history
                self._answered += model.answered
                self._usage += model.spent

    def _about(self, wanted: int, recorder: Recorder, ending: Ending) -> dict[str, Any]:
        return {
            "identity": asdict(self.identity),
            "wanted": wanted,
            "recorded": len(recorder.candidates),
            "stop": ending.stop,
            "failure": ending.failure,
            "usage": asdict(self._usage),
        }
