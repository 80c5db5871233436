/* SPDX-License-Identifier: GPL-3.0-or-later */
/* make-results DIR BLOCKS: a results directory as a campaign leaves it, of 4 workloads at 2 levels with 2 replayers and
 * BLOCKS blocks that count, with made-up summaries as large as those of real runs. For measuring `validate report`.
 * Prints the number of runs. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/files.h"
#include "common/strbuf.h"
#include "common/xalloc.h"
#include "validate/campaign/design.h"
#include "validate/campaign/environment.h"
#include "validate/metrics/histogram.h"
#include "validate/results/journal.h"
#include "validate/results/results_file.h"

static const char protocol_text[] = "[protocol]\n"
				    "title = made up to be measured\n"
				    "replicates = %s\n"
				    "bank = 2\n"
				    "[workload random-read]\ntype = random-read\nlevel = 1,2\n"
				    "[workload random-write]\ntype = random-write\nlevel = 1,2\n"
				    "[workload sequential-read]\ntype = sequential-read\nlevel = 1,2\n"
				    "[workload sequential-write]\ntype = sequential-write\nlevel = 1,2\n"
				    "[replayer event]\nengine = event\norder = temporal,fs\n";

enum { N_REQUESTS = 50000 };

static uint64_t random_state = 88172645463325252ull;
static double draw(void) /* 0 < x < 1 */
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

static double draw_normal(void)
{
	return sqrt(-2 * log(draw())) * cos(6.283185307179586 * draw());
}

/* Response times around `mean_ns`: a log-normal body and one in a thousand far out. */
static void fill_response(struct run_summary *s, double mean_ns)
{
	double sum = 0, min = INFINITY, max = 0;
	for (int i = 0; i < N_REQUESTS; i++) {
		int64_t ns = (int64_t)(mean_ns * exp(0.2 * draw_normal()) + (draw() < 0.001 ? 1e5 * draw() : 0));
		histogram_add(&s->response_histogram, ns);
		sum += (double)ns;
		min = (double)ns < min ? (double)ns : min;
		max = (double)ns > max ? (double)ns : max;
	}
	s->response = (struct moments){N_REQUESTS, sum / N_REQUESTS, 0.3 * mean_ns, min, max};
	histogram_quantile(&s->response_histogram, 0.5, &s->response_median, NULL);
	histogram_quantile(&s->response_histogram, 0.9, &s->response_p90, NULL);
	histogram_quantile(&s->response_histogram, 0.99, &s->response_p99, NULL);
	s->response_p999 = s->response_p99;
	s->response_trimmed_mean = s->response_median;
	s->n_ops = 1;
	strcpy(s->op[0].op, "pread");
	s->op[0].response = s->response;
}

static void fill_summary(struct run_summary *s, double mean_ns, uint64_t level, bool replay)
{
	*s = (struct run_summary){.has_facts = true, .clock_resolution_ns = 10, .clock_read_cost_ns = 20};
	fill_response(s, mean_ns);
	s->n_bytes = N_REQUESTS * 4096ull;
	s->n_levels = level + 1;
	s->ns_at_level = xcalloc(s->n_levels, sizeof *s->ns_at_level);
	s->requests_at_level = xcalloc(s->n_levels, sizeof *s->requests_at_level);
	s->execution_ns = (int64_t)(1.1 * s->response.mean * N_REQUESTS / (double)level);
	s->ns_at_level[0] = s->execution_ns / 10;
	s->ns_at_level[level] = s->execution_ns - s->ns_at_level[0];
	s->requests_at_level[level] = N_REQUESTS;
	s->facts = (struct run_facts){.wall_ns = s->execution_ns,
				      .cpu_user_ns = s->execution_ns / 2,
				      .cpu_system_ns = s->execution_ns / 2,
				      .steal_ns = -1,
				      .runqueue_wait_ns = 1000};
	if (!replay)
		return;
	s->has_input = true;
	s->n_input = N_REQUESTS;
	s->reorder_all = s->reorder_thread = s->reorder_object = (struct reorder_summary){.n_received = N_REQUESTS};
	s->schedule_error = (struct moments){N_REQUESTS, 10 * draw_normal(), 30, -1000, 1000};
}

static int write_run(struct run *r, const struct protocol *p, const char *dir, double common, struct journal *j,
		     struct err *e)
{
	double mean_ns = 600 * (1 + (double)r->scenario / 4) * exp(common + 0.02 * draw_normal());
	fill_summary(&r->summary, mean_ns, p->scenario[r->scenario].level, r->role >= 0);
	r->has_summary = true;
	r->state = RUN_OK;
	r->run_s = 0.2;
	r->started_ns = 1700000000000000000 + (int64_t)r->id * 250000000;
	char *path = results_run_path(dir, r->id);
	json_t *o = run_summary_file(r, p), *event = run_to_event(r);
	char *text = json_dumps(o, JSON_COMPACT);
	FILE *f = fopen(path, "w"); /* no fsync: nobody misses it */
	int rc = f && text && fputs(text, f) >= 0 ? 0 : err_sys(e, errno, "cannot write %s", path);
	if (f && fclose(f) && !rc)
		rc = err_sys(e, errno, "cannot write %s", path);
	rc = rc ? rc : journal_append(j, event, e);
	free(text);
	free(path);
	json_decref(o);
	json_decref(event);
	return rc;
}

static int write_runs(const struct design *plan, const struct protocol *p, const char *dir, struct err *e)
{
	struct journal j;
	char *path = results_path(dir, "journal");
	struct run *run = results_runs_make(plan);
	double common = 0;
	int rc = journal_open(&j, path, 1, e);
	for (size_t i = 0; i < plan->n_runs && !rc; i++) {
		common = i % (p->n_replayers + 1) ? common : 0.05 * draw_normal(); /* what runs of a block share */
		rc = write_run(&run[i], p, dir, common, &j, e);
	}
	journal_close(&j);
	results_runs_free(run, plan->n_runs);
	free(path);
	return rc;
}

static int make_results(const char *dir, const char *n_blocks, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	struct protocol p = {0};
	struct design plan = {0};
	char *runs = results_path(dir, "runs"), *conf = results_path(dir, "protocol.conf");
	char *design = results_path(dir, "plan.json"), *machine = results_path(dir, "environment.json");
	json_t *environment = environment_make("/proc/self/exe"), *o = NULL;
	strbuf_addf(&text, protocol_text, n_blocks);
	int rc = dir_create(runs, e);
	rc = rc ? rc : file_write_atomic(conf, text.s, text.len, e);
	rc = rc ? rc : protocol_read(&p, conf, e);
	if (!rc) {
		design_make(&plan, &p);
		o = design_to_json(&plan, &p);
		rc = json_write_file(design, o, JSON_COMPACT, e);
		rc = rc ? rc : json_write_file(machine, environment, JSON_INDENT(2), e);
		rc = rc ? rc : write_runs(&plan, &p, dir, e);
		printf("%zu\n", plan.n_runs);
		design_release(&plan);
		protocol_release(&p);
	}
	json_decref(o);
	json_decref(environment);
	strbuf_release(&text);
	free(runs);
	free(conf);
	free(design);
	free(machine);
	return rc;
}

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;
	if (argc != 3) {
		fputs("usage: make-results DIR BLOCKS\n", stderr);
		return 2;
	}
	if (make_results(argv[1], argv[2], &e)) {
		fprintf(stderr, "make-results: %s\n", e.msg);
		return 3;
	}
	return 0;
}
