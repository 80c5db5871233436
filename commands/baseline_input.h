/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef COMMANDS_BASELINE_INPUT_H
#define COMMANDS_BASELINE_INPUT_H

#include "validate/compare/baseline.h"

/* As baseline_open. Prints a warning on standard error where the baseline has no digest. */
int baseline_input(struct baseline *b, const char *path, struct err *e);

#endif
