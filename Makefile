# Every verb does its own set-up: all it takes is python3 (3.10 or newer) with venv. `make PYTHON=python3.12 test` takes another one.

PYTHON ?= python3
VENV ?= .venv
JOBS ?= auto
PYTEST_ARGS ?=
BENCH_ARGS ?=

BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
INSTALL := PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_ROOT_USER_ACTION=ignore \
	$(BIN)/python -m pip install --quiet --progress-bar off --constraint constraints.txt
DOCUMENTED := guardlang guardlang.errors guardlang.framefile guardlang.pytorch guardlang.solver guardlang.testing
PYTEST := $(BIN)/python -m pytest
PLUGINS := $(patsubst %/pyproject.toml,%,$(sort $(wildcard examples/*/pyproject.toml)))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test lint types imports examples bench docs format fuzz clean

help:
	@echo "make demo     guards on real tensors: checked, broken, explained"
	@echo "make test     all that must be green: lint, types, layers, tests, doctests, example plug-ins"
	@echo "make lint     style, format and import layers"
	@echo "make types    mypy, strict"
	@echo "make bench    ratios against the named peers, as a table and as benchmarks/results.json"
	@echo "make docs     the API in build/docs"
	@echo "make format   put the code in the project's format"
	@echo "make fuzz     property tests with many new examples"
	@echo "make clean    remove what was installed and built"

demo: $(STAMPS)/demo
	$(BIN)/python examples/demo.py

test: lint types examples $(STAMPS)/test
	$(PYTEST) -n $(JOBS) --maxprocesses 4 $(PYTEST_ARGS)

lint: $(STAMPS)/lint imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

imports: $(STAMPS)/lint
	$(BIN)/lint-imports --no-logo

types: $(STAMPS)/lint
	$(BIN)/mypy

# A package with no tests of its own fails here: pytest finds nothing to run.
examples: $(STAMPS)/test
	@set -e; for plugin in $(PLUGINS); do \
		echo "$(PYTEST) $$plugin"; \
		$(PYTEST) -c pyproject.toml --rootdir . $$plugin; \
	done

bench: $(STAMPS)/bench
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

docs: $(STAMPS)/docs
	$(BIN)/python -m pdoc --docformat google --output-directory build/docs $(DOCUMENTED)
	@echo "open build/docs/index.html"

format: $(STAMPS)/lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

fuzz: $(STAMPS)/test
	$(PYTEST) -n $(JOBS) --maxprocesses 4 --hypothesis-profile=fuzz tests $(PYTEST_ARGS)

clean:
	rm -rf $(VENV) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache benchmarks/results.json
	find . -name __pycache__ -type d -prune -exec rm -rf {} +


# Set-up. A stamp is as new as the last installation, so a change of what is asked for installs again and a second run does not.

EXTRAS_demo := numpy,torch
EXTRAS_lint := lint,test
EXTRAS_test := lint,numpy,test,torch
EXTRAS_bench := bench,numpy,torch
EXTRAS_docs := docs,numpy,torch

$(STAMPS)/demo $(STAMPS)/lint $(STAMPS)/bench $(STAMPS)/docs: $(STAMPS)/%: $(STAMPS)/venv pyproject.toml constraints.txt
	$(INSTALL) --editable '.[$(EXTRAS_$*)]'
	@touch $@

$(STAMPS)/test: $(STAMPS)/venv pyproject.toml constraints.txt $(addsuffix /pyproject.toml,$(PLUGINS))
	$(INSTALL) --editable '.[$(EXTRAS_test)]' $(addprefix --editable ./,$(PLUGINS))
	@touch $@

$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
		echo "guardlang needs Python 3.10 or newer: install one and name it, as in 'make PYTHON=python3.12 test'" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) cannot make virtual environments: install its venv package first ('apt-get install python3-venv')" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --upgrade pip
	@mkdir -p $(STAMPS)
	@touch $@
