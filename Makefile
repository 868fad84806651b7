# `make demo` and `make test` need Python 3.11 or newer and nothing else; `make help` lists the rest.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
JOBS ?= 2
PORT ?= 8000
PYTHONS ?= python3.11 python3.12 python3.13 python3.14

.DEFAULT_GOAL := help
.PHONY: help demo test tests test-all check kernels bench docs serve clean browser java nginx postgres strace tex

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 18

$(BIN)/activate:
	@$(PYTHON) -c 'import sys; sys.exit("Kaiwa needs Python 3.11 or newer; this is %d.%d (set PYTHON=python3.11)" % sys.version_info[:2]) if sys.version_info < (3, 11) else 0'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.pip: | $(BIN)/activate # from 25.1 on pip knows dependency groups
	$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/.serve: pyproject.toml constraints.txt | $(BIN)/activate # the demo without figures: a vote within two minutes
	$(PIP) install --no-compile -c constraints.txt -e '.[search,web]' chitchat-dataset
	@touch $@

$(VENV)/.core: pyproject.toml constraints.txt | $(BIN)/activate
	$(PIP) install -c constraints.txt -e '.[demo,web]'
	@touch $@ $(VENV)/.serve

$(VENV)/.dev: pyproject.toml constraints.txt $(VENV)/.pip
	$(PIP) install --no-compile -c constraints.txt -e '.[demo,encode,ja,postgres,spark,web,zh]' --group dev
	@touch $@ $(VENV)/.core $(VENV)/.serve

$(VENV)/.bench: $(VENV)/.dev
	$(PIP) install -c constraints.txt --group bench
	@touch $@

demo: $(VENV)/.core ## a round on a real repository, ending in demo/report.html
	$(BIN)/kaiwa demo demo

check: $(VENV)/.dev ## lint, types and architecture
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: $(VENV)/.dev ## everything that must pass: check, then the tests
	@$(MAKE) --no-print-directory -j 2 check kernels
	@$(MAKE) --no-print-directory tests

kernels: $(VENV)/.dev # compiled once, while the other core checks; else every process of the tests would compile them
	@$(BIN)/python deploy/compile_kernels.py --models >/dev/null

tests: $(VENV)/.dev browser java nginx postgres strace tex ## the tests alone
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

test-all: ## the tests on every Python of 3.11 to 3.14 that is installed
	@for python in $(PYTHONS); do \
	  if $$python -c '' 2>/dev/null; then $(MAKE) tests PYTHON=$$python VENV=.venv-$$python || exit 1; \
	  else echo "$$python is not installed"; fi; \
	done

bench: $(VENV)/.bench ## speed against the peers, as interleaved CPU-time ratios
	$(BIN)/python -m benchmarks

browser: # the browser that the page tests drive; installed when absent and allowed
	@command -v chromium >/dev/null || (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-noto-cjk >/dev/null)

java: # the Java that Spark's processes in the tests need; installed when absent and allowed
	@command -v java >/dev/null || (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless >/dev/null)

nginx: # the proxy before the answering service in the tests; installed when absent and allowed, and not started
	@PATH="$$PATH:/usr/sbin" command -v nginx >/dev/null || (apt-get update -qq && DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends nginx-light >/dev/null)

postgres: # the PostgreSQL that the tests of the store start; installed when absent and allowed
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql >/dev/null)

strace: # shows the tests of the store the order of the server's calls; installed when absent and allowed
	@command -v strace >/dev/null || (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends strace >/dev/null)

TEX := texlive-latex-recommended latex-cjk-common latex-cjk-chinese-arphic-gbsn00lp latex-cjk-japanese-wadalab

tex: # the LaTeX that typesets tables in the tests; installed when absent and allowed
	@kpsewhich booktabs.sty CJKutf8.sty gbsnu4f.tfm >/dev/null 2>&1 || (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(TEX) >/dev/null)

docs: $(VENV)/.dev ## rebuild the generated pages of docs/, then the offline site in site/
	$(BIN)/python docs/build.py
	$(BIN)/python docs/build_site.py

demo-to-judge/pool.tsv: | $(VENV)/.serve
	$(BIN)/kaiwa demo demo-to-judge --judge

serve: $(VENV)/.serve demo-to-judge/pool.tsv ## judge a pool of the demo's corpus yourself; prints your private link
	$(BIN)/kaiwa serve demo-to-judge --invite me --port $(PORT)

clean: ## remove what make made; the votes in demo-to-judge stay
	rm -rf $(VENV) .venv-python* demo site .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
