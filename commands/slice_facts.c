/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/slice_facts.h"

static void retime(json_t *rows, const struct slice_filter *f)
{
	static const char *const keys[] = {"begin_ns", "waited_ns", "t_ns"};
	size_t i;
	json_t *row;
	json_array_foreach(rows, i, row) for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
	{
		json_t *at = json_object_get(row, keys[k]);
		if (json_is_integer(at))
			json_integer_set(at, slice_filter_time(f, json_integer_value(at)));
	}
}

char *slice_facts_text(const struct trace_set *set, size_t n, const struct slice_filter *f, const char *hidden)
{
	json_t *top = hidden ? json_loads(hidden, 0, NULL) : trace_extra(set->t[0]), *processes = trace_set_processes(set, n);
	json_t *memory = json_object_get(top, "anonymous_memory");
	/* parts of a capture that are one trace now */
	const bool joined = n > 1 && json_object_get(top, "part");
	/* the command does more than is in a part of its trace */
	const bool had_command = json_object_del(top, "command") == 0;
	const bool changed = processes || memory || joined || had_command;
	if (joined)
		json_object_del(top, "part");
	retime(processes, f);
	retime(memory, f);
	if (processes)
		json_object_set_new(top, "processes", processes);
	char *text = changed ? json_dumps(top, JSON_COMPACT) : NULL;
	json_decref(top);
	return text;
}
