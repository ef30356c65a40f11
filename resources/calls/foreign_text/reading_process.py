"""Reading beside the event loop: a process that is started when it is needed, and ended and replaced where it hangs.

A limit on a thread would not hold: a parser in C code keeps the interpreter's lock, and a thread cannot be ended.
"""

from __future__ import annotations

import asyncio
import json
import pickle
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from typing import Any, TypeVar

from resources.calls.foreign_text.reader import LENGTH_BYTES, Raised, Returned
from resources.calls.foreign_text.unreadable import Unreadable

Result = TypeVar("Result")

CPU_S = 3.0
WALL_S = 60.0
_START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from resources.calls.foreign_text.reader import serve; serve(float(sys.argv[2]))"
)
_OF_THE_TEXT = frozenset({signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL})


class ReadingProcess:
    """One process that reads for whoever owns this; to be closed.

    ``cpu_s`` is the processor time that one text may take, whatever else the machine does; ``wall_s`` bounds the time
    that is waited for it.
    """

    def __init__(self, cpu_s: float | None = None, wall_s: float | None = None) -> None:
        self._cpu_s = cpu_s or CPU_S
        self._wall_s = wall_s or WALL_S
        self._turn = asyncio.Lock()
        self._process: Process | None = None

    async def call(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """What a function of a module gives, called in the process.

        Raises:
            Unreadable: it took too long, raised, or took the process with it.
        """
        async with self._turn:
            process = self._process = self._process or await self._start()
            answered = False
            try:
                async with asyncio.timeout(self._wall_s):
                    answer = await _exchange(process, (function, arguments))
                answered = True
            except TimeoutError:
                raise Unreadable(f"not read within {self._wall_s:g} s", passing=True) from None
            except (ConnectionError, asyncio.IncompleteReadError):
                raise self._ended_by(await process.wait()) from None
            finally:
                if not answered:
                    await self.close()
        if isinstance(answer, Raised):
            raise Unreadable(f"reading it raised {answer.kind}: {answer.trace}")
        result: Result = answer.value
        return result

    async def close(self) -> None:
        """End the process where there is one; the next call starts another."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            process.kill()
        await process.wait()

    async def _start(self) -> Process:
        arguments = ("-c", _START, json.dumps(sys.path), str(self._cpu_s))
        return await asyncio.create_subprocess_exec(sys.executable, *arguments, stdin=PIPE, stdout=PIPE)

    def _ended_by(self, code: int) -> Unreadable:
        if code == -signal.SIGPROF:
            return Unreadable(f"reading it takes more than {self._cpu_s:g} s of processor time")
        return Unreadable(f"the reading process ended with {code}", passing=-code not in _OF_THE_TEXT)


async def _exchange(process: Process, call: tuple[Callable[..., Any], tuple[Any, ...]]) -> Returned | Raised:
    assert process.stdin is not None, "it is a pipe"
    assert process.stdout is not None, "it is a pipe"
    asked = pickle.dumps(call, pickle.HIGHEST_PROTOCOL)
    process.stdin.write(len(asked).to_bytes(LENGTH_BYTES, "big") + asked)
    await process.stdin.drain()
    length = int.from_bytes(await process.stdout.readexactly(LENGTH_BYTES), "big")
    answer: Returned | Raised = pickle.loads(await process.stdout.readexactly(length))
    return answer
