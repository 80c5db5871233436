/* SPDX-License-Identifier: GPL-3.0-or-later */
/* make-results DIR BLOCKS [SCENARIOS]: makes a results directory as a campaign leaves it, with
 * BLOCKS blocks that count. It contains generated summaries as large as those of real runs: of 4
 * workloads at 2 levels with 2 replayers, or of SCENARIOS workloads with one replayer. For
 * measurements of `validate report`. Prints the number of runs. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/files.h"
#include "common/strbuf.h"
#include "common/xalloc.h"
#include "validate/campaign/environment.h"
#include "validate/metrics/histogram.h"
#include "validate/results/design.h"
#include "validate/results/journal.h"
#include "validate/results/results_file.h"
#include "validate/results/summaries.h"

static const char protocol_text[] = "[protocol]\n"
				    "title = made up to be measured\n"
				    "replicates = %s\n"
				    "bank = 2\n";
static const char few_text[] = "[workload random-read]\ntype = random-read\nlevel = 1,2\n"
			       "[workload random-write]\ntype = random-write\nlevel = 1,2\n"
			       "[workload sequential-read]\ntype = sequential-read\nlevel = 1,2\n"
			       "[workload sequential-write]\ntype = sequential-write\nlevel = 1,2\n"
			       "[replayer event]\nengine = event\norder = temporal,fs\n";

static void protocol_make(struct strbuf *text, const char *n_blocks, unsigned int n_scenarios)
{
	strbuf_addf(text, protocol_text, n_blocks);
	if (!n_scenarios) {
		strbuf_add(text, few_text, sizeof few_text - 1);
		return;
	}
	for (unsigned int i = 0; i < n_scenarios; i++)
		strbuf_addf(text, "[workload scenario-%u]\ntype = random-read\n", i);
	strbuf_addf(text, "[replayer event]\nengine = event\n");
}

static unsigned int n_requests = 50000;

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

/* Draws response times around `mean_ns`: log-normal, and one in a thousand is far larger. */
static void fill_response(struct run_summary *s, double mean_ns)
{
	double sum = 0, min = INFINITY, max = 0;
	for (unsigned int i = 0; i < n_requests; i++) {
		int64_t ns = (int64_t)(mean_ns * exp(0.2 * draw_normal()) +
				       (draw() < 0.001 ? 1e5 * draw() : 0));
		histogram_add(&s->response_histogram, ns);
		sum += (double)ns;
		min = (double)ns < min ? (double)ns : min;
		max = (double)ns > max ? (double)ns : max;
	}
	s->response = (struct moments){n_requests, sum / n_requests, 0.3 * mean_ns, min, max};
	histogram_quantile(&s->response_histogram, 0.5, &s->response_median, NULL);
	histogram_quantile(&s->response_histogram, 0.9, &s->response_p90, NULL);
	histogram_quantile(&s->response_histogram, 0.99, &s->response_p99, NULL);
	s->response_p999 = s->response_p99;
	s->response_trimmed_mean = s->response_median;
	s->op = xcalloc(1, sizeof *s->op);
	s->n_ops = 1;
	strcpy(s->op[0].op, "pread");
	s->op[0].response = s->response;
}

static void fill_summary(struct run_summary *s, double mean_ns, uint64_t level, bool replay)
{
	*s = (struct run_summary){.has_facts = true, .clock_resolution_ns = 10, .clock_read_cost_ns = 20};
	fill_response(s, mean_ns);
	s->n_bytes = n_requests * 4096ull;
	s->n_levels = level + 1;
	s->ns_at_level = xcalloc(s->n_levels, sizeof *s->ns_at_level);
	s->requests_at_level = xcalloc(s->n_levels, sizeof *s->requests_at_level);
	s->execution_ns = (int64_t)(1.1 * s->response.mean * n_requests / (double)level);
	s->ns_at_level[0] = s->execution_ns / 10;
	s->ns_at_level[level] = s->execution_ns - s->ns_at_level[0];
	s->requests_at_level[level] = n_requests;
	s->facts = (struct run_facts){.wall_ns = s->execution_ns,
				      .cpu_user_ns = s->execution_ns / 2,
				      .cpu_system_ns = s->execution_ns / 2,
				      .steal_ns = -1,
				      .runqueue_wait_ns = 1000};
	if (!replay)
		return;
	s->has_input = true;
	s->n_input = n_requests;
	s->reorder_all = s->reorder_thread = s->reorder_object = (struct reorder_summary){.n_received = n_requests};
	s->schedule_error = (struct moments){n_requests, 10 * draw_normal(), 30, -1000, 1000};
}

static int write_run(struct run *r, const struct protocol *p, const char *dir, double common,
		     struct strbuf *journal, struct err *e)
{
	double mean_ns = 600 * (1 + (double)r->scenario / 4) * exp(common + 0.02 * draw_normal());
	fill_summary(&r->summary, mean_ns, p->scenario[r->scenario].level, r->role >= 0);
	r->has_summary = true;
	r->state = RUN_OK;
	r->run_s = 0.2;
	r->started_ns = 1700000000000000000 + (int64_t)r->id * 250000000;
	char *path = results_run_path(dir, r->id);
	json_t *o = run_summary_file(r, p);
	char *text = json_dumps(o, JSON_COMPACT);
	FILE *f = fopen(path, "w"); /* no fsync: a loss does not matter */
	int rc = f && text && fputs(text, f) >= 0 ? 0 : err_sys(e, errno, "cannot write %s", path);
	if (f && fclose(f) && !rc)
		rc = err_sys(e, errno, "cannot write %s", path);
	rc = rc ? rc : summaries_append(dir, r->id, o, protocol_in_detail(p), r->line_sha256, e);
	rc = rc ? rc : file_digest(path, r->file_sha256, e);
	json_t *event = run_to_event(r);
	json_t *numbered = json_pack("{s:I}", "seq", (json_int_t)r->id);
	json_object_update(numbered, event);
	/* journal_append would wait for the disk */
	rc = rc ? rc : journal_line_add(journal, numbered, e);
	json_decref(numbered);
	free(text);
	free(path);
	json_decref(o);
	json_decref(event);
	summary_release(&r->summary);
	r->has_summary = false;
	return rc;
}

static int write_runs(const struct design *plan, const struct protocol *p, const char *dir,
		      struct err *e)
{
	struct strbuf journal = STRBUF_INIT;
	char *path = results_path(dir, "journal");
	struct run *run = results_runs_make(plan);
	double common = 0;
	int rc = 0;
	for (size_t i = 0; i < plan->n_runs && !rc; i++) {
		/* the part that runs of a block share */
		common = i % (p->n_replayers + 1) ? common : 0.05 * draw_normal();
		rc = write_run(&run[i], p, dir, common, &journal, e);
	}
	rc = rc ? rc : file_write_atomic(path, journal.s, journal.len, e);
	strbuf_release(&journal);
	results_runs_free(run, plan->n_runs);
	free(path);
	return rc;
}

static int make_results(const char *dir, const char *n_blocks, unsigned int n_scenarios,
			struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	struct protocol p = {0};
	struct design plan = {0};
	char *runs = results_path(dir, "runs"), *conf = results_path(dir, "protocol.conf");
	char *design = results_path(dir, "plan.json"),
	     *machine = results_path(dir, "environment.json");
	json_t *environment = environment_make("/proc/self/exe"), *o = NULL;
	protocol_make(&text, n_blocks, n_scenarios);
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
	if (argc != 3 && argc != 4) {
		fputs("usage: make-results DIR BLOCKS [SCENARIOS]\n", stderr);
		return 2;
	}
	if (argc == 4)
		n_requests = 2000; /* with so many runs the histograms are not read */
	if (make_results(argv[1], argv[2], argc == 4 ? (unsigned int)atoi(argv[3]) : 0, &e)) {
		fprintf(stderr, "make-results: %s\n", e.msg);
		return 3;
	}
	return 0;
}
