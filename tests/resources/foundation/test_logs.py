"""What is written to the log, from which level on, and what is never written (D-003, S-012)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import structlog
from pydantic import SecretStr

from resources.foundation.errors import SettingsError
from resources.foundation.logs import configure_logs
from resources.settings.log_level import read_log_level
from tests.commands.cli_runner import Cli

SECRET = "s3cr3t-Zq9"
HOSTILE = [
    {"password": SECRET},
    {"platform_token": SECRET},
    {"token": SecretStr(SECRET)},
    {"reason": f"could not connect to mysql+pymysql://root:{SECRET}@db:3306/content"},
    {"reason": f"connection failed: host=db user=x password={SECRET} dbname=y"},
    {"asked": {"url": f"https://mp.weixin.qq.com/s?__biz=MzA=&pass_ticket={SECRET}&key={SECRET}#rd"}},
    {"headers": [{"Authorization": f"Bearer {SECRET}"}, f"authorization: Bearer {SECRET}"]},
    {"what": f"the platform said {SECRET} in its own words"},
]


def written(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


@pytest.mark.parametrize("fields", HOSTILE, ids=lambda fields: next(iter(fields)))
def test_s012_no_secret_is_written(
    fields: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SUPPLY_PLATFORM_TOKEN", SECRET)
    configure_logs(read_log_level())
    structlog.get_logger().warning("said", **fields)
    (line,) = written(capsys)
    assert SECRET not in json.dumps(line)
    assert "***" in json.dumps(line)


def test_s012_a_secret_that_stands_in_a_file_is_not_written_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "SUPPLY_PLATFORM_TOKEN").write_text(f"{SECRET}\n")
    monkeypatch.setenv("PATTERN2PLAN_SECRETS_DIR", str(tmp_path))
    configure_logs(read_log_level())
    structlog.get_logger().warning("said", what=f"{SECRET}!")
    assert written(capsys)[0]["what"] == "***!"


def test_s012_an_exception_is_written_as_text_without_its_secrets(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs(read_log_level())
    try:
        raise RuntimeError(f"https://user:{SECRET}@platform/x")
    except RuntimeError:
        structlog.get_logger().exception("failed")
    (line,) = written(capsys)
    assert "RuntimeError: https://user:***@platform/x" in line["exception"]


def test_s012_what_is_no_secret_stays_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs(read_log_level())
    fields = {"idempotency_key": "7:ab", "tokens": 5, "url": "https://x/s?mid=1&sn=a", "title": "密码：123456 治愈"}
    structlog.get_logger().info("said", **fields)
    (line,) = written(capsys)
    assert {name: line[name] for name in fields} == fields


@pytest.mark.parametrize(("level", "said"), [("", 2), ("debug", 3), ("WARNING", 1), ("ERROR", 0)])
def test_the_level_is_the_environments(
    level: str, said: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATTERN2PLAN_LOG_LEVEL", level)
    configure_logs(read_log_level())
    logger = structlog.get_logger()
    logger.debug("a")
    logger.info("b")
    logger.warning("c")
    assert len(written(capsys)) == said


def test_a_wrong_level_is_said_by_the_variables_name(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATTERN2PLAN_LOG_LEVEL", "LOUD")
    with pytest.raises(SettingsError, match="PATTERN2PLAN_LOG_LEVEL"):
        configure_logs(read_log_level())
    done = Cli(monkeypatch, capfd)("doctor")
    assert done.code == 2
    assert "PATTERN2PLAN_LOG_LEVEL" in done.error
