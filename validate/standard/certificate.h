/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of this folder. */
#pragma once

#include "validate/standard/standard.h"

/* Returns the static name of a kind of the grid, or NULL. */
const char *standard_kind(const char *name);
/* Returns the facts of an environment to which a certificate is bound. New reference. */
json_t *standard_machine(const json_t *environment);
