# Everything here sets up what it needs itself, in .venv and, where Debian's packages are missing, by apt-get as root.
PYTHON ?= python3
BIN := .venv/bin
PRESORT_WORKSPACE ?= workspace
export PRESORT_WORKSPACE
PORT ?= 8501
CHROMIUM := /usr/bin/chromium-headless-shell
# Two processors are busy with three: a test in a browser waits now and then.
AT_ONCE := --numprocesses 3 --dist worksteal
# Tests, their servers and browsers keep their files in memory where there is room: half of what a database does is for
# the disk.
SHM_FREE := $(shell df --output=avail --block-size=1G /dev/shm 2>/dev/null | tail -n 1)
IN_MEMORY := $(shell test "$(SHM_FREE)" -ge 4 2>/dev/null && test -w /dev/shm && echo TMPDIR=/dev/shm)
# uv installs in a third of pip's time, but knows nothing of how pip was told where packages are: then pip does it.
# Neither compiles: Python does, what it imports, which is little of all this.
WITH_PIP := $(BIN)/pip install --quiet --no-compile --constraint constraints.txt
install = $(BIN)/uv pip install --quiet --constraint constraints.txt --editable $(1) || $(WITH_PIP) --editable $(1)
SCRIPTS := desk/components/browser/*.js
# Checks scripts; keeps what it has checked here, and looks for no newer version of itself on the net.
export DENO_DIR := $(CURDIR)/.venv/deno
export DENO_NO_UPDATE_CHECK := 1
export OPENBLAS_NUM_THREADS ?= 1
# What Python compiled is kept, also where an image forbids it: tests start many processes, and each would compile anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test check lint dist docs programs clean

# The demo is made beside its place, so that a stop half way leaves no half demo; where it is then, the desk says.
run: .venv/run
	test -e "$$PRESORT_WORKSPACE/presort.db" || { \
	rm -rf "$$PRESORT_WORKSPACE.new" && \
	$(BIN)/presort --workspace "$$PRESORT_WORKSPACE.new" demo >/dev/null && \
	mkdir -p "$$PRESORT_WORKSPACE" && \
	mv "$$PRESORT_WORKSPACE.new/presort.db" "$$PRESORT_WORKSPACE/" && \
	rm -rf "$$PRESORT_WORKSPACE.new"; }
	$(BIN)/presort app --port $(PORT)

test: lint programs
	$(IN_MEMORY) $(BIN)/pytest $(AT_ONCE)

# What a developer waits for: all but browsers, servers, other processes and whole pages.
check: lint
	$(IN_MEMORY) $(BIN)/pytest $(AT_ONCE) --ignore tests/browser -m "not whole"

lint: .venv/test .links
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy --num-workers 2
	PYTHONPATH=.links $(BIN)/lint-imports
	$(BIN)/deno fmt --quiet --check $(SCRIPTS)
	$(BIN)/deno lint --quiet $(SCRIPTS)
	$(BIN)/deno check --quiet $(SCRIPTS)

# The wheel is made of the sdist, so that a file which the sdist lacks is missed here.
dist: .venv/test
	rm -rf dist build
	$(BIN)/python -c 'from setuptools import build_meta; build_meta.build_sdist("dist")' >/dev/null
	$(BIN)/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist dist/*.tar.gz
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl

# The guides as a site, in site; a warning is an error.
docs: .venv/docs .links
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

# Tools that read files, not what is installed, find the packages under their installed name here.
.links:
	mkdir -p $@/presort
	ln -s ../../app.py ../../data ../../desk ../../metrics ../../ranker $@/presort/

.venv/run: .venv/made
	$(call install,'.[desk]')
	touch $@

.venv/test: .venv/made
	$(call install,'.[dev]')
	touch $@ .venv/run

.venv/docs: .venv/made
	$(call install,'.[docs]')
	touch $@

.venv/made: pyproject.toml constraints.txt
	$(PYTHON) -c 'import ensurepip' 2>/dev/null || { apt-get update && apt-get install --yes python3-venv; }
	$(PYTHON) -m venv .venv
	$(WITH_PIP) uv
	touch $@

# libatomic is what the driver of Playwright asks for and a bare Debian lacks.
programs:
	{ test -x $(CHROMIUM) && /sbin/ldconfig -p | grep -q libatomic.so.1 && test -d /usr/lib/postgresql; } || { apt-get update && \
	DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends chromium-headless-shell libatomic1 fonts-dejavu-core postgresql; }

clean:
	rm -rf .venv .links dist build
