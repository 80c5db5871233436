/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks a configuration before anything is changed, and lists the files that a run needs. */
#include "common/units.h"
#include "microbench/draw.h"
#include "microbench/run/run.h"
#include "microbench/tree.h"

#define DIRECT_BYTES 512

static int size_error(struct err *e, const char *key, uint64_t bytes, const char *why)
{
	if (bytes % 1024) /* rounded, 4095 would be 4 KiB */
		return err_set(e, EINVAL, "%s %" PRIu64 " B: %s", key, bytes, why);
	return err_set(e, EINVAL, "%s %s: %s", key, size_text(bytes).s, why);
}

static bool choice_is_valid(const char *const *names, int value)
{
	int n = 0;
	while (names[n])
		n++;
	return value >= 0 && value < n;
}

/* Refuses options of other workloads: they are 0 unless the user set them. */
static int own_options_check(const struct workload *w, const struct microbench_config *c,
			     struct err *e)
{
	struct microbench_config standard;
	const struct option_spec *o = microbench_options;
	microbench_config_init(&standard);
	for (; (o = options_changed(o, c, &standard)); o++)
		if (!workload_has_option(w, o->name))
			return err_set(e, EINVAL, "%s: workload %s has no such option", o->name,
				       w->name);
	return 0;
}

/* Checks options of all workloads with scripts. */
static int script_check(const struct workload *w, const struct microbench_config *c, struct err *e)
{
	if (c->direct && !w->script->direct)
		return err_set(e, EINVAL, "direct does not apply to %s: O_DIRECT needs "
			"whole blocks, and this workload has requests of any size", w->name);
	if (c->fsync_end && !w->script->fsync_end)
		return err_set(e, EINVAL, "fsync-end does not apply to %s: omit the option",
			       w->name);
	if (w->script->finite && c->min_duration_ns)
		return err_set(e, EINVAL, "min-duration does not apply to %s: omit it (the option "
			"\"requests\" sets the number of %s)", w->name, w->script->unit);
	if (c->file_bytes < 1 || c->file_bytes > (uint64_t)1 << 30)
		return size_error(e, "file-size", c->file_bytes, "expected 1 B to 1 GiB");
	if (w->script->parallel && (c->pin || c->scheduler))
		return err_set(e, EINVAL, "pin and scheduler do not apply to %s: the launcher of "
			"the ranks sets them (option \"launcher\")", w->name);
	return w->script->check(c, e);
}

static int blocks_check(const struct workload *w, const struct microbench_config *c, struct err *e)
{
	if (c->file_bytes < c->block_bytes)
		return size_error(e, "file-size", c->file_bytes,
				  "less than one block (block-size)");
	if (c->file_bytes > (uint64_t)INT64_MAX / c->level)
		return size_error(e, "file-size", c->file_bytes,
				  "too large for this number of threads (level)");
	if (!w->sequential && c->file_bytes / c->block_bytes > UINT32_MAX)
		return size_error(e, "file-size", c->file_bytes,
				  "more than 2^32-1 blocks (block-size)");
	if (c->direct && c->block_bytes % DIRECT_BYTES)
		return err_set(e, EINVAL,
			       "block-size %llu: option direct needs a multiple of %d bytes",
			       (unsigned long long)c->block_bytes, DIRECT_BYTES);
	return 0;
}

int microbench_check(const struct workload *w, const struct microbench_config *c, struct err *e)
{
	if (c->level < 1 || c->level > MICROBENCH_MAX_LEVEL)
		return err_set(e, EINVAL, "level %llu: expected 1 to %d",
			       (unsigned long long)c->level, MICROBENCH_MAX_LEVEL);
	if (c->n_requests < 1)
		return err_set(e, EINVAL, "requests: expected at least 1");
	if (c->min_duration_ns < 0 || c->pause_ns < 0)
		return err_set(e, EINVAL, "min-duration and pause cannot be negative");
	if (c->block_bytes < 1 || c->block_bytes > MICROBENCH_MAX_BLOCK_BYTES)
		return size_error(e, "block-size", c->block_bytes, "expected 1 B to 1 GiB");
	if (!choice_is_valid(wait_method_names, c->pause_by) ||
	    !choice_is_valid(think_names, c->think) ||
	    !choice_is_valid(placement_names, c->placement))
		return err_set(e, EINVAL, "pause-by, think or placement has an unknown value");
	if (c->think != THINK_FIXED && c->pause_ns == 0)
		return err_set(e, EINVAL, "think = %s needs a mean pause: set the option \"pause\"",
			       think_names[c->think]);
	struct scheduling scheduling = {.set = false};
	int ret = c->scheduler ? scheduling_parse(c->scheduler, &scheduling, e) : 0;
	if (ret)
		return err_context(e, "scheduler");
	ret = scheduling_check(&scheduling, c->pin, e);
	ret = ret ? ret : own_options_check(w, c, e);
	if (ret)
		return ret;
	return w->block    ? block_check(w, c, e)
	       : w->script ? script_check(w, c, e)
			   : blocks_check(w, c, e);
}

int microbench_files(const struct workload *w, const struct microbench_config *c, struct fileset *s,
		     struct err *e)
{
	*s = (struct fileset){NULL, 0};
	size_t cap = 0;
	int ret = microbench_check(w, c, e);
	if (ret || w->block)
		return ret;
	if (!w->script) {
		while (s->n < c->level)
			fileset_add_file(s, &cap, xasprintf("%s.%zu", w->alias, s->n),
					 c->file_bytes);
	} else if (w->script->rank_files) {
		fileset_add_directory(s, &cap, xstrdup(w->script->top));
		for (const char *const *name = w->script->rank_files; *name; name++)
			fileset_add_file(s, &cap, xasprintf("%s/%s", w->script->top, *name),
					 c->file_bytes * c->level);
	} else {
		w->script->files(c, s);
	}
	return 0;
}

void microbench_files_release(struct fileset *s)
{
	for (size_t i = 0; i < s->n; i++)
		free((char *)s->entry[i].path);
	free(s->entry);
	*s = (struct fileset){NULL, 0};
}
