"""Answers of endpoints that nearly speak the protocol: fields that carry no meaning here are filled in.

Filled in: ids, names, times, indexes and usage. Never touched: what the model said and which tools it called; arguments
that arrive decoded become text again, content in parts becomes the text of its text parts (LM12), and a lone surrogate
becomes the JSON escape that stands for it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from openai.types import chat
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models.openai import OpenAIChatModel

from resources.foundation import strict_json
from resources.model.error_bodies import is_error, said_in
from resources.model.finish_reasons import reason_of_protocol, shown

GIVEN_REASON = "finish_reason"
"""Detail of a response: the finish reason in the endpoint's own word."""
_TEXT_PARTS = ("text", "output_text")
_TOKEN_FIELDS = ("prompt_tokens", "completion_tokens")


class AnswerBrokenOff(Exception):
    """An answer that the endpoint did not bring to an end (LM10), or an error in its place; may pass.

    The text goes on after "the model endpoint …".
    """


class TolerantChatModel(OpenAIChatModel):
    """A chat model for any endpoint whose answer has ``choices`` with a ``message``."""

    def _process_response(self, response: chat.ChatCompletion | str, **options: bool) -> ModelResponse:
        if isinstance(response, chat.ChatCompletion):
            answer = response.model_dump(warnings=False)
            require_unbroken(answer)
            completed = complete(answer, self.model_name)
            given = answer["choices"][0].get("finish_reason")
            processed = super()._process_response(chat.ChatCompletion.model_validate(completed), **options)
            return replace(processed, provider_details={**(processed.provider_details or {}), GIVEN_REASON: given})
        return super()._process_response(response, **options)


def require_unbroken(answer: dict[str, Any]) -> None:
    """Look at how the answer ended, before anything of it is read.

    Raises:
        AnswerBrokenOff: with an error, or a finish reason that is none of the known ones.
    """
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices:
        if is_error(answer):
            raise AnswerBrokenOff(f"answered with an error: {said_in(answer)}")
        return
    first = choices[0] if isinstance(choices[0], dict) else {}
    given = first.get("finish_reason")
    if reason_of_protocol(given, has_calls=False) is None:
        said = said_in(first.get("error"))
        why = f" ({said})" if said else ""
        raise AnswerBrokenOff(f"broke its answer off with finish_reason {shown(given)}{why}")


def complete(answer: dict[str, Any], model_name: str) -> dict[str, Any]:
    """The answer with every field that the client library insists on.

    Raises:
        TypeError, KeyError, AttributeError: there is no ``choices`` list of objects with a ``message`` object.
    """
    choices = [_choice(place, choice) for place, choice in enumerate(answer["choices"])]
    return {
        **answer,
        "id": _text(answer.get("id")),
        "model": _text(answer.get("model")) or model_name,
        "object": "chat.completion",
        "created": answer["created"] if isinstance(answer.get("created"), int) else 0,
        "choices": choices,
        "usage": _usage(answer.get("usage")),
    }


def _choice(place: int, choice: dict[str, Any]) -> dict[str, Any]:
    message = dict(choice["message"])
    message["role"] = "assistant"
    message["content"] = _content(message.get("content"))
    if message.get("tool_calls") is not None:
        message["tool_calls"] = [_tool_call(call) for call in message["tool_calls"]]
    reason = reason_of_protocol(choice.get("finish_reason"), has_calls=bool(message.get("tool_calls"))) or "stop"
    return {**choice, "index": place, "message": message, "finish_reason": reason}


def _content(content: object) -> str | None:
    """The words: a text, or the text parts of a list; parts of other kinds (thinking, pictures) are passed over."""
    if isinstance(content, str):
        return _text(content)
    parts = [content] if isinstance(content, dict) else content
    return "".join(_part(part) for part in parts) if isinstance(parts, list) else None


def _part(part: object) -> str:
    if isinstance(part, dict):
        return _text(part.get("text")) if part.get("type", "text") in _TEXT_PARTS else ""
    return _text(part)


def _tool_call(call: dict[str, Any]) -> dict[str, Any]:
    function = call["function"]
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        arguments = strict_json.dumps({} if arguments is None else arguments)
    return {
        **call,
        "id": _text(call.get("id")),
        "type": "function",
        "function": {"name": _text(function["name"]), "arguments": _text(arguments)},
    }


def _usage(usage: object) -> dict[str, int] | None:
    """Input and output tokens, or nothing where the endpoint reports no usable numbers."""
    if not isinstance(usage, dict):
        return None
    numbers = [usage.get(name) for name in _TOKEN_FIELDS]
    known = [number if isinstance(number, int) and number >= 0 else 0 for number in numbers]
    return {**dict(zip(_TOKEN_FIELDS, known, strict=True)), "total_tokens": sum(known)}


def _text(value: object) -> str:
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else ""
