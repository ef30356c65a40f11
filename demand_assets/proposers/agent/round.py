"""One round with the model: from a message to an end that has a reason; what was recorded stands however it ends.

The loop of tool calls is pydantic-ai's. Decided here: when to ask again, when a budget is spent, and that an answer
which was cut off is an error and never "no demand" (LM4).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic_ai import Agent
from pydantic_ai.exceptions import ContentFilterError, OutputTokenLimitExceeded, UnexpectedModelBehavior
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse
from pydantic_ai.run import AgentRun
from pydantic_ai.usage import UsageLimits

from demand_assets.proposers.agent.messages import ASK_AGAIN, CONTINUE
from demand_assets.proposers.agent.recorder import Recorder
from demand_assets.proposers.proposer import StopReason
from resources.foundation.errors import one_line
from resources.model.completion import GIVEN_REASON
from resources.model.endpoint import BoundedModel
from resources.model.finish_reasons import shown

MAX_CUT_OFFS = 2
_SHOWN = 200


@dataclass(frozen=True)
class RoundBudget:
    """Model calls and tokens that this round may still spend."""

    calls: int
    tokens: int


@dataclass(frozen=True)
class Ending:
    """Why a round ended; without ``stop`` the proposer may be asked again."""

    stop: StopReason | None = None
    failure: str = ""


@dataclass
class Round:
    """A round over ``history``, which grows by everything that is said.

    Args:
        wanted: the round ends as soon as this many candidates have the form of one.
    """

    agent: Agent[None, str]
    model: BoundedModel
    recorder: Recorder
    budget: RoundBudget
    wanted: int
    history: list[ModelMessage]
    _asked_again: bool = field(default=False, init=False)

    async def converse(self, message: str) -> Ending:
        """Talk until the round ends.

        Raises:
            ModelUnreachable: the endpoint failed; what was recorded before stands.
            FactsUnreadable: a tool could not read the facts.
        """
        while True:
            cut_offs = self.recorder.cut_offs
            ending = await self._run(message)
            if ending is not None:
                return ending
            if self.recorder.whole >= self.wanted:
                return Ending()
            if self.recorder.cut_offs >= MAX_CUT_OFFS:
                return _CUT_OFF_AGAIN
            if self.recorder.cut_offs > cut_offs:
                message = CONTINUE
            elif self.recorder.candidates:
                return Ending()
            elif self.recorder.stated_none:
                return Ending(StopReason.PROPOSER_STOPPED)
            elif self._asked_again:
                return _UNTURNED if self.recorder.unturned_calls else Ending(StopReason.PROPOSER_STOPPED)
            else:
                self._asked_again = True
                message = ASK_AGAIN

    async def _run(self, message: str) -> Ending | None:
        """One run of the tool loop; an ending, or ``None`` where the model has said its last word."""
        unlimited = UsageLimits(request_limit=None)
        async with self.agent.iter(message, message_history=self.history, usage_limits=unlimited) as run:
            request: ModelRequest | None = None
            response: ModelResponse | None = None
            try:
                async for node in run:
                    if Agent.is_model_request_node(node):
                        request = node.request
                        ending = self._ending_before_call()
                        if ending is not None:
                            return ending
                    elif Agent.is_call_tools_node(node):
                        response = node.model_response
            except OutputTokenLimitExceeded:
                self.recorder.cut_offs += 1
                return None
            except ContentFilterError:
                return _withheld(response)
            except UnexpectedModelBehavior as error:
                failure = f"the model could not go on: {one_line(error, 200)}"
                return Ending(StopReason.PROPOSER_FAILED, failure)
            finally:
                self.history = _everything_said(run, request)
            return self._take_last_word(response, run.result.output if run.result else "")

    def _ending_before_call(self) -> Ending | None:
        if self.recorder.whole >= self.wanted:
            return Ending()
        if self.recorder.cut_offs >= MAX_CUT_OFFS:
            return _CUT_OFF_AGAIN
        if self.model.spent.calls >= self.budget.calls:
            return Ending(StopReason.CALLS_SPENT)
        if self.model.spent.tokens >= self.budget.tokens:
            return Ending(StopReason.TOKENS_SPENT)
        return None

    def _take_last_word(self, response: ModelResponse | None, text: str) -> Ending | None:
        is_cut_off = self.recorder.record_text(text)
        if response is not None and response.finish_reason == "content_filter":
            return _withheld(response)
        if response is not None and response.finish_reason == "length":
            is_cut_off = True
        self.recorder.cut_offs += is_cut_off
        return None


_CUT_OFF_AGAIN = Ending(
    StopReason.PROPOSER_FAILED, "the model's answer was cut off, and again when it was asked to go on"
)
_UNTURNED = Ending(
    StopReason.PROPOSER_FAILED,
    "the endpoint does not turn tool calls into tool_calls: the model wrote them into its text -> "
    "switch on the endpoint's parser of tool calls, or name another model",
)


def _withheld(response: ModelResponse | None) -> Ending:
    """The answer, or the rest of it, was kept back: by the endpoint's filter of contents, or by the model."""
    details = (response.provider_details if response else None) or {}
    refusal = " ".join(str(details.get("refusal") or "").split())[:_SHOWN]
    if refusal:
        return Ending(StopReason.PROPOSER_FAILED, f"the model refused to answer: {refusal}")
    given = details.get(GIVEN_REASON)
    failure = f"a filter of contents withheld the model's answer (finish_reason {shown(given)})"
    return Ending(StopReason.PROPOSER_FAILED, failure)


def _everything_said(run: AgentRun[None, str], request: ModelRequest | None) -> list[ModelMessage]:
    """The messages so far, with the request that was made ready but not sent or not answered."""
    messages = run.all_messages()
    if request is not None and not any(message is request for message in messages):
        messages.append(request)
    return messages
