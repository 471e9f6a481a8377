# Two commands to begin with: `make demo` and `make test`. Both set up .venv by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help demo test lint docs bench-auditing bench-corpus bench-grpo-faults bench-preflight bench-probe-faults bench-probe-ladder bench-probe-speed bench-reading bench-sampling bench-startup bench-verifiers bench-watch-faults bench-watching clean

help:  ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-19s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: $(READY)  ## look at a broken trainer, a broken environment and a broken run that come with the sources
	$(BIN)/weaklink probe examples/broken_ppo.py:train --fail-on never
	$(BIN)/weaklink preflight examples/broken_env.py:make --fail-on never
	$(BIN)/weaklink diagnose examples/broken_run --fail-on never

test: $(READY)  ## every test, with linting and types among them
	$(BIN)/python -m pytest -n 2

lint: $(READY)  ## mend the style, then check style and types
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/mypy

docs: $(READY)  ## write the pages of the rules anew
	$(BIN)/python -m weaklink.views.pages docs/rules

bench-auditing: $(READY)  ## what auditing a million samples costs, in time and memory
	$(BIN)/python bench/auditing.py

bench-corpus: $(READY)  ## detection and false alarms on a corpus of labelled logs
	$(BIN)/python bench/corpus.py

bench-preflight: $(READY)  ## detection of planted faults and false alarms on healthy environments
	$(BIN)/python bench/preflight_faults.py

bench-grpo-faults: $(READY)  ## planted faults of a hand-written GRPO: found, named
	$(BIN)/python bench/grpo_faults.py

bench-probe-faults: $(READY)  ## planted faults of trainers: found, named, and silence on the unplanted
	$(BIN)/python bench/probe_faults.py

bench-probe-ladder: $(READY)  ## how often right implementations are failed: twenty seeds of eleven algorithms, hours
	$(BIN)/python bench/probe_ladder.py

bench-probe-speed: $(READY)  ## what the ladder costs, beside probing-environments
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --target build/peer probing-environments six
	$(BIN)/python bench/probe_speed.py

bench-sampling: $(READY)  ## what sampling an environment costs over the bare loop
	$(BIN)/python bench/sampling.py

bench-reading: $(READY)  ## reading speed against tbparse and TensorBoard's own reader
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	$(BIN)/python bench/reading.py

bench-verifiers: $(READY)  ## planted holes of reward functions found, sound ones left alone
	$(BIN)/python bench/verifier_holes.py

bench-watching: $(READY)  ## what watching a training costs, with and without
	$(BIN)/python bench/watching.py

bench-watch-faults: $(READY)  ## planted faults inside the loop: found, named, and silence on the unplanted
	$(BIN)/python bench/watch_faults.py

bench-startup: $(READY)  ## what starting and a small diagnosis cost
	$(BIN)/python bench/startup.py

clean:  ## take away all that make and the tools made
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
