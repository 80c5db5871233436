/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/standard/certificate.h"

#include "common/json_count.h"
#include "microbench/volume/service.h"

#define FORMAT "certificate of a reference volume"
#define VERSION 1
#define POINTS_MOST 10000

/* --- the machine --------------------------------------------------------- */

static const struct standard_fact {
	/* names in environment.json; group NULL: the member is at the top */
	const char *group, *member;
	const char *name;
} facts[] = {
    {NULL, "host", "machine"},
    {"machine", "cpu_model", "CPU model"},
    {"machine", "n_cpus_online", "number of CPUs"},
    {"kernel", "release", "kernel"},
    {"program", "version", "version of validate"},
};
#define N_FACTS (sizeof facts / sizeof *facts)

json_t *standard_machine(const json_t *environment)
{
	json_t *o = json_object();
	for (size_t i = 0; i < N_FACTS; i++) {
		const json_t *from = facts[i].group ? json_object_get(environment, facts[i].group)
						    : environment;
		json_object_set(o, facts[i].name, json_object_get(from, facts[i].member));
	}
	return o;
}

int standard_is_here(const struct standard *s, const char *path, const json_t *environment,
		     struct err *e)
{
	json_auto_t *here = standard_machine(environment);
	int ret = 0;
	for (size_t i = 0; i < N_FACTS && !ret; i++) {
		const json_t *there = json_object_get(s->machine, facts[i].name),
			     *now = json_object_get(here, facts[i].name);
		if (there && json_equal(there, now))
			continue;
		char *of = there ? json_dumps(there, JSON_ENCODE_ANY) : xstrdup("unknown"),
		     *is = json_dumps(now, JSON_ENCODE_ANY);
		ret = err_set(e, EXDEV,
			      "%s does not apply here: its %s is %s, but here it is %s (\"validate "
			      "standard certify\" makes a certificate for this machine)",
			      path, facts[i].name, of, is ? is : "unknown");
		FREE_EACH(of, is);
	}
	return ret;
}

/* --- JSON ---------------------------------------------------------------- */

static json_t *real_or_null(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *point_to_json(const struct standard_point *p)
{
	json_t *o = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I}", "model", p->model, "service_ns",
			      (json_int_t)p->service_ns, "depth", (json_int_t)p->depth, "visits",
			      (json_int_t)p->n_visits, "visits_left_out",
			      (json_int_t)p->n_left_out, "loops_left_out",
			      (json_int_t)p->n_loops_left_out);
	const struct {
		const char *key;
		double value;
	} number[] = {
	    {"programmed_ns", p->programmed_ns},
	    {"delivered_ns", p->programmed_ns * (1 + p->bias)},
	    {"delivered_at_server_ns", p->programmed_ns * (1 + p->server_bias)},
	    {"bias", p->bias},
	    {"bias_at_server", p->server_bias},
	    {"expanded_uncertainty", p->expanded},
	    {"coverage_factor", p->k},
	    {"scatter", p->scatter},
	    {"drift_per_hour", p->drift_per_hour},
	    {"excess_p50_ns", p->excess_p50_ns},
	    {"excess_p99_ns", p->excess_p99_ns},
	    {"writes_less_reads_ns", p->write_ns},
	    {"client_waited_share", p->waited},
	};
	for (size_t i = 0; i < sizeof number / sizeof *number; i++)
		json_object_set_new(o, number[i].key, real_or_null(number[i].value));
	json_object_set_new(o, "drifts", json_boolean(p->drifts));
	json_object_set_new(o, "lead_ns", json_integer(p->lead_ns));
	json_object_set_new(o, "valid", json_boolean(p->valid));
	json_object_set_new(o, "reason", p->valid ? json_null() : json_string(p->reason));
	return o;
}

static json_t *ranges_to_json(const struct standard *s)
{
	json_t *all = json_array();
	for (size_t i = 0; i < s->n; i++) {
		const struct standard_point *p = &s->point[i];
		const int64_t from_ns = standard_range_ns(s, p->model, p->depth);
		bool seen = false;
		for (size_t k = 0; k < i; k++)
			seen |= s->point[k].model == p->model && s->point[k].depth == p->depth;
		if (!seen && from_ns >= 0)
			json_array_append_new(all, json_pack("{s:s, s:I, s:I}", "model", p->model,
				"depth", (json_int_t)p->depth, "from_ns", (json_int_t)from_ns));
	}
	return all;
}

json_t *standard_to_json(const struct standard *s)
{
	json_t *points = json_array();
	for (size_t i = 0; i < s->n; i++)
		json_array_append_new(points, point_to_json(&s->point[i]));
	return json_pack(
	    "{s:s, s:i, s:O, s:s, s:f, s:o, s:o, s:b, s:b, s:b, s:b, s:I, s:I, s:f, s:f, s:f, s:f, "
	    "s:o, s:o}",
	    "format", FORMAT, "version", VERSION, "machine", s->machine, "made", s->made,
	    "duration_s", s->duration_s, "cpu_share_of_others", real_or_null(s->others_share),
	    "cpu_share_stolen", real_or_null(s->stolen_share), "loop_device", s->loop, "realtime",
	    s->realtime, "awake", s->awake, "own_cpu", s->own_cpu, "visits_checked",
	    (json_int_t)s->n_checked, "visits_covered", (json_int_t)s->n_covered, "widening",
	    s->widening, "limit", STANDARD_LIMIT, "limit_excess_ns", STANDARD_EXCESS_NS,
	    "limit_excess_share", STANDARD_EXCESS_SHARE, "range", ranges_to_json(s), "points",
	    points);
}

static bool number_get(const json_t *o, const char *key, double least, double most, double *x)
{
	const json_t *value = json_object_get(o, key);
	*x = json_is_number(value) ? json_number_value(value) : NAN;
	return *x >= least && *x <= most;
}

/* Reads a point. A point that is not valid may lack results. */
static int point_read(struct standard_point *p, const json_t *o, size_t i, struct err *e)
{
	double service_ns = 0, depth = 0, visits = 0, lead_ns = 0;
	const char *reason = json_string_value(json_object_get(o, "reason"));
	p->model = standard_kind(json_string_value(json_object_get(o, "model")));
	p->valid = json_is_true(json_object_get(o, "valid"));
	p->drifts = json_is_true(json_object_get(o, "drifts"));
	bool good = p->model && number_get(o, "service_ns", 1, 1e12, &service_ns) && number_get(o,
		"depth", 1, 1e6, &depth) && number_get(o, "visits", 0, 1e9,
		&visits) && number_get(o, "lead_ns", 0, 1e12, &lead_ns);
	good &= number_get(o, "programmed_ns", 0, 1e15, &p->programmed_ns);
	good &= number_get(o, "bias", -1, 1e12, &p->bias);
	good &= number_get(o, "bias_at_server", -1e12, 1e12, &p->server_bias);
	good &= number_get(o, "expanded_uncertainty", 0, 1e12, &p->expanded);
	good &= number_get(o, "coverage_factor", 0, 1e12, &p->k);
	good &= number_get(o, "scatter", 0, 1e12, &p->scatter);
	good &= number_get(o, "drift_per_hour", -1e15, 1e15, &p->drift_per_hour);
	good &= number_get(o, "excess_p50_ns", -1e15, 1e15, &p->excess_p50_ns);
	good &= number_get(o, "excess_p99_ns", -1e15, 1e15, &p->excess_p99_ns);
	good &= number_get(o, "writes_less_reads_ns", -1e15, 1e15, &p->write_ns);
	if (!good || (!p->valid && !reason))
		return err_set(e, EINVAL, "point %zu: a value is missing or out of range", i + 1);
	p->service_ns = (int64_t)service_ns;
	p->depth = (uint32_t)depth;
	p->n_visits = (size_t)visits;
	if (!number_get(o, "client_waited_share", 0, 1, &p->waited)) /* not in older certificates */
		p->waited = NAN;
	p->n_left_out = (uint64_t)json_integer_value(json_object_get(o, "visits_left_out"));
	p->n_loops_left_out = (uint64_t)json_integer_value(json_object_get(o, "loops_left_out"));
	p->lead_ns = (int64_t)lead_ns;
	snprintf(p->reason, sizeof p->reason, "%s", p->valid ? "" : reason);
	return 0;
}

static int certificate_take(struct standard *s, const json_t *o, struct err *e)
{
	const json_t *points = json_object_get(o, "points");
	const json_t *machine = json_object_get(o, "machine");
	const char *made = json_string_value(json_object_get(o, "made")),
		   *format = json_string_value(json_object_get(o, "format"));
	double checked, covered;
	if (!format || strcmp(format, FORMAT))
		return err_set(e, EILSEQ, "the file is not a certificate of \"validate standard "
			"certify\"");
	if (json_integer_value(json_object_get(o, "version")) != VERSION)
		return err_set(e, EILSEQ, ERR_OTHER_VERSION,
			       (long long)json_integer_value(json_object_get(o, "version")),
			       VERSION);
	if (!made || !json_is_object(machine) || !json_array_size(points) ||
	    json_array_size(points) > POINTS_MOST)
		return err_set(e, EINVAL, "\"made\", \"machine\" or \"points\" is missing");
	s->machine = json_deep_copy(machine);
	s->made = xstrdup(made);
	s->duration_s = json_number_value(json_object_get(o, "duration_s"));
	if (!number_get(o, "cpu_share_of_others", 0, 1, &s->others_share))
		s->others_share = NAN;
	if (!number_get(o, "cpu_share_stolen", 0, 1, &s->stolen_share))
		s->stolen_share = NAN;
	if (number_get(o, "visits_checked", 0, 1e12, &checked) &&
	    number_get(o, "visits_covered", 0, checked, &covered)) {
		s->n_checked = (uint64_t)checked;
		s->n_covered = (uint64_t)covered;
	}
	if (!number_get(o, "widening", 1, 1e12, &s->widening)) /* not in older certificates */
		s->widening = 1;
	s->loop = json_is_true(json_object_get(o, "loop_device"));
	s->realtime = json_is_true(json_object_get(o, "realtime"));
	s->awake = json_is_true(json_object_get(o, "awake"));
	s->own_cpu = json_is_true(json_object_get(o, "own_cpu"));
	s->point = xcalloc(json_array_size(points), sizeof *s->point);
	for (s->n = 0; s->n < json_array_size(points); s->n++) {
		int ret = point_read(&s->point[s->n], json_array_get(points, s->n), s->n, e);
		if (ret)
			return ret;
	}
	return 0;
}

int standard_read(struct standard *s, const char *path, struct err *e)
{
	json_error_t why;
	*s = (struct standard){.n = 0};
	if (access(path, R_OK) < 0)
		return err_sys(e, errno, "cannot read %s", path);
	json_t *o = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
	if (!o)
		return err_set(e, EILSEQ, "%s is not a certificate: it is not JSON (line %d: %s)",
			       path, why.line, why.text);
	int ret = certificate_take(s, o, e);
	json_decref(o);
	if (ret) {
		err_context(e, "%s", path);
		standard_release(s);
	}
	return ret;
}

/* --- the range ----------------------------------------------------------- */

int64_t standard_range_ns(const struct standard *s, const char *model, uint32_t depth)
{
	int64_t from_ns = -1, bad_ns = -1;
	for (size_t i = 0; i < s->n; i++) {
		const struct standard_point *p = &s->point[i];
		if (!strcmp(p->model, model) && p->depth == depth && !p->valid &&
		    p->service_ns > bad_ns)
			bad_ns = p->service_ns;
	}
	for (size_t i = 0; i < s->n; i++) {
		const struct standard_point *p = &s->point[i];
		if (!strcmp(p->model, model) && p->depth == depth && p->valid &&
		    p->service_ns > bad_ns && (from_ns < 0 || p->service_ns < from_ns))
			from_ns = p->service_ns;
	}
	return from_ns;
}

/* Finds the certified depths next to `depth`; 0: none. */
static void depths_about(const struct standard *s, const char *model, uint64_t depth,
			 uint32_t about[2])
{
	about[0] = about[1] = 0;
	for (size_t i = 0; i < s->n; i++) {
		const uint32_t d = s->point[i].depth;
		if (strcmp(s->point[i].model, model))
			continue;
		if (d <= depth && d > about[0])
			about[0] = d;
		if (d >= depth && (d < about[1] || !about[1]))
			about[1] = d;
	}
}

/* Returns the point of a model and depth with the longest service time up to scale_ns. NULL: there
 * is no such point within the certified range, or scale_ns exceeds the longest service time of the
 * grid. */
static const struct standard_point *point_below(const struct standard *s, const char *model,
						uint32_t depth, int64_t scale_ns)
{
	const struct standard_point *found = NULL;
	const int64_t from_ns = standard_range_ns(s, model, depth);
	int64_t longest_ns = 0;
	for (size_t i = 0; i < s->n && from_ns >= 0; i++) {
		const struct standard_point *p = &s->point[i];
		if (strcmp(p->model, model) || p->depth != depth)
			continue;
		longest_ns = p->service_ns > longest_ns ? p->service_ns : longest_ns;
		if (p->service_ns >= from_ns && p->service_ns <= scale_ns &&
		    (!found || p->service_ns > found->service_ns))
			found = p;
	}
	return scale_ns <= longest_ns ? found : NULL;
}

int standard_covers(const struct standard *s, const char *text, uint64_t n_bytes, uint64_t depth,
		    const struct standard_point **worst, struct err *e)
{
	struct service *service;
	int ret = service_parse(&service, text, n_bytes, 1, e);
	if (ret)
		return ret;
	const char *kind = service_kind(service);
	const int64_t scale_ns = service_scale_ns(service);
	uint32_t about[2];
	depths_about(s, kind, depth, about);
	const struct standard_point *a = point_below(s, kind, about[0], scale_ns),
				    *b = point_below(s, kind, about[1], scale_ns);
	service_free(service);
	if (!a || !b)
		return err_set(e, ERANGE, "the certificate does not cover the volume %s with "
			"%llu requests in flight: choose a volume whose model, service time and "
			"number of requests in flight (queue-depth x level) are within the "
			"certificate's \"range\"", text, (unsigned long long)depth);
	*worst = fabs(a->bias) + a->expanded > fabs(b->bias) + b->expanded ? a : b;
	return 0;
}
