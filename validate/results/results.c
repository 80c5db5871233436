/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/results/results.h"

#include "common/files.h"
#include "validate/results/journal.h"
#include "validate/results/results_file.h"
#include "validate/results/summaries.h"

/* Whether the error means that a file of the results is missing or damaged. Any other error says
 * nothing about the file. */
static bool is_damage(int code)
{
	return code == ENOENT || code == ENOTDIR || code == EISDIR || code == ELOOP ||
	       code == EINVAL || code == EBADMSG || code == EFBIG;
}

/* State of reading the journal. */
struct loading {
	struct results *r;
	/* number of replicates at which the campaign stopped, or the maximum */
	uint64_t n_replicates;
	/* a campaign with a budget has used it, or has decided all cases */
	bool is_over;
	uint64_t n_unplanned;        /* number of valid lines that do not match the plan */
	uint32_t n_resumed;
	struct journal_reading reading;
	/* number of damaged lines before the last session began; their runs were repeated */
	uint64_t n_damaged_before;
	struct seal_record record;
};

static int run_take(struct loading *l, const json_t *event)
{
	int ret = run_from_event(l->r->run, l->r->n_runs, event, NULL);
	if (!ret)
		l->r->run[json_integer_value(json_object_get(event, "run"))].session = l->n_resumed;
	return ret;
}

static int event_take(const json_t *event, void *context, struct err *e)
{
	struct loading *l = context;
	const char *name = json_string_value(json_object_get(event, "event"));
	(void)e;
	seal_record_take(&l->record, event);
	if (!strcmp(name, "run"))
		l->n_unplanned += run_take(l, event) < 0;
	else if (!strcmp(name, "resume")) {
		l->n_resumed++;
		l->n_damaged_before = l->reading.n_damaged;
		l->reading.first_damaged = 0;
		l->is_over = false;
	} else if (!strcmp(name, "budget"))
		l->is_over = true;
	else if (!strcmp(name, "look") && json_is_true(json_object_get(event, "stop")))
		l->n_replicates =
		    (uint64_t)json_integer_value(json_object_get(event, "replicates"));
	return 0;
}

/* Records damaged lines. A resumed session made the runs of earlier damaged lines again. */
static void damage_check(struct results *r, const struct loading *l)
{
	const uint64_t n = l->reading.n_damaged - l->n_damaged_before;
	const unsigned long long first = l->reading.first_damaged;
	if (n == 1 && l->reading.linked)
		seal_break(&r->seal, "line %llu of the journal is damaged (\"validate run "
			"--resume\" repeats its run)", first);
	else if (n && l->reading.linked)
		seal_break(&r->seal, "%llu lines of the journal are damaged, beginning with line "
			"%llu (\"validate run --resume\" repeats their runs)",
			(unsigned long long)n, first);
}

/* Returns the number of runs that have a file, but no line of the journal. */
static size_t n_pending_with_file(const struct results *r)
{
	size_t n = 0;
	for (size_t i = 0; i < r->n_runs; i++) {
		SCOPED_FREE char *path =
		    r->run[i].state == RUN_PENDING ? results_run_path(r->dir, (uint32_t)i) : NULL;
		n += path && path_exists(path);
	}
	return n;
}

/* Records a journal that was cut. A killed campaign leaves at most the files of a group without
 * lines. */
static void cut_check(struct results *r, uint64_t n_lines)
{
	const size_t n = n_pending_with_file(r);
	if (n > r->protocol.n_replayers + 1)
		seal_break(&r->seal, "the journal was cut after line %llu: %zu runs have a "
			"summary, but no line in the journal (\"validate run --resume\" repeats "
			"these runs)",
			(unsigned long long)n_lines, n);
}

/* Compares the journal, and the files named in it, with the digests of the campaign.
 * summaries_load() checks the files of the runs. */
static int journal_check(struct results *r, struct loading *l, struct err *e)
{
	r->seal.state = l->record.files && !l->record.late ? SEAL_WHOLE : SEAL_ABSENT;
	seal_check_chain(&r->seal, &l->reading);
	damage_check(r, l);
	if (!r->seal.changes)
		cut_check(r, l->reading.n_lines);
	if (r->seal.changes)
		/* the line with its digest may be lost */
		l->record.environment[0][0] = 0;
	l->record.n_lines = l->reading.n_lines;
	int ret = seal_check_record(&r->seal, r->dir, &l->record, e);
	for (size_t i = 0; i < r->n_runs && r->seal.state == SEAL_WHOLE; i++)
		if (r->run[i].state == RUN_OK && !r->run[i].file_sha256[0])
			r->seal.state = SEAL_ABSENT;
	return ret;
}

static int journal_load(struct results *r, const struct design *plan, struct err *e)
{
	struct loading l = {.r = r, .n_replicates = r->protocol.n_replicates_max};
	struct err why = ERR_INIT;
	SCOPED_FREE char *path = results_path(r->dir, "journal");
	int ret = journal_read(path, event_take, &l, &l.reading, &why);
	if (ret)
		err_set(e, -ret, "%s%s", why.msg, is_damage(-ret) ? ": restore the file from a "
			"copy of the results, or run the campaign again" : "");
	r->n_damaged_journal_lines = l.n_unplanned + l.reading.n_damaged;
	/* a campaign that was killed before its first line has an empty journal, and no runs */
	if (!ret && l.reading.n_lines == l.reading.n_damaged &&
	    (l.reading.whole_bytes || n_pending_with_file(r)))
		ret = err_set(e, EILSEQ, "%s has no valid line: restore the file "
			"from a copy of the results, or run the campaign again", path);
	ret = ret ? ret : journal_check(r, &l, e);
	seal_record_release(&l.record);
	if (ret)
		return ret;
	r->finished = true;
	if (r->protocol.budget_ns) {
		r->finished = l.is_over;
		return 0;
	}
	size_t n_needed = design_n_runs_until(plan, l.n_replicates);
	for (size_t i = 0; i < n_needed; i++)
		r->finished &= r->run[i].state != RUN_PENDING;
	return 0;
}

/* In a large campaign only data that is used is compared with digests: the lines of `summaries`,
 * and the files of runs without a line. */
#define FILES_CHECKED_UNTIL 2000 /* runs */

static int run_file_check(struct results *r, const struct run *run, struct err *e)
{
	char name[40];
	snprintf(name, sizeof name, "runs/%06u.json", run->id);
	return seal_check_file(&r->seal, r->dir, name, run->file_sha256, e);
}

int results_verify(struct results *r, struct err *e)
{
	int ret = 0;
	for (size_t i = 0; !ret && i < r->n_runs && r->n_runs >= FILES_CHECKED_UNTIL; i++)
		if (r->run[i].file_sha256[0])
			ret = run_file_check(r, &r->run[i], e);
	return ret;
}

static int summaries_load(struct results *r, struct err *why)
{
	const bool with_course = protocol_in_detail(&r->protocol);
	int ret = 0;
	summaries_read(r->dir, r->run, r->n_runs, with_course);
	for (size_t i = 0; !ret && i < r->n_runs; i++) {
		const struct run *run = &r->run[i];
		if (run->state == RUN_OK && run->file_sha256[0] &&
		    (!run->has_summary || r->n_runs < FILES_CHECKED_UNTIL))
			ret = run_file_check(r, run, why);
	}
	for (size_t i = 0; !ret && i < r->n_runs; i++) {
		struct run *run = &r->run[i];
		struct err e = ERR_INIT;
		if (run->state != RUN_OK || run->has_summary)
			continue;
		if (run_summary_read(run, r->dir, &e) == 0) {
			histogram_release(&run->summary.response_histogram);
			if (!with_course)
				run_summary_leave_out_course(run);
			continue;
		}
		if (!is_damage(e.code)) {
			ret = err_set(why, e.code, "%s", e.msg);
			break;
		}
		run->state = RUN_FAILED;
		free(run->reason);
		run->reason = xasprintf("its summary cannot be read: %s", e.msg);
	}
	return ret;
}

static int plan_load(struct results *r, struct design *plan, struct err *e)
{
	SCOPED_FREE char *path = results_path(r->dir, "plan.json");
	json_t *o;
	int ret = json_read_file(path, &o, e);
	if (!ret) {
		ret = design_leave_out(&r->protocol, o, e);
		ret = ret ? ret : design_from_json(plan, &r->protocol, o, e);
		if (ret)
			err_context(e, "%s", path);
		json_decref(o);
	}
	return ret;
}

/* Restores the file name of the protocol. In every results directory the file is named
 * protocol.conf; the original name is more informative. */
static void name_restore(struct results *r)
{
	const char *name =
	    json_string_value(json_object_get(json_object_get(r->environment, "protocol"), "name"));
	struct protocol *p = &r->protocol;
	if (!name)
		return;
	if (!strcmp(p->title, p->name)) {
		free(p->title);
		p->title = xstrdup(name);
	}
	free(p->name);
	p->name = xstrdup(name);
}

static int environment_load(struct results *r, struct err *e)
{
	SCOPED_FREE char *path = results_path(r->dir, "environment.json");
	int ret = json_read_file(path, &r->environment, e);
	const json_t *version = json_object_get(r->environment, "version");
	if (!ret && !json_is_object(r->environment))
		ret = err_set(e, EINVAL, "%s is damaged: it is not a JSON object", path);
	if (!ret && json_is_integer(version) && json_integer_value(version) != ENVIRONMENT_VERSION)
		ret = err_set(e, EPROTONOSUPPORT,
			      "%s: " ERR_OTHER_VERSION, path,
			      (long long)json_integer_value(version), ENVIRONMENT_VERSION);
	if (!ret)
		name_restore(r);
	return ret;
}

static int directory_check(const char *dir, struct err *e)
{
	struct stat st;
	if (stat(dir, &st) < 0)
		return err_sys(e, errno, "cannot open the results directory %s", dir);
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ENOTDIR, "%s is not a directory", dir);
	SCOPED_FREE char *path = results_path(dir, "protocol.conf");
	bool there = path_exists(path);
	if (!there) {
		int ret = err_set(e, EINVAL, "%s is not a results directory: protocol.conf is "
			"missing", dir);
		results_change_find(dir, e);
		return ret;
	}
	SCOPED_FREE char *plan = results_path(dir, "plan.json"),
			 *journal = results_path(dir, "journal");
	if (!path_exists(plan) && !path_exists(journal))
		return err_set(e, EINVAL, "%s is not a results directory: it has no plan.json and "
			"no journal", dir);
	return results_links_refuse(dir, e);
}

static int record_take(const json_t *event, void *record, struct err *e)
{
	(void)e;
	seal_record_take(record, event);
	return 0;
}

bool results_change_find(const char *dir, struct err *e)
{
	struct seal_record record = {0};
	struct journal_reading reading;
	struct err change = ERR_INIT;
	SCOPED(seal_release) struct seal seal = {0};
	SCOPED_FREE char *path = results_path(dir, "journal");
	if (!is_damage(e->code) || results_links_refuse(dir, NULL))
		return false;
	bool found = !journal_read(path, record_take, &record, &reading, &change);
	record.n_lines = found ? reading.n_lines : 0;
	found = found && !seal_check_record(&seal, dir, &record, &change) &&
		seal_require(&seal, dir, &change);
	if (found)
		err_set(e, change.code, "%s", change.msg);
	seal_record_release(&record);
	return found;
}

int results_load(struct results *r, const char *dir, struct err *e)
{
	SCOPED(design_release) struct design plan = {0};
	*r = (struct results){0};
	int ret = directory_check(dir, e);
	if (ret)
		return ret;
	r->dir = xstrdup(dir);
	r->report_in = r->dir;
	SCOPED_FREE char *path = results_path(dir, "protocol.conf");
	ret = protocol_read(&r->protocol, path, e);
	ret = ret ? ret : environment_load(r, e);
	ret = ret ? ret : plan_load(r, &plan, e);
	if (ret)
		results_change_find(dir, e);
	else {
		r->run = results_runs_make(&plan);
		r->n_runs = plan.n_runs;
		ret = journal_load(r, &plan, e);
	}
	if (!ret) {
		results_index(r);
		ret = summaries_load(r, e);
	}
	if (ret)
		results_release(r);
	return ret;
}

int results_histogram(struct histogram *h, const struct results *r, const struct run *run,
		      struct err *e)
{
	struct run whole = {.id = run->id};
	memcpy(whole.file_sha256, run->file_sha256, sizeof whole.file_sha256);
	*h = (struct histogram){0};
	if (run->summary.response_histogram.n) {
		histogram_merge(h, &run->summary.response_histogram);
		return 0;
	}
	if (!r->dir)
		return err_set(e, ENOENT, "run %u: its histogram of response times is not in "
			       "memory, and there is no results directory to read it from",
			       run->id);
	int ret = run_summary_read(&whole, r->dir, e);
	if (ret)
		return ret;
	*h = whole.summary.response_histogram;
	whole.summary.response_histogram = (struct histogram){0};
	summary_release(&whole.summary);
	return 0;
}

void results_release(struct results *r)
{
	results_runs_free(r->run, r->n_runs);
	results_index_release(r);
	protocol_release(&r->protocol);
	json_decref(r->environment);
	FREE_EACH(r->dir, r->redacted);
	seal_release(&r->seal);
	*r = (struct results){0};
}

/* --- index of the runs --------------------------------------------------- */

void results_index(struct results *r)
{
	const size_t n_scenarios = r->protocol.n_scenarios;
	results_index_release(r);
	r->first_of = xcalloc(n_scenarios + 1, sizeof *r->first_of);
	r->next_of = xcalloc(r->n_runs + 1, sizeof *r->next_of);
	for (size_t i = r->n_runs; i-- > 0;) {
		const uint32_t scenario = r->run[i].scenario;
		if (scenario >= n_scenarios)
			continue;
		r->next_of[i] = r->first_of[scenario];
		r->first_of[scenario] = &r->run[i];
	}
}

void results_index_release(struct results *r)
{
	FREE_EACH(r->first_of, r->next_of);
	r->first_of = r->next_of = NULL;
}

const struct run *run_of_scenario(const struct results *r, size_t scenario,
				  const struct run *before)
{
	if (r->first_of && scenario < r->protocol.n_scenarios)
		return before ? r->next_of[before - r->run] : r->first_of[scenario];
	for (size_t i = before ? (size_t)(before - r->run) + 1 : 0; i < r->n_runs; i++)
		if (r->run[i].scenario == scenario)
			return &r->run[i];
	return NULL;
}
