/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/results/results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/files.h"
#include "common/xalloc.h"
#include "validate/results/journal.h"
#include "validate/campaign/design.h"
#include "validate/results/results_file.h"
#include "validate/results/summaries.h"

struct loading {
	struct results *r;
	uint64_t n_replicates; /* at which the campaign stopped, or the most there can be */
	uint64_t n_odd;        /* believable lines that do not fit the plan */
	uint32_t n_resumed;
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
	if (!strcmp(name, "run"))
		l->n_odd += run_take(l, event) < 0;
	else if (!strcmp(name, "resume"))
		l->n_resumed++;
	else if (!strcmp(name, "look") && json_is_true(json_object_get(event, "stop")))
		l->n_replicates = (uint64_t)json_integer_value(json_object_get(event, "replicates"));
	return 0;
}

static int journal_load(struct results *r, const struct design *plan, struct err *e)
{
	struct journal_reading reading;
	struct loading l = {.r = r, .n_replicates = r->protocol.n_replicates_max};
	char *path = results_path(r->dir, "journal");
	int ret = journal_read(path, event_take, &l, &reading, e);
	free(path);
	if (ret)
		return ret;
	r->n_damaged_journal_lines = reading.n_damaged + l.n_odd;
	size_t n_needed = design_n_runs_until(plan, l.n_replicates);
	r->finished = true;
	for (size_t i = 0; i < n_needed; i++)
		r->finished &= r->run[i].state != RUN_PENDING;
	return 0;
}

static void summaries_load(struct results *r)
{
	summaries_read(r->dir, r->run, r->n_runs);
	for (size_t i = 0; i < r->n_runs; i++) {
		struct run *run = &r->run[i];
		struct err e = ERR_INIT;
		if (run->state != RUN_OK || run->has_summary)
			continue;
		if (run_summary_read(run, r->dir, &e) == 0) {
			histogram_release(&run->summary.response_histogram);
			histogram_init(&run->summary.response_histogram);
			continue;
		}
		run->state = RUN_FAILED;
		free(run->reason);
		run->reason = xasprintf("its summary cannot be read: %s", e.msg);
	}
}

static int plan_load(struct results *r, struct design *plan, struct err *e)
{
	char *path = results_path(r->dir, "plan.json");
	json_t *o;
	int ret = json_read_file(path, &o, e);
	if (!ret) {
		ret = design_leave_out(&r->protocol, o, e);
		if (!ret)
			ret = design_from_json(plan, &r->protocol, o, e);
		if (ret)
			err_context(e, "%s", path);
		json_decref(o);
	}
	free(path);
	return ret;
}

/* The file is called protocol.conf in every directory; the name it was given says more. */
static void name_restore(struct results *r)
{
	const char *name = json_string_value(json_object_get(json_object_get(r->environment, "protocol"), "name"));
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
	char *path = results_path(r->dir, "environment.json");
	int ret = json_read_file(path, &r->environment, e);
	if (!ret && !json_is_object(r->environment))
		ret = err_set(e, EINVAL, "%s: not an object", path);
	free(path);
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
	char *path = results_path(dir, "protocol.conf");
	bool there = path_exists(path);
	free(path);
	return there ? 0 : err_set(e, EINVAL, "%s is no results directory: protocol.conf is missing", dir);
}

int results_load(struct results *r, const char *dir, struct err *e)
{
	struct design plan = {0};
	*r = (struct results){0};
	int ret = directory_check(dir, e);
	if (ret)
		return ret;
	r->dir = xstrdup(dir);
	char *path = results_path(dir, "protocol.conf");
	ret = protocol_read(&r->protocol, path, e);
	free(path);
	if (!ret)
		ret = environment_load(r, e);
	if (!ret)
		ret = plan_load(r, &plan, e);
	if (!ret) {
		r->run = results_runs_make(&plan);
		r->n_runs = plan.n_runs;
		ret = journal_load(r, &plan, e);
	}
	if (!ret)
		summaries_load(r);
	else
		results_release(r);
	design_release(&plan);
	return ret;
}

void results_release(struct results *r)
{
	results_runs_free(r->run, r->n_runs);
	protocol_release(&r->protocol);
	json_decref(r->environment);
	free(r->dir);
	free(r->redacted);
	*r = (struct results){0};
}
