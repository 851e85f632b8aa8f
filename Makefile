# Every target installs its own requirements: Python packages in .venv, missing Debian packages by apt-get as root.
PYTHON ?= python3
BIN := .venv/bin
PRESORT_WORKSPACE ?= workspace
export PRESORT_WORKSPACE
PORT ?= 8501
CONTAINERS ?= podman
CHROMIUM := /usr/bin/chromium-headless-shell
# Three processes for two processors, because browser tests sometimes wait.
AT_ONCE := --numprocesses 3 --dist worksteal
# Tests, servers and browsers write their files to memory if it is large enough. On disk, databases take twice as long.
SHM_FREE := $(shell df --output=avail --block-size=1G /dev/shm 2>/dev/null | tail -n 1)
IN_MEMORY := $(shell test "$(SHM_FREE)" -ge 4 2>/dev/null && test -w /dev/shm && echo TMPDIR=/dev/shm)
# uv takes a third of pip's time, but ignores pip's configuration, for example of the package index. If uv fails, pip is
# used. Neither compiles bytecode, because only a few modules are ever imported, and Python compiles them on import.
WITH_PIP := $(BIN)/pip install --quiet --no-compile --constraint constraints.txt
install = $(BIN)/uv pip install --quiet --constraint constraints.txt --editable $(1) || $(WITH_PIP) --editable $(1)
SCRIPTS := desk/components/browser/*.js
# Deno checks the scripts. It caches results here and does not look for updates.
export DENO_DIR := $(CURDIR)/.venv/deno
export DENO_NO_UPDATE_CHECK := 1
export OPENBLAS_NUM_THREADS ?= 1
export OMP_NUM_THREADS ?= 1
# Store bytecode even if the environment disables it. Otherwise each test process would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test check lint dist image docs programs clean

# The demo is created under another name and then moved, so that an interruption leaves no incomplete demo. The desk
# prints its address.
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

# Quick check while working: everything except browsers, servers, other processes and whole pages.
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

# The wheel is built from the sdist, to detect files that the sdist lacks.
dist: .venv/test
	rm -rf dist build
	$(BIN)/python -c 'from setuptools import build_meta; build_meta.build_sdist("dist")' >/dev/null
	$(BIN)/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist dist/*.tar.gz
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl

# Builds the container image presort. Podman drops the health check unless the image has Docker's format.
image:
	version=$$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml) && \
	BUILDAH_FORMAT=docker $(CONTAINERS) build --build-arg VERSION="$$version" \
	--build-arg REVISION="$$(git rev-parse HEAD 2>/dev/null)" --tag presort --tag "presort:$$version" $(IMAGE_OPTIONS) .

# Builds the guides as a site in the folder site. A warning is an error.
docs: .venv/docs .links
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

# Links for tools that read source files, so that they find the packages under their installed name.
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

# Playwright's driver needs libatomic, which a minimal Debian lacks.
programs:
	{ test -x $(CHROMIUM) && /sbin/ldconfig -p | grep -q libatomic.so.1 && test -d /usr/lib/postgresql; } || { apt-get update && \
	DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends chromium-headless-shell libatomic1 fonts-dejavu-core postgresql; }

clean:
	rm -rf .venv .links dist build
