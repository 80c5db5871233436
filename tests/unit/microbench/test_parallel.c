/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scripts of parallel applications, run by simulated ranks: a send ends when its message is
 * received, a barrier holds all ranks. For any number of ranks, all ranks reach their end, a rank
 * reads only data that was written before, and the requests of a rank depend only on the seed. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/op.h"
#include "common/xalloc.h"
#include "microbench/microbench.h"
#include "microbench/parallel/launch.h"
#include "microbench/script.h"

static const char *const names[] = {"checkpoint",       "checkpoint-sync", "checkpoint-compute",
				    "partitioned-read", "earthquake",      "shared-polling"};
enum { N_NAMES = sizeof names / sizeof *names, MOST_RANKS = 16, MOST_CALLS = 1 << 16 };

static struct microbench_config of(const char *name, uint64_t level, uint64_t n_requests)
{
	struct microbench_config c;
	workload_config_init(workload_find(name), &c);
	c.level = level;
	c.n_requests = n_requests;
	return c;
}

/* --- the model ----------------------------------------------------------- */

struct call {
	unsigned int rank;
	const struct bench_step *step;
	const char *file;
	uint64_t offset;
};

struct job {
	struct script_names names;
	struct script script[MOST_RANKS];
	unsigned int n_ranks;
	size_t at[MOST_RANKS];
	uint32_t word[MOST_RANKS], open[MOST_RANKS][SCRIPT_SLOTS];
	struct call *call; /* call[n]: in a possible order */
	size_t n;
};

static void job_write(struct job *j, const char *name, const struct microbench_config *c)
{
	memset(j, 0, sizeof *j);
	j->n_ranks = (unsigned int)c->level;
	j->call = xcalloc(MOST_CALLS, sizeof *j->call);
	for (unsigned int i = 0; i < j->n_ranks; i++) {
		j->script[i].names = &j->names;
		workload_find(name)->script->write(c, i, c->n_requests, &j->script[i]);
		assert_int_equal(j->script[i].n_units, c->n_requests);
	}
}

static void job_release(struct job *j)
{
	for (unsigned int i = 0; i < j->n_ranks; i++)
		script_release(&j->script[i]);
	script_names_release(&j->names);
	free(j->call);
}

static const struct bench_step *step_of(const struct job *j, unsigned int rank)
{
	return j->at[rank] < j->script[rank].n ? &j->script[rank].step[j->at[rank]] : NULL;
}

static void call_made(struct job *j, unsigned int rank, const struct bench_step *s)
{
	if (s->op == OP_OPEN)
		j->open[rank][s->slot] = s->name;
	assert_true(j->n < MOST_CALLS);
	j->call[j->n++] = (struct call){rank, s, j->names.name[j->open[rank][s->slot]],
					(uint64_t)s->name * s->value};
}

static bool all_at_barrier(const struct job *j)
{
	for (unsigned int i = 0; i < j->n_ranks; i++)
		if (!step_of(j, i) || step_of(j, i)->op != STEP_BARRIER)
			return false;
	return true;
}

/* Whether the rank can take its next step, which may complete a step of another rank. */
static bool advance(struct job *j, unsigned int rank)
{
	const struct bench_step *s = step_of(j, rank), *other = NULL;
	if (!s)
		return false;
	if (s->op == STEP_SEND || s->op == STEP_RECEIVE || s->op == STEP_EXCHANGE) {
		assert_true(s->name < j->n_ranks && s->name != rank);
		other = step_of(j, s->name);
	}
	switch (s->op) {
	case STEP_BARRIER:
		if (!all_at_barrier(j))
			return false;
		for (unsigned int i = 0; i < j->n_ranks; i++)
			j->at[i]++;
		return true;
	case STEP_SEND:
	case STEP_EXCHANGE:
		if (!other || other->op != (s->op == STEP_SEND ? STEP_RECEIVE : STEP_EXCHANGE) ||
		    other->name != rank)
			return false;
		assert_int_equal(s->value, other->value);
		j->at[s->name]++;
		break;
	case STEP_RECEIVE: /* taken by its send */
		return false;
	case STEP_AWAIT:
		assert_true(s->name < j->n_ranks);
		if (j->word[s->name] < s->value)
			return false;
		break;
	case STEP_RAISE:
		assert_true(s->value > j->word[rank]);
		j->word[rank] = s->value;
		break;
	case STEP_COMPUTE:
		break;
	default:
		call_made(j, rank, s);
	}
	j->at[rank]++;
	return true;
}

/* `eager`: the rank that continues as long as it can */
static void job_play(struct job *j, unsigned int eager)
{
	bool moved = true;
	while (moved) {
		moved = false;
		for (unsigned int i = 0; i < j->n_ranks; i++) {
			const unsigned int rank = (eager + i) % j->n_ranks;
			while (advance(j, rank))
				moved = true;
		}
	}
	for (unsigned int i = 0; i < j->n_ranks; i++)
		if (step_of(j, i))
			fail_msg("rank %u of %u hangs at step %zu (%u with %u)", i, j->n_ranks,
				 j->at[i], step_of(j, i)->op, step_of(j, i)->name);
}

/* --- tests --------------------------------------------------------------- */

static void all_ranks_reach_their_end(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_NAMES; i++)
		for (unsigned int level = 1; level <= MOST_RANKS; level += level < 5 ? 1 : 3)
			for (uint64_t seed = 1; seed < 4; seed++) {
				struct microbench_config c = of(names[i], level, 23);
				struct job j;
				c.seed = seed;
				c.fsync_end =
				    seed == 2 && workload_find(names[i])->script->fsync_end;
				assert_int_equal(
				    microbench_check(workload_find(names[i]), &c, NULL), 0);
				job_write(&j, names[i], &c);
				job_play(&j, seed == 1 ? 0 : seed == 2 ? level - 1 : level / 2);
				job_release(&j);
			}
}

/* Every request is inside its prepared file, and all open files are closed at the end. */
static void requests_stay_in_their_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_NAMES; i++) {
		/* more than the blocks of a part, so the rank begins again */
		struct microbench_config c = of(names[i], 3, 70);
		struct fileset files;
		struct job j;
		size_t n_open = 0;
		c.file_bytes = 16 * c.block_bytes;
		assert_int_equal(microbench_files(workload_find(names[i]), &c, &files, NULL), 0);
		job_write(&j, names[i], &c);
		job_play(&j, 0);
		for (size_t k = 0; k < j.n; k++) {
			const struct call *x = &j.call[k];
			size_t f = 0;
			n_open += x->step->op == OP_OPEN;
			n_open -= x->step->op == OP_CLOSE;
			while (f < files.n && strcmp(files.entry[f].path, x->file))
				f++;
			assert_true(f < files.n && !files.entry[f].directory);
			if (x->step->op == OP_PREAD || x->step->op == OP_PWRITE)
				assert_true(x->offset + x->step->value <= files.entry[f].size);
		}
		assert_int_equal(n_open, 0);
		job_release(&j);
		microbench_files_release(&files);
	}
}

static uint64_t count(const struct script *s, unsigned int op)
{
	uint64_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		n += s->step[i].op == op;
	return n;
}

static void checkpoints(void **state)
{
	static const struct {
		const char *name;
		uint64_t n_barriers, n_computes;
	} expected[] = {
	    {"checkpoint", 1, 0}, {"checkpoint-sync", 65, 0}, {"checkpoint-compute", 65, 64}};
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct microbench_config c = of(expected[i].name, 8, 64);
		const size_t n_blocks = 8 * 64;
		unsigned int *written_by = xcalloc(n_blocks, sizeof *written_by),
			     *read = xcalloc(n_blocks, sizeof *read);
		struct job j;
		bool reading = false;
		job_write(&j, expected[i].name, &c);
		assert_int_equal(count(&j.script[3], STEP_BARRIER), expected[i].n_barriers);
		assert_int_equal(count(&j.script[3], STEP_COMPUTE), expected[i].n_computes);
		job_play(&j, 5);
		for (size_t k = 0; k < j.n; k++) {
			const struct call *x = &j.call[k];
			const size_t block = x->offset / c.block_bytes;
			if (x->step->op == OP_PWRITE) {
				assert_false(reading); /* not before all have written */
				assert_int_equal(block % 8, x->rank);
				assert_int_equal(written_by[block], 0);
				written_by[block] = x->rank + 1;
			} else if (x->step->op == OP_PREAD) {
				reading = true;
				assert_int_equal(written_by[block], x->rank + 1);
				read[block]++;
			}
		}
		for (size_t k = 0; k < n_blocks; k++)
			assert_int_equal(read[k], 1);
		job_release(&j);
		free(written_by);
		free(read);
	}
}

static void parts_are_read_in_turn(void **state)
{
	struct microbench_config c = of("partitioned-read", 4, 128);
	(void)state;
	for (unsigned int eager = 0; eager < 4; eager++) {
		struct job j;
		uint64_t next = 0;
		job_write(&j, "partitioned-read", &c);
		job_play(&j, eager);
		for (size_t k = 0; k < j.n; k++)
			if (j.call[k].step->op == OP_PREAD) {
				assert_int_equal(j.call[k].offset, next);
				next += c.block_bytes;
			}
		assert_int_equal(next, 4 * c.file_bytes);
		job_release(&j);
	}
}

/* Rank 0 alone writes the mesh, all pieces of it, after its reads of the structure have ended; all
 * ranks write the state. */
static void an_earthquake(void **state)
{
	struct microbench_config c = of("earthquake", 8, 100);
	const size_t n_pieces = 8 * c.file_bytes / (8 * c.block_bytes);
	unsigned int *piece = xcalloc(n_pieces, sizeof *piece), n_state[8] = {0};
	uint64_t n_built[8] = {0};
	bool different = false;
	struct job j;
	(void)state;
	job_write(&j, "earthquake", &c);
	job_play(&j, 7);
	for (size_t k = 0; k < j.n; k++) {
		const struct call *x = &j.call[k];
		if (x->step->op != OP_PWRITE)
			continue;
		if (!strcmp(x->file, "earthquake/mesh")) {
			assert_int_equal(x->rank, 0);
			piece[x->offset / x->step->value]++;
		} else if (!strcmp(x->file, "earthquake/state")) {
			assert_int_equal(x->offset / c.block_bytes % 8, x->rank);
			n_state[x->rank]++;
		} else {
			assert_int_equal(x->offset / c.file_bytes, x->rank); /* its own region */
			n_built[x->rank]++;
		}
	}
	for (size_t k = 0; k < n_pieces; k++)
		assert_int_equal(piece[k], 1);
	for (unsigned int i = 0; i < 8; i++) {
		assert_int_equal(n_state[i], 10);
		assert_in_range(n_built[i], 32, 96);
		different |= n_built[i] != n_built[0];
	}
	assert_true(different);
	job_release(&j);
	free(piece);
}

/* A rank reads the block that the previous rank wrote in that round, before it is written again. */
static void a_pipeline(void **state)
{
	(void)state;
	for (unsigned int level = 2; level <= 5; level++)
		for (uint64_t n_blocks = 2; n_blocks <= 5; n_blocks++)
			for (unsigned int eager = 0; eager < level; eager++) {
				struct microbench_config c = of("shared-polling", level, 40);
				uint64_t *last_write =
				    xcalloc(level * n_blocks, sizeof *last_write);
				uint64_t round[MOST_RANKS] = {0};
				struct job j;
				c.file_bytes = n_blocks * c.block_bytes;
				job_write(&j, "shared-polling", &c);
				job_play(&j, eager);
				for (size_t k = 0; k < j.n; k++) {
					const struct call *x = &j.call[k];
					const size_t block = x->offset / c.block_bytes;
					if (x->step->op == OP_PREAD && x->rank > 0)
						assert_int_equal(last_write[block],
								 round[x->rank] + 1);
					if (x->step->op == OP_PREAD && x->rank == 0)
						assert_int_equal(last_write[block], round[0]);
					if (x->step->op == OP_PWRITE)
						last_write[block] = ++round[x->rank];
				}
				assert_int_equal(round[level - 1], 40);
				for (unsigned int i = 0; i < level; i++)
					assert_int_equal(count(&j.script[i], STEP_BARRIER) +
							     count(&j.script[i], STEP_SEND),
							 0);
				job_release(&j);
				free(last_write);
			}
}

static bool is_same(const struct script *a, const struct script *b)
{
	bool same = a->n == b->n;
	for (size_t i = 0; same && i < a->n; i++)
		same = a->step[i].op == b->step[i].op && a->step[i].value == b->step[i].value &&
		       a->step[i].name == b->step[i].name;
	return same;
}

static void a_rank_does_the_same_in_every_run(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_NAMES; i++) {
		struct microbench_config c = of(names[i], 4, 30);
		struct job a, b, other;
		job_write(&a, names[i], &c);
		job_write(&b, names[i], &c);
		c.seed++;
		job_write(&other, names[i], &c);
		for (unsigned int k = 0; k < 4; k++) {
			assert_true(is_same(&a.script[k], &b.script[k]));
			if (!strcmp(names[i], "earthquake"))
				assert_false(is_same(&a.script[k], &other.script[k]));
		}
		job_release(&a);
		job_release(&b);
		job_release(&other);
	}
}

static void refusals(void **state)
{
	static const struct {
		const char *name, *key, *value, *says;
	} bad[] = {
		{"checkpoint", "file-size", "100", "whole blocks"},
		{"checkpoint", "file-size", "100000", "whole blocks"},
		{"checkpoint", "pin", "yes", "launcher"},
		{"checkpoint", "scheduler", "fifo:1", "launcher"},
		{"checkpoint", "min-duration", "1s", "writes"},
		{"checkpoint", "compute", "1ms", "no such option"},
		{"partitioned-read", "files", "3", "no such option"},
		{"earthquake", "file-size", "72K", "(8 blocks of --block-size)"},
		{"shared-polling", "file-size", "16K", "two blocks"},
		{"random-read", "launcher", "mpirun", "no such option"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const struct workload *w = workload_find(bad[i].name);
		struct microbench_config c;
		struct err e = ERR_INIT;
		workload_config_init(w, &c);
		assert_int_equal(options_set(microbench_options, &c, bad[i].key, bad[i].value, &e),
				 0);
		assert_int_equal(microbench_check(w, &c, &e), -EINVAL);
		if (!strstr(e.msg, bad[i].says))
			fail_msg("%s: \"%s\" does not say \"%s\"", bad[i].name, e.msg, bad[i].says);
	}
}

/* The command of the job: the words of the launcher, the program in the same directory, and the
 * options as given. */
static void the_command(void **state)
{
	struct microbench_config c = of("checkpoint", 6, 100);
	char dir[] = "/tmp/validate-parallel-XXXXXX", self[4096];
	struct words_list words;
	struct err e = ERR_INIT;
	(void)state;
	assert_non_null(mkdtemp(dir));
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	assert_true(n > 0);
	self[n] = '\0';
	*strrchr(self, '/') = '\0';
	char *program = xasprintf("%s/%s", self, MPI_WORKLOAD),
	     *launcher = xasprintf("%s/launch it", dir), *file = xasprintf("%s/launch", dir);
	assert_int_equal(symlink("/bin/true", file), 0);
	c.launcher = launcher;
	c.dir = "a dir";
	c.output = "out";
	c.direct = true;
	c.prepare = false;
	assert_int_equal(parallel_command(workload_find("checkpoint"), &c, &words, &e), -ENOENT);
	assert_non_null(strstr(e.msg, MPI_WORKLOAD));
	assert_int_equal(symlink("/bin/true", program), 0);
	char *real = realpath(program, NULL);
	const char *const expected[] = {file, "it", "-n", "6", "x", "checkpoint", "--dir=a dir",
					"--output=out", "--requests", "100", "--direct", NULL};
	assert_int_equal(parallel_command(workload_find("checkpoint"), &c, &words, &e), 0);
	for (size_t i = 0; expected[i] || words.v[i]; i++) {
		assert_non_null(expected[i]);
		assert_non_null(words.v[i]);
		assert_string_equal(words.v[i], *expected[i] == 'x' ? real : expected[i]);
	}
	words_list_release(&words);
	unlink(program);
	unlink(file);
	rmdir(dir);
	free(real);
	free(program);
	free(launcher);
	free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_ranks_reach_their_end),
	    cmocka_unit_test(requests_stay_in_their_files),
	    cmocka_unit_test(checkpoints),
	    cmocka_unit_test(parts_are_read_in_turn),
	    cmocka_unit_test(an_earthquake),
	    cmocka_unit_test(a_pipeline),
	    cmocka_unit_test(a_rank_does_the_same_in_every_run),
	    cmocka_unit_test(refusals),
	    cmocka_unit_test(the_command),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
