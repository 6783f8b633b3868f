# The project's commands, one word each; `make` alone lists them. Every one makes the virtual environment that it needs.
# PYTHON=python3.13 chooses the interpreter, PYTEST="-k parity" adds arguments to pytest (-n 0 is one process, where
# `make test` has one for each core), FUZZ="--seconds 600" to the campaigns of fuzzing.

PYTHON ?= python3
PYTEST ?=
FUZZ ?=
# Of the packages only what is imported is ever compiled, and then once: half of the time of an installation by pip.
export PIP_NO_COMPILE := 1
# That one time needs leave to keep what was compiled: without, each of the hundred processes that the tests start would
# compile scikit-learn anew, seven seconds for one. Containers often forbid it.
unexport PYTHONDONTWRITEBYTECODE
BIN := .venv/bin
SANITIZE_BIN := .venv-sanitize/bin

# What a rebuild of the native core depends on. Python files do not: the installs are editable.
CORE := $(shell find core -type f -not -name '*.py')
BUILD := CMakeLists.txt pyproject.toml $(CORE) core/make_headers.py $(addprefix src/adtm/machine/,ledger.py settings.py)

# The core for the instruction sets that this machine can run, optimised for the best of them: the others, which only the
# tests start, would be two thirds of the compiler's work. Wheels and `make bench` have them all, in folders of their own.
NATIVE := -Cbuild-dir=build/native -Ccmake.define.ADTM_NATIVE=ON

# As many compilers as cores. Ninja starts two more, which only make the longest file last longer.
CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell getconf _NPROCESSORS_ONLN)
export CMAKE_BUILD_PARALLEL_LEVEL

# For the sanitizers: every test file but those that add nothing about the core, or only minutes (scikit-learn's checks).
NOT_NATIVE := approved% combinations% experiments% figures% report% cli% export% gates% sklearn% automata% datasets% energy% layers% readme% docs% inspection% core_% neon%
NATIVE_TESTS := $(filter-out $(addprefix tests/test_,$(NOT_NATIVE)),$(wildcard tests/test_*.py))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help test skipped lint format reproduce docs sanitize fuzz wheel bench clean

help: ## List these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Every core has a process, so the threads of the learners beside ours would only wait for each other.
ON_ALL_CORES := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal
test: .venv/.dev ## Check style, spelling and types, then run every test
	@$(MAKE) --no-print-directory -j2 lint .venv/.imported
	$(ON_ALL_CORES) $(PYTEST)

skipped: .venv/.dev ## Run what the last `make test` skipped: its tools may be there by now, ADTM_SLOW=1 adds the slow
	$(ON_ALL_CORES) --skipped $(PYTEST)

lint: .venv/.dev ## Check style, spelling and types only
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/codespell
	$(BIN)/clang-format --dry-run -Werror $(CORE)
	$(BIN)/mypy

format: .venv/.dev ## Rewrite the Python files in the project's style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(CORE)

reproduce: .venv/.paper ## Run the paper's experiments; tables, figures and the report go to results/
	$(BIN)/adtm reproduce

docs: .venv/.docs ## Build the documentation site into build/site
	$(BIN)/python -m sphinx -b html -W --keep-going -q docs build/site
	@echo "build/site/index.html; its search wants a server: python3 -m http.server -d build/site"

bench: .venv/.bench ## Measure against other libraries; writes docs/benchmarks.md
	$(BIN)/python -m benchmarks

# The sanitizers' runtimes must be the first libraries of the process, and libstdc++ must be there when they look for
# it, or the first C++ exception ends the run. Python itself leaks on exit, so leaks are not looked for. pytest's own
# capture of file descriptors would swallow the report.
runtime = $(shell readlink -f "$$($(CXX) -print-file-name=$(1))")
sanitize: .venv-sanitize/.test ## Run the native tests under AddressSanitizer and UBSan (GCC)
	LD_PRELOAD="$(call runtime,libasan.so) $(call runtime,libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	$(SANITIZE_BIN)/python -m pytest --capture=sys $(NATIVE_TESTS) $(PYTEST)

fuzz: .venv/.dev ## Throw random data at the machine, its files and its threads for some minutes
	$(BIN)/python -m tests.fuzz $(FUZZ)

# A wheel is right when a machine without a compiler can install it and its tests pass where no source is near. The
# same is done for every platform by .github/workflows/wheels.yml, with the settings in pyproject.toml.
WHEEL_BIN := $(CURDIR)/.venv-wheel/bin
CLEAN_BIN := $(CURDIR)/.venv-clean/bin
wheel: .venv-wheel/.wheel ## Build a wheel (Linux), audit it, test it in a clean environment without a compiler
	rm -rf build/wheel dist .venv-clean
	$(WHEEL_BIN)/python -m pip wheel --quiet --no-deps --wheel-dir build/wheel -Cbuild-dir=build/wheel-objects .
	$(WHEEL_BIN)/auditwheel show build/wheel/*.whl
	PATH="$(WHEEL_BIN):$$PATH" auditwheel repair --wheel-dir dist build/wheel/*.whl
	$(MAKE) .venv-clean/.created
	PATH="$(CLEAN_BIN)"; if command -v cc c++ gcc g++ clang; then exit 1; fi; \
		$(call install,.venv-clean) --only-binary :all: dist/*.whl --group test
	away=$$(mktemp -d) && cp -R tests pyproject.toml "$$away" && cd "$$away" && \
		PATH="$(CLEAN_BIN)" python -m pytest tests -p no:cacheprovider $(PYTEST) && rm -rf "$$away"

clean: ## Remove builds, environments and caches; results stay
	rm -rf .venv .venv-sanitize .venv-wheel .venv-clean build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# An environment is complete when its stamp is there. pip knows dependency groups from 25.1 on. uv takes a quarter of its
# time, but knows nothing of pip's settings: where they name an index, or uv reaches none, pip installs.
PIP := "pip>=25.1"
install = $(1)/bin/python -m $$(test -x $(1)/bin/uv && echo uv) pip install --quiet $(PIP)
%/.created:
	$(PYTHON) -m venv $*
	@$*/bin/python -m pip config list | grep -q '[.]index-url=' || { \
		$*/bin/python -m pip install --quiet --only-binary :all: uv && \
		{ $*/bin/python -m uv pip install --quiet --dry-run nanobind 2>/dev/null || \
		$*/bin/python -m pip uninstall --quiet --yes uv; } || true; }
	@test -x $*/bin/uv || $*/bin/python -m pip install --quiet --upgrade $(PIP)
	@touch $@

.venv/.paper: $(BUILD) | .venv/.created
	$(call install,.venv) $(NATIVE) --editable ".[paper]"
	@touch $@

.venv/.dev: $(BUILD) | .venv/.created
	$(call install,.venv) $(NATIVE) --editable ".[paper,dask,hw]" --group dev
	@touch .venv/.paper $@

# Every process of the tests imports nearly all of their packages. The first time they are compiled, here by one process
# beside the checks instead of by all processes at once. What is wrong with a test is told when it runs.
.venv/.imported: .venv/.dev
	@$(BIN)/python -m pytest --collect-only -qq >/dev/null 2>&1 || true
	@touch $@

.venv/.docs: .venv/.dev
	$(call install,.venv) --group docs
	@touch $@

.venv/.bench: .venv/.dev
	$(call install,.venv) -Cbuild-dir=build/bench --no-deps --editable .
	@touch $@

.venv-wheel/.wheel: pyproject.toml | .venv-wheel/.created
	$(call install,.venv-wheel) --group wheel
	@touch $@

.venv-sanitize/.test: $(BUILD) | .venv-sanitize/.created
	$(call install,.venv-sanitize) --editable . --group test -Ccmake.define.ADTM_NATIVE=ON \
		-Cbuild-dir=build/sanitize -Ccmake.define.ADTM_SANITIZE=ON -Cinstall.strip=false
	@touch $@
