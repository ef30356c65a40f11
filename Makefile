# Everything runs in .venv, made from requirements.lock; a changed lock or pyproject makes it anew.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.complete

.PHONY: env demo test ui check bench harden lock

env: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $(STAMP)

demo: env
	$(BIN)/pattern2plan demo

test: env
	$(BIN)/python -m pytest -n 3 --dist loadgroup

ui: env
	$(BIN)/python -m commands.operations.dagster_ui

check: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python .ci/audit

bench: env
	$(BIN)/python -m tests.bench

# One-line faults against the tests of their rules; HARDEN="--rule D-036" tries some.
harden: env
	$(BIN)/python -m tests.harden $(HARDEN)

lock: env
	$(BIN)/uv pip compile pyproject.toml --extra deploy --extra dev --generate-hashes --python-version 3.11 \
		--no-header --no-annotate --no-strip-extras --no-emit-index-url --no-emit-find-links --quiet --output-file requirements.lock
