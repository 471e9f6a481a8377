# Two commands to begin with: `make demo` and `make test`. Both set up .venv by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# without byte code that is kept, every process that a test starts compiles the whole package anew
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-whole check lint audit page pictures site bench-auditing bench-confirm bench-corpus bench-debug bench-fleet bench-grpo-faults bench-hold bench-hold-kills bench-live bench-museum bench-preflight bench-probe-faults bench-probe-ladder bench-probe-speed bench-public-runs bench-ranks bench-reading bench-reading-updates bench-report bench-same-fault bench-same-log bench-same-samples bench-sampling bench-scripts bench-startup bench-verifiers bench-watch-faults bench-watching bench-wheels clean fuzz index

help:  ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-19s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# the script and the look of the page; what npm makes of web/ is not in the repository
PAGE := src/weaklink/show/renderers/built/page.js
NPM := $(shell command -v npm)

$(PAGE): web/package-lock.json web/build.mjs $(wildcard web/src/*)
	@command -v npm >/dev/null || { echo "The page is built by npm, which was not found: install Node.js 18 or later." >&2; exit 1; }
	npm ci --prefix web --ignore-scripts --no-audit --no-fund --silent
	npm run build --prefix web --silent

page: $(PAGE)  ## build the script and the look of the page, by npm

pictures: $(READY) $(PAGE)  ## draw the references of the page's pictures anew, by chromium
	@sh tests/browser/install.sh
	$(BIN)/python -m tests.browser.pictures

$(READY): pyproject.toml constraints.txt | $(if $(NPM),$(PAGE))
	@test -n "$(NPM)" || test -f $(PAGE) || echo "Without npm the page is not built: install Node.js, then \`make page\`." >&2
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

# libraries of environments that many scripts still have, each where a test finds it and nothing else does
OLDER := build/older/.ready
LIBRARIES := gymnasium==0.29.1 gym==0.26.2 gym==0.25.2
$(OLDER): | $(READY)
	for each in $(LIBRARIES); do $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps \
		--target build/older/$$each/site-packages $$each || exit 1; done
	@touch $@

# neighbouring tests stay in one process, and share their fixtures, until another has none left; four of them keep
# two cores busy, since many tests wait for a process or a clock
SIDE_BY_SIDE := -n 4 --dist worksteal
# rooms whose tests need no framework, no training and no process of their own, or few
QUICK := $(wildcard tests/test_*.py tests/docs/test_*.py tests/show/test_*.py) \
	$(addprefix tests/,diagnosis evidence outside rules stats show/pages)

demo: $(READY)  ## debug a broken project that comes with weaklink, and say where its page is
	$(BIN)/weaklink debug --fail-on never

test: $(READY) $(OLDER)  ## the tests, with linting and types among them; all but the long demonstrations
	@sh tests/browser/install.sh
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m "not whole"

test-whole: $(READY) $(OLDER)  ## the long demonstrations that `make test` leaves out: whole projects, frameworks, the site
	@sh tests/browser/install.sh
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m whole

check: $(READY)  ## style, types and the tests that take no time: a minute between two edits
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m "not slow and not whole" $(QUICK) --deselect tests/test_style.py

# numpy's stubs import typing.Self, which is Any for the oldest Python: what is returned or ignored differs there
OLDEST := --python-version 3.10 --no-warn-return-any --no-warn-unused-ignores

index: $(READY)  ## write down what all rules declare, after a decorator was changed
	$(BIN)/python -m tests.rules.index

lint: index  ## mend the index and the style, then check style and types
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/mypy
	$(BIN)/mypy $(OLDEST)

site: $(READY)  ## build the documentation as a site, build/site/index.html
	$(BIN)/python -m weaklink.show.topics build/pages
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "build/site/index.html; with its search: $(PYTHON) -m http.server -d build/site"

audit: $(READY)  ## look dependencies up for known vulnerabilities, and write bills of materials into build/
	$(BIN)/python bench/dependency_audit.py

bench-auditing: $(READY)  ## what auditing a million samples costs, in time and memory
	$(BIN)/python bench/auditing.py

bench-confirm: $(READY)  ## ten true findings confirmed, and refuted in the healthy twins of their projects
	$(BIN)/python bench/confirm_findings.py

bench-corpus: $(READY)  ## detection and false alarms on a corpus of labelled logs
	$(BIN)/python bench/corpus.py

bench-debug: $(READY)  ## the whole procedure on broken and healthy projects: the right link each time
	$(BIN)/python bench/debug_projects.py

bench-fleet: $(READY)  ## many runs: planted causes named, silence without one, and what judging them costs
	$(BIN)/python bench/fleet.py
	$(BIN)/python bench/fleet.py --speed
	$(BIN)/python bench/fleet.py --growth

bench-preflight: $(READY)  ## detection of planted faults and false alarms on healthy environments
	$(BIN)/python bench/preflight_faults.py

bench-grpo-faults: $(READY)  ## planted faults of a hand-written GRPO: found, named
	$(BIN)/python bench/grpo_faults.py

bench-live: $(READY)  ## from a finding on disk to the browser, with one and with twenty of them
	$(BIN)/python bench/live.py

bench-museum: $(READY)  ## real public bugs, rebuilt: found by `weaklink run`, the right link, the cause named
	$(BIN)/python bench/museum

bench-probe-faults: $(READY)  ## planted faults of trainers: found, named, and silence on the unplanted
	$(BIN)/python bench/probe_faults.py

bench-probe-ladder: $(READY)  ## how often right implementations are failed: twenty seeds of eleven algorithms, hours
	$(BIN)/python bench/probe_ladder.py

bench-probe-speed: $(READY)  ## what the ladder costs, beside probing-environments
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --target build/peer probing-environments six
	$(BIN)/python bench/probe_speed.py

bench-scripts: $(READY)  ## public training scripts on the ladder, unmodified: SCRIPTS=folder
	$(BIN)/python bench/script_ladder.py $(SCRIPTS)

bench-public-runs: $(READY) $(OLDER)  ## public training scripts under `weaklink run`, unmodified: SCRIPTS=folder
	$(BIN)/python bench/public_runs.py $(SCRIPTS)

bench-same-log: $(READY)  ## the same logs in other guises (names, units, rows, formats): the same link first, no new alarm
	$(BIN)/python bench/same_log.py

bench-sampling: $(READY)  ## what sampling an environment costs over the bare loop
	$(BIN)/python bench/sampling.py

bench-same-samples: $(READY)  ## the same samples told otherwise: the same first break, and silence on honest ones
	$(BIN)/python bench/same_samples.py

bench-ranks: $(READY)  ## ranks that disagree: planted and named, silence on healthy ones, and the cost
	$(BIN)/python bench/ranks.py
	$(BIN)/python bench/ranks_trl.py
	$(BIN)/python bench/ranks_cost.py

bench-reading: $(READY)  ## reading speed against tbparse and TensorBoard's own reader
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	$(BIN)/python bench/reading.py

bench-reading-updates: $(READY)  ## what is read off gradients beside what trainers computed
	$(BIN)/python bench/reading_updates.py

bench-report: $(READY)  ## what the report of 200 metrics over 100,000 rows costs, made and opened
	$(BIN)/python bench/report.py

bench-same-fault: $(READY)  ## whether preflight says the same of environments in disguise: units, order, range, type, layout
	$(BIN)/python bench/same_fault.py bench/sealed/environments6 bench/sealed/environments7

bench-verifiers: $(READY)  ## planted holes of reward functions found, sound ones left alone
	$(BIN)/python bench/verifier_holes.py

bench-watching: $(READY)  ## what watching a training costs, with and without
	$(BIN)/python bench/watching.py

bench-wheels: $(READY)  ## the wheel on every other Python that is there, used as the README says
	$(BIN)/python bench/wheels.py

bench-hold: $(READY)  ## whether weaklink holds: a busy machine, code that misbehaves, commands that are ended
	$(BIN)/python bench/hold_hostile.py
	$(BIN)/python bench/hold_monitor.py

bench-hold-kills: $(READY)  ## whether kill -9 costs a watched training more than the last two seconds of its recording
	$(BIN)/python bench/hold_kills.py

bench-watch-faults: $(READY)  ## planted faults inside the loop: found, named, and silence on the unplanted
	$(BIN)/python bench/watch_faults.py

bench-startup: $(READY)  ## what starting and a small diagnosis cost
	$(BIN)/python bench/startup.py

INPUTS ?= 1000000
SECONDS ?= 3600

fuzz: $(READY)  ## spoilt files for every reader; INPUTS=100000 SECONDS=600; goes on where the last call ended
	$(BIN)/python -m tests.fuzz --inputs $(INPUTS) --seconds $(SECONDS)

clean:  ## take away all that make and the tools made
	rm -rf $(VENV) build dist web/node_modules src/weaklink/show/renderers/built .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
