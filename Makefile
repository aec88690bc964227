# Everything runs in .venv, which these targets make and keep up to date themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DATA ?= ../shared/data/wcxb
SITES ?= ../shared/data/sites

.PHONY: demo test check format bench bench-crawl bench-extract bench-pipeline bench-sites bench-zipf bench-gate clean

demo: $(VENV)/.demo
	@$(BIN)/python -m bench.demo

test: $(VENV)/.dev
	$(BIN)/pytest

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench-extract: $(VENV)/.bench
	$(BIN)/python -m bench.speed $(DATA) --json bench/results/extract.json

# Against a server on loopback; about five minutes on two cores.
bench-crawl: $(VENV)/.dev
	$(BIN)/python -m bench.crawling --json bench/results/crawl.json

# About ten minutes for WCXB on two cores; run nothing else beside it.
bench-pipeline: $(VENV)/.bench
	$(BIN)/python -m bench.throughput $(DATA) --json bench/results/pipeline.json

# What knowing the site adds, on whole sites with gold text.
bench-sites: $(VENV)/.bench
	$(BIN)/python -m bench.sites $(SITES) --json bench/results/sites.json

# What the site step costs as one site grows to 100,000 pages: a quarter of an hour on two cores.
bench-zipf: $(VENV)/.bench
	$(BIN)/python -m bench.zipf --json bench/results/zipf.json

# The tables of docs/algorithms.md, beside every peer. Only what changed is computed anew.
bench: $(VENV)/.bench
	$(BIN)/winnow bench $(DATA) --peer all --by type --html bench/results/report.html

# The pinned floors are those of DATA's own hash; the shipped corpus is checked by `make test`.
bench-gate: $(VENV)/.bench
	$(BIN)/python -m bench.gate $(DATA)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# One marker a set of dependencies: each is installed once, and again when pyproject.toml changes.
$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.demo

# pip before 24 fails on two spellings of one extra (lxml's html_clean), which two of the peers ask for.
$(VENV)/.bench: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=24'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	@touch $@ $(VENV)/.demo

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
