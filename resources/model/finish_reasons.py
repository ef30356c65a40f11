"""What an endpoint means by the word with which it ends an answer (LM10); the protocol knows five, the world more."""

from __future__ import annotations

_ENDED = ("stop", "eos", "eos_token", "end_turn", "stop_sequence", "completed", "complete", "done")
_CUT_OFF = ("length", "max_tokens", "max_output_tokens", "model_length")
_CALLED = ("tool_calls", "function_call", "tool_use", "tool_call")
_WITHHELD = (
    "content_filter",
    "sensitive",
    "safety",
    "refusal",
    "recitation",
    "prohibited_content",
    "content_moderation",
)
_OF_THE_PROTOCOL = {
    **dict.fromkeys(_ENDED, "stop"),
    **dict.fromkeys(_CUT_OFF, "length"),
    **dict.fromkeys(_CALLED, "tool_calls"),
    **dict.fromkeys(_WITHHELD, "content_filter"),
}
_SHOWN = 60


def reason_of_protocol(given: object, *, has_calls: bool) -> str | None:
    """The protocol's word; ``None`` where the answer broke off (``error``, ``abort``, …) or the word is not known.

    An answer without a word has ended: with calls where it has some.
    """
    if given is None or given == "":
        return "tool_calls" if has_calls else "stop"
    return _OF_THE_PROTOCOL.get(given.strip().lower()) if isinstance(given, str) else None


def shown(given: object) -> str:
    """The word as a message names it."""
    return repr(given)[:_SHOWN]
