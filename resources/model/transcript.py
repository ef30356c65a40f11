"""What was said in each round, as strict JSON beside the run's other traces; whole or not at all, without secrets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter

from resources.foundation import strict_json
from resources.foundation.atomic_files import write_atomically
from resources.foundation.errors import OutputFailed


class Transcript:
    """Writes ``agent_round_1.json`` and so on; a resumed run goes on with the first number that is free.

    Args:
        hide: takes secrets out of a text.
    """

    def __init__(self, folder: Path, hide: Callable[[str], str]) -> None:
        self._folder = folder
        self._hide = hide
        self._number = 0

    def write(self, about: dict[str, Any], messages: Sequence[ModelMessage]) -> Path:
        """Save one round.

        Args:
            about: what the round was and how it ended; JSON values.

        Raises:
            OutputFailed: disk full, no permission, device gone.
        """
        self._number += 1
        while (target := self._folder / f"agent_round_{self._number}.json").exists():
            self._number += 1
        said = ModelMessagesTypeAdapter.dump_python(list(messages), mode="json")
        content = {"round": self._number, **about, "messages": said}
        text = strict_json.dumps(strict_json.with_texts(content, self._hide), indent=2) + "\n"
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(target, text.encode())
        except OSError as error:
            message = f"{target.name} could not be written: {error.strerror}"
            raise OutputFailed(message, "check rights and space") from error
        return target
