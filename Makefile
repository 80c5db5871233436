# SPDX-License-Identifier: GPL-3.0-or-later
# One Makefile, not recursive. `make` builds build/validate; `make help` lists the rest. V=1 shows the commands,
# CI=1 makes warnings errors.

BUILD  ?= build
PREFIX ?= /usr/local
CC     ?= cc
V      ?= 0
Q      := $(if $(filter 1,$(V)),,@)
say     = $(if $(filter 1,$(V)),,@printf '  %-5s %s\n' $(1) $(2))

# debian/changelog, CHANGELOG.md and CITATION.cff name it too; tests/e2e/package.sh compares them
VERSION := 0.2.0

# Dependencies point one way: a room may use those to its left.
ROOMS := common capture microbench replay validate reports commands

# --- what must be installed -----------------------------------------------------------------------------------------
PKGS := gsl libzstd jansson inih libgcrypt libtracefs libtraceevent capstone blkid mount fuse3 liburing sqlite3
GOALS := $(or $(MAKECMDGOALS),all)
ifneq ($(filter-out help clean uninstall dist,$(GOALS)),)
NEEDED := $(PKGS) $(if $(filter check unit-check,$(GOALS)),cmocka)
MISSING := $(shell command -v pkg-config >/dev/null 2>&1 || echo pkg-config; \
	command -v $(firstword $(CC)) >/dev/null 2>&1 || echo $(firstword $(CC)); \
	for p in $(NEEDED); do pkg-config --exists $$p 2>/dev/null || echo $$p; done; \
	for h in csv.h libaio.h; do test ! "$$(command -v $(firstword $(CC)))" || echo "\#include <$$h>" | \
		$(CC) -E - >/dev/null 2>&1 || echo $$h; done)
ifneq ($(strip $(MISSING)),)
$(error cannot build without: $(strip $(MISSING)). `./setup $(firstword $(GOALS))` installs what is needed)
endif
endif

# --- flags ----------------------------------------------------------------------------------------------------------
CFLAGS ?= -O2 -g
WARN := -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wmissing-prototypes \
        -Wpointer-arith -Wvla -Wno-missing-field-initializers
WARN += $(if $(CI),-Werror)
ALL_CFLAGS = -std=c11 -pthread $(CFLAGS) $(WARN) $(SANITIZE)
ALL_CPPFLAGS := -D_GNU_SOURCE -I. -DVALIDATE_VERSION='"$(VERSION)"' $(filter-out -D_FILE_OFFSET_BITS=%,$(shell pkg-config --cflags $(PKGS) 2>/dev/null)) \
                $(CPPFLAGS)
# capture/app/code_scan.c loads capstone when it needs it
LDLIBS := $(filter-out -lcapstone,$(shell pkg-config --libs $(PKGS) 2>/dev/null)) -lcsv -laio -lm -pthread -ldl
# STATIC=1 links archives instead of shared libraries, where they are installed: a command starts in
# half the time. There is no archive of libmount. It needs the shared libblkid, so the program uses
# the shared libblkid too.
ifdef STATIC
archive = $(filter /%,$(shell $(CC) -print-file-name=lib$(1:-l%=%).a))
LDLIBS := $(foreach l,$(LDLIBS:-lgcrypt=-lgcrypt -lgpg-error),$(or $(if $(filter-out -lblkid -lmount -lm -ldl -pthread,$(l)),$(call archive,$(l))),$(l)))
endif

# the interposer is a separate shared library, because in a program it would interpose the calls of that program
sources  = $(filter-out capture/preload/% $(1)/parallel/mpi/%,$(sort $(wildcard $(1)/*.c $(1)/*/*.c $(1)/*/*/*.c)))
objects  = $(patsubst %.c,$(BUILD)/obj/%.o,$(call sources,$(1)))
libs_for = $(foreach r,$(1),$(BUILD)/lib$(r).a)
# the libraries a room's tests may use: its own and those to its left, nearest first
upto     = $(if $(filter $(1),$(firstword $(2))),$(1),$(call upto,$(1),$(wordlist 2,99,$(2))) $(firstword $(2)))
ALL_LIBS := $(call libs_for,$(call upto,commands,$(ROOMS)))

MAIN := $(BUILD)/validate
PRELOAD := $(BUILD)/libvalidate-capture.so
REPLAY := $(BUILD)/libvalidate-replay.a
# programs that run as ranks of MPI jobs, where OpenMPI is installed; all else is built without it
MPI := $(shell pkg-config --exists ompi-c 2>/dev/null && echo ompi-c)
MPI_REPLAY := $(BUILD)/validate-mpi-replay
MPI_WORKLOAD := $(BUILD)/validate-mpi-workload
MPI_PROGRAMS := $(if $(MPI),$(if $(wildcard replay/engines/parallel/mpi/*.c),$(MPI_REPLAY)) $(if $(wildcard microbench/parallel/mpi/*.c),$(MPI_WORKLOAD)))

.PHONY: all run paper-tables oracle check unit-check e2e-check check-asan check-tsan check-property fuzz bench breadth coverage dist \
	install uninstall clean help FORCE
# Objects of a chain of pattern rules stay. `.SECONDARY:` would keep all files, but then make does not
# build a missing prerequisite of a program that is up to date.
.PRECIOUS: $(BUILD)/obj/%.o
.DELETE_ON_ERROR:

all: $(MAIN) $(PRELOAD) $(PRELOAD_CAUSES) $(REPLAY) $(MPI_PROGRAMS)

help:
	@echo 'make                 builds $(BUILD)/validate'
	@echo 'make run             builds it and runs protocols/quick.conf in a fresh directory run-DATE-TIME'
	@echo 'make paper-tables    prints the tables of the metrology paper, published beside measured values;'
	@echo '                     RESULTS=DIRS of own campaigns, TABLES="II V f4"; doc/artefact.md'
	@echo 'make check           every test; unit-check and e2e-check: a part of them;'
	@echo '                     TESTS=NAME: tests of that name only; TEST_JOBS=N: N at a time (3 for 2 CPUs)'
	@echo 'make check-asan      every test under the address and undefined-behaviour sanitizers'
	@echo 'make check-tsan      every test under the thread sanitizer'
	@echo 'make check-property  order fs on SEEDS=1000 random programs; a minute for each 500'
	@echo 'make oracle          builds $(BUILD)/tests/oracle, which checks folders of expected values; `make check` runs it'
	@echo 'make fuzz            a short run of each fuzz target (clang); FUZZ_SECONDS=20, FUZZ_COUNTS=FILE adds up inputs'
	@echo 'make torture         hostile traces, kills, full disks (root); SECONDS=60, COUNTS=$(BUILD)/torture.counts; torture-asan, torture-tsan'
	@echo 'make inject          injected faults alone; SECONDS, COUNTS, INJECT=options of inject_walk; inject-asan, inject-tsan'
	@echo 'make bench           benchmarks, as ratios'
	@echo 'make breadth         real programs captured and replayed; PROGRAMS=NAME: those named so'
	@echo 'make coverage        lines that the tests reach, by folder'
	@echo 'make dist            $(BUILD)/validate-$(VERSION).tar.gz of the committed files; the same bytes for the same commit'
	@echo 'make install         to PREFIX=/usr/local, below DESTDIR if given; uninstall removes it'
	@echo 'make clean           removes what was built'
	@echo './setup TARGET       installs the packages that are missing (Debian), then makes TARGET'

# A file with a text (flags, a list of files) that changes only when the text changes, so that its dependants are made
# again. $(1) is the file, $(2) the text.
define remember
$(1): FORCE
	@mkdir -p $$(@D); printf '%s\n' '$(subst ','\'',$(2))' | cmp -s - $$@ || printf '%s\n' '$(subst ','\'',$(2))' > $$@
endef
$(eval $(call remember,$(BUILD)/flags,$(CC) $(ALL_CFLAGS) $(ALL_CPPFLAGS) $(LDFLAGS) $(LDLIBS)))

# --- program --------------------------------------------------------------------------------------------------------
$(MAIN): $(BUILD)/obj/commands/main.o $(ALL_LIBS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

define room_library
$(call remember,$(BUILD)/obj/$(1).list,$(call sources,$(1)))
$(BUILD)/lib$(1).a: $(filter-out $(BUILD)/obj/commands/main.o,$(call objects,$(1))) $(BUILD)/obj/$(1).list
	@rm -f $$@
	$(Q)$(AR) rcs $$@ $$(filter %.o,$$^)
endef
$(foreach r,$(ROOMS),$(eval $(call room_library,$(r))))

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_CPPFLAGS) -MMD -MP -c -o $@ $<

# the assembler includes these files (common/embed.h), so the compiler lists no dependency on them
$(BUILD)/obj/capture/formats/mappings.o: $(wildcard capture/formats/*.map)
$(BUILD)/obj/reports/html/html_appendix.o: reports/html/appendix.html
$(BUILD)/obj/reports/html/html_glossary.o: doc/glossary.md
$(BUILD)/obj/reports/figures/svg.o: reports/figures/symbols.svg
$(BUILD)/obj/reports/html/html_style.o: reports/html/style.css
$(BUILD)/obj/reports/certificate/certificate_html.o: reports/certificate/sheet.css
$(BUILD)/obj/validate/judge/judge_rerun.o: validate/judge/rerun.sh
$(BUILD)/obj/validate/pool/hosts.o: validate/pool/host.sh
$(BUILD)/obj/validate/selftest/frauds.o: validate/selftest/frauds.awk
$(BUILD)/obj/commands/cmd_init.o: commands/init.conf

# --- the library that capture preloads into programs: only names of the C library are visible. The programs of users get no
# runtime of a sanitizer; undefined behaviour is an illegal instruction there ----------------------------------------
PRELOAD_OBJECTS := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard capture/preload/*.c)))
PRELOAD_FLAGS = -std=c11 -pthread $(filter-out -O0,$(CFLAGS)) -O2 $(WARN) -fPIC -fno-builtin -fvisibility=hidden \
                -ftls-model=initial-exec -fexceptions -U_FORTIFY_SOURCE \
                $(if $(findstring undefined,$(SANITIZE)),-fsanitize=undefined -fsanitize-undefined-trap-on-error)
# calls inside the library use its own functions, also if the program has a function of the same name
PRELOAD_LINK = -shared -Wl,--version-script=capture/preload/exports.map -Wl,-z,now,-z,defs -Wl,-Bsymbolic-functions
$(PRELOAD_OBJECTS): $(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(PRELOAD_FLAGS) $(ALL_CPPFLAGS) -MMD -MP -c -o $@ $<
$(PRELOAD): $(PRELOAD_OBJECTS) capture/preload/exports.map
	$(call say,LINK,$@)
	$(Q)$(CC) $(PRELOAD_FLAGS) $(PRELOAD_LINK) -o $@ $(PRELOAD_OBJECTS) -ldl

# The same sources again, with code that distinguishes computing and waiting, which costs time: for parallel applications
PRELOAD_CAUSES := $(BUILD)/libvalidate-causality.so
PRELOAD_CAUSES_OBJECTS := $(patsubst %.c,$(BUILD)/obj/causes/%.o,$(sort $(wildcard capture/preload/*.c capture/preload/causes/*.c)))
$(PRELOAD_CAUSES_OBJECTS): $(BUILD)/obj/causes/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(PRELOAD_FLAGS) -DCAPTURE_CAUSES $(ALL_CPPFLAGS) -MMD -MP -c -o $@ $<
$(PRELOAD_CAUSES): $(PRELOAD_CAUSES_OBJECTS) capture/preload/exports.map
	$(call say,LINK,$@)
	$(Q)$(CC) $(PRELOAD_FLAGS) $(PRELOAD_LINK) -o $@ $(PRELOAD_CAUSES_OBJECTS) -ldl
$(MAIN): | $(PRELOAD) $(PRELOAD_CAUSES) $(REPLAY)

# --- the library of compiled programs: the loops, gates and calls of the replay, and their dependencies -------------------
# The assembler includes the headers of compiled programs into validate; program.h lists them.
HEADER_LIST := $(BUILD)/gen/program-headers.inc
$(HEADER_LIST): replay/engines/compiled/program.h $(wildcard common/*.h capture/*.h capture/*/*.h replay/*/*.h replay/engines/*/*.h)
	@mkdir -p $(@D)
	$(Q)echo '#include "$<"' | $(CC) $(ALL_CPPFLAGS) -MM -x c - | tr -s ' \\' '\n' | sed -n 's/.*\.h$$/HEADER("&")/p' > $@
$(BUILD)/obj/replay/engines/compiled/headers.o: $(HEADER_LIST) $(wildcard common/*.h capture/*.h capture/*/*.h replay/*/*.h replay/engines/*/*.h)
$(BUILD)/obj/replay/engines/compiled/headers.o: ALL_CPPFLAGS += -I$(BUILD)/gen
$(BUILD)/obj/replay/engines/compiled/build.o: ALL_CPPFLAGS += -DPROGRAM_FLAGS='"$(SANITIZE)"'
# A program links only the functions that it needs, and none that needs another library.
REPLAY_OBJECTS := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard common/*.c replay/issue/*.c) replay/target/rooted.c \
	replay/content/captured_take.c replay/plan/call_table.c \
	capture/content/content_read.c capture/op.c \
	capture/run_facts.c $(addprefix replay/engines/compiled/,image_open.c program_main.c)))
BY_FUNCTION := -ffunction-sections -fdata-sections
$(eval $(call remember,$(BUILD)/obj/by-function,$(BY_FUNCTION)))
$(REPLAY_OBJECTS): ALL_CFLAGS += $(BY_FUNCTION)
$(REPLAY_OBJECTS): $(BUILD)/obj/by-function
$(REPLAY): $(REPLAY_OBJECTS)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

# --- ranks of MPI jobs: each is linked with its own room and those below it ---------------------------------------------
MPI_CPPFLAGS := $(patsubst -I%,-isystem %,$(if $(MPI),$(shell pkg-config --cflags $(MPI))))
MPI_LDLIBS := $(if $(MPI),$(shell pkg-config --libs $(MPI)))
mpi_objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard $(1)/mpi/*.c)))
$(call mpi_objects,replay/engines/parallel) $(call mpi_objects,microbench/parallel): ALL_CPPFLAGS += $(MPI_CPPFLAGS)
$(MPI_REPLAY): $(call mpi_objects,replay/engines/parallel) $(call libs_for,$(call upto,replay,$(ROOMS)))
$(MPI_WORKLOAD): $(call mpi_objects,microbench/parallel) $(call libs_for,$(call upto,microbench,$(ROOMS)))
$(MPI_REPLAY) $(MPI_WORKLOAD):
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(MPI_LDLIBS) $(LDLIBS)
$(MAIN): | $(MPI_PROGRAMS)

run: $(MAIN)
	$(Q)sh protocols/run-here $(MAIN) protocols/quick.conf

# the reference campaigns, or RESULTS
paper-tables: $(MAIN)
	$(Q)TABLES='$(TABLES)' sh doc/reference/tables $(MAIN) $(BUILD)/paper $(RESULTS)

# --- tests: tests/unit/ROOM/test_*.c, one program each, linked with that room and those below it -----------------------
# The tested code is compiled with CFLAGS. The tests are not optimized, because that saves time. So
# does the linker gold, where it is installed.
UNIT_LINKER := $(if $(shell command -v ld.gold),-fuse-ld=gold)
$(addprefix $(BUILD)/obj/tests/,unit/%.o oracle/%.o hostile/%.o): private CFLAGS := $(patsubst -O2,-O0,$(CFLAGS))
UNIT := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/unit/*/test_*.c)))
ifneq ($(strip $(TESTS)),) # only the requested tests (by a part of their path, as in tests/run-tests)
UNIT := $(sort $(foreach t,$(UNIT),$(if $(strip $(foreach w,$(TESTS),$(findstring $(w),$(t)))),$(t))))
endif
define unit_room
$(BUILD)/tests/unit/$(1)/%: $(BUILD)/obj/tests/unit/$(1)/%.o $(call libs_for,$(call upto,$(1),$(ROOMS)))
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(UNIT_LINKER) $$(LDFLAGS) -o $$@ $$^ $$(LDLIBS) -lcmocka
endef
$(foreach r,$(ROOMS),$(eval $(call unit_room,$(r))))
# the recorder of the preload library without its hooks, which would interpose the test's own calls
RECORDER := $(filter-out $(BUILD)/obj/capture/preload/hook_%.o,$(PRELOAD_OBJECTS))
$(filter $(BUILD)/tests/unit/capture/test_preload_%,$(UNIT)): $(RECORDER)
# a test that compiles programs finds their library beside itself, as every program does
$(filter $(BUILD)/tests/unit/replay/%,$(UNIT)): | $(BUILD)/tests/unit/replay/$(notdir $(REPLAY))
$(BUILD)/tests/unit/replay/$(notdir $(REPLAY)): | $(REPLAY)
	@mkdir -p $(@D)
	$(Q)ln -sf ../../../$(notdir $(REPLAY)) $@

# --- the oracle: every row of tables of expected values, computed by the program's own functions; tests/e2e/oracle.sh --
ORACLE := $(BUILD)/tests/oracle
$(ORACLE): $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard tests/oracle/*.c))) $(call libs_for,$(call upto,validate,$(ROOMS)))
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)
oracle: $(ORACLE)

# attacks on the program; tests/e2e/hostile.sh
TORTURE := $(BUILD)/tests/torture

# settings for tests that compile or call make
RUN_TESTS = CC='$(CC)' CFLAGS='$(CFLAGS)' SANITIZE='$(SANITIZE)' CI='$(CI)' CPPFLAGS='$(CPPFLAGS)' \
            TEST_CPPFLAGS="$(subst ",\",$(ALL_CPPFLAGS))" TEST_LDLIBS='$(LDLIBS)' tests/run-tests $(BUILD)
# benchmarks are compiled too, so that they do not rot
check: $(MAIN) $(UNIT) $(ORACLE) $(TORTURE) $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/bench/*.c))
	$(Q)$(RUN_TESTS) all $(TESTS)
unit-check: $(UNIT)
	$(Q)$(RUN_TESTS) unit $(TESTS)
e2e-check: $(MAIN) $(ORACLE) $(TORTURE)
	$(Q)$(RUN_TESTS) e2e $(TESTS)

ASAN := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
check-asan:
	$(Q)ASAN_OPTIONS=detect_stack_use_after_return=1 $(MAKE) --no-print-directory BUILD=$(BUILD)-asan \
		SANITIZE='$(ASAN)' CFLAGS='-O1 -g' check
check-tsan:
	$(Q)TSAN_OPTIONS='halt_on_error=1 suppressions=$(CURDIR)/tests/tsan.supp' $(MAKE) --no-print-directory BUILD=$(BUILD)-tsan \
		SANITIZE='-fsanitize=thread $(if $(findstring clang,$(CC)),,-Wno-tsan)' CFLAGS='-O1 -g' check

# the long run of a test whose short form `make check` has: random programs that order fs must explain
SEEDS ?= 1000
check-property: $(BUILD)/tests/unit/replay/test_fs_property
	$(Q)FS_PROPERTY_SEEDS=$(SEEDS) $<

# lines that the tests reach, from the counts of the instrumented programs beside the objects
coverage:
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)-coverage SANITIZE='--coverage -fprofile-update=atomic' \
		CFLAGS='-O0 -g' check || true
	$(Q)tests/coverage $(BUILD)-coverage $(ROOMS)

# --- fuzzing: tests/fuzz/fuzz_*.c, built apart with clang ---------------------------------------------------------------
FUZZ_SECONDS ?= 20
FUZZ_NAMES := $(patsubst tests/fuzz/%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
fuzz:
	@command -v clang >/dev/null || { echo 'fuzzing needs clang: apt-get install clang' >&2; exit 1; }
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)-fuzz CC=clang CFLAGS='-O1 -g' \
		SANITIZE='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined' fuzz-programs
	$(Q)tests/fuzz/run $(BUILD)-fuzz $(FUZZ_SECONDS) $(FUZZ_NAMES)
.PHONY: fuzz-programs
fuzz-programs: $(addprefix $(BUILD)/tests/fuzz/,$(FUZZ_NAMES))
$(BUILD)/tests/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o $(ALL_LIBS)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(LDLIBS)

# --- torture: hostile traces, kills and full disks for hours; a part of it in seconds is tests/e2e/hostile.sh ------------
# The program's main() has another name in it, so that it can be called in a forked process. Calls of clock_init() and clock_calibrate() are its own.
SECONDS ?= 60
COUNTS ?= $(BUILD)/torture.counts
$(BUILD)/obj/tests/hostile/main.o: $(BUILD)/obj/commands/main.o
	@mkdir -p $(@D)
	$(Q)objcopy --redefine-sym main=validate_main $< $@
$(TORTURE): $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard tests/hostile/torture*.c))) $(BUILD)/obj/tests/hostile/main.o $(ALL_LIBS)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -Wl,--wrap=clock_init,--wrap=clock_calibrate -o $@ $^ $(LDLIBS)
torture: $(MAIN) $(TORTURE)
	$(Q)tests/hostile/torture.sh $(BUILD) $(SECONDS) $(COUNTS)
torture-asan:
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)-asan SANITIZE='$(ASAN)' CFLAGS='-O1 -g' COUNTS=$(COUNTS) torture
torture-tsan:
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)-tsan CFLAGS='-O1 -g' COUNTS=$(COUNTS) \
		SANITIZE='-fsanitize=thread $(if $(findstring clang,$(CC)),,-Wno-tsan)' torture
# faults alone: INJECT=options of inject_walk, as --only replay --family malloc
inject: $(MAIN)
	$(Q)BUILD=$(BUILD) CC='$(CC)' tests/hostile/inject.sh $(SECONDS) $(COUNTS) $(INJECT)
inject-asan:
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)-asan SANITIZE='$(ASAN)' CFLAGS='-O1 -g' COUNTS=$(COUNTS) inject
inject-tsan:
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)-tsan CFLAGS='-O1 -g' COUNTS=$(COUNTS) \
		SANITIZE='-fsanitize=thread $(if $(findstring clang,$(CC)),,-Wno-tsan)' inject
.PHONY: torture torture-asan torture-tsan inject inject-asan inject-tsan

# --- benchmarks: tests/bench/bench-*.c and bench-*.sh -------------------------------------------------------------------
BENCH := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/bench/*.c)))
$(BUILD)/tests/bench/%: $(BUILD)/obj/tests/bench/%.o $(ALL_LIBS)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)
bench: $(MAIN) $(BENCH)
	$(Q)tests/bench/run $(BUILD)

# --- real programs: captured by every method, replayed and compared; tests/breadth/programs ---
breadth: $(MAIN)
	$(Q)VALIDATE=$(MAIN) tests/breadth/try-programs -o $(BUILD)/breadth $(PROGRAMS)

# --- installation -------------------------------------------------------------------------------------------------------
BINDIR = $(DESTDIR)$(PREFIX)/bin
LIBDIR = $(DESTDIR)$(PREFIX)/lib/validate
MANDIR = $(DESTDIR)$(PREFIX)/share/man/man1
DATADIR = $(DESTDIR)$(PREFIX)/share/validate
PROTOCOLDIR = $(DATADIR)/protocols
BASHDIR = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSHDIR = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISHDIR = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
PACKAGE ?= validate
DOCDIR = $(DESTDIR)$(PREFIX)/share/doc/$(PACKAGE)
PAGES = $(sort $(wildcard doc/man/*.1))
PROTOCOLS = $(sort $(wildcard protocols/*.conf protocols/*.csv))
SOURCED = protocols/workloads/lib.sh protocols/workloads/ranks.sh
WORKLOAD_SCRIPTS = $(sort $(wildcard protocols/workloads/*.sh))
# documents keep their places below DOCDIR, so that their links lead to each other
DOCUMENTS = $(sort $(wildcard README.md SECURITY.md CHANGELOG.md CITATION.cff COPYING doc/*.md doc/*.json doc/formats/*.md doc/ci/* doc/notebooks/* doc/images/* doc/samples/*.html doc/samples/*.png doc/samples/*.txt doc/samples/*.json protocols/README.md))
SHELLS = bash zsh fish

$(BUILD)/completion.%: doc/completion $(MAIN)
	$(Q)sh doc/completion $* $(MAIN) > $@
install: $(MAIN) $(SHELLS:%=$(BUILD)/completion.%)
	install -d "$(BINDIR)" "$(LIBDIR)" "$(MANDIR)" "$(PROTOCOLDIR)/workloads" "$(BASHDIR)" "$(ZSHDIR)" "$(FISHDIR)"
	install -m 755 $(MAIN) "$(BINDIR)/validate"
	install -m 644 $(PRELOAD) $(PRELOAD_CAUSES) $(REPLAY) "$(LIBDIR)"
	$(if $(MPI_PROGRAMS),install -m 755 $(MPI_PROGRAMS) "$(LIBDIR)")
	for page in $(PAGES); do sed 's|doc/\([a-z]\)|$(PREFIX)/share/doc/$(PACKAGE)/&|g' $$page > $(BUILD)/page && \
		install -m 644 $(BUILD)/page "$(MANDIR)/$${page##*/}" || exit 1; done
	$(if $(PROTOCOLS),install -m 644 $(PROTOCOLS) "$(PROTOCOLDIR)")
	install -m 755 $(filter-out $(SOURCED),$(WORKLOAD_SCRIPTS)) "$(PROTOCOLDIR)/workloads"
	install -m 644 $(SOURCED) "$(PROTOCOLDIR)/workloads"
	for document in $(DOCUMENTS); do install -D -m 644 $$document "$(DOCDIR)/$$document" || exit 1; done
	install -m 644 $(BUILD)/completion.bash "$(BASHDIR)/validate"
	install -m 644 $(BUILD)/completion.zsh "$(ZSHDIR)/_validate"
	install -m 644 $(BUILD)/completion.fish "$(FISHDIR)/validate.fish"
uninstall:
	rm -f "$(BINDIR)/validate" "$(BASHDIR)/validate" "$(ZSHDIR)/_validate" "$(FISHDIR)/validate.fish" \
		"$(LIBDIR)/$(notdir $(PRELOAD))" "$(LIBDIR)/$(notdir $(PRELOAD_CAUSES))" \
		"$(LIBDIR)/$(notdir $(REPLAY))" "$(LIBDIR)/$(notdir $(MPI_REPLAY))" "$(LIBDIR)/$(notdir $(MPI_WORKLOAD))"
	for page in $(notdir $(PAGES)); do rm -f "$(MANDIR)/$$page"; done
	for protocol in $(notdir $(PROTOCOLS)); do rm -f "$(PROTOCOLDIR)/$$protocol"; done
	for script in $(notdir $(WORKLOAD_SCRIPTS)); do rm -f "$(PROTOCOLDIR)/workloads/$$script"; done
	for document in $(DOCUMENTS); do rm -f "$(DOCDIR)/$$document"; done
	-rmdir "$(LIBDIR)" "$(PROTOCOLDIR)/workloads" "$(PROTOCOLDIR)" "$(DATADIR)" "$(DOCDIR)/protocols" \
		"$(DOCDIR)/doc/formats" "$(DOCDIR)/doc/ci" "$(DOCDIR)/doc/notebooks" "$(DOCDIR)/doc/images" "$(DOCDIR)/doc/samples" "$(DOCDIR)/doc" "$(DOCDIR)" 2>/dev/null

# --- distribution: the committed files, the same bytes for the same commit -----------------------------------------------
DIST = $(BUILD)/validate-$(VERSION).tar.gz
dist:
	@mkdir -p $(BUILD)
	git archive --format=tar --prefix=validate-$(VERSION)/ HEAD | gzip -n9 > $(DIST)
	sha256sum $(DIST)

clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-fuzz $(BUILD)-coverage

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
