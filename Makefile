# Lo-Bug. `make run` is all a newcomer needs; `make help` lists the rest.
# Works with GNU make 3.81 (macOS) and /bin/sh. Settings (LOBUG_HOST, LOBUG_PORT, LOBUG_DATA_DIR ...)
# come from the environment or .env; PYTHON names another Python, ARGS goes to pytest, bench or fuzz.

SHELL = /bin/sh
.DEFAULT_GOAL := help
.PHONY: help run check test test-ollama test-homeassistant lock-homeassistant test-ray lock-ray firmware fuzz bench lint lock vendor sbom models clean

BIN = .venv/bin
FUZZ_SECONDS ?= 300
UV_LOCK = $(BIN)/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 \
	--custom-compile-command "$(or $(LOCKED_BY),make lock)" $(if $(UPGRADE),--upgrade)
UV_COMPILE = $(UV_LOCK) --group build

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' Makefile

run: ## Set up what is missing and start the server (a second start is offline)
	@sh scripts/bootstrap.sh run
	@$(BIN)/lobug models pull
	@exec $(BIN)/lobug serve

check: ## The fast check, about two minutes: lint, types, layers, unit tests (no models needed)
	@sh scripts/bootstrap.sh dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q -n auto --dist loadfile -m "not models and not speech" tests/unit

test: ## Set up what is missing and run all tests (ARGS="-k memory")
	@sh scripts/test.sh $(ARGS)

test-ollama: ## Check a real Ollama (OLLAMA_HOST, or this computer's; it pulls 1 GB of models)
	@sh scripts/bootstrap.sh dev
	@$(BIN)/python -m pytest -n 0 tests/ollama $(ARGS)

test-homeassistant: ## Test the Home Assistant integration in an environment of its own (Python 3.14)
	@sh integrations/homeassistant/test.sh $(ARGS)

test-ray: ## Test hearing and voice on a real Ray, in an environment of its own
	@sh deploy/ray/test.sh $(ARGS)

firmware: ## Build the firmware's core for this computer and run its unit tests
	@cmake -S firmware -B build/firmware/host -Wno-dev
	@cmake --build build/firmware/host --parallel 2
	@ctest --test-dir build/firmware/host --output-on-failure --no-tests=error

fuzz: ## Fuzz the firmware's parsers, each for FUZZ_SECONDS (300); what it finds is printed in hex
	@sh scripts/bootstrap.sh dev
	@sh scripts/firmware-packages.sh
	@$(BIN)/python scripts/firmware_fuzz.py --seconds $(FUZZ_SECONDS) $(ARGS)

bench: ## Measure the stages of a turn, p50 and p95 (ARGS for the script)
	@sh scripts/bootstrap.sh dev
	@sh scripts/system-packages.sh || true
	@$(BIN)/lobug models pull
	@$(BIN)/python bench/bench.py $(ARGS)

lint: ## ruff, mypy --strict, the layers of the rooms, whether the generated pages are up to date
	@sh scripts/bootstrap.sh dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/lobug config --check-docs

lock: ## Write the locks from pyproject.toml (UPGRADE=1: to the newest versions)
	@sh scripts/bootstrap.sh dev
	$(UV_COMPILE) pyproject.toml -o requirements.txt >/dev/null
	$(UV_COMPILE) --extra postgres --constraint requirements.txt pyproject.toml -o requirements-postgres.txt >/dev/null
	$(UV_COMPILE) --group dev --constraint requirements.txt pyproject.toml -o requirements-dev.txt >/dev/null
	$(UV_LOCK) --no-config firmware/pio-requirements.in -o firmware/pio-requirements.txt >/dev/null

lock-homeassistant: ## Write the lock of the Home Assistant integration's tests
	@sh scripts/bootstrap.sh dev
	cd integrations/homeassistant && ../../$(BIN)/uv pip compile --quiet --generate-hashes \
		--python-version 3.14.2 --custom-compile-command "make lock-homeassistant" \
		$(if $(UPGRADE),--upgrade) requirements.in -o requirements.txt >/dev/null

lock-ray: LOCKED_BY = make lock-ray
lock-ray: ## Write the lock of Ray Serve, after make lock
	@sh scripts/bootstrap.sh dev
	$(UV_COMPILE) --constraint requirements-dev.txt \
		pyproject.toml deploy/ray/requirements.in -o deploy/ray/requirements.txt >/dev/null

vendor: ## Fetch the web app's libraries from npm anew, as vendor.json names them (ARGS=--check: only compare)
	@sh scripts/bootstrap.sh dev
	@$(BIN)/python scripts/vendor.py $(ARGS)

sbom: ## Write the bill of materials (CycloneDX) and all licences to build/sbom
	@sh scripts/bootstrap.sh dev
	@$(BIN)/python scripts/sbom.py

models: ## Fetch and verify the embedded models
	@sh scripts/bootstrap.sh run
	@$(BIN)/lobug models pull

clean: ## Remove .venv and caches; models and memories stay
	rm -rf .venv .venv-homeassistant .venv-ray .mypy_cache .ruff_cache .pytest_cache .hypothesis dist build
	find server tests scripts bench integrations deploy -name __pycache__ -type d -prune -exec rm -rf {} +
