/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/plan/pinning.h"

#include <jansson.h>

#include "common/processors.h"
#include "common/u64_map.h"

static const char *list_of(const json_t *row)
{
	const char *list = json_string_value(json_object_get(row, "cpus"));
	const bool numbers = json_is_integer(json_object_get(row, "pid")) &&
			     json_is_integer(json_object_get(row, "tid"));
	return numbers && list && *list && list[strspn(list, "0123456789,-")] == '\0' ? list : NULL;
}

/* Reads row i of the table and stores it in `of_thread` under (pid, tid). */
static int row_read(struct u64_map *of_thread, const json_t *rows, size_t i, struct err *e)
{
	const json_t *row = json_array_get(rows, i);
	const char *list = list_of(row);
	SCOPED(processors_release) struct processor_list usable = {.cpu = NULL};
	if (!list)
		return err_set(e, EINVAL, "metadata \"affinity\": entry %zu needs integers "
			"\"pid\" and \"tid\", and a list of CPUs \"cpus\"", i);
	const uint32_t pid = (uint32_t)json_integer_value(json_object_get(row, "pid")),
		       tid = (uint32_t)json_integer_value(json_object_get(row, "tid"));
	if (processors_parse(&usable, list, e))
		return err_context(e, "cpus = traced: thread %u was pinned to CPUs %s", tid, list);
	*u64_map_at(of_thread, u64_pair(pid, tid), 0) = (uint32_t)i;
	return 0;
}

static char *text_of(const struct load *l, const struct u64_map *of_thread, const json_t *rows)
{
	struct strbuf text = STRBUF_INIT;
	for (uint32_t i = 0; i < l->n_threads; i++) {
		const struct load_thread *t =
		    &l->thread[l->thread[i].is_channel ? l->thread[i].of : i];
		const uint32_t *row = u64_map_find(of_thread, u64_pair(t->pid, t->tid));
		strbuf_addf(&text, "/%s", row ? list_of(json_array_get(rows, *row)) : "");
	}
	return strbuf_detach(&text);
}

int pinning_find(char **text, const struct load *l, const struct trace_meta *m, struct err *e)
{
	json_auto_t *extra = m->extra_json ? json_loads(m->extra_json, 0, NULL) : NULL;
	const json_t *rows = json_object_get(extra, "affinity");
	SCOPED(u64_map_release) struct u64_map of_thread = {.cell = NULL};
	int ret =
	    json_is_array(rows)
		? 0
		: err_set(e, EINVAL, "cpus = traced: the trace lacks the CPUs of its threads "
			"(\"validate capture app\" and \"validate microbench\" record them); "
			"name CPUs, such as 0,2-3 (in a protocol: 0+2-3)");
	for (size_t i = 0; !ret && i < json_array_size(rows); i++)
		ret = row_read(&of_thread, rows, i, e);
	if (!ret)
		*text = text_of(l, &of_thread, rows);
	return ret;
}
