# `make report` and `make test` are all that a fresh checkout needs; both make the environment first.
# Needs python3 (3.11 or later) with venv, and make. `make help` lists the targets.

PYTHON ?= python3
SAMPLE ?= samples/support-assistant.yaml
BUILD  := build
VENV   := .venv
BIN    := $(VENV)/bin
# Where a suite is run on several cores; `make test JOBS=0` runs it in one process.
JOBS   ?= auto

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help report test lint cover bench bench-fleet pictures rules-doc queries-doc lock pango clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

# The environment, made again when what it is made from changes. The lock file holds the exact versions.
$(VENV)/.run: pyproject.toml requirements-ci.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ppgov needs Python 3.11 or later; name one: make PYTHON=python3.12 ...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "the venv module is missing; on Debian or Ubuntu: apt install python3-venv" >&2; exit 1; }
	@echo "installing ppgov into $(VENV)"
	@$(BIN)/python -m pip install --quiet --constraint requirements-ci.txt --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	@echo "installing the development tools into $(VENV)"
	@$(BIN)/python -m pip install --quiet --constraint requirements-ci.txt --editable ".[dev]"
	@touch $@

# PDF needs Pango. Missing and root on Debian or Ubuntu: install it. Missing otherwise: say how, and go on without.
pango: $(VENV)/.run
	@$(BIN)/python .ci/pango.py || true

report: $(VENV)/.run ## write the report of a sample (SAMPLE=FILE) as HTML and PDF
	@if $(BIN)/python .ci/pango.py; then forms="--html --pdf"; else forms="--html"; fi; \
	  $(BIN)/ppgov report $(SAMPLE) $$forms -o $(BUILD)/

test: $(VENV)/.dev pango ## run the whole test suite
	@$(BIN)/python -m pytest -q -n $(JOBS)

lint: $(VENV)/.dev ## ruff, mypy and the import layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

cover: $(VENV)/.dev pango ## the suite with branch coverage; fails under 95 percent
	$(BIN)/python -m pytest -q -n $(JOBS) --cov --cov-report=term:skip-covered

bench: $(VENV)/.dev pango ## ratios against other tools, each in an environment of its own
	@$(BIN)/python benchmarks/run.py

bench-fleet: $(VENV)/.dev ## what a fleet costs: N-Quads, named queries, the store; a quarter of an hour
	@$(BIN)/python benchmarks/fleet.py

pictures: $(VENV)/.dev pango ## make docs/images from the pages of a real report (needs pdftoppm)
	@$(BIN)/python docs/make_pictures.py

rules-doc: $(VENV)/.dev ## write docs/rules.md from the rules
	@$(BIN)/python docs/make_rules.py

queries-doc: $(VENV)/.dev ## write the generated part of docs/queries.md from the queries
	@$(BIN)/python docs/make_queries.py

lock: ## resolve requirements-ci.txt anew
	@rm -rf $(BUILD)/lock && $(PYTHON) -m venv $(BUILD)/lock
	@$(BUILD)/lock/bin/python -m pip install --quiet ".[dev]"
	@{ echo "# The versions that the tests ran with, made by \`make lock\`."; \
	   $(BUILD)/lock/bin/python -m pip freeze --exclude ppgov; } > requirements-ci.txt
	@rm -rf $(BUILD)/lock

clean: ## remove the environment and everything built
	rm -rf $(VENV) $(BUILD) dist .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
