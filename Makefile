# `make run` and `make test` do all their own set-up, on a fresh machine too.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000
ARGS ?=
BIN := .venv/bin
LOCKS := .requirements
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help run test lint types check wheel-check bench shots soak model lock clean

help: ## Say what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: .venv/.run ## Start the demo desk on http://HOST:PORT (HOST=127.0.0.1 PORT=8000)
	@exec $(BIN)/undo-desk demo --host $(HOST) --port $(PORT) $(ARGS)

test: .venv/.test .venv/.chromium ## Run the whole suite on SQLite and PostgreSQL (ARGS='tests/unit -x' for a part)
	$(BIN)/python -m pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder $(ARGS)

lint: .venv/.test ## Style and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: .venv/.test ## Types, strictly
	$(BIN)/mypy

check: lint types test ## All of the above

wheel-check: .venv/.test ## Build the wheel, install it elsewhere, serve a page from it
	$(BIN)/python -m pytest tests/packaging $(ARGS)

bench: .venv/.test ## Measure lateness, throughput, draft and cancel cost beside a bare loop
	$(BIN)/python -m tests.bench $(ARGS)

shots: .venv/.test .venv/.chromium ## Pictures of every page in each theme and width, into .shots/ (ARGS='--only approvals' for a part)
	$(BIN)/python -m tests.shots $(ARGS)

soak: .venv/.test ## The long races, the state machine and the crash campaign, for hours (ARGS='--help' for parts)
	$(BIN)/python -m tests.soak $(ARGS)

model: ## Search every interleaving of the arrows with spin (ARGS='--only mail --trail' for a part)
	@$(PYTHON) -m tests.model $(ARGS)

lock: ## Resolve the newest versions that pyproject.toml allows into the lock files
	dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && $(PYTHON) -m venv "$$dir" && \
	"$$dir/bin/python" -m pip install --quiet . && \
	"$$dir/bin/python" -m pip freeze --exclude undo-desk >$(LOCKS)/run.lock && \
	"$$dir/bin/python" -m pip install --quiet -c $(LOCKS)/run.lock '.[test]' && \
	"$$dir/bin/python" -m pip freeze --exclude undo-desk | grep -vxFf $(LOCKS)/run.lock >$(LOCKS)/test.lock

clean: ## Remove the environment and what the tools left behind (instance/ stays: it is your data)
	rm -rf .venv dist build .shots .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis test-results
	find webapp tests -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.run: pyproject.toml $(LOCKS)/run.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'Undo Desk needs Python 3.11 or newer: make PYTHON=python3.12 …' >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv || \
		{ echo 'Python could not make .venv (on Debian: apt-get install python3-venv)' >&2; exit 1; }
	$(INSTALL) -c $(LOCKS)/run.lock -e .
	@touch $@

.venv/.test: .venv/.run $(LOCKS)/test.lock
	$(INSTALL) -c $(LOCKS)/run.lock -c $(LOCKS)/test.lock -e '.[test]'
	@touch $@

.venv/.chromium: .venv/.test
	@$(BIN)/python -m tests.fixtures.chromium
	@touch $@
