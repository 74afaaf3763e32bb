# The ways to build, check and run fastnp. Needs Rust (with rustfmt and clippy) and Python 3.11 or newer, nothing else.
#
#   make run       build the extension and run the NPBench kernels under NumPy and fastnp
#   make test      every check there is; what continuous integration runs
#   make versions  the tests that depend on NumPy's version, under the oldest and the newest that are supported
#   make lint      the checks that run nothing: format, clippy, ruff, mypy, docs
#   make fuzz      random programs under NumPy and fastnp, FUZZ_COUNT of them in each mode from FUZZ_SEED on, fewer with interrupts,
#                  threads, forks, faults and others meanwhile, and a search for leaks
#   make neighbours  the survey of other libraries (tests/neighbours/survey), installed for it; `neighbours-heavy`: PyTorch, JAX, TensorFlow
#   make sanitize  the Rust and Python tests under AddressSanitizer, the races under ThreadSanitizer (`sanitize-threads`); needs nightly
#   make wheel     the source distribution, and the wheel built from it, in dist/, both checked, and the tour followed with the wheel
#   make crates    the Rust crates as they are published, each built from its package, in target/package/
#   make docs      the documentation site, in target/site/, and each page opened in a browser
#   make bench     the criterion benches of the Rust layers, then NumPy and fastnp side by side
#   make clean     remove everything built
#
# Variables: PYTHON (interpreter for .venv), PROFILE (release or dev: how the extension is built, but for tests),
# RUN_ARGS (more arguments for npbench), PYTEST_ARGS (more arguments for pytest), PYTEST_JOBS (its processes), FUZZ_COUNT, FUZZ_SEED,
# VERSION_TESTS (what runs under another NumPy), SURVEY_ARGS (libraries and options of the survey).

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# The tests start some thousand processes: compiling the package takes .2 s in each that finds no bytecode.
unexport PYTHONDONTWRITEBYTECODE

VENV    ?= .venv
PYTHON  ?= python3
PROFILE ?= release
PRESET  ?= S
RUN_ARGS ?=
PYTEST_ARGS ?=
PYTEST_JOBS ?= $(if $(PYTEST_ARGS),0,auto)
FUZZ_COUNT ?= 250000
FUZZ_SEED  ?= 1
SANITIZE_ARGS ?=
SURVEY_ARGS ?= --known

BIN    := $(VENV)/bin
STAMPS := $(VENV)/stamps
CHECK  := $(PYTHON) .ci/timed.py
# The oldest NumPy that pyproject.toml allows and the newest, with the versions of Python to look for, best first.
OLDEST         := 2.3.5
OLDEST_PYTHONS := 3.11 3.12 3.13
NEWEST         := 2.5.5
NEWEST_PYTHONS := 3.13 3.14 3.12
# What depends on NumPy's version; and the part of it that `make test` runs.
VERSION_TESTS ?= tests/array tests/engine tests/python_layer tests/numpy_suite
VERSION_FILES := _core/tests/test_ufunc _core/tests/test_indexing _core/tests/test_nep50_promotions _core/tests/test_overrides \
    _core/tests/test_dlpack _core/tests/test_array_coercion lib/tests/test_stride_tricks lib/tests/test_ufunclike
# These compare values of the engine's own kernels, or race with other threads, whatever NumPy says.
VERSION_VALUES := many_special_values matrix_products vector_products races index_arrays hazards fourier updates compiled_code
VERSION_PART  := tests/array tests/python_layer $(VERSION_VALUES:%=--ignore=tests/array/test_%.py) \
    $(foreach file,$(VERSION_FILES),'tests/numpy_suite/test_numpy_suite.py::test_numpys_tests_pass[$(file).py]')

# What the extension is made of, with the features that it has: loom and criterion give dependencies others, and all would be compiled a
# second time.
RUST_TESTED := --workspace --exclude fastnp-benches --exclude fastnp-models

SANITIZE_SHORT := tests/array/test_hazards.py tests/array/test_shared_memory.py tests/array/test_protocols.py tests/array/test_index_arrays.py \
    tests/fuzz/test_fuzz_programs.py

RUST_SOURCES := $(shell find codegen core pybind benches .cargo -name target -prune -o \
    \( -name '*.rs' -o -name '*.cu' -o -name '*.toml' \) -print 2>/dev/null) Cargo.toml Cargo.lock
PYTHON_TREES := pybind/python npbench tests benches .ci
MYPY_TREES   := pybind/python/fastnp npbench tests benches .ci

.PHONY: help run build test lint rust-lint python-lint environments rust-test pytest versions newest models fuzz neighbours \
    neighbours-heavy sanitize sanitize-short sanitize-threads wheel crates docs bench clean

help:
	@sed -n '3,15p' Makefile | cut -c3-

# --- environment and extension: stamp files, so that nothing is rebuilt without need --------------------------------

$(STAMPS)/venv:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "fastnp needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	mkdir -p $(STAMPS)
	touch $@

$(STAMPS)/requirements: requirements-dev.txt $(STAMPS)/venv
	@$(CHECK) 'Python packages' $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -r requirements-dev.txt
	touch $@

# One extension is installed at a time, so the stamps of others go.
$(STAMPS)/extension-%: $(RUST_SOURCES) pyproject.toml $(STAMPS)/requirements
	VIRTUAL_ENV=$(abspath $(VENV)) $(CHECK) 'build extension' $(BIN)/maturin develop --quiet --profile $*
	rm -f $(STAMPS)/extension-*
	touch $@

build: $(STAMPS)/extension-$(PROFILE)

run: build
	$(BIN)/python -m npbench --frameworks numpy,fastnp,fastnp+install --preset $(PRESET) $(RUN_ARGS)

# --- checks ---------------------------------------------------------------------------------------------------------

# Everything is compiled in Cargo's profile `dev`, once for the Rust tests and the extension that the Python tests load. Cargo runs beside
# pip and mypy, which take a core each; its commands wait for each other.
test:
	@$(PYTHON) .ci/timed.py --start
	@$(MAKE) --no-print-directory --jobs 2 rust-lint environments python-lint rust-test
	@$(MAKE) --no-print-directory pytest newest
	@$(PYTHON) .ci/timed.py --table

lint: rust-lint python-lint

rust-lint:
	@$(CHECK) rustfmt cargo fmt --all --check
	@$(CHECK) clippy cargo clippy --workspace --all-targets --quiet -- -D warnings
	@RUSTDOCFLAGS="-D warnings" $(CHECK) rustdoc cargo doc --workspace --no-deps --quiet

python-lint: $(STAMPS)/requirements
	@$(CHECK) 'ruff check' $(BIN)/ruff check $(PYTHON_TREES)
	@$(CHECK) 'ruff format' $(BIN)/ruff format --check $(PYTHON_TREES)
	@$(CHECK) mypy $(BIN)/mypy $(MYPY_TREES)

rust-test: models
	@$(CHECK) 'build Rust tests' cargo test $(RUST_TESTED) --quiet --no-run
	@$(CHECK) 'Rust tests' cargo test $(RUST_TESTED) --quiet

# As many processes as there are cores, but for a few tests one is asked for.
pytest: $(STAMPS)/extension-dev
	@$(CHECK) pytest $(BIN)/python -m pytest --quiet --numprocesses $(PYTEST_JOBS) --maxprocesses 4 --dist worksteal $(PYTEST_ARGS)

# The same extension in environments of their own; without a Python for them they say so and test nothing.
$(STAMPS)/numpy-$(OLDEST): PYTHONS := $(OLDEST_PYTHONS)
$(STAMPS)/numpy-$(NEWEST): PYTHONS := $(NEWEST_PYTHONS)
$(STAMPS)/numpy-%: requirements-dev.txt .ci/numpy_venv.py $(STAMPS)/venv
	@$(PYTHON) .ci/numpy_venv.py $(VENV)/numpy-$* $* $(PYTHONS)
	@if [ -x $(VENV)/numpy-$*/bin/python ]; then touch $@; fi

environments: $(STAMPS)/requirements $(STAMPS)/numpy-$(NEWEST)

under-%: $(STAMPS)/extension-dev $(STAMPS)/numpy-%
	@if [ -x $(VENV)/numpy-$*/bin/python ]; then $(CHECK) 'NumPy $*' $(VENV)/numpy-$*/bin/python -m pytest --quiet \
	    --numprocesses $(PYTEST_JOBS) --maxprocesses 4 --dist worksteal $(VERSION_TESTS) $(PYTEST_ARGS); fi

versions: under-$(OLDEST) under-$(NEWEST)

newest: VERSION_TESTS := $(VERSION_PART)
newest: under-$(NEWEST)

# With debug assertions, which faults, guard pages and short work without the GIL need. A hundred programs take a second on one core; modes
# and surroundings run one after the other, these with a tenth of the programs.
fuzz: $(STAMPS)/extension-dev
	for mode in default lazy eager serial mock; do \
	    $(BIN)/python -m tests.fuzz.programs --count $(FUZZ_COUNT) --seed $(FUZZ_SEED) --mode $$mode; \
	done
	for surroundings in interrupts threads foreign exported compiled weakrefs finalizers forks guarded blocks inlined; do \
	    for mode in lazy mock; do \
	        $(BIN)/python -m tests.fuzz.programs --count $$(($(FUZZ_COUNT) / 10)) --seed $(FUZZ_SEED) --mode $$mode \
	            --surroundings $$surroundings; \
	    done; \
	done
	for mode in lazy mock; do \
	    $(BIN)/python -m tests.fuzz.faults --count $$(($(FUZZ_COUNT) / 100)) --seed $(FUZZ_SEED) --mode $$mode; \
	done
	$(BIN)/python -m tests.fuzz.leaks

# Not in `test`: a gigabyte of packages, heavy ones five. Each list has an environment of its own.
$(STAMPS)/survey-%: requirements-%.txt $(STAMPS)/venv
	$(PYTHON) -m venv --clear $(VENV)/$*
	$(VENV)/$*/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

neighbours: $(STAMPS)/extension-dev $(STAMPS)/survey-neighbours
	PYTHONPATH=pybind/python $(VENV)/neighbours/bin/python -m tests.neighbours.survey $(SURVEY_ARGS)

neighbours-heavy: $(STAMPS)/extension-dev $(STAMPS)/survey-neighbours-heavy
	PYTHONPATH=pybind/python $(VENV)/neighbours-heavy/bin/python -m tests.neighbours.survey jax tensorflow torch $(SURVEY_ARGS)

# Not in `test`: everything is compiled a second time, and codegen alone takes minutes.
sanitize: $(STAMPS)/requirements
	VENV=$(VENV) .ci/sanitize rust
	VENV=$(VENV) .ci/sanitize python --numprocesses auto --maxprocesses 4 --dist worksteal $(SANITIZE_ARGS)

# Tests of memory that is shared, reused and indexed, and some random programs.
sanitize-short: $(STAMPS)/requirements
	@VENV=$(VENV) $(CHECK) 'AddressSanitizer' .ci/sanitize python --numprocesses auto --maxprocesses 4 --dist worksteal $(SANITIZE_SHORT)

sanitize-threads:
	.ci/sanitize threads

# The locks, counts and the thread pool under every order of steps.
models:
	@$(CHECK) models cargo test -p fastnp-models --quiet

wheel: $(STAMPS)/requirements
	$(CHECK) 'wheel' $(BIN)/python .ci/wheel.py dist $(PROFILE)
	$(CHECK) 'tour' $(BIN)/python -m pytest --quiet tests/repository/test_tour.py

crates:
	@$(CHECK) 'crates' cargo package --quiet --package fastnp-scalar --package fastnp-codegen --package fastnp

# An environment of its own, which imports the extension that is built here.
docs: build
	[ $(STAMPS)/docs -nt requirements-docs.txt ] || { $(PYTHON) -m venv --clear $(VENV)/docs && \
	    $(VENV)/docs/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-docs.txt && touch $(STAMPS)/docs; }
	PYTHONPATH=$(abspath pybind/python) $(CHECK) 'documentation' $(VENV)/docs/bin/python -m sphinx -W --keep-going -q -b html docs target/site
	$(CHECK) 'site' $(BIN)/python -m pytest --quiet tests/repository/test_site.py

bench: build
	cargo bench --package fastnp-benches
	$(BIN)/python -m benches.peers

clean:
	cargo clean
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache
	find pybind/python -name '*.so' -delete 2>/dev/null || true
