# Celosía: the commands of the house. `make demo` and `make test` need Python >= 3.11 and make, nothing else.
PYTHON ?=
VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)

# One stamp a set of packages; a stamp is older than the pins it was made from when these change.
define install
	@sh scripts/environment.sh $(VENV) $(PYTHON)
	@$(if $(UV),VIRTUAL_ENV=$(VENV) $(UV) pip install --quiet,$(BIN)/python -m pip install --quiet --disable-pip-version-check) $(1)
	@touch $@
endef

.PHONY: demo test test-long test-checked bench docs lint peers lock catalogues clean

$(VENV)/run.stamp: requirements/run.txt pyproject.toml
	$(call install,-r requirements/run.txt -e .)

$(VENV)/test.stamp: requirements/test.txt $(VENV)/run.stamp
	$(call install,-r requirements/test.txt)

$(VENV)/lint.stamp: requirements/lint.txt $(VENV)/test.stamp
	$(call install,-r requirements/lint.txt)

$(VENV)/docs.stamp: requirements/docs.txt $(VENV)/run.stamp
	$(call install,-r requirements/docs.txt)

demo: $(VENV)/run.stamp  ## a synthetic survey, measured, protected, judged and written; opens nothing, prints a path
	$(BIN)/celosia demo --folder demo

test: $(VENV)/test.stamp  ## the tests, with a coverage figure
	$(BIN)/python -m pytest -n auto --dist loadfile -m "not long" --cov --cov-report=term:skip-covered

test-long: $(VENV)/test.stamp  ## thousands of property cases and the statistical runs
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest -n auto -m "long or not long"

test-checked: $(VENV)/test.stamp  ## the kernels once more, with bounds checking
	NUMBA_BOUNDSCHECK=1 CELOSIA_CACHE=.venv/checked $(BIN)/python -m pytest -n auto -m "not long" tests/kernels tests/risk tests/methods

bench: $(VENV)/test.stamp  ## ratios measured in one run
	$(BIN)/python bench/frequencies.py
	$(BIN)/python bench/risk.py
	$(BIN)/python bench/risk_memory.py
	$(BIN)/python bench/suppression.py
	$(BIN)/python bench/noise.py
	$(BIN)/python bench/topdown.py
	$(BIN)/python bench/demography.py
	$(BIN)/python bench/generalization.py

docs: $(VENV)/docs.stamp
	$(BIN)/mkdocs build --strict

lint: $(VENV)/lint.stamp $(VENV)/docs.stamp  ## style, types, catalogues, docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python scripts/catalogues.py --check
	$(BIN)/mkdocs build --strict --quiet

catalogues: $(VENV)/run.stamp  ## compile the texts after editing them
	$(BIN)/python scripts/catalogues.py

peers: requirements/peers.txt  ## pycanon and anjana pin old libraries: an environment of their own
	@sh scripts/environment.sh .venv-peers $(PYTHON)
	$(if $(UV),VIRTUAL_ENV=.venv-peers $(UV) pip install --quiet,.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check) -r requirements/peers.txt

lock:  ## pin the newest versions that the ranges allow; needs uv
	$(UV) pip compile --quiet --no-header --no-emit-index-url --no-emit-find-links --no-annotate --python-version 3.11 --universal pyproject.toml --extra reports -o requirements/run.txt
	for set in test lint docs; do $(UV) pip compile --quiet --no-header --no-emit-index-url --no-emit-find-links --no-annotate --python-version 3.11 --universal --group $$set -c requirements/run.txt -o requirements/$$set.txt; done
	printf 'pycanon\nanjana\npyarrow\n' | $(UV) pip compile --quiet --no-header --no-emit-index-url --no-emit-find-links --no-annotate --python-version 3.11 - -o requirements/peers.txt

clean:
	rm -rf $(VENV) .venv-peers demo site .pytest_cache .mypy_cache .ruff_cache
