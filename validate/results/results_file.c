/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/results/results_file.h"

#include "common/files.h"
#include "common/json_members.h"
#include "common/residency.h"

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
		/* other errors appear when the file is read */
		return 0;
	return err_set(e, EINVAL, "%s is a symbolic link: replace it with a copy of its target",
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
		SCOPED_FREE char *path = results_path(dir, name);
		ret = link_refuse(path, e);
	}
	closedir(d);
	return ret || !code ? ret : err_sys(e, code, "cannot read the results directory %s", dir);
}

/* Reads a JSON file. `digest`: required SHA-256 of the file; "": any. */
static int json_read_sealed(const char *path, const char *digest, json_t **o, struct err *e)
{
	char hex[FILE_DIGEST_HEX];
	SCOPED_STRBUF text = STRBUF_INIT;
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
			ret = err_set(e, EINVAL, "%s is not JSON (line %d, column %d: %s)", path,
				      why.line, why.column, why.text);
	}
	return ret;
}

int json_read_file(const char *path, json_t **o, struct err *e)
{
	return json_read_sealed(path, "", o, e);
}

int json_write_file(const char *path, const json_t *o, size_t flags, struct err *e)
{
	SCOPED_FREE char *text = json_dumps(o, flags);
	if (!text)
		return err_set(e, EINVAL, "%s: cannot be written as JSON", path);
	size_t len = strlen(text);
	/* replaces the NUL */
	text[len] = '\n';
	return file_write_atomic(path, text, len + 1, e);
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

#define M(name, kind, field, ...) MEMBER_AS(name, run, kind, field, __VA_ARGS__)
/* an object of fields of the run */
#define PART(name_, table, ...) {.name = name_, .kind = MEMBER_OBJECT, .of = table, __VA_ARGS__}

static const struct json_member residency_members[] = {
    MEMBER(fileset_residency, COUNT, total_bytes), MEMBER(fileset_residency, COUNT, cached_bytes),
    MEMBER(fileset_residency, COUNT, dirty_bytes), MEMBER(fileset_residency, BOOL, by_cachestat),
    {0}};

static const struct json_member cgroup_members[] = {
    M("limit_bytes", COUNT, cgroup_limit_bytes), M("peak_bytes", COUNT, cgroup_peak_bytes), {0}};

static const struct json_member process_members[] = {
    M("cpu_s", REAL, cpu_s), M("peak_bytes", COUNT, peak_bytes), {0}};

static const struct json_member processor_members[] = {
    M("others", RATIO, others_share), M("stolen", RATIO, stolen_share), {0}};

static const struct json_member slice_members[] = {
    M("n", WHOLE, n_slices), M("length_ns", DURATION, slice_ns),
    M("late", COUNT, n_slices_late, .may_be_absent = true), {0}};

static const struct json_member search_members[] = {
    MEMBER_AS("periods", run_search, WHOLE, n_periods), MEMBER(run_search, DURATION, ns),
    MEMBER(run_search, REAL, error, .nullable = true), {0}};

static const struct json_member event_members[] = {
    M("started_ns", INTEGER, started_ns),
    M("preparation_s", REAL, preparation_s),
    M("run_s", REAL, run_s),
    M("residency", OBJECT, residency, .of = residency_members),
    PART("cgroup", cgroup_members),
    PART("process", process_members, .may_be_absent = true),
    M("service_factor", POSITIVE, service_factor, .if_set = true),
    PART("processors", processor_members, .if_set = true),
    PART("slices", slice_members, MEMBER_FLAG(run, sliced)),
    M("search", OBJECT, search, .of = search_members, .if_set = true),
    M("trace_bytes", COUNT, trace_bytes, .if_set = true),
    M("lost", COUNT, n_lost, .if_set = true),
    M("sha256", TEXT, file_sha256, .size = FILE_DIGEST_HEX, .if_set = true),
    M("line_sha256", TEXT, line_sha256, .size = FILE_DIGEST_HEX, .if_set = true),
    {0}};

json_t *run_to_event(const struct run *r)
{
	json_t *o = json_pack("{s:s, s:I, s:s, s:s*}", "event", "run", "run", (json_int_t)r->id,
			      "state", r->state == RUN_OK ? "ok" : "failed", "reason", r->reason);
	struct run written = *r;
	if (r->state != RUN_OK)
		written.file_sha256[0] = written.line_sha256[0] = 0;
	json_members_put(o, &written, event_members);
	return o;
}

int run_from_event(struct run *runs, size_t n_runs, const json_t *event, struct err *e)
{
	const json_t *id = json_object_get(event, "run");
	const char *state = json_string_value(json_object_get(event, "state")),
		   *reason = json_string_value(json_object_get(event, "reason"));
	if (!json_is_integer(id) || !state)
		return err_set(e, EINVAL, "a line of the journal about a run is incomplete");
	if (json_integer_value(id) < 0 || (uint64_t)json_integer_value(id) >= n_runs)
		return err_set(e, EINVAL, "run %lld is not in the plan",
			       (long long)json_integer_value(id));
	struct run *r = &runs[json_integer_value(id)];
	free(r->reason);
	r->state = !strcmp(state, "ok") ? RUN_OK : RUN_FAILED;
	r->reason = reason ? xstrdup(reason) : NULL;
	/* of an earlier event of this run */
	r->search = (struct run_search){0};
	r->others_share = r->stolen_share = NAN;
	r->service_factor = 0;
	r->trace_bytes = r->n_lost = 0;
	r->file_sha256[0] = r->line_sha256[0] = 0;
	return json_members_get(r, event_members, event, e)
		   ? err_context(e, "a line of the journal about a run is incomplete")
		   : 0;
}

/* --- summaries ----------------------------------------------------------- */

static const struct json_member blank_members[] = {M("mean_ns", POSITIVE, blank_mean_ns), {0}};

static const struct json_member own_members[] = {
    M("mean_ns", POSITIVE, own_mean_ns), M("observed_share", RATIO, observed_share), {0}};

#define D(name, kind, field) MEMBER_AS(name, run_device, kind, field)
static const struct json_member device_members[] = {
    D("requests", COUNT, n_requests),
    D("seen", COUNT, n_seen),
    D("split", COUNT, n_split),
    D("extra", COUNT, n_extra),
    D("outside", COUNT, n_outside),
    D("received", COUNT, n_received),
    D("reordered", COUNT, n_reordered),
    D("own_in_flight", POSITIVE, own_in_flight),
    D("own_in_flight_max", POSITIVE, own_in_flight_max),
    {0}};

static const struct json_member served_members[] = {
    MEMBER(run_served, COUNT, n),
    MEMBER(run_served, POSITIVE, programmed_ns),
    MEMBER(run_served, REAL, delivered_ns),
    {0}};

/* in addition to the summary, a part for each way of observing a run */
static const struct json_member beside_members[] = {
    PART("blank", blank_members, MEMBER_FLAG(run, has_blank)),
    PART("own", own_members, MEMBER_FLAG(run, has_own)),
    M("served", OBJECT, served, .of = served_members, MEMBER_FLAG(run, has_served)),
    M("device", OBJECT, device, .of = device_members, MEMBER_FLAG(run, has_device)), {0}};

json_t *run_summary_file(const struct run *r, const struct protocol *p)
{
	json_t *o = json_pack("{s:i, s:I, s:s, s:s, s:I, s:o}", "version", SUMMARY_VERSION, "run",
			      (json_int_t)r->id, "scenario", p->scenario[r->scenario].name, "role",
			      run_role_name(p, r->role), "block", (json_int_t)r->block, "summary",
			      summary_to_json(&r->summary));
	if (o)
		json_members_put(o, r, beside_members);
	return o;
}

int run_summary_take(struct run *r, const json_t *o, const char *path, bool brief, struct err *e)
{
	const json_t *version = json_object_get(o, "version"), *id = json_object_get(o, "run"),
		     *summary = json_object_get(o, "summary");
	if (json_is_integer(version) && json_integer_value(version) != SUMMARY_VERSION)
		return err_set(e, EINVAL,
			       "%s: " ERR_OTHER_VERSION, path,
			       (long long)json_integer_value(version), SUMMARY_VERSION);
	if (!json_is_integer(version) || !json_is_integer(id) || json_integer_value(id) != r->id)
		return err_set(e, EINVAL, "%s is not the summary of run %u", path, r->id);
	if (json_members_get(r, beside_members, o, e))
		return err_context(e, "%s", path);
	if (r->has_served && !r->served.n)
		return err_set(e, EINVAL,
			       "%s: \"served\" is damaged: its number of requests is 0", path);
	if (r->has_device && r->device.n_received < r->device.n_reordered)
		return err_set(e, EINVAL, "%s: \"device\" is damaged: more requests are reordered "
					  "than were received", path);
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
	SCOPED_FREE char *path = results_run_path(dir, r->id);
	json_auto_t *o = NULL;
	int ret = link_refuse(path, e);
	ret = ret ? ret : json_read_sealed(path, r->file_sha256, &o, e);
	ret = ret ? ret : run_summary_take(r, o, path, false, e);
	return ret;
}
