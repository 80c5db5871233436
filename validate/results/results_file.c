/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/results/results_file.h"

#include <sys/stat.h>

#include "common/files.h"
#include "common/strbuf.h"
#include "common/xalloc.h"

#define SUMMARY_VERSION 1
#define JSON_MAX_BYTES (64u << 20)

char *results_path(const char *dir, const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

char *results_run_path(const char *dir, uint32_t id)
{
	return xasprintf("%s/runs/%06u.json", dir, id);
}

static int link_refuse(const char *path, struct err *e)
{
	struct stat st;
	if (lstat(path, &st) < 0 || !S_ISLNK(st.st_mode))
		/* other errors appear when it is read */
		return 0;
	return err_set(e, EINVAL, "%s is a symbolic link: results are not read through links",
		       path);
}

int results_links_refuse(const char *dir, struct err *e)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	int ret = 0, code = 0;
	if (!d && (errno == ENOENT || errno == ENOTDIR))
		/* reading it reports the error */
		return 0;
	if (!d)
		return err_sys(e, errno, "cannot read the results directory %s", dir);
	while (!ret && (entry = dir_next(d, &code))) {
		const char *name = entry->d_name;
		if (!strcmp(name, "traces") || !strcmp(name, "programs") || !strcmp(name, "report"))
			continue;
		char *path = results_path(dir, name);
		ret = link_refuse(path, e);
		free(path);
	}
	closedir(d);
	return ret || !code ? ret : err_sys(e, code, "cannot read the results directory %s", dir);
}

/* `digest`: required SHA-256 of the file; "": any. */
static int json_read_sealed(const char *path, const char *digest, json_t **o, struct err *e)
{
	char hex[FILE_DIGEST_HEX];
	struct strbuf text = STRBUF_INIT;
	json_error_t why;
	*o = NULL;
	int ret = file_read(path, &text, JSON_MAX_BYTES, e);
	if (!ret && *digest && (ret = bytes_digest(text.s, text.len, hex, e)))
		err_context(e, "%s", path);
	if (!ret && *digest && strcmp(hex, digest))
		ret = err_set(e, EBADMSG, "%s was changed after the campaign wrote it", path);
	if (!ret) {
		*o = json_loadb(text.s, text.len, JSON_REJECT_DUPLICATES, &why);
		if (!*o)
			ret = err_set(e, EINVAL, "%s:%d:%d: %s", path, why.line, why.column,
				      why.text);
	}
	strbuf_release(&text);
	return ret;
}

int json_read_file(const char *path, json_t **o, struct err *e)
{
	return json_read_sealed(path, "", o, e);
}

int json_write_file(const char *path, const json_t *o, size_t flags, struct err *e)
{
	char *text = json_dumps(o, flags);
	if (!text)
		return err_set(e, EINVAL, "%s: cannot be written as JSON", path);
	size_t len = strlen(text);
	/* replaces the NUL */
	text[len] = '\n';
	int ret = file_write_atomic(path, text, len + 1, e);
	free(text);
	return ret;
}

const char *run_role_name(const struct protocol *p, int32_t role)
{
	return role == ROLE_PROGRAM  ? "program"
	       : role == ROLE_RECORD ? "recording"
				     : p->replayer[role].name;
}

struct run *results_runs_make(const struct design *plan)
{
	struct run *run = xcalloc(plan->n_runs + 1, sizeof *run);
	for (size_t i = 0; i < plan->n_runs; i++) {
		const struct design_run *p = &plan->run[i];
		run[i] = (struct run){.id = (uint32_t)i, .block = p->block, .position = p->position,
				      .scenario = p->scenario, .role = p->role, .bank = p->bank,
				      .state = RUN_PENDING, .others_share = NAN,
				      .stolen_share = NAN};
	}
	return run;
}

void results_runs_free(struct run *run, size_t n)
{
	for (size_t i = 0; run && i < n; i++) {
		free(run[i].reason);
		if (run[i].has_summary)
			summary_release(&run[i].summary);
	}
	free(run);
}

/* --- events of the journal ----------------------------------------------- */

json_t *run_to_event(const struct run *r)
{
	json_t *o = json_pack("{s:s, s:I, s:s, s:s*, s:I, s:f, s:f}", "event", "run", "run",
			      (json_int_t)r->id, "state", r->state == RUN_OK ? "ok" : "failed",
			      "reason", r->reason, "started_ns", (json_int_t)r->started_ns,
			      "preparation_s", r->preparation_s, "run_s", r->run_s);
	json_object_set_new(o, "residency",
			    json_pack("{s:I, s:I, s:I, s:b}", "total_bytes",
				      (json_int_t)r->residency.total_bytes, "cached_bytes",
				      (json_int_t)r->residency.cached_bytes, "dirty_bytes",
				      (json_int_t)r->residency.dirty_bytes, "by_cachestat",
				      r->residency.by_cachestat));
	json_object_set_new(o, "cgroup",
			    json_pack("{s:I, s:I}", "limit_bytes",
				      (json_int_t)r->cgroup_limit_bytes, "peak_bytes",
				      (json_int_t)r->cgroup_peak_bytes));
	json_object_set_new(
	    o, "process",
	    json_pack("{s:f, s:I}", "cpu_s", r->cpu_s, "peak_bytes", (json_int_t)r->peak_bytes));
	if (r->service_factor > 0)
		json_object_set_new(o, "service_factor", json_real(r->service_factor));
	if (isfinite(r->others_share + r->stolen_share))
		json_object_set_new(
		    o, "processors",
		    json_pack("{s:f, s:f}", "others", r->others_share, "stolen", r->stolen_share));
	if (r->sliced)
		json_object_set_new(o, "slices",
				    json_pack("{s:I, s:I, s:I}", "n", (json_int_t)r->n_slices,
					      "length_ns", (json_int_t)r->slice_ns, "late",
					      (json_int_t)r->n_slices_late));
	if (r->search.n_periods)
		json_object_set_new(o, "search",
				    json_pack("{s:I, s:I, s:o}", "periods",
					      (json_int_t)r->search.n_periods, "ns",
					      (json_int_t)r->search.ns, "error",
					      isfinite(r->search.error) ? json_real(r->search.error)
									: json_null()));
	if (r->trace_bytes)
		json_object_set_new(o, "trace_bytes", json_integer((json_int_t)r->trace_bytes));
	if (r->state == RUN_OK && r->file_sha256[0])
		json_object_set_new(o, "sha256", json_string(r->file_sha256));
	if (r->state == RUN_OK && r->line_sha256[0])
		json_object_set_new(o, "line_sha256", json_string(r->line_sha256));
	return o;
}

/* Absent unless a period was searched. */
static void search_from_event(struct run_search *s, const json_t *o)
{
	const json_t *error = json_object_get(o, "error");
	json_int_t n = json_integer_value(json_object_get(o, "periods")),
		   ns = json_integer_value(json_object_get(o, "ns"));
	*s = (struct run_search){0};
	if (n > 0 && n <= UINT32_MAX && ns >= 0)
		*s = (struct run_search){(uint32_t)n, ns,
					 json_is_number(error) ? json_number_value(error) : NAN};
}

/* Absent in results of earlier versions. */
static double share_from_event(const json_t *o, const char *name)
{
	const json_t *share = json_object_get(o, name);
	const double x = json_number_value(share);
	return json_is_number(share) && x >= 0 && x <= 1 ? x : NAN;
}

/* Absent for a run in one piece; "late" is absent in results of earlier versions. */
static void slices_from_event(struct run *r, const json_t *o)
{
	json_int_t n = json_integer_value(json_object_get(o, "n")),
		   ns = json_integer_value(json_object_get(o, "length_ns")),
		   late = json_integer_value(json_object_get(o, "late"));
	r->sliced = n > 0 && n <= UINT32_MAX && ns > 0;
	r->n_slices = r->sliced ? (uint32_t)n : 0;
	r->slice_ns = r->sliced ? ns : 0;
	r->n_slices_late = r->sliced && late > 0 ? (uint64_t)late : 0;
}

/* Absent in results of earlier versions. */
static void digest_from_event(char hex[FILE_DIGEST_HEX], const json_t *event, const char *name)
{
	const char *s = json_string_value(json_object_get(event, name));
	snprintf(hex, FILE_DIGEST_HEX, "%s", s ? s : "");
}

int run_from_event(struct run *runs, size_t n_runs, const json_t *event, struct err *e)
{
	json_int_t id, started, total, cached, dirty, limit, peak, trace = 0;
	const char *state, *reason = NULL;
	double preparation_s, run_s;
	int by_cachestat;
	json_error_t why;
	/* json_unpack() does not change its argument, but its type is not const */
	if (json_unpack_ex(
		(json_t *)event, &why, 0,
		"{s:I, s:s, s?s, s:I, s:F, s:F, s:{s:I, s:I, s:I, s:b}, s:{s:I, s:I}, s?I}", "run",
		&id, "state", &state, "reason", &reason, "started_ns", &started, "preparation_s",
		&preparation_s, "run_s", &run_s, "residency", "total_bytes", &total, "cached_bytes",
		&cached, "dirty_bytes", &dirty, "by_cachestat", &by_cachestat, "cgroup",
		"limit_bytes", &limit, "peak_bytes", &peak, "trace_bytes", &trace) < 0)
		return err_set(e, EINVAL, "an event of a run is incomplete: %s", why.text);
	if (id < 0 || (uint64_t)id >= n_runs)
		return err_set(e, EINVAL, "run %lld is not in the plan", (long long)id);
	struct run *r = &runs[id];
	free(r->reason);
	r->state = !strcmp(state, "ok") ? RUN_OK : RUN_FAILED;
	r->reason = reason ? xstrdup(reason) : NULL;
	r->started_ns = started;
	r->preparation_s = preparation_s;
	r->run_s = run_s;
	r->residency = (struct fileset_residency){(uint64_t)total, (uint64_t)cached,
						  (uint64_t)dirty, by_cachestat};
	r->cgroup_limit_bytes = (uint64_t)limit;
	r->cgroup_peak_bytes = (uint64_t)peak;
	r->trace_bytes = trace > 0 ? (uint64_t)trace : 0;
	/* absent in results of earlier versions */
	const json_t *process = json_object_get(event, "process");
	json_int_t rss = json_integer_value(json_object_get(process, "peak_bytes"));
	r->cpu_s = json_number_value(json_object_get(process, "cpu_s"));
	r->peak_bytes = rss > 0 ? (uint64_t)rss : 0;
	const double factor = json_number_value(json_object_get(event, "service_factor"));
	r->service_factor = factor > 0 && isfinite(factor) ? factor : 0;
	const json_t *processors = json_object_get(event, "processors");
	r->others_share = share_from_event(processors, "others");
	r->stolen_share = share_from_event(processors, "stolen");
	slices_from_event(r, json_object_get(event, "slices"));
	search_from_event(&r->search, json_object_get(event, "search"));
	digest_from_event(r->file_sha256, event, "sha256");
	digest_from_event(r->line_sha256, event, "line_sha256");
	return 0;
}

/* --- summaries ----------------------------------------------------------- */

static json_t *device_to_json(const struct run_device *d)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f}", "requests",
			 (json_int_t)d->n_requests, "seen", (json_int_t)d->n_seen, "split",
			 (json_int_t)d->n_split, "extra", (json_int_t)d->n_extra, "outside",
			 (json_int_t)d->n_outside, "received", (json_int_t)d->n_received,
			 "reordered", (json_int_t)d->n_reordered, "own_in_flight", d->own_in_flight,
			 "own_in_flight_max", d->own_in_flight_max);
}

json_t *run_summary_file(const struct run *r, const struct protocol *p)
{
	json_t *o = json_pack("{s:i, s:I, s:s, s:s, s:I, s:o}", "version", SUMMARY_VERSION, "run",
			      (json_int_t)r->id, "scenario", p->scenario[r->scenario].name, "role",
			      run_role_name(p, r->role), "block", (json_int_t)r->block, "summary",
			      summary_to_json(&r->summary));
	if (o && r->has_blank)
		json_object_set_new(o, "blank", json_pack("{s:f}", "mean_ns", r->blank_mean_ns));
	if (o && r->has_own)
		json_object_set_new(o, "own",
				    json_pack("{s:f, s:f}", "mean_ns", r->own_mean_ns,
					      "observed_share", r->observed_share));
	if (o && r->has_served)
		json_object_set_new(o, "served",
				    json_pack("{s:I, s:f, s:f}", "n", (json_int_t)r->served.n,
					      "programmed_ns", r->served.programmed_ns,
					      "delivered_ns", r->served.delivered_ns));
	if (o && r->has_device)
		json_object_set_new(o, "device", device_to_json(&r->device));
	return o;
}

/* Absent unless the run was observed at its device. */
static int device_read(struct run *r, const json_t *o, const char *path, struct err *e)
{
	const json_t *d = json_object_get(o, "device");
	json_int_t n[7] = {0};
	double mean, most;
	r->has_device = d;
	if (!d)
		return 0;
	if (json_unpack((json_t *)d, "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:F, s:F}", "requests",
			&n[0], "seen", &n[1], "split", &n[2], "extra", &n[3], "outside", &n[4],
			"received", &n[5], "reordered", &n[6], "own_in_flight", &mean,
			"own_in_flight_max", &most) < 0 ||
	    n[0] < 0 || n[1] < 0 || n[2] < 0 || n[3] < 0 || n[4] < 0 || n[6] < 0 || n[5] < n[6] ||
	    !(mean >= 0) || !(most >= 0) || !isfinite(mean + most))
		return err_set(e, EINVAL, "%s: \"device\" is damaged", path);
	r->device = (struct run_device){(uint64_t)n[0], (uint64_t)n[1], (uint64_t)n[2],
					(uint64_t)n[3], (uint64_t)n[4], (uint64_t)n[5],
					(uint64_t)n[6], mean,           most};
	return 0;
}

/* Absent unless the run was on a volume. */
static int served_read(struct run *r, const json_t *o, const char *path, struct err *e)
{
	const json_t *served = json_object_get(o, "served");
	json_int_t n = 0;
	double programmed = 0, delivered = 0;
	r->has_served = served;
	if (served && (json_unpack((json_t *)served, "{s:I, s:F, s:F}", "n", &n, "programmed_ns",
				   &programmed, "delivered_ns", &delivered) < 0 ||
		       n < 1 || !(programmed >= 0) || !isfinite(programmed + delivered)))
		return err_set(e, EINVAL, "%s: \"served\" is damaged", path);
	r->served = (struct run_served){(uint64_t)n, programmed, delivered};
	return 0;
}

/* Absent unless the run had an observer. */
static int own_read(struct run *r, const json_t *o, const char *path, struct err *e)
{
	const json_t *own = json_object_get(o, "own"), *mean = json_object_get(own, "mean_ns"),
		     *share = json_object_get(own, "observed_share");
	r->has_own = own;
	r->own_mean_ns = json_number_value(mean);
	r->observed_share = json_number_value(share);
	if (own && (!json_is_number(mean) || !(r->own_mean_ns >= 0) || !isfinite(r->own_mean_ns) ||
		    !json_is_number(share) || !(r->observed_share >= 0 && r->observed_share <= 1)))
		return err_set(e, EINVAL, "%s: \"own\" has no \"mean_ns\" and \"observed_share\"",
			       path);
	return 0;
}

/* Absent without a blank, and in results of earlier versions. */
static int blank_read(struct run *r, const json_t *o, const char *path, struct err *e)
{
	const json_t *blank = json_object_get(o, "blank"),
		     *mean = json_object_get(blank, "mean_ns");
	r->has_blank = blank;
	r->blank_mean_ns = json_number_value(mean);
	if (blank &&
	    (!json_is_number(mean) || !(r->blank_mean_ns >= 0) || !isfinite(r->blank_mean_ns)))
		return err_set(e, EINVAL, "%s: \"blank\" has no \"mean_ns\" of 0 or more", path);
	return 0;
}

int run_summary_take(struct run *r, const json_t *o, const char *path, bool brief, struct err *e)
{
	const json_t *version = json_object_get(o, "version"), *id = json_object_get(o, "run"),
		     *summary = json_object_get(o, "summary");
	if (json_is_integer(version) && json_integer_value(version) != SUMMARY_VERSION)
		return err_set(e, EINVAL,
			       "%s: version %lld of a run's summary; this program reads version %d",
			       path, (long long)json_integer_value(version), SUMMARY_VERSION);
	if (!json_is_integer(version) || !json_is_integer(id) || json_integer_value(id) != r->id)
		return err_set(e, EINVAL, "%s: this is not a summary of run %u", path, r->id);
	if (blank_read(r, o, path, e) < 0 || own_read(r, o, path, e) < 0 ||
	    served_read(r, o, path, e) < 0 || device_read(r, o, path, e) < 0)
		return -EINVAL;
	if ((brief ? summary_brief_from_json : summary_from_json)(&r->summary, summary, e) < 0)
		return err_context(e, "%s", path);
	r->has_summary = true;
	return 0;
}

void run_summary_leave_out_course(struct run *r)
{
	if (!r->has_summary)
		return;
	free(r->summary.pace);
	r->summary.pace = NULL;
}

int run_summary_read(struct run *r, const char *dir, struct err *e)
{
	char *path = results_run_path(dir, r->id);
	json_t *o = NULL;
	int ret = link_refuse(path, e);
	if (!ret)
		ret = json_read_sealed(path, r->file_sha256, &o, e);
	if (!ret)
		ret = run_summary_take(r, o, path, false, e);
	json_decref(o);
	free(path);
	return ret;
}
