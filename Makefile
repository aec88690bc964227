# Everything runs in .venv, which these targets make and keep up to date themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DATA ?= ../shared/data/wcxb
SITES ?= ../shared/data/sites
RUNS ?= 100
FLINK := .flink
DATAFLOW := .dataflow
FLINK_VERSION := $(shell sed -n 's/.*<flink.version>\(.*\)<.*/\1/p' deploy/flink/pom.xml)

.PHONY: demo test test-flink test-dataflow soak flink lock check format bench bench-crawl bench-extract bench-pipeline \
	bench-sites bench-zipf bench-scaling bench-gate clean

demo: $(VENV)/.demo
	@$(BIN)/python -m bench.demo

test: $(VENV)/.dev
	$(BIN)/pytest

# The same graph on a real Flink on this machine; needs Java and Maven, and takes some minutes.
test-flink: $(VENV)/.dev $(FLINK)/.ready
	$(BIN)/pytest -m flink tests/deploy --basetemp=$(FLINK)/tests

# The graph as a request to Dataflow, in a dry run. In a folder of its own: the base install must do without Google's
# clients, and a test beside them would not notice.
test-dataflow: $(DATAFLOW)/.ready
	$(DATAFLOW)/bin/pytest -m dataflow tests/deploy

# RUNS runs of `winnow clean` on a machine that is kept busy: each must write the same bytes. Some twenty minutes; the
# busy processes are as nice as the runs, so that `nice make soak` leaves the machine to others.
soak: $(VENV)/.dev
	$(BIN)/python -m bench.soak --runs $(RUNS) --together 4

flink: $(FLINK)/.ready

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

# Growth, workers and hot sites, here and on Flink, then what a real page costs there: three quarters of an hour on two
# cores; needs Java and Maven. Run nothing else beside it.
bench-scaling: $(VENV)/.bench $(FLINK)/.ready
	$(BIN)/python -m bench.scaling --flink --json bench/results/scaling.json
	$(BIN)/python -m bench.sizing $(SITES) $(DATA) --flink --json bench/results/sizing.json

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

# Flink itself, from the packages that hold its jars and its scripts, and Beam's job server for it. Both apart from
# .venv: apache-flink asks for an old Beam.
$(FLINK)/.ready: deploy/flink/pom.xml
	$(PYTHON) -m venv $(FLINK)/venv
	$(FLINK)/venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
		apache-flink==$(FLINK_VERSION) apache-flink-libraries==$(FLINK_VERSION)
	mvn --batch-mode --quiet --file deploy/flink/pom.xml package
	@touch $@

$(DATAFLOW)/.ready: pyproject.toml
	$(PYTHON) -m venv $(DATAFLOW)
	$(DATAFLOW)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev,dataflow]'
	@touch $@

# The packages of the images, by version and hash.
LOCK := uv pip compile --quiet pyproject.toml --python-version 3.11 --python-platform x86_64-manylinux_2_28 \
	--generate-hashes --no-header --no-annotate
lock: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/$(LOCK) --output-file deploy/requirements.txt
	$(BIN)/$(LOCK) --extra dataflow --output-file deploy/dataflow/requirements.txt

clean:
	rm -rf $(VENV) $(FLINK) $(DATAFLOW) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
