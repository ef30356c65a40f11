"""Ids that every half takes: the greatest one, and the one text by which an execution is a partition key.

Belongs here: the gate of partition keys (field report DG1), which Dagster itself does not have. Keys of one half only
(``adhoc-…``) are that half's.
"""

from __future__ import annotations

import re

from resources.foundation.errors import UsageError

MAX_ID = 2**63 - 1
LIST_EXECUTIONS = "`pattern2plan executions` lists the ids"
_KEY = re.compile(r"[1-9][0-9]{0,18}")


def execution_key(execution_id: int) -> str:
    """The one key of an execution: its id in decimal, without sign, blank or leading zero.

    Raises:
        UsageError: the id is not in 1 … 2^63-1.
    """
    if not 0 < execution_id <= MAX_ID:
        raise UsageError(f"execution id {execution_id} cannot be a partition key", "ids are whole numbers from 1")
    return str(execution_id)


def parse_execution_key(key: str) -> int:
    """The execution of a partition key; Dagster itself would register any text.

    Raises:
        UsageError: the key is not the one that :func:`execution_key` gives.
    """
    if not _KEY.fullmatch(key) or int(key) > MAX_ID:
        raise UsageError(
            f"partition key {key[:60]!r} is not an execution id", "delete this partition and add the id in digits"
        )
    return int(key)
