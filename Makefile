# make tour   set up .venv and run the main job
# make test   set up .venv and run the whole test suite
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
# a process for each core; compiled loops are made once for all of them, before they start
SPREAD = -n auto --dist loadfile
WARM = $(BIN)/tacho warm

.PHONY: tour test test-slow test-checked fuzz lint docs bench package clean

tour: $(VENV)/.tour
	$(BIN)/tacho tour

test: $(VENV)/.test
	$(WARM)
	$(BIN)/python -m pytest $(SPREAD)

# Exhaustive variants; the rooms with compiled loops, with every array access checked.
test-slow: $(VENV)/.test
	$(BIN)/python -m pytest $(SPREAD) --run-slow

CHECKED ?= tests/kernels tests/algorithms tests/graph tests/simulation
test-checked: export NUMBA_BOUNDSCHECK = 1
test-checked: export NUMBA_CACHE_DIR = $(CURDIR)/$(VENV)/numba-checked
test-checked: $(VENV)/.test
	$(BIN)/python -m pytest $(SPREAD) $(CHECKED)

# Damaged inputs of all kinds, random graphs against other libraries, kills: each prints what it counted.
INPUTS ?= 1000000
GRAPHS ?= 18000
KILLS ?= 1000
fuzz: $(VENV)/.test
	$(BIN)/python -m tests.fuzz --inputs $(INPUTS)
	$(BIN)/python -m tests.differential --graphs $(GRAPHS)
	$(BIN)/python -m tests.kills --kills $(KILLS)

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/.test
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# A wheel and a source distribution, each installed into an empty environment and tried without this tree:
# with the lowest versions that are permitted, and on the newest Python.
package: $(VENV)/.test
	$(BIN)/python tests/package.py

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/read_and_build.py
	$(BIN)/python benchmarks/latency.py --cold
	$(BIN)/python benchmarks/bandwidth.py
	$(BIN)/tacho bench --scale 20
	$(BIN)/python benchmarks/dram.py

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Tachograph needs Python 3.11 or newer; try make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# with a second device where packages for one exist: the tour shows what two can do together
$(VENV)/.tour: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[lab,networkx,opencl]' \
		|| $(BIN)/python -m pip install --quiet --editable '.[lab,networkx]'
	@touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ $(VENV)/.tour

# a second OpenCL driver, for tests
$(VENV)/.drivers: pyproject.toml | $(VENV)/.test
	$(BIN)/python -m pip install --quiet --editable '.[drivers]'
	@touch $@

$(VENV)/.bench: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	@touch $@ $(VENV)/.tour

clean:
	rm -rf $(VENV) site build dist
