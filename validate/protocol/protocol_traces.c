/* SPDX-License-Identifier: GPL-3.0-or-later */
/* [workload NAME] with type = trace: a trace whose program cannot run again. It is the only
 * reference of all replays. */
#include "validate/protocol/protocol_programs.h"

struct trace_config {
	const char *trace;
};

static const struct option_spec trace_options[] = {
    OPTION(STRING, "trace", offsetof(struct trace_config, trace), .arg = "FILE",
           .help = "the trace, in any readable format, relative to the protocol's directory"),
    {.name = NULL},
};

int trace_keys_check(const struct protocol *p, const struct protocol_file *f,
		     const struct key_grid *g, struct err *e)
{
	static const char *const own[] = {"type", "target", "observe", "observe-from", NULL};
	struct trace_config scratch = {0};
	int ret = items_check(f, g, trace_options, &scratch, own, NULL, e);
	if (!ret && !grid_find(g, "trace"))
		ret = err_set(e, EINVAL,
			      "%s:%u: [workload %s]: the key \"trace\" is missing, which "
			      "type = trace needs: add the line trace = FILE",
			      f->path, g->section->line, g->section->name);
	if (!ret && p->reference != REFERENCE_TRACE)
		ret = err_set(e, EINVAL,
			      "%s:%u: [workload %s] is a trace, which cannot be run again: set "
			      "reference = trace in [protocol]",
			      f->path, g->section->line, g->section->name);
	return ret;
}

void trace_take(struct scenario *s)
{
	s->level = 1;
	s->trace = setting_find(s->option, s->n_options, "trace");
}

char *scenario_trace_path(const struct protocol *p, const struct scenario *s)
{
	const char *slash = strrchr(p->path, '/');
	return slash && s->trace[0] != '/'
		   ? xasprintf("%.*s/%s", (int)(slash - p->path), p->path, s->trace)
		   : xstrdup(s->trace);
}
