/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results that other programs write as JSON, as one column:
 *   hyperfine --export-json: the times of each command, in seconds
 *   pytest-benchmark --benchmark-json: the rounds of each benchmark, in seconds
 *   fio --output-format=json: a value for each job, as read.clat_ns.mean or write.iops */
#include <jansson.h>

#include "validate/columns/columns_private.h"

/* The series found so far: names of all series for a message, and values of the chosen series. */
struct json_series {
	const char *selector;
	struct strbuf names, chosen_name, values;
	size_t n, n_values;
	size_t first_other; /* number, from 1, of the first value that is not a number; 0 none */
};

/* Whether the series is chosen: by name, by number from 1, or because it is the first. */
static bool series_begin(struct json_series *s, const char *name)
{
	char number[24];
	snprintf(number, sizeof number, "%zu", ++s->n);
	strbuf_addf(&s->names, "%s\"%s\"", s->n > 1 ? ", " : "", name);
	bool chosen =
	    s->selector ? !strcmp(s->selector, name) || !strcmp(s->selector, number) : s->n == 1;
	if (chosen && !s->chosen_name.len)
		strbuf_addstr(&s->chosen_name, name);
	return chosen;
}

static void value_add(struct json_series *s, const json_t *value)
{
	s->n_values++;
	if (json_is_number(value))
		strbuf_addf(&s->values, "%.17g\n", json_number_value(value));
	else if (!s->first_other)
		s->first_other = s->n_values;
}

static void lists_read(struct json_series *s, const json_t *all, const char *name_key,
		       const char *object, const char *list)
{
	size_t i, k;
	json_t *one, *value;
	json_array_foreach(all, i, one)
	{
		const char *name = json_string_value(json_object_get(one, name_key));
		const json_t *values =
		    json_object_get(object ? json_object_get(one, object) : one, list);
		if (name && json_is_array(values) && series_begin(s, name))
			json_array_foreach(values, k, value)
				value_add(s, value);
	}
}

static void jobs_read(struct json_series *s, const json_t *jobs)
{
	static const char *const directions[] = {"read", "write", "trim"};
	static const struct {
		const char *object, *member;
	} kinds[] = {{"clat_ns", "mean"}, {"lat_ns", "mean"}, {NULL, "iops"}, {NULL, "bw_bytes"}};
	for (size_t d = 0; d < sizeof directions / sizeof *directions; d++)
		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
			char name[64];
			size_t i;
			bool begun = false, chosen = false;
			json_t *job;
			snprintf(name, sizeof name, "%s.%s%s%s", directions[d],
				 kinds[k].object ? kinds[k].object : "", kinds[k].object ? "." : "",
				 kinds[k].member);
			json_array_foreach(jobs, i, job)
			{
				const json_t *part = json_object_get(job, directions[d]);
				const json_t *value =
				    kinds[k].object ? json_object_get(part, kinds[k].object) : part;
				if (json_integer_value(json_object_get(part, "total_ios")) <= 0)
					continue;
				chosen = begun ? chosen : series_begin(s, name);
				begun = true;
				if (chosen)
					value_add(s, json_object_get(value, kinds[k].member));
			}
		}
}

bool columns_is_json(const char *text, size_t len)
{
	size_t i = 0;
	while (i < len && strchr(" \t\r\n", text[i]) && text[i])
		i++;
	return i < len && text[i] == '{';
}

int columns_of_json(struct strbuf *out, struct strbuf *name, const char *path, const char *text,
		    size_t len, const char *selector, struct err *e)
{
	json_error_t wrong;
	struct json_series s = {selector, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, 0, 0,
				0};
	json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &wrong);
	int ret = 0;
	if (!root)
		return err_set(e, EBADMSG, "%s is not JSON (line %d, column %d: %s)", path,
			       wrong.line, wrong.column, wrong.text);
	lists_read(&s, json_object_get(root, "results"), "command", NULL, "times");
	lists_read(&s, json_object_get(root, "benchmarks"), "name", "stats", "data");
	jobs_read(&s, json_object_get(root, "jobs"));
	const bool only_statistics = !s.n && json_array_size(json_object_get(root, "benchmarks"));
	json_decref(root);
	if (only_statistics)
		ret = err_set(e, ENODATA,
			      "%s: this JSON of pytest-benchmark has only statistics: use "
			      "--benchmark-json, or --benchmark-save-data with --benchmark-save",
			      path);
	else if (!s.n)
		ret = err_set(
		    e, EBADMSG,
		    "%s: this JSON is not the output of hyperfine --export-json, "
		    "pytest-benchmark --benchmark-json or fio --output-format=json",
		    path);
	else if (!selector && s.n > 1)
		ret = err_set(e, ENOENT, "%s has several series: choose one with --column: %s",
			      path, s.names.s);
	else if (!s.chosen_name.len)
		ret = err_set(e, ENOENT, "%s has no series \"%s\": it has %s", path, selector,
			      s.names.s);
	else if (!s.n_values)
		ret = err_set(e, ENODATA, "%s: series \"%s\" has no values", path, s.chosen_name.s);
	else if (s.first_other)
		ret = err_set(e, EBADMSG, "%s: value %zu of series \"%s\" is not a number", path,
			      s.first_other, s.chosen_name.s);
	else {
		strbuf_addf(out, "%s", s.values.s);
		strbuf_addf(name, "%s", s.chosen_name.s);
	}
	strbuf_release(&s.names);
	strbuf_release(&s.chosen_name);
	strbuf_release(&s.values);
	return ret;
}
