/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "common/placement.h"
#include "common/strbuf.h"
#include "common/units.h"
#include "common/wait.h"
#include "common/xalloc.h"
#include "microbench/draw.h"
#include "microbench/microbench.h"

enum { MAX_LEVEL = 1024, DIRECT_BYTES = 512 };
#define MAX_BLOCK_BYTES ((uint64_t)1 << 30) /* a result fits 32 bits; Linux moves less than 2 GiB at once anyway */
#define NO_LIMIT -1			    /* as a row's max: below any min */

void microbench_config_init(struct microbench_config *c)
{
	*c = (struct microbench_config){
		.level = 1,
		.n_requests = 5000,
		.block_bytes = 4096,
		.file_bytes = (uint64_t)16 << 20,
		.pause_by = WAIT_SLEEP,
		.think = THINK_FIXED,
		.seed = 1,
		.placement = PLACEMENT_DEFAULT,
		.prepare = true,
	};
}

#define FIELD(name) offsetof(struct microbench_config, name)
const struct option_spec microbench_options[] = {
	{.name = "level", .type = OPT_UINT, .offset = FIELD(level), .arg = "N", .min = 1, .max = MAX_LEVEL,
	 .help = "concurrency level: threads, each with a file of its own (1)"},
	{.name = "requests", .type = OPT_UINT, .offset = FIELD(n_requests), .arg = "N", .min = 1, .max = 1e12,
	 .help = "requests of each thread (5000)"},
	{.name = "min-duration", .type = OPT_DURATION, .offset = FIELD(min_duration_ns), .arg = "TIME", .max = NO_LIMIT,
	 .help = "go on past --requests until this has passed (0: no longer than that)"},
	{.name = "block-size", .type = OPT_SIZE, .offset = FIELD(block_bytes), .arg = "SIZE", .min = 1,
	 .max = (double)MAX_BLOCK_BYTES, .help = "bytes of one request (4K)"},
	{.name = "file-size", .type = OPT_SIZE, .offset = FIELD(file_bytes), .arg = "SIZE", .min = 1, .max = NO_LIMIT,
	 .help = "size of each thread's file (16M)"},
	{.name = "pause", .type = OPT_DURATION, .offset = FIELD(pause_ns), .arg = "TIME", .max = NO_LIMIT,
	 .help = "pause between the requests of a thread (0: none)"},
	{.name = "pause-by", .type = OPT_CHOICE, .offset = FIELD(pause_by), .arg = "METHOD", .choices = wait_method_names,
	 .help = "how a pause is made, sleep as programs do it (sleep)"},
	{.name = "think", .type = OPT_CHOICE, .offset = FIELD(think), .arg = "DISTRIBUTION", .choices = think_names,
	 .help = "distribution of the pauses, their mean is --pause (fixed)"},
	{.name = "seed", .type = OPT_UINT, .offset = FIELD(seed), .arg = "N",
	 .help = "of offsets, pauses and file content; the same seed makes the same requests (1)"},
	{.name = "direct", .type = OPT_FLAG, .offset = FIELD(direct), .help = "past the page cache (O_DIRECT)"},
	{.name = "sync", .type = OPT_FLAG, .offset = FIELD(sync),
	 .help = "each write waits until it is on disk (O_SYNC)"},
	{.name = "fsync-end", .type = OPT_FLAG, .offset = FIELD(fsync_end),
	 .help = "each thread ends with an fsync, which is in the trace"},
	{.name = "placement", .type = OPT_CHOICE, .offset = FIELD(placement), .arg = "KIND", .choices = placement_names,
	 .help = "where buffers lie in memory, alike for program and replay (offset)"},
	{.name = "pin", .type = OPT_FLAG, .offset = FIELD(pin), .help = "thread i on the i-th processor it may use"},
	{.name = "dir", .letter = 'd', .type = OPT_STRING, .offset = FIELD(dir), .arg = "DIR", .flags = OPT_CLI_ONLY,
	 .help = "target directory; nothing outside it is touched"},
	{.name = "output", .letter = 'o', .type = OPT_STRING, .offset = FIELD(output), .arg = "TRACE",
	 .flags = OPT_CLI_ONLY, .help = "the trace to write"},
	{.name = "prepare", .type = OPT_FLAG, .offset = FIELD(prepare), .flags = OPT_CLI_ONLY,
	 .help = "make the files first, or put their content back (yes); with --no-prepare they must be there"},
	{.name = "prepare-only", .type = OPT_FLAG, .offset = FIELD(prepare_only), .flags = OPT_CLI_ONLY,
	 .help = "make the files and end"},
	{.name = "remove", .type = OPT_FLAG, .offset = FIELD(remove), .flags = OPT_CLI_ONLY,
	 .help = "remove the files afterwards"},
	{.name = "no-sync-output", .type = OPT_FLAG, .offset = FIELD(no_sync_output), .flags = OPT_CLI_ONLY,
	 .help = "do not wait until the trace is on disk"},
	{.name = "list", .type = OPT_FLAG, .offset = FIELD(list), .flags = OPT_CLI_ONLY,
	 .help = "print the workloads and end"},
	{.name = NULL},
};

static int size_error(struct err *e, const char *key, uint64_t bytes, const char *why)
{
	struct strbuf size = STRBUF_INIT;
	format_size(&size, bytes);
	int ret = err_set(e, EINVAL, "%s %s: %s", key, size.s, why);
	strbuf_release(&size);
	return ret;
}

static bool choice_is_valid(const char *const *names, int value)
{
	int n = 0;
	while (names[n])
		n++;
	return value >= 0 && value < n;
}

int microbench_check(const struct workload *w, const struct microbench_config *c, struct err *e)
{
	if (c->level < 1 || c->level > MAX_LEVEL)
		return err_set(e, EINVAL, "level %llu: expected 1 to %d", (unsigned long long)c->level, MAX_LEVEL);
	if (c->n_requests < 1)
		return err_set(e, EINVAL, "requests: expected at least 1");
	if (c->min_duration_ns < 0 || c->pause_ns < 0)
		return err_set(e, EINVAL, "min-duration and pause: expected no negative time");
	if (c->block_bytes < 1 || c->block_bytes > MAX_BLOCK_BYTES)
		return size_error(e, "block-size", c->block_bytes, "expected 1 B to 1 GiB");
	if (c->file_bytes < c->block_bytes)
		return size_error(e, "file-size", c->file_bytes, "less than one block");
	if (c->file_bytes > (uint64_t)INT64_MAX / c->level)
		return size_error(e, "file-size", c->file_bytes, "too large");
	if (!w->sequential && c->file_bytes / c->block_bytes > UINT32_MAX)
		return size_error(e, "file-size", c->file_bytes, "more than 2^32-1 blocks");
	if (c->direct && c->block_bytes % DIRECT_BYTES)
		return err_set(e, EINVAL, "block-size %llu: with direct expected a multiple of %d bytes",
			       (unsigned long long)c->block_bytes, DIRECT_BYTES);
	if (!choice_is_valid(wait_method_names, c->pause_by) || !choice_is_valid(think_names, c->think) ||
	    !choice_is_valid(placement_names, c->placement))
		return err_set(e, EINVAL, "pause-by, think or placement: no such choice");
	if (c->think != THINK_FIXED && c->pause_ns == 0)
		return err_set(e, EINVAL, "think %s: it needs a pause, its mean", think_names[c->think]);
	return 0;
}

int microbench_files(const struct workload *w, const struct microbench_config *c, struct fileset *s, struct err *e)
{
	*s = (struct fileset){NULL, 0};
	int ret = microbench_check(w, c, e);
	if (ret)
		return ret;
	s->entry = xcalloc(c->level, sizeof *s->entry);
	for (; s->n < c->level; s->n++)
		s->entry[s->n] = (struct fileset_entry){xasprintf("%s.%zu", w->alias, s->n), c->file_bytes, false};
	return 0;
}

void microbench_files_release(struct fileset *s)
{
	for (size_t i = 0; i < s->n; i++)
		free((char *)s->entry[i].path);
	free(s->entry);
	*s = (struct fileset){NULL, 0};
}
