/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>

#include "capture/causality/causality.h"
#include "common/sort.h"

static int integer_get(const json_t *o, const char *name, json_int_t least, json_int_t most,
		       json_int_t missing, json_int_t *v, struct err *e)
{
	const json_t *member = json_object_get(o, name);
	*v = member ? json_integer_value(member) : missing;
	if (member && !json_is_integer(member))
		return err_set(e, EINVAL, "metadata \"causality\": \"%s\" is not an integer", name);
	if (*v < least || *v > most)
		return err_set(e, EINVAL,
			       member ? "metadata \"causality\": \"%s\" is %lld; expected %lld "
					"to %lld"
				      : "metadata \"causality\": a node (traced thread) lacks "
					"\"%s\"",
			       name, (long long)*v, (long long)least, (long long)most);
	return 0;
}

static int node_read(struct causality_facts *f, const json_t *o, struct err *e)
{
	json_int_t number, pid, tid, rank;
	const json_t *host = json_object_get(o, "host");
	int ret = integer_get(o, "node", 0, (json_int_t)f->n_nodes - 1, -1, &number, e);
	ret = ret ? ret : integer_get(o, "pid", 0, UINT32_MAX, -1, &pid, e);
	ret = ret ? ret : integer_get(o, "tid", 0, UINT32_MAX, -1, &tid, e);
	ret = ret ? ret : integer_get(o, "rank", -1, INT32_MAX, -1, &rank, e);
	if (ret)
		return ret;
	if (host && !json_is_string(host) && !json_is_null(host))
		return err_set(e, EINVAL, "metadata \"causality\": the host of node %lld (traced "
			"thread) is not a string",
			       (long long)number);
	struct causality_node *n = &f->node[number];
	if (n->number != UINT32_MAX)
		return err_set(e, EINVAL, "metadata \"causality\": node %lld (traced thread) "
			       "occurs twice",
			       (long long)number);
	*n = (struct causality_node){(uint32_t)number, (uint32_t)pid, (uint32_t)tid, (int32_t)rank,
				     json_string_value(host)};
	return 0;
}

static int nodes_read(struct causality_facts *f, const json_t *list, struct err *e)
{
	size_t n = json_array_size(list);
	if (!n || n > CAUSALITY_MAX_NODES)
		return err_set(e, EINVAL, "metadata \"causality\": %zu nodes (traced threads); "
			       "expected 1 to %d", n, CAUSALITY_MAX_NODES);
	f->n_nodes = (uint32_t)n;
	f->node = xcalloc(n, sizeof *f->node);
	for (uint32_t i = 0; i < n; i++)
		f->node[i].number = UINT32_MAX;
	for (size_t i = 0; i < n; i++) {
		int ret = node_read(f, json_array_get(list, i), e);
		if (ret)
			return ret;
	}
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t thread = u64_pair(f->node[i].pid, f->node[i].tid);
		const uint32_t first = *u64_map_at(&f->of_thread, thread, i);
		if (first != i)
			return err_set(e, EINVAL,
				       "metadata \"causality\": nodes %u and %u are the same "
				       "thread", first, i);
	}
	return 0;
}

static int throttled_read(struct causality_facts *f, const json_t *list, struct err *e)
{
	size_t n = json_array_size(list);
	if ((list && !json_is_array(list)) || n > f->n_nodes)
		return err_set(e, EINVAL, "metadata \"causality\": \"throttled\" is not a list "
				"of nodes (traced threads), or has more entries than there are "
				"nodes");
	f->throttled = xcalloc(n + 1, sizeof *f->throttled);
	for (size_t i = 0; i < n; i++) {
		const json_t *one = json_array_get(list, i);
		json_int_t v = json_is_integer(one) ? json_integer_value(one) : -1;
		if (v < 0 || v >= f->n_nodes)
			return err_set(e, EINVAL,
				"metadata \"causality\": \"throttled\" names a node (traced "
				"thread) that does not exist");
		f->throttled[f->n_throttled++] = (uint32_t)v;
	}
	qsort(f->throttled, n, sizeof *f->throttled, order_u32);
	return 0;
}

/* Parses one of two words. If the member is missing, the value is `first`. */
static int word_get(const json_t *o, const char *name, const char *first, const char *second,
		    bool *is_second, struct err *e)
{
	const json_t *member = json_object_get(o, name);
	const char *text = json_string_value(member);
	*is_second = text && !strcmp(text, second);
	if (member && (!text || (!*is_second && strcmp(text, first))))
		return err_set(e, EINVAL, "metadata \"causality\": \"%s\" is neither \"%s\" nor "
			"\"%s\"",
			       name, first, second);
	return 0;
}

static int all_read(struct causality_facts *f, const json_t *o, struct err *e)
{
	json_int_t period, runs, application, predicted, tracing;
	int ret = nodes_read(f, json_object_get(o, "nodes"), e);
	ret = ret ? ret : throttled_read(f, json_object_get(o, "throttled"), e);
	ret =
	    ret ? ret : word_get(o, "compute", "blocking-calls", "throttled", &f->by_throttling, e);
	ret = ret ? ret : word_get(o, "clock", "wall", "cpu", &f->cpu_time, e);
	ret = ret ? ret : integer_get(o, "period", 0, INT64_MAX, 0, &period, e);
	ret = ret ? ret : integer_get(o, "runs", 0, UINT32_MAX, 0, &runs, e);
	ret = ret ? ret : integer_get(o, "predicted_ns", 0, INT64_MAX, 0, &predicted, e);
	ret = ret ? ret : integer_get(o, "application_ns", 0, INT64_MAX, 0, &application, e);
	ret = ret ? ret : integer_get(o, "tracing_ns", 0, INT64_MAX, 0, &tracing, e);
	if (ret)
		return ret;
	f->period = (uint64_t)period;
	f->n_runs = (uint32_t)runs;
	f->predicted_ns = predicted;
	f->application_ns = application;
	f->tracing_ns = tracing;
	return 0;
}

int causality_facts_read(struct causality_facts *f, const struct trace_meta *m, struct err *e)
{
	*f = (struct causality_facts){0};
	f->kept = m->extra_json ? json_loads(m->extra_json, 0, NULL) : NULL;
	const json_t *o = json_object_get(f->kept, "causality");
	int ret = 0;
	if (o)
		ret = json_is_object(o) ? all_read(f, o, e)
				       : err_set(e, EINVAL,
						 "metadata \"causality\" is not a JSON object");
	if (ret || !o)
		causality_facts_release(f);
	return ret;
}

void causality_facts_release(struct causality_facts *f)
{
	FREE_EACH(f->node, f->throttled);
	u64_map_release(&f->of_thread);
	json_decref(f->kept);
	*f = (struct causality_facts){0};
}

int64_t causality_node_of(const struct causality_facts *f, uint32_t pid, uint32_t tid)
{
	const uint32_t *found = u64_map_find(&f->of_thread, u64_pair(pid, tid));
	for (uint32_t i = 0; !f->of_thread.cell && i < f->n_nodes; i++)
		if (f->node[i].pid == pid && f->node[i].tid == tid)
			return i;
	return found ? (int64_t)*found : -1;
}

static json_t *nodes_json(const struct causality_facts *f)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		const struct causality_node *n = &f->node[i];
		json_t *o = json_pack("{s:I,s:I,s:I,s:i}", "node", (json_int_t)i, "pid",
			(json_int_t)n->pid, "tid", (json_int_t)n->tid, "rank", (int)n->rank);
		if (n->host)
			json_object_set_new(o, "host", json_string(n->host));
		json_array_append_new(list, o);
	}
	return list;
}

char *causality_facts_text(const struct causality_facts *f, const char *extra_json)
{
	json_t *top = extra_json ? json_loads(extra_json, 0, NULL) : json_object(),
	       *throttled = json_array();
	for (uint32_t i = 0; i < f->n_throttled; i++)
		json_array_append_new(throttled, json_integer(f->throttled[i]));
	json_auto_t *o =
	    json_pack("{s:o,s:I,s:o,s:I,s:s,s:s,s:I,s:I,s:I}", "nodes", nodes_json(f), "period",
		      (json_int_t)f->period, "throttled", throttled, "runs", (json_int_t)f->n_runs,
		      "compute", f->by_throttling ? "throttled" : "blocking-calls", "clock",
		      f->cpu_time ? "cpu" : "wall", "predicted_ns", (json_int_t)f->predicted_ns,
		      "application_ns", (json_int_t)f->application_ns, "tracing_ns",
		      (json_int_t)f->tracing_ns);
	char *text = json_is_object(top) && !json_object_set(top, "causality", o)
			 ? json_dumps(top, JSON_COMPACT)
			 : NULL;
	json_decref(top);
	return text;
}
