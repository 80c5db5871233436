/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The protocols of the campaigns. */
#include "validate/selftest/frauds.h"
#include "validate/selftest/machine_private.h"

const char *const unit_names[UNIT_N_KINDS] = {"pilot", "aa", "full-speed", "timed", "frauds"};

#define SEED_STEP 100000 /* distance between the seeds of consecutive campaigns of a self-test */
#define PILOT_REPLICATES 3
#define FILE_SIZE "4M"
#define TIMED_PAUSE "200us"
/* Factor on the length of a timed run, so that it contains several gaps of the coarsest timer. */
#define TIMED_LONGER 4
/* Factor on the length of a run with frauds, so that the slowest 1 % of a run are about 20
 * requests. */
#define FRAUDS_LONGER 20

static void head_add(struct strbuf *out, const struct unit *u, const struct machine_options *o,
		     uint64_t n_replicates)
{
	const int64_t longer = u->kind == UNIT_TIMED    ? TIMED_LONGER
			       : u->kind == UNIT_FRAUDS ? FRAUDS_LONGER
							: 1;
	const int64_t run_ns = longer * o->run_ns;
	strbuf_addf(
	    out, "[protocol]\ntitle = self-test, %s %" PRIu64 "\nreplicates = %" PRIu64 "\n%s",
	    unit_names[u->kind], u->index, n_replicates, u->kind == UNIT_PILOT ? "bank = 1\n" : "");
	strbuf_addf(
	    out, "seed = %" PRIu64 "\nmin-duration = %" PRId64 "ns\nsettle = 1ms\ntimeout = 20s\n",
	    o->seed * SEED_STEP + u->index, run_ns);
	strbuf_addf(out, "[target here]\ncache = %s\nevict = fadvise\n",
		    u->kind == UNIT_AA ? "cold" : "warm");
	if (o->target)
		strbuf_addf(out, "dir = %s\n", o->target);
}

static void workload_add(struct strbuf *out, const char *name, const char *type, const char *level,
			 bool direct)
{
	strbuf_addf(out,
		    "[workload %s]\ntype = %s\nlevel = %s\nrequests = 100\nfile-size = " FILE_SIZE
		    "\npin = yes\n",
		    name, type, level);
	if (direct)
		strbuf_addstr(out, "direct = yes\n");
	else
		/* long requests, so that a part of each can be delayed */
		strbuf_addstr(out, "block-size = 64K\n");
}

static void aa_protocol(struct strbuf *out, const struct machine_options *o, const struct pilot *p)
{
	static const char *const types[] = {"random-read", "random-write", "sequential-read",
					    "sequential-write"};
	for (size_t i = 0; i < (o->quick ? 1 : 4); i++)
		workload_add(out, types[i], types[i], "1, 2", p->direct);
	strbuf_addstr(out, "[replayer program]\nengine = program\n"
			   "[accept]\nexecution-time = 10%\n"); /* as protocols/quick.conf */
}

static bool size_wanted(const struct unit *u, unsigned int size)
{
	return u->all_sizes || size + 1 == N_SIZES;
}

static void faulty_add(struct strbuf *out, const struct sized_fault *f, unsigned int size,
		       const char *where, const struct pilot *p)
{
	char option[80];
	sized_fault_option(f, size, p->response_ns, option, sizeof option);
	strbuf_addf(
	    out,
	    "[replayer %s-%s]\nworkloads = %s\norder = fs\ntiming = %s\npin = yes\nmutant = %s\n",
	    f->name, size_names[size], where, f->suite == SUITE_TIMED ? "timestamp" : "fullspeed",
	    option);
}

static void full_speed_protocol(struct strbuf *out, const struct unit *u, const struct pilot *p)
{
	static const char *const where[] = {"one", "two", "three", "four"};
	static const char *const level[] = {"1", "2", "3", "4"};
	workload_add(out, where[0], "random-read", level[0], p->direct);
	for (unsigned int size = 0; size < N_SIZES; size++)
		if (size_wanted(u, size))
			workload_add(out, where[1 + size], "random-read", level[1 + size],
				     p->direct);
	strbuf_addstr(out, "[replayer event]\norder = fs\npin = yes\n");
	for (const struct sized_fault *f = sized_faults; f->name; f++)
		for (unsigned int size = 0; size < N_SIZES; size++)
			if (f->suite == SUITE_FULL_SPEED && size_wanted(u, size))
				faulty_add(out, f, size, where[sized_fault_level(f, size) - 1], p);
	strbuf_addf(
	    out, "[accept]\nbias = %g%%\nexecution-time = %g%%\nreordered = %g%%\nmismatches = 0\n",
	    100 * LIMIT_BIAS, 100 * LIMIT_TIME_FULL_SPEED, 100 * LIMIT_REORDERED);
}

/* Appends cached reads after pauses. The program waits in the same way as the replayer: first a
 * sleep, then a spin. */
static void timed_protocol(struct strbuf *out, const struct unit *u, const struct pilot *p)
{
	strbuf_addstr(out, "[workload timed]\ntype = random-read\nrequests = 50\nblock-size = "
			   "64K\nfile-size = " FILE_SIZE "\npin = yes\npause = " TIMED_PAUSE
			   "\npause-by = hybrid\n"
			   "[replayer event]\norder = fs\ntiming = timestamp\npin = yes\n");
	for (const struct sized_fault *f = sized_faults; f->name; f++)
		for (unsigned int size = 0; size < N_SIZES; size++)
			if (f->suite == SUITE_TIMED && size_wanted(u, size))
				faulty_add(out, f, size, "timed", p);
	strbuf_addf(out, "[accept]\nexecution-time = %g%%\nissue-error = %dns\n",
		    100 * LIMIT_TIME_TIMED, LIMIT_ISSUE_ERROR_NS);
}

char *machine_script_path(const struct machine_options *o)
{
	return xasprintf("%s/frauds.awk", o->dir);
}

/* Uses the default limits. The workload creates and removes no files: on some ext4 file systems a
 * new file takes longer after many recent removals, and then the program's runs scatter by 40 %. */
static void frauds_protocol(struct strbuf *out, const struct machine_options *o,
			    const struct pilot *p)
{
	SCOPED_FREE char *script = machine_script_path(o), *real = realpath(script, NULL);
	workload_add(out, "mixed", "random-mixed", "1", p->direct);
	strbuf_addstr(out, "observe = own\n[replayer event]\norder = fs\npin = yes\n");
	fraud_replayers(out, "mixed", real ? real : script);
}

void machine_protocol(struct strbuf *out, const struct unit *u, const struct machine_options *o,
		      const struct pilot *p)
{
	head_add(out, u, o, u->kind == UNIT_PILOT ? PILOT_REPLICATES : o->n_replicates);
	switch (u->kind) {
	case UNIT_PILOT:
		workload_add(out, "one", "random-read", "1", p->direct);
		strbuf_addstr(out, "[replayer program]\nengine = program\n");
		break;
	case UNIT_AA:
		aa_protocol(out, o, p);
		break;
	case UNIT_FULL_SPEED:
		full_speed_protocol(out, u, p);
		break;
	case UNIT_TIMED:
		timed_protocol(out, u, p);
		break;
	case UNIT_FRAUDS:
		frauds_protocol(out, o, p);
		break;
	case UNIT_N_KINDS:
		break;
	}
}

uint64_t machine_runs(const struct unit *u, const struct machine_options *o)
{
	uint64_t n_sizes = u->all_sizes ? N_SIZES : 1, n_scenarios = 1, n_replayers = 1,
		 blocks = o->n_replicates + 1;
	if (u->kind == UNIT_PILOT)
		return 2 * (PILOT_REPLICATES + 1) + 1;
	if (u->kind == UNIT_AA)
		n_scenarios = n_replayers = o->quick ? 2 : 8;
	if (u->kind == UNIT_FULL_SPEED)
		/* the event replayer is in every scenario */
		n_replayers = n_scenarios = 1 + n_sizes;
	for (const struct fraud *f = frauds; u->kind == UNIT_FRAUDS && f->name; f++)
		n_replayers++;
	for (const struct sized_fault *f = sized_faults; f->name; f++)
		if ((u->kind == UNIT_FULL_SPEED && f->suite == SUITE_FULL_SPEED) ||
		    (u->kind == UNIT_TIMED && f->suite == SUITE_TIMED))
			n_replayers += n_sizes;
	/* one recording per block */
	return blocks * (n_scenarios + n_replayers) + n_scenarios * blocks;
}
