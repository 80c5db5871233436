/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The facts of environment.json, with names, values and units for people. */
#pragma once

#include <jansson.h>

/* Receives the facts in order. `title`: begins a group; `row`: a fact of the group. The texts are
 * not escaped, and end with the call. */
struct facts_form {
	void (*title)(void *to, const char *title);
	void (*row)(void *to, const char *name, const char *value);
	void *to;
};

/* Shows all facts. Unknown facts are listed in one last row. `environment`: NULL: none. */
void facts_show(const json_t *environment, const struct facts_form *form);
