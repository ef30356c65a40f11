"""D-003: every settings model is read in one way: from the environment or secret files, and what is wrong is named."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import pytest
from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings

import resources.settings
from resources.foundation.errors import SettingsError
from resources.foundation.secret_files import FOLDER
from resources.settings.alerts import WEBHOOK, read_alert_settings
from resources.settings.broker import BROKER, read_broker_settings
from resources.settings.dagster_api import ADDRESS, TOKEN, read_dagster_settings
from resources.settings.reading import Environment, read

SECRET = "s3cr3t-value"


class Sample(Environment):
    number: int = Field(default=3, ge=1, validation_alias="PATTERN2PLAN_SAMPLE_NUMBER")
    secret: SecretStr | None = Field(default=None, validation_alias="PATTERN2PLAN_SAMPLE_TOKEN")


def test_d003_what_is_set_to_nothing_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATTERN2PLAN_SAMPLE_NUMBER", "")
    assert read(Sample).number == 3


def test_d003_a_secret_may_stand_in_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "PATTERN2PLAN_SAMPLE_TOKEN").write_text(SECRET)
    monkeypatch.setenv(FOLDER, str(tmp_path))
    found = read(Sample).secret
    assert found is not None
    assert found.get_secret_value() == SECRET
    assert SECRET not in repr(read(Sample))


def test_d003_the_wrong_variable_is_named_and_its_value_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATTERN2PLAN_SAMPLE_NUMBER", SECRET)
    with pytest.raises(SettingsError, match=r"variable PATTERN2PLAN_SAMPLE_NUMBER: .+ -> a number") as caught:
        read(Sample, "a number")
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None


def test_d003_no_settings_model_is_read_in_a_way_of_its_own() -> None:
    for module in pkgutil.iter_modules(resources.settings.__path__, "resources.settings."):
        importlib.import_module(module.name)
    ours = [model for model in BaseSettings.__subclasses__() if model.__module__.startswith("resources.")]
    assert ours == [Environment]


def test_d003_without_a_broker_it_is_said_what_one_looks_like(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(BROKER, raising=False)
    with pytest.raises(SettingsError, match=f"environment variable {BROKER}: .+ -> redis://host:6379/0"):
        read_broker_settings()

    monkeypatch.setenv(BROKER, "redis://queue:6379/0")
    assert read_broker_settings().result_backend.get_secret_value() == "redis://queue:6379/0"


def test_d003_the_webserver_is_on_this_machine_unless_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (ADDRESS, TOKEN):
        monkeypatch.delenv(name, raising=False)
    assert str(read_dagster_settings().url) == "http://127.0.0.1:3000/"

    monkeypatch.setenv(ADDRESS, "nowhere")
    with pytest.raises(SettingsError, match=f"environment variable {ADDRESS}: "):
        read_dagster_settings()


@pytest.mark.parametrize("address", ["nowhere", "ftp://h/x", f"https://[{SECRET}"])
def test_d003_alerts_go_to_an_address_or_nowhere(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.delenv(WEBHOOK, raising=False)
    assert read_alert_settings().webhook is None

    monkeypatch.setenv(WEBHOOK, address)
    with pytest.raises(SettingsError, match=f"environment variable {WEBHOOK} is no http or https address") as caught:
        read_alert_settings()
    assert SECRET not in str(caught.value)
