/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A configuration as JSON, and as the command line that produces it. */
#pragma once

#include <jansson.h>

#include "common/options.h"

/* The options that a protocol can set, by name: numbers in bytes and ns, choices by name. New
 * reference; NULL: no memory. */
json_t *options_to_json(const struct option_spec *table, const void *config);

/* Appends " --name value" for every row in which `config` differs from `standard`; rows of the
 * command line only (OPT_CLI_ONLY) where `with_cli_only`. */
void options_command(struct strbuf *out, const struct option_spec *table, const void *config,
		     const void *standard, bool with_cli_only);

/* The first row of `table` in which `config` differs from `standard`; NULL: none. */
const struct option_spec *options_changed(const struct option_spec *table, const void *config,
					  const void *standard);

/* Appends a word quoted for a shell, in single quotes if it needs any. */
void shell_word(struct strbuf *out, const char *word);
