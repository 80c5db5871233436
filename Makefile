# SPDX-License-Identifier: GPL-3.0-or-later
# One Makefile, not recursive. `make` builds build/validate; `make help` lists the rest. V=1 shows the commands.

BUILD  ?= build
PREFIX ?= /usr/local
CC     ?= cc
V      ?= 0
Q      := $(if $(filter 1,$(V)),,@)

VERSION := 0.1.0

# Dependencies point one way: a room may use those to its left.
ROOMS := common capture microbench replay validate reports commands

PKGS     := gsl libzstd jansson inih
CFLAGS   ?= -O2 -g
CPPFLAGS += -D_GNU_SOURCE -I. -DVALIDATE_VERSION='"$(VERSION)"' $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
WARN     := -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wmissing-prototypes \
            -Wpointer-arith -Wvla
WARN     += $(if $(CI),-Werror)
ALL_CFLAGS = -std=c11 -pthread $(CFLAGS) $(WARN) $(SANITIZE)
LDLIBS   := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lcsv -lm -pthread

sources  = $(sort $(wildcard $(1)/*.c $(1)/*/*.c))
objects  = $(patsubst %.c,$(BUILD)/%.o,$(call sources,$(1)))
libs_for = $(foreach r,$(1),$(BUILD)/lib$(r).a)
# the libraries a room's tests may use: its own and those to its left, nearest first
upto     = $(if $(filter $(1),$(firstword $(2))),$(1),$(call upto,$(1),$(wordlist 2,99,$(2))) $(firstword $(2)))

MAIN := $(BUILD)/validate

.PHONY: all run check unit-check e2e-check check-asan check-tsan fuzz bench coverage install uninstall clean help
all: $(MAIN)

$(MAIN): $(BUILD)/commands/main.o $(call libs_for,commands reports validate replay microbench capture common)
	$(if $(filter 0,$(V)),@echo "  LINK  $@")
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

define room_library
$(BUILD)/lib$(1).a: $(filter-out $(BUILD)/commands/main.o,$(call objects,$(1)))
	@mkdir -p $$(@D) && rm -f $$@
	$(Q)$(AR) rcs $$@ $$^
endef
$(foreach r,$(ROOMS),$(eval $(call room_library,$(r))))

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(if $(filter 0,$(V)),@echo "  CC    $<")
	$(Q)$(CC) $(ALL_CFLAGS) $(CPPFLAGS) -MMD -MP -c -o $@ $<

# --- tests: tests/unit/ROOM/test_*.c, one program each, linked with that room and those below it -----------------------
UNIT := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/unit/*/test_*.c)))
define unit_room
$(BUILD)/tests/unit/$(1)/%: $(BUILD)/tests/unit/$(1)/%.o $(call libs_for,$(call upto,$(1),$(ROOMS)))
	$$(if $$(filter 0,$$(V)),@echo "  LINK  $$@")
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(LDFLAGS) -o $$@ $$^ $$(LDLIBS) -lcmocka
endef
$(foreach r,$(ROOMS),$(eval $(call unit_room,$(r))))
.SECONDARY:

check: $(MAIN) $(UNIT)
	$(Q)tests/run-tests $(BUILD)
unit-check: $(UNIT)
	$(Q)tests/run-tests $(BUILD) unit
e2e-check: $(MAIN)
	$(Q)tests/run-tests $(BUILD) e2e

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
