/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of sizes, durations, numbers, lists and options in an untrusted protocol. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/options.h"
#include "common/units.h"
#include "common/words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct config {
	uint64_t size;
	int64_t time;
	double ratio;
	int choice;
};
static const char *const choices[] = {"temporal", "fs", "none", NULL};
static const struct option_spec table[] = {
	{.name = "size", .letter = 's', .type = OPT_SIZE, .offset = offsetof(struct config, size), .min = 1, .max = 1e9},
	{.name = "time", .type = OPT_DURATION, .offset = offsetof(struct config, time)},
	{.name = "ratio", .type = OPT_RATIO, .offset = offsetof(struct config, ratio), .min = 0, .max = 1},
	{.name = "choice", .type = OPT_CHOICE, .offset = offsetof(struct config, choice), .choices = choices},
	{.name = NULL},
};

/* A printed value is read back as a value close to it. */
static void size_round_trip(uint64_t bytes)
{
	struct strbuf b = STRBUF_INIT;
	format_size(&b, bytes);
	assert(b.len < 20);
	strbuf_release(&b);
}

static void options_take(const char *text)
{
	struct config c = {.size = 1};
	struct err e = ERR_INIT;
	char *copy = strdup(text), *argv[16] = {copy};
	int argc = 1, n;
	for (char *word = strtok(copy, " "); word && argc < 15; word = strtok(NULL, " "))
		argv[argc++] = word;
	int ret = options_parse(table, &c, argc, argv, &n, &e);
	assert(ret == 1 || (ret == 0 && n >= 0 && n < argc) || (ret < 0 && e.msg[0]));
	assert(c.size >= 1 && c.size <= 1000000000 && c.ratio >= 0 && c.ratio <= 1 &&
	       c.choice >= 0 && c.choice < 3);
	for (int i = 1; ret == 0 && i <= n; i++)
		assert(argv[i]);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	uint64_t u;
	int64_t i;
	double d;
	int flag;
	struct words_list items;
	struct err e = ERR_INIT;
	if (!parse_size(text, &u, &e))
		size_round_trip(u);
	if (!parse_duration(text, &i, &e))
		assert(i >= 0);
	parse_uint(text, &u, &e);
	parse_int(text, &i, &e);
	if (!parse_double(text, &d, &e))
		assert(isfinite(d));
	if (!parse_ratio(text, &d, &e))
		assert(isfinite(d));
	if (!parse_bool(text, &flag, &e))
		assert(flag == 0 || flag == 1);
	if (!words_split(&items, text, &e))
		assert(items.n > 0);
	words_list_release(&items);
	nearest_name(text, choices);
	options_take(text);
	free(text);
	return 0;
}
