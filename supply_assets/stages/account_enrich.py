"""ACCOUNT_ENRICH: who publishes each candidate (S-021).

Without an answer the stage goes on and says what is missing.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from resources.supply_store.candidates import CandidateRow, read_candidates, update_candidates
from resources.supply_store.profiles import NewProfile, ProfileRow, read_profiles, upsert_profiles
from resources.supply_store.states import Stage, TaskStatus
from resources.tool_gateway.answers import Absent, Answer, Code, Found
from resources.tool_gateway.models import AccountInfo
from supply_assets.normalisation import texts
from supply_assets.stages.accounts import account_key, account_request
from supply_assets.stages.stage import Attempt, StageEnd

GONE = frozenset({Code.MOVED, Code.VIOLATION, Code.DELETED})


async def account_enrich(attempt: Attempt) -> StageEnd:
    """Ask for every account that is not known yet."""
    task_id = attempt.task.task_id
    candidates, profiles = await attempt.workshop.read(
        lambda connection: (read_candidates(connection, [task_id]), read_profiles(connection, [task_id]))
    )
    found = [profile for profile in profiles if state_of(profile) == "found"]
    known, known_ids = {key_of_profile(profile) for profile in found}, {profile.account_id for profile in found}
    groups: dict[str, list[CandidateRow]] = {}
    for candidate in candidates:
        key = account_key(candidate)
        if key is not None and key not in known and candidate.account_id not in known_ids:
            groups.setdefault(key, []).append(candidate)
    answers = await asyncio.gather(
        *(attempt.workshop.gateway.account(attempt.scope, account_request(group[0])) for group in groups.values())
    )
    rows = [
        _profile(task_id, key, group[0], answer) for (key, group), answer in zip(groups.items(), answers, strict=True)
    ]
    updates = [
        update
        for row, group, answer in zip(rows, groups.values(), answers, strict=True)
        for update in _updates(row, group, answer)
    ]
    states = Counter(row.raw_profile_payload["state"] for row in rows)
    nameless = sum(account_key(candidate) is None for candidate in candidates)

    def work(connection: Connection) -> None:
        upsert_profiles(connection, rows)
        update_candidates(connection, updates)

    output = {"accounts": len(known_ids) + len(rows), "already_known": len(known_ids), "without_account": nameless}
    return StageEnd(TaskStatus.ENRICHED, Stage.ACCOUNT_PROFILE, output | {"coverage": dict(states)}, work)


def state_of(profile: ProfileRow) -> str:
    """found, absent or unknown."""
    return str((profile.raw_profile_payload or {}).get("state", "unknown"))


def is_gone(profile: ProfileRow) -> bool:
    """The platform says that the account was closed or moved: nothing of it is planned (field report WX12)."""
    return state_of(profile) == "absent" and (profile.raw_profile_payload or {}).get("code") in GONE


def key_of_profile(profile: ProfileRow) -> str:
    """The key its candidates were grouped under when it was asked for."""
    return str((profile.raw_profile_payload or {}).get("key", ""))


def _profile(task_id: str, key: str, first: CandidateRow, answer: Answer[AccountInfo]) -> NewProfile:
    if isinstance(answer, Found):
        info = answer.value
        return NewProfile(
            task_id=task_id,
            account_id=info.account_id or first.account_id or key,
            account_name=texts.cut(texts.display(info.account_name or first.account_name), 255) or None,
            biz_info=info.biz or first.biz_info,
            intro=texts.cut(texts.display(info.intro), 2000) or None,
            verify_status=info.verify_status,
            category=texts.cut(texts.display(info.category), 64) or None,
            raw_profile_payload=_payload("found", key, answer) | {"account": answer.value.model_dump(mode="json")},
        )
    state = "absent" if isinstance(answer, Absent) else "unknown"
    return NewProfile(
        task_id=task_id,
        account_id=first.account_id or key,
        account_name=first.account_name,
        biz_info=first.biz_info,
        raw_profile_payload=_payload(state, key, answer) | {"code": answer.code, "message": answer.message[:300]},
    )


def _payload(state: str, key: str, answer: Answer[AccountInfo]) -> dict[str, Any]:
    return {"state": state, "key": key, "provider": answer.provider, "request_id": answer.request_id}


def _updates(row: NewProfile, group: Sequence[CandidateRow], answer: Answer[AccountInfo]) -> list[dict[str, Any]]:
    """All candidates of an account carry the id under which its profile stands; a closed account's are refused."""
    updates = []
    for candidate in group:
        update: dict[str, Any] = {
            "id": candidate.id,
            "account_id": row.account_id,
            "account_name": candidate.account_name or row.account_name,
            "biz_info": candidate.biz_info or row.biz_info,
        }
        if isinstance(answer, Absent) and answer.code in GONE:
            update |= {"quality_flag": "REJECT", "reject_reason": f"account_{answer.code}"}
        updates.append(update)
    return updates
