# The thin front of the Meson build. `make help` lists the targets.
BUILD ?= build
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
MESON_FLAGS ?=

.PHONY: all help deps guests setup configure demo test test-quick bench fuzz arch install clean format

all: configure
	@ninja -C $(BUILD) -j $(JOBS)

help:
	@echo "make            build/nacre, build/libnacre.a, build/libnacre.so"
	@echo "make guests     jq and its kind, in cages (make does it too, where it can), and Python, which takes ten minutes once"
	@echo "make demo       install what is missing, build, run an investigation over this machine"
	@echo "make test       everything CI runs, with sanitizers"
	@echo "make bench      ours beside bash and GNU, in one run"
	@echo "make fuzz       each fuzz target for FUZZ_SECONDS (60)"
	@echo "make arch       the tree checks itself: includes, objects, lists"
	@echo "make install    to PREFIX ($(PREFIX))"

deps:
	@sh tools/deps.sh build

# Without them nacre builds all the same, and python3 or jq say that they were left out.
guests: deps
	@sh tools/deps.sh guests
	@python3 guests/build.py

setup: deps
	@python3 tools/sources.py --stamp build-sources.stamp
	@[ -f $(BUILD)/build.ninja ] || meson setup $(BUILD) --prefix $(PREFIX) $(MESON_FLAGS) >/dev/null

configure: deps
	@sh tools/deps.sh guests && python3 guests/build.py --quick || echo "make: going on without the guests that could not be built" >&2
	@$(MAKE) --no-print-directory setup

demo:
	@$(MAKE) --no-print-directory guests || echo "make: going on without the guests that could not be built" >&2
	@$(MAKE) --no-print-directory all
	@sh examples/demo.sh $(BUILD)/nacre

test:
	@sh tools/deps.sh test
	@sh tools/deps.sh guests
	@python3 tools/test.py

bench:
	@sh tools/deps.sh bench
	@$(MAKE) --no-print-directory all
	@python3 tests/bench/bench.py $(BUILD)

FUZZ_SECONDS ?= 60
fuzz:
	@sh tools/deps.sh test
	@python3 tools/fuzz.py $(FUZZ_SECONDS)

# Only what is looked at: the layers and the two libraries, not optimised, which takes a third of the time; no
# guest, program or test. `make test` looks at the optimised build as well.
arch: deps
	@$(MAKE) --no-print-directory setup BUILD=build-arch MESON_FLAGS="-Doptimization=0 -Dc_args=-g0"
	@ninja -C build-arch -j $(JOBS) libnacre.so.0.1.0 libnacre.a
	@python3 tests/arch/run.py build-arch

install: all
	@meson install -C $(BUILD) --no-rebuild

clean:
	rm -rf build build-*
