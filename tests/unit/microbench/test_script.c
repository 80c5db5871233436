/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scripts of fileserver, postmark, compile, createfiles and copyfiles, run on a model of a file
 * system: every call must return what the script expects. The mix of calls and the sizes are those
 * of the specification, within 4.5 standard errors for the number of draws; the seeds are fixed. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/op.h"
#include "common/xalloc.h"
#include "microbench/microbench.h"
#include "microbench/script.h"
#include "microbench/tree.h"

#define N_SIGMA 4.5

static struct microbench_config of(const char *workload)
{
	struct microbench_config c;
	workload_config_init(workload_find(workload), &c);
	return c;
}

struct written {
	struct script_names names;
	struct script script;
};

static void write_one(struct written *w, const char *workload, const struct microbench_config *c,
		      unsigned int thread, uint64_t n_units)
{
	*w = (struct written){{NULL, 0, 0}, {.step = NULL}};
	w->script.names = &w->names;
	workload_find(workload)->script->write(c, thread, n_units, &w->script);
	assert_int_equal(w->script.n_units, n_units);
}

static void release(struct written *w)
{
	script_release(&w->script);
	script_names_release(&w->names);
}

/* --- a model of a file system: names with sizes, and directories --- */

struct node {
	char *name;
	bool exists, directory;
	uint64_t size;
};

struct model {
	struct node *node; /* open addressing */
	size_t mask, n_there;
	struct {
		struct node *file;
		uint64_t position;
		bool appends, listed;
	} slot[SCRIPT_SLOTS];
	uint64_t largest;
};

static struct node *node_of(struct model *m, const char *name)
{
	uint64_t h = 1469598103934665603u;
	for (const char *p = name; *p; p++)
		h = (h ^ (unsigned char)*p) * 1099511628211u;
	size_t i = h & m->mask;
	for (; m->node[i].name && strcmp(m->node[i].name, name); i = (i + 1) & m->mask)
		;
	if (!m->node[i].name)
		m->node[i].name = xstrdup(name);
	return &m->node[i];
}

static void put(struct model *m, const char *name, bool directory, uint64_t size)
{
	struct node *n = node_of(m, name);
	assert_false(n->exists);
	m->n_there++;
	*n = (struct node){n->name, true, directory, size};
}

static bool parent_is_there(struct model *m, const char *name)
{
	char *copy = xstrdup(name), *slash = strrchr(copy, '/');
	bool there = true;
	if (slash) {
		*slash = 0;
		struct node *n = node_of(m, copy);
		there = n->exists && n->directory;
	}
	free(copy);
	return there;
}

static void model_begin(struct model *m, const char *workload, const struct microbench_config *c)
{
	struct fileset s;
	*m = (struct model){.mask = (1 << 20) - 1};
	m->node = xcalloc(m->mask + 1, sizeof *m->node);
	assert_int_equal(microbench_files(workload_find(workload), c, &s, NULL), 0);
	for (size_t i = 0; i < s.n; i++) {
		put(m, s.entry[i].path, s.entry[i].directory, s.entry[i].size);
		/* and a directory is listed before its entries */
		assert_true(parent_is_there(m, s.entry[i].path));
	}
	microbench_files_release(&s);
}

static void model_end(struct model *m)
{
	for (size_t i = 0; i <= m->mask; i++)
		free(m->node[i].name);
	free(m->node);
}

static int64_t model_open(struct model *m, const struct bench_step *s, struct node *n)
{
	bool creates = s->how == OPEN_CREATE || s->how == OPEN_REPLACE;
	assert_null(m->slot[s->slot].file);
	if (!n->exists && !creates)
		return -ENOENT;
	assert_int_equal(n->exists && n->directory, s->how == OPEN_DIRECTORY);
	/* a new file must not exist: creating does not overwrite */
	assert_false(n->exists && s->how == OPEN_CREATE);
	assert_true(parent_is_there(m, n->name));
	if (!n->exists)
		put(m, n->name, false, 0);
	if (s->how == OPEN_REPLACE)
		n->size = 0;
	m->slot[s->slot].file = n;
	m->slot[s->slot].position = 0;
	m->slot[s->slot].appends = s->how == OPEN_APPEND;
	return 3;
}

static int64_t model_move(struct model *m, const struct bench_step *s)
{
	struct node *f = m->slot[s->slot].file;
	uint64_t *at = &m->slot[s->slot].position, n = s->value;
	assert_non_null(f);
	if (s->op == OP_READ) {
		n = *at >= f->size ? 0 : f->size - *at < n ? f->size - *at : n;
		*at += n;
		return (int64_t)n;
	}
	*at = (m->slot[s->slot].appends ? f->size : *at) + n;
	f->size = *at > f->size ? *at : f->size;
	m->largest = f->size > m->largest ? f->size : m->largest;
	return (int64_t)n;
}

static int64_t model_name(struct model *m, const struct bench_step *s, struct node *n,
			  struct node *to)
{
	if (s->op == OP_STAT)
		return n->exists ? 0 : -ENOENT;
	if (s->op == OP_MKDIR) {
		put(m, n->name, true, 0);
		return parent_is_there(m, n->name) ? 0 : -ENOENT;
	}
	if (!n->exists)
		return -ENOENT;
	assert_int_equal(n->directory, s->op == OP_RMDIR);
	n->exists = false;
	m->n_there--;
	if (s->op == OP_RENAME) {
		m->n_there -= to->exists;
		to->exists = false;
		put(m, to->name, false, n->size);
	}
	return 0;
}

/* What the call returns. */
static int64_t model_play(struct model *m, const struct script *script, const struct bench_step *s)
{
	struct node *n = node_of(m, script->names->name[s->name]);
	switch ((enum trace_op)s->op) {
	case OP_OPEN:
		return model_open(m, s, n);
	case OP_CLOSE:
		assert_non_null(m->slot[s->slot].file);
		m->slot[s->slot].file = NULL;
		return 0;
	case OP_READ:
	case OP_WRITE:
		return model_move(m, s);
	case OP_LSEEK:
		assert_non_null(m->slot[s->slot].file);
		m->slot[s->slot].position =
		    s->value + (s->how == SEEK_END ? m->slot[s->slot].file->size : 0);
		return (int64_t)m->slot[s->slot].position;
	case OP_GETDENTS:
		assert_true(m->slot[s->slot].file->directory);
		return 0;
	default:
		return model_name(
		    m, s, n, s->op == OP_RENAME ? node_of(m, script->names->name[s->value]) : NULL);
	}
}

static void play_all(struct model *m, const struct script *s)
{
	for (size_t i = 0; i < s->n; i++) {
		int64_t got = model_play(m, s, &s->step[i]);
		if (s->step[i].expect == EXPECT_ANY ? got < 0 : got != s->step[i].expect)
			fail_msg("step %zu, %s of %s: %lld instead of %d", i,
				 op_name(s->step[i].op), s->names->name[s->step[i].name],
				 (long long)got, s->step[i].expect);
	}
	for (int i = 0; i < SCRIPT_SLOTS; i++)
		assert_null(m->slot[i].file);
}

/* Every expectation is met if the threads run one after another on one file system: no thread needs
 * files that another thread creates or removes. */
static void scripts_expect_the_results_of_a_model(void **state)
{
	(void)state;
	static const char *const names[] = {"fileserver", "postmark", "compile", "createfiles",
					    "copyfiles"};
	for (int k = 0; k < 5; k++)
		for (uint64_t seed = 1; seed <= 3; seed++)
			for (uint64_t level = 1; level <= 4; level += 3) {
				struct microbench_config c = of(names[k]);
				struct model m;
				c.level = level;
				c.seed = c.fileset_seed = seed;
				c.n_files = k == 2 ? 30 : 100;
				c.n_subdirs = k == 1 ? seed - 1 : 0;
				c.fileset_seed = k == 1 ? 0 : seed;
				model_begin(&m, names[k], &c);
				size_t n_before = m.n_there;
				for (unsigned int t = (unsigned int)level; t-- > 0;) {
					struct written w;
					write_one(&w, names[k], &c, t, 300);
					play_all(&m, &w.script);
					release(&w);
				}
				/* rounds create as many as they delete; postmark deletes all */
				if (k < 2)
					assert_int_equal(m.n_there, n_before);
				if (k > 2) /* all of them once, and then again */
					assert_int_equal(m.n_there, n_before + 100);
				model_end(&m);
			}
}

static void seeds_decide(void **state)
{
	(void)state;
	static const char *const names[] = {"fileserver", "postmark", "compile", "createfiles",
					    "copyfiles"};
	for (int k = 0; k < 5; k++) {
		struct microbench_config c = of(names[k]);
		struct written a, b;
		struct fileset one, two;
		c.level = 2;
		write_one(&a, names[k], &c, 1, 50);
		write_one(&b, names[k], &c, 1, 50);
		assert_int_equal(a.script.n, b.script.n);
		assert_memory_equal(a.script.step, b.script.step,
				    a.script.n * sizeof *a.script.step);
		release(&b);
		/* a longer run begins in the same way, up to the end of its last unit */
		write_one(&b, names[k], &c, 1, 60);
		size_t n = a.script.n;
		while (!a.script.step[n - 1].ends_unit)
			n--;
		assert_memory_equal(a.script.step, b.script.step, n * sizeof *a.script.step);
		release(&b);
		c.seed = 2;
		write_one(&b, names[k], &c, 1, 50);
		assert_true(a.script.n != b.script.n || memcmp(a.script.step, b.script.step,
							       a.script.n * sizeof *a.script.step));
		release(&b);
		release(&a);
		/* and the files are the same for all scripts */
		assert_int_equal(microbench_files(workload_find(names[k]), &c, &one, NULL), 0);
		c.seed = 3;
		assert_int_equal(microbench_files(workload_find(names[k]), &c, &two, NULL), 0);
		assert_int_equal(one.n, two.n);
		for (size_t i = 0; i < one.n; i++) {
			assert_string_equal(one.entry[i].path, two.entry[i].path);
			assert_int_equal(one.entry[i].size, two.entry[i].size);
		}
		microbench_files_release(&one);
		microbench_files_release(&two);
	}
}

/* With `direct`, every request consists of whole blocks, and a copy is as long as its original. */
static void direct_moves_whole_blocks(void **state)
{
	(void)state;
	static const char *const names[] = {"createfiles", "copyfiles"};
	for (int k = 0; k < 2; k++) {
		struct microbench_config c = of(names[k]);
		struct written w;
		uint64_t n_read = 0, n_written = 0;
		c.level = 4;
		c.n_files = 100;
		c.direct = true;
		write_one(&w, names[k], &c, 3, 25);
		for (size_t i = 0; i < w.script.n; i++) {
			const struct bench_step *s = &w.script.step[i];
			if (s->op != OP_READ && s->op != OP_WRITE)
				continue;
			assert_true(s->expect > 0 && s->expect % 4096 == 0 && s->value % 4096 == 0);
			*(s->op == OP_READ ? &n_read : &n_written) += (uint64_t)s->expect;
		}
		assert_true(n_written >= 25 * 4096);
		assert_int_equal(n_read, k ? n_written : 0);
		release(&w);
	}
}

/* --- the specification ---------------------------------------------------- */

static void assert_near(double got, double expected, double standard_error)
{
	if (!(fabs(got - expected) <= N_SIGMA * standard_error))
		fail_msg("%g is not %g within %g standard errors of %g", got, expected, N_SIGMA,
			 standard_error);
}

static void sizes_are_gamma_distributed(void **state)
{
	(void)state;
	struct microbench_config c = of("fileserver");
	struct tree t;
	const double mean = 131072, shape = 1.5, n = 20000;
	double sum = 0, squares = 0, below[3] = {0};
	c.n_files = (uint64_t)n;
	tree_draw(&t, "x", &c);
	assert_int_equal(t.n_files, c.n_files);
	for (size_t i = 0; i < t.n_files; i++) {
		double x = (double)t.file[i].n_bytes;
		sum += x;
		squares += (x - mean) * (x - mean);
		for (int q = 0; q < 3; q++) /* quartiles: the shape, too */
			below[q] += x <= gsl_cdf_gamma_Pinv(0.25 * (q + 1), shape, mean / shape);
	}
	assert_near(sum / n, mean, mean / sqrt(shape * n));
	/* variance of the sample variance: kurtosis of the gamma distribution is 3 + 6 / shape */
	double variance = mean * mean / shape;
	assert_near(squares / n, variance, variance * sqrt((2 + 6 / shape) / n));
	for (int q = 0; q < 3; q++)
		assert_near(below[q] / n, 0.25 * (q + 1),
			    sqrt(0.25 * (q + 1) * (1 - 0.25 * (q + 1)) / n));
	/* directories: only leaves hold files, of gamma-distributed width; the last leaf may have
	 * fewer */
	size_t n_leaves = 0;
	for (size_t i = 0; i < t.n_files; i++)
		n_leaves += !!strstr(t.file[i].path + strlen(t.file[i].path) - 9, "/00000001");
	assert_near(n / (double)n_leaves, 20, 0.5 / N_SIGMA + 20 / sqrt(shape * (double)n_leaves));
	tree_release(&t);
}

static void a_round_of_the_file_server(void **state)
{
	(void)state;
	static const enum trace_op order[] = {OP_OPEN,  OP_WRITE, OP_CLOSE,  OP_OPEN,  OP_LSEEK,
					      OP_WRITE, OP_CLOSE, OP_OPEN,   OP_LSEEK, OP_READ,
					      OP_READ,  OP_CLOSE, OP_UNLINK, OP_STAT};
	enum { N = 5000 };
	struct microbench_config c = of("fileserver");
	struct written w;
	double sum = 0, least = 1e9, most = 0;
	size_t n_long = 0;
	write_one(&w, "fileserver", &c, 2, N);
	const struct bench_step *s = w.script.step, *end = s + w.script.n;
	for (int unit = 0; unit < N; unit++) {
		assert_int_equal(s->how, OPEN_CREATE);
		for (size_t k = 0; k < sizeof order / sizeof *order; k++, s++) {
			assert_true(s < end);
			assert_int_equal(s->op, order[k]);
			assert_int_equal(s->ends_unit, k == 13);
			if (k == 5) {
				sum += s->value;
				least = s->value < least ? s->value : least;
				most = s->value > most ? s->value : most;
			}
			/* more than 1M is written and read in pieces */
			for (; (k == 1 || k == 9) && s[1].op == s->op && s[1].value &&
			       s->expect == 1 << 20;
			     s++)
				n_long++;
		}
	}
	assert_ptr_equal(s, end);
	assert_true(n_long < N / 100);
	assert_near(sum / N, 16384, 32767 / sqrt(12.0 * N));
	assert_true(least >= 1 && least < 100 && most <= 32767 && most > 32667);
	release(&w);
}

static void four_fifths_of_the_files_exist_at_first(void **state)
{
	(void)state;
	struct microbench_config c = of("fileserver");
	struct fileset s;
	size_t n = 0;
	assert_int_equal(microbench_files(workload_find("fs"), &c, &s, NULL), 0);
	for (size_t i = 0; i < s.n; i++)
		n += !s.entry[i].directory;
	assert_int_equal(n, 800);
	microbench_files_release(&s);
}

/* No thread uses a file of another thread. */
static void threads_of_the_file_server_share_no_file(void **state)
{
	(void)state;
	struct microbench_config c = of("fileserver");
	struct model seen = {.mask = (1 << 16) - 1};
	size_t n = 0;
	seen.node = xcalloc(seen.mask + 1, sizeof *seen.node);
	for (unsigned int t = 0; t < 4; t++) {
		struct written w;
		write_one(&w, "fileserver", &c, t, 1000);
		for (size_t i = 0; i < w.names.n; i++)
			put(&seen, w.names.name[i], false, 0); /* which wants it new */
		n += w.names.n;
		release(&w);
	}
	assert_int_equal(n, 1000);
	model_end(&seen);
}

/* Transactions, identified by their first and last calls. */
struct mix {
	double reads, appends, creates, deletes, both;
	double sum_bytes, n_made;
};

static void mix_of(const struct script *s, size_t from, struct mix *m)
{
	*m = (struct mix){0};
	bool reads = false;
	for (size_t i = from; i < s->n && m->creates + m->deletes < (double)s->n_units; i++) {
		const struct bench_step *x = &s->step[i];
		bool makes = x->op == OP_OPEN && x->how == OPEN_CREATE;
		if (x->op == OP_OPEN && !makes) {
			reads = x->how == OPEN_READ;
			m->reads += reads;
			m->appends += !reads;
		}
		m->creates += makes;
		m->deletes += x->op == OP_UNLINK;
		m->both += makes && reads;
	}
}

static void postmark_has_its_three_phases(void **state)
{
	(void)state;
	static const double shares[][2] = {{0.5, 0.5}, {0.2, 0.5}, {0.5, 0.6}};
	const double n = 20000;
	for (int k = 0; k < 3; k++) {
		struct microbench_config c = of("postmark");
		struct written w;
		struct mix m;
		struct model model;
		double sum = 0;
		size_t i = 0, n_made = 0, n_gone = 0;
		c.read_share = shares[k][0];
		c.create_share = shares[k][1];
		write_one(&w, "postmark", &c, 0, (uint64_t)n);
		/* the files are made first */
		for (; n_made < 20000 || w.script.step[i - 1].op != OP_CLOSE; i++) {
			const struct bench_step *s = &w.script.step[i];
			assert_true(s->op == OP_OPEN || s->op == OP_WRITE || s->op == OP_CLOSE);
			n_made += s->op == OP_OPEN;
			sum += s->op == OP_WRITE ? s->value : 0;
			assert_true(s->op != OP_WRITE || s->value <= 512);
		}
		/* uniform from 512 to 10240 */
		assert_near(sum / 20000, (512 + 10240) / 2.0, (10240 - 512) / sqrt(12.0 * 20000));
		mix_of(&w.script, i, &m);
		assert_true(m.reads + m.appends == n && m.creates + m.deletes == n);
		/* the file has the largest size, so it is read although an append was drawn, which
		 * is rare */
		assert_near(m.reads / n, c.read_share, sqrt(0.25 / n) + 0.002 / N_SIGMA);
		assert_near(m.creates / n, c.create_share, sqrt(0.25 / n));
		assert_near(m.both / n, c.read_share * c.create_share,
			    sqrt(0.25 / n) + 0.002 / N_SIGMA);
		for (size_t s = w.script.n;
		     w.script.step[--s].op == OP_UNLINK && !w.script.step[s].ends_unit;)
			n_gone++;
		assert_int_equal(n_gone, (size_t)(20000 + m.creates - m.deletes));
		model_begin(&model, "postmark", &c);
		play_all(&model, &w.script);
		assert_int_equal(model.largest, 10240);
		model_end(&model);
		release(&w);
	}
}

static void compile_stats_mostly_missing_headers(void **state)
{
	(void)state;
	struct microbench_config c = of("compile");
	struct written w;
	double n_missed = 0, n_read = 0, n_renamed = 0, n_header_opens = 0;
	write_one(&w, "compile", &c, 0, 100); /* each source once */
	const struct script *s = &w.script;
	assert_int_equal(s->step[0].op, OP_MKDIR);
	assert_int_equal(s->step[1].how, OPEN_DIRECTORY);
	assert_int_equal(s->step[2].op, OP_GETDENTS);
	for (size_t i = 0; i < s->n; i++) {
		const struct bench_step *x = &s->step[i];
		const char *name = s->names->name[x->name];
		bool header = strstr(name, "/inc");
		n_missed += x->op == OP_STAT && header && x->expect == -ENOENT;
		n_header_opens += x->op == OP_OPEN && header;
		n_read += x->op == OP_OPEN && x->how == OPEN_READ && !header;
		assert_true(!x->ends_unit || x->op == OP_RENAME);
		if (x->op == OP_RENAME) {
			const char *to = s->names->name[x->value];
			assert_int_equal(strncmp(name, to, strlen(to)), 0);
			assert_string_equal(name + strlen(to), ".new");
			n_renamed++;
		}
	}
	assert_true(n_renamed == 100 && n_read == 100);
	assert_near(n_header_opens / 100, 20, sqrt(20.0 / 100));
	/* headers are spread over 8 directories at random; the number of headers (400) limits the
	 * precision; uniform over 0 to 7 */
	assert_near(n_missed / n_header_opens, 3.5,
		    sqrt(63.0 / 12 / 400) + sqrt(63.0 / 12 / n_header_opens));
	assert_true(n_missed > 2 * n_header_opens);
	release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(scripts_expect_the_results_of_a_model),
	    cmocka_unit_test(seeds_decide),
	    cmocka_unit_test(sizes_are_gamma_distributed),
	    cmocka_unit_test(a_round_of_the_file_server),
	    cmocka_unit_test(four_fifths_of_the_files_exist_at_first),
	    cmocka_unit_test(threads_of_the_file_server_share_no_file),
	    cmocka_unit_test(direct_moves_whole_blocks),
	    cmocka_unit_test(postmark_has_its_three_phases),
	    cmocka_unit_test(compile_stats_mostly_missing_headers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
