"""Keys of demand batches: an execution id, or ``adhoc-…`` for requests from outside; one gate for every key."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from resources.foundation import strict_json
from resources.foundation.errors import UsageError
from resources.foundation.ids import parse_execution_key
from supply_assets.intake.request import SupplyRequest

ADHOC = "adhoc-"
_ADHOC = re.compile(r"adhoc-[a-z0-9][a-z0-9_-]{0,57}")


def parse_batch_key(key: str) -> int | None:
    """The execution of a batch, ``None`` for an ad-hoc one.

    Raises:
        UsageError: the key is neither; Dagster itself would register any text.
    """
    if _ADHOC.fullmatch(key):
        return None
    try:
        return parse_execution_key(key)
    except UsageError:
        raise UsageError(
            f"demand batch {key[:60]!r} is neither an execution id nor adhoc-<name>",
            "use the id in digits, or adhoc- and up to 58 of a-z, 0-9, - and _",
        ) from None


def adhoc_key(requests: Sequence[SupplyRequest]) -> str:
    """The same requests give the same key."""
    content = strict_json.dumps([request.model_dump(mode="json") for request in requests])
    return ADHOC + hashlib.sha256(content.encode()).hexdigest()[:16]
