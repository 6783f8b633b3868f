# The project's commands, one word each; `make` alone lists them. Every one makes the virtual environment that it needs.
# PYTHON=python3.13 chooses the interpreter, PYTEST="-k parity" adds arguments to pytest.

PYTHON ?= python3
PYTEST ?=
BIN := .venv/bin
SANITIZE_BIN := .venv-sanitize/bin

# What a rebuild of the native core depends on. Python files do not: the installs are editable.
BUILD := CMakeLists.txt pyproject.toml $(wildcard core/*)

# For the sanitizers: every test file but those that add nothing about the core, or only minutes (scikit-learn's checks).
NOT_NATIVE := experiments% figures% report% cli% sklearn% automata% datasets% energy% layers% readme% core_hygiene% neon%
NATIVE_TESTS := $(filter-out $(addprefix tests/test_,$(NOT_NATIVE)),$(wildcard tests/test_*.py))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help test lint format reproduce sanitize bench clean

help: ## List these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

test: lint ## Check style and types, then run every test
	$(BIN)/python -m pytest $(PYTEST)

lint: .venv/.dev ## Check style and types only
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: .venv/.dev ## Rewrite the Python files in the project's style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

reproduce: .venv/.paper ## Run the paper's experiments; tables, figures and the report go to results/
	$(BIN)/adtm reproduce

bench: .venv/.dev ## Measure against other libraries; writes docs/benchmarks.md
	$(BIN)/python -m benchmarks

# The sanitizers' runtimes must be the first libraries of the process, and libstdc++ must be there when they look for
# it, or the first C++ exception ends the run. Python itself leaks on exit, so leaks are not looked for. pytest's own
# capture of file descriptors would swallow the report.
runtime = $(shell readlink -f "$$($(CXX) -print-file-name=$(1))")
sanitize: .venv-sanitize/.test ## Run the native tests under AddressSanitizer and UBSan (GCC)
	LD_PRELOAD="$(call runtime,libasan.so) $(call runtime,libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	$(SANITIZE_BIN)/python -m pytest --capture=sys $(NATIVE_TESTS) $(PYTEST)

clean: ## Remove builds, environments and caches; results stay
	rm -rf .venv .venv-sanitize build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# An environment is complete when its stamp is there. pip knows dependency groups from 25.1 on.
%/.created:
	$(PYTHON) -m venv $*
	$*/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	@touch $@

.venv/.paper: $(BUILD) | .venv/.created
	$(BIN)/python -m pip install --quiet --editable ".[paper]"
	@touch $@

.venv/.dev: $(BUILD) | .venv/.created
	$(BIN)/python -m pip install --quiet --editable ".[paper,dask]" --group dev
	@touch .venv/.paper $@

.venv-sanitize/.test: $(BUILD) | .venv-sanitize/.created
	$(SANITIZE_BIN)/python -m pip install --quiet --editable . --group test \
		-Cbuild-dir=build/sanitize -Ccmake.define.ADTM_SANITIZE=ON -Cinstall.strip=false
	@touch $@
