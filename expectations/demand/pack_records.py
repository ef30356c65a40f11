"""A pack as it stands, in plain values, so that one that breaks its own model is shown and not hidden by an error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from demand_assets.evidence.refs import MAX_POST_ID_LENGTH
from resources.foundation import strict_json
from resources.foundation.ids import MAX_ID


class PackRecord(NamedTuple):
    """A pack as it stands, its values, the name it stands under, and the key a person looks it up by."""

    key: str
    name: str
    text: str
    pack: Mapping[str, Any]

    @classmethod
    def of(cls, key: str, name: str, text: str) -> PackRecord:
        """A record of a pack that stands as strict JSON."""
        pack = strict_json.loads(text)
        return cls(key, name, text, pack if isinstance(pack, dict) else {})

    @property
    def itemset_id(self) -> int | None:
        """The first itemset id, where it can be one."""
        ids = self.list_of("itemset_ids")
        first = ids[0] if ids else None
        return first if isinstance(first, int) and not isinstance(first, bool) and 0 < first <= MAX_ID else None

    @property
    def post(self) -> str | None:
        """The source post, where it can be one."""
        post = self.pack.get("source_post_id")
        if isinstance(post, str) and post.strip() and "\x00" not in post and len(post) <= MAX_POST_ID_LENGTH:
            return post
        return None

    def list_of(self, field: str) -> list[Any]:
        """A field that should be a list; empty where it is none."""
        value = self.pack.get(field)
        return value if isinstance(value, list) else []
