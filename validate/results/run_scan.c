/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/results/run_scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_scan.h"
#include "validate/results/journal.h"

static void scan_member_count(struct json_scan *t, const char *name, uint64_t *x)
{
	json_scan_member(t, name);
	json_scan_count(t, x);
}

static void scan_member_integer(struct json_scan *t, const char *name, int64_t *x)
{
	json_scan_member(t, name);
	json_scan_integer(t, x);
}

static void scan_member_real(struct json_scan *t, const char *name, double *x)
{
	json_scan_member(t, name);
	json_scan_real(t, x);
}

/* --- summaries ------------------------------------------------------------------------------------------------------ */

static void scan_device(struct json_scan *t, struct run *r)
{
	struct run_device *d = &r->device;
	r->has_device = json_scan_member_if(t, "device");
	if (!r->has_device)
		return;
	json_scan_text(t, "{");
	scan_member_count(t, "requests", &d->n_requests);
	scan_member_count(t, "seen", &d->n_seen);
	scan_member_count(t, "split", &d->n_split);
	scan_member_count(t, "extra", &d->n_extra);
	scan_member_count(t, "outside", &d->n_outside);
	scan_member_count(t, "received", &d->n_received);
	scan_member_count(t, "reordered", &d->n_reordered);
	scan_member_real(t, "own_in_flight", &d->own_in_flight);
	scan_member_real(t, "own_in_flight_max", &d->own_in_flight_max);
	json_scan_text(t, "}");
	t->failed |= d->n_received < d->n_reordered || d->own_in_flight < 0 || d->own_in_flight_max < 0 ||
		     !isfinite(d->own_in_flight + d->own_in_flight_max);
}

static void scan_others(struct json_scan *t, struct run *r)
{
	r->has_blank = json_scan_member_if(t, "blank");
	if (r->has_blank) {
		json_scan_text(t, "{");
		scan_member_real(t, "mean_ns", &r->blank_mean_ns);
		json_scan_text(t, "}");
		t->failed |= r->blank_mean_ns < 0;
	}
	r->has_own = json_scan_member_if(t, "own");
	if (r->has_own) {
		json_scan_text(t, "{");
		scan_member_real(t, "mean_ns", &r->own_mean_ns);
		scan_member_real(t, "observed_share", &r->observed_share);
		json_scan_text(t, "}");
		t->failed |= r->own_mean_ns < 0 || r->observed_share < 0 || r->observed_share > 1;
	}
	scan_device(t, r);
}

/* What its checksum is of, and the comma behind that. */
static struct json_scan beginning(const char *line, size_t len)
{
	const size_t body = journal_line_body(line, len);
	struct json_scan t = {line, line + body + 1, !body};
	json_scan_text(&t, "{");
	return t;
}

static bool is_at_end(const struct json_scan *t)
{
	return !t->failed && t->at + 1 == t->end;
}

bool run_line_scan(struct run_line *l, const char *line, size_t len)
{
	struct json_scan t = beginning(line, len);
	uint64_t version = 0, id = 0, block = 0, seq = 0;
	*l = (struct run_line){0};
	scan_member_count(&t, "version", &version);
	scan_member_count(&t, "run", &id);
	json_scan_member(&t, "scenario");
	json_scan_string(&t, NULL, 0);
	json_scan_member(&t, "role");
	json_scan_string(&t, NULL, 0);
	scan_member_count(&t, "block", &block);
	json_scan_member(&t, "summary");
	if (t.failed || version != 1 || id > UINT32_MAX || !summary_brief_scan(&l->run.summary, &t))
		return false;
	l->run.id = (uint32_t)id;
	scan_others(&t, &l->run);
	scan_member_count(&t, "seq", &seq);
	json_scan_text(&t, ",\"event\":\"summary\"");
	scan_member_integer(&t, "bytes", &l->file_bytes);
	if (is_at_end(&t))
		return true;
	summary_release(&l->run.summary);
	return false;
}

void run_line_take(struct run *r, struct run_line *l)
{
	const struct run *from = &l->run;
	r->has_blank = from->has_blank;
	r->blank_mean_ns = from->blank_mean_ns;
	r->has_own = from->has_own;
	r->own_mean_ns = from->own_mean_ns;
	r->observed_share = from->observed_share;
	r->has_device = from->has_device;
	r->device = from->device;
	r->summary = from->summary;
	r->has_summary = true;
	*l = (struct run_line){0};
}

/* --- events ---------------------------------------------------------------------------------------------------------- */

/* Absent in results of earlier versions. */
static void scan_processors(struct json_scan *t, struct run *r)
{
	r->others_share = r->stolen_share = NAN;
	if (!json_scan_member_if(t, "processors"))
		return;
	json_scan_text(t, "{");
	scan_member_real(t, "others", &r->others_share);
	scan_member_real(t, "stolen", &r->stolen_share);
	json_scan_text(t, "}");
	t->failed |= !(r->others_share >= 0 && r->others_share <= 1) || !(r->stolen_share >= 0 && r->stolen_share <= 1);
}

/* Absent where a run was made in one piece. */
static void scan_slices(struct json_scan *t, struct run *r)
{
	uint64_t n = 0;
	if (!json_scan_member_if(t, "slices"))
		return;
	json_scan_text(t, "{");
	scan_member_count(t, "n", &n);
	scan_member_integer(t, "length_ns", &r->slice_ns);
	json_scan_text(t, "}");
	r->sliced = true;
	r->n_slices = (uint32_t)n;
	t->failed |= !n || n > UINT32_MAX || r->slice_ns <= 0;
}

static void scan_digest_if(struct json_scan *t, const char *name, char hex[FILE_DIGEST_HEX])
{
	if (json_scan_member_if(t, name))
		json_scan_string(t, hex, FILE_DIGEST_HEX);
}

bool run_event_scan(struct run *runs, size_t n_runs, const char *line, size_t len, uint64_t *run)
{
	struct json_scan t = beginning(line, len);
	uint64_t seq = 0;
	struct run read = {0};
	scan_member_count(&t, "seq", &seq);
	json_scan_text(&t, ",\"event\":\"run\"");
	scan_member_count(&t, "run", run);
	json_scan_text(&t, ",\"state\":\"ok\"");
	scan_member_integer(&t, "started_ns", &read.started_ns);
	scan_member_real(&t, "preparation_s", &read.preparation_s);
	scan_member_real(&t, "run_s", &read.run_s);
	json_scan_text(&t, ",\"residency\":{");
	scan_member_count(&t, "total_bytes", &read.residency.total_bytes);
	scan_member_count(&t, "cached_bytes", &read.residency.cached_bytes);
	scan_member_count(&t, "dirty_bytes", &read.residency.dirty_bytes);
	json_scan_member(&t, "by_cachestat");
	json_scan_bool(&t, &read.residency.by_cachestat);
	json_scan_text(&t, "},\"cgroup\":{");
	scan_member_count(&t, "limit_bytes", &read.cgroup_limit_bytes);
	scan_member_count(&t, "peak_bytes", &read.cgroup_peak_bytes);
	json_scan_text(&t, "},\"process\":{");
	scan_member_real(&t, "cpu_s", &read.cpu_s);
	scan_member_count(&t, "peak_bytes", &read.peak_bytes);
	json_scan_text(&t, "}");
	if (json_scan_member_if(&t, "service_factor"))
		json_scan_real(&t, &read.service_factor);
	t.failed |= !(read.service_factor >= 0);
	scan_processors(&t, &read);
	scan_slices(&t, &read);
	if (json_scan_member_if(&t, "trace_bytes"))
		json_scan_count(&t, &read.trace_bytes);
	scan_digest_if(&t, "sha256", read.file_sha256);
	scan_digest_if(&t, "line_sha256", read.line_sha256);
	if (json_scan_member_if(&t, "after"))
		json_scan_string(&t, NULL, 0);
	if (!is_at_end(&t) || *run >= n_runs)
		return false;
	struct run *r = &runs[*run];
	free(r->reason);
	r->reason = NULL;
	r->state = RUN_OK;
	r->started_ns = read.started_ns;
	r->preparation_s = read.preparation_s;
	r->run_s = read.run_s;
	r->residency = read.residency;
	r->cgroup_limit_bytes = read.cgroup_limit_bytes;
	r->cgroup_peak_bytes = read.cgroup_peak_bytes;
	r->trace_bytes = read.trace_bytes;
	r->cpu_s = read.cpu_s;
	r->peak_bytes = read.peak_bytes;
	r->service_factor = read.service_factor;
	r->others_share = read.others_share;
	r->stolen_share = read.stolen_share;
	r->sliced = read.sliced;
	r->n_slices = read.n_slices;
	r->slice_ns = read.slice_ns;
	r->search = (struct run_search){0};
	memcpy(r->file_sha256, read.file_sha256, sizeof r->file_sha256);
	memcpy(r->line_sha256, read.line_sha256, sizeof r->line_sha256);
	return true;
}
