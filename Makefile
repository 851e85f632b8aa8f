# Everything here sets up what it needs itself, in .venv and, where Debian's packages are missing, by apt-get as root.
PYTHON ?= python3
BIN := .venv/bin
WORKSPACE ?= workspace
PORT ?= 8501
CHROMIUM := /usr/bin/chromium

.PHONY: run test browser clean

run: .venv/run $(WORKSPACE)/presort.db
	$(BIN)/presort --workspace $(WORKSPACE) app --port $(PORT)

# Made beside its place, so that a stop half way leaves no half demo.
$(WORKSPACE)/presort.db: | .venv/run
	rm -rf $(WORKSPACE).new
	$(BIN)/presort --workspace $(WORKSPACE).new demo
	mkdir -p $(WORKSPACE)
	mv $(WORKSPACE).new/presort.db $@
	rm -rf $(WORKSPACE).new

test: .venv/test browser
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest

.venv/run: .venv/made
	$(BIN)/pip install --quiet --constraint constraints.txt --editable .
	touch $@

.venv/test: .venv/made
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@ .venv/run

.venv/made: pyproject.toml constraints.txt
	$(PYTHON) -c 'import ensurepip' 2>/dev/null || { apt-get update && apt-get install --yes python3-venv; }
	$(PYTHON) -m venv .venv
	touch $@

# libatomic is what the driver of Playwright asks for and a bare Debian lacks.
browser:
	{ test -x $(CHROMIUM) && /sbin/ldconfig -p | grep -q libatomic.so.1; } || { apt-get update && \
	DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends chromium libatomic1 fonts-dejavu-core; }

clean:
	rm -rf .venv
