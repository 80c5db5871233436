/* SPDX-License-Identifier: GPL-3.0-or-later */
/* make-frauds DIR: makes results directories DIR/NAME of campaigns with a replayer that must not be
 * trusted ("fraud"), and one without a fault
 * ("faultless"). The mean response time of every fraud is right; something else is wrong. 20 pairs,
 * one scenario, fixed seed: the same bytes each time. tests/data/frauds holds the output;
 * tests/e2e/frauds.sh judges it. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "capture/trace.h"
#include "common/files.h"
#include "common/strbuf.h"
#include "common/xalloc.h"
#include "validate/results/design.h"
#include "validate/results/journal.h"
#include "validate/results/results_file.h"
#include "validate/selftest/frauds.h"

#define SEED 6
#define N_REQUESTS 2000
#define MEAN_NS 100000.0
#define BLOCK_SD 0.02	/* standard deviation of the part that all runs of a block share */
#define RUN_SD 0.02	/* of a run's own mean */
#define GRID 1.02 /* ratio of adjacent response times, so that a summary's histogram is small */

struct request {
	double ns;
	bool is_write;
};

/* half of the blocks are slow; this replayer's times are always between slow and fast */
static const struct fraud ignores_storage = {.name = "ignores-storage"};

/* --- one run ------------------------------------------------------------- */

static int trace_write(const char *path, const struct request *q, struct err *e)
{
	const struct trace_meta meta = {.level = LEVEL_SYSCALL, .clock = "monotonic", .clock_resolution_ns = 1, .clock_read_cost_ns = 20,
					.captured_by = "make-frauds"};
	struct trace_writer *w;
	uint32_t object;
	int64_t now_ns = 0;
	int ret = trace_writer_open(&w, path, &meta, &(struct trace_write_options){.no_sync = true}, e);
	if (ret)
		return ret;
	ret = trace_writer_object(w, OBJECT_PATH, "data", &object, e);
	for (size_t i = 0; i < N_REQUESTS && !ret; i++) {
		const struct trace_record r = {.seq = i, .begin_ns = now_ns, .end_ns = now_ns + llround(q[i].ns), .intended_ns = TIME_NONE,
					       .dispatch_ns = TIME_NONE, .offset = 4096 * i, .length = 4096, .rvalue = 4096, .pid = 1, .tid = 1,
					       .object = object, .fd = 3, .heap = HEAP_NONE, .op = q[i].is_write ? OP_PWRITE : OP_PREAD};
		now_ns = r.end_ns + llround(MEAN_NS / 10);
		ret = trace_writer_append(w, &r, 1, e);
	}
	if (ret)
		trace_writer_abort(w);
	return ret ? ret : trace_writer_close(w, e);
}

/* Writes a run whose mean is `mean_ns` for any draw. `fraud` NULL: without a fault. */
static int run_write(const char *path, const struct fraud *fraud, double mean_ns,
		     const bool *is_write, gsl_rng *rng, struct err *e)
{
	struct request q[N_REQUESTS];
	double x[N_REQUESTS], sum = 0;
	if (fraud && fraud->draw)
		fraud->draw(x, is_write, N_REQUESTS, rng);
	else
		fraud_none_draw(x, N_REQUESTS, rng);
	for (size_t i = 0; i < N_REQUESTS; i++) {
		q[i] = (struct request){pow(GRID, round(log(x[i] * mean_ns) / log(GRID))),
					is_write[i]};
		sum += q[i].ns;
	}
	/* compensates for the deviation of the grid and of a small sample */
	for (size_t i = 0; i < N_REQUESTS; i++)
		q[i].ns *= mean_ns * N_REQUESTS / sum;
	return trace_write(path, q, e);
}

/* --- a campaign ---------------------------------------------------------- */

static const char protocol_text[] =
    "[protocol]\n"
    "title = %s: a replayer that must not be trusted, and one that must\n"
    "replicates = 20\n"
    "[accept]\n"
    "execution-time = 10%%\n";
static const char on_files[] = "[workload mixed]\n"
			       "type = postmark\n"
			       "[replayer fraud]\n"
			       "engine = event\n"
			       "[replayer faultless]\n"
			       "engine = event\n";
static const char on_volume[] = "[target volume]\n"
				"volume = constant:time=100us\n"
				"[workload mixed]\n"
				"type = block-random\n"
				"target = volume\n"
				"[replayer fraud]\n"
				"engine = block\n"
				"mode = load\n"
				"[replayer faultless]\n"
				"engine = block\n"
				"mode = load\n";

struct campaign {
	const char *dir;
	const struct fraud *fraud;
	const struct protocol *protocol;
	char *program, *replay; /* trace files */
	struct strbuf journal;
	/* seeds of the runs' means, the same in each directory; of their requests */
	gsl_rng *means, *rng;
};

static int run_finish(struct campaign *c, struct run *r, struct err *e)
{
	const bool is_replay = r->role >= 0;
	r->state = RUN_OK;
	r->run_s = 0.25;
	r->started_ns = 1700000000000000000 + (int64_t)r->id * 500000000;
	int ret = summary_compute(&r->summary, is_replay ? c->replay : c->program,
				  is_replay ? c->program : NULL, NULL, e);
	if (ret)
		return ret;
	r->has_summary = true;
	free(r->summary.pace); /* the intervals of the run do not affect any verdict here */
	r->summary.pace = NULL;
	char *path = results_run_path(c->dir, r->id);
	json_t *o = run_summary_file(r, c->protocol),
	       *event = json_pack("{s:I}", "seq", (json_int_t)r->id), *told = run_to_event(r);
	json_object_update(event, told);
	ret = json_write_file(path, o, JSON_COMPACT | JSON_REAL_PRECISION(9), e);
	ret = ret ? ret : journal_line_add(&c->journal, event, e);
	json_decref(told);
	json_decref(event);
	json_decref(o);
	free(path);
	return ret;
}

static bool is_on_volume(const struct fraud *fraud)
{
	return fraud == &ignores_storage;
}

/* Mean response time, relative to the response time at the model's service times. */
static double service(const struct campaign *c, struct run *r)
{
	if (!is_on_volume(c->fraud))
		return 1;
	r->service_factor =
	    r->role != ROLE_RECORD && design_block_is_slow(c->protocol, r->block) ? SLOW_FACTOR : 1;
	return r->role == 0 ? sqrt(SLOW_FACTOR) : r->service_factor;
}

/* Makes all runs of one bank trace: its recording, then the runs of its block. Runs of the program
 * are made before the runs that replay it, independent of their order in the plan. */
static int block_make(struct campaign *c, const struct design *plan, struct run *run, uint32_t bank,
		      struct err *e)
{
	const double block = gsl_ran_gaussian(c->means, BLOCK_SD);
	bool is_write[N_REQUESTS];
	int ret = 0;
	for (size_t i = 0; i < N_REQUESTS; i++)
		is_write[i] = gsl_rng_uniform(c->rng) >= FRAUD_READ_SHARE;
	for (int32_t role = ROLE_RECORD; role < (int32_t)c->protocol->n_replayers; role++)
		for (size_t i = 0; i < plan->n_runs && !ret; i++) {
			if (run[i].bank != bank || run[i].role != role)
				continue;
			const struct fraud *as = role == 0 ? c->fraud : NULL;
			double mean_ns = MEAN_NS * service(c, &run[i]) *
					 exp(block + gsl_ran_gaussian(c->means, RUN_SD));
			ret = run_write(role < 0 ? c->program : c->replay, as, mean_ns, is_write,
					c->rng, e);
			ret = ret ? ret : run_finish(c, &run[i], e);
		}
	return ret;
}

static int blocks_make(struct campaign *c, const struct design *plan, struct err *e)
{
	struct run *run = results_runs_make(plan);
	char *path = results_path(c->dir, "journal");
	int ret = 0;
	for (uint32_t bank = 0; bank < protocol_n_bank(c->protocol) && !ret; bank++)
		ret = block_make(c, plan, run, bank, e);
	ret = ret ? ret : file_write_atomic(path, c->journal.s, c->journal.len, e);
	results_runs_free(run, plan->n_runs);
	free(path);
	return ret;
}

static int directory_make(const char *dir, const struct fraud *fraud, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	struct protocol p = {0};
	struct design plan = {0};
	struct campaign c = {.dir = dir, .fraud = fraud, .protocol = &p, .program = results_path(dir, "program.trace"),
			     .replay = results_path(dir, "replay.trace"), .journal = STRBUF_INIT,
			     .means = gsl_rng_alloc(gsl_rng_mt19937), .rng = gsl_rng_alloc(gsl_rng_mt19937)};
	char *runs = results_path(dir, "runs"), *conf = results_path(dir, "protocol.conf");
	char *design = results_path(dir, "plan.json"),
	     *machine = results_path(dir, "environment.json");
	json_t *environment = json_pack("{s:i}", "version", 1), *o = NULL;
	gsl_rng_set(c.means, SEED);
	gsl_rng_set(c.rng, SEED);
	strbuf_addf(&text, protocol_text, fraud->name);
	strbuf_addstr(&text, is_on_volume(fraud) ? on_volume : on_files);
	int ret = dir_create(runs, e);
	ret = ret ? ret : file_write_atomic(conf, text.s, text.len, e);
	ret = ret ? ret : protocol_read(&p, conf, e);
	if (!ret) {
		design_make(&plan, &p);
		o = design_to_json(&plan, &p);
		ret = json_write_file(design, o, JSON_COMPACT, e);
		ret = ret ? ret : json_write_file(machine, environment, JSON_COMPACT, e);
		ret = ret ? ret : blocks_make(&c, &plan, e);
		unlink(c.program);
		unlink(c.replay);
		design_release(&plan);
		protocol_release(&p);
	}
	json_decref(o);
	json_decref(environment);
	strbuf_release(&text);
	strbuf_release(&c.journal);
	gsl_rng_free(c.means);
	gsl_rng_free(c.rng);
	char *const owned[] = {c.program, c.replay, runs, conf, design, machine};
	for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
		free(owned[i]);
	return ret;
}

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;
	if (argc != 2) {
		fputs("usage: make-frauds DIR\n", stderr);
		return 2;
	}
	for (size_t i = 0; i <= FRAUDS_N; i++) {
		const struct fraud *fraud = i < FRAUDS_N ? &frauds[i] : &ignores_storage;
		char *dir = results_path(argv[1], fraud->name);
		int ret = directory_make(dir, fraud, &e);
		free(dir);
		if (ret) {
			fprintf(stderr, "make-frauds: %s\n", e.msg);
			return 3;
		}
	}
	return 0;
}
