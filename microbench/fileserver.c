/* SPDX-License-Identifier: GPL-3.0-or-later */
/* File server: filebench's fileserver personality. A round creates and writes a file, appends to a
 * second file, reads a third file, deletes a fourth file and stats a fifth file: 14 calls, as in
 * filebench.
 *
 * Files are used in turn, as in filebench. filebench takes them from one list for all threads, so
 * two threads never use the same file. Here, thread t has the files t, t + level, .... This is
 * equivalent, but does not depend on the speed of the threads: the calls of each thread depend only
 * on the seeds. At first, four fifths of the files exist.
 *
 * Source: metrology paper, section III-D: 4 threads, 1000 files, gamma sizes with mean 131072 and
 * shape 1.5, 30 s, appends of 16 KB on average (filebench draws uniformly below 16 KB). Memory:
 * measured for filebench 1.5-alpha3 with this personality and 4 threads: 41 MiB anonymous (10 MiB
 * per thread) and 43 MiB of shared tables. */
#include <gsl/gsl_randist.h>

#include "microbench/draw.h"
#include "microbench/loop.h"
#include "microbench/script.h"
#include "microbench/tree.h"
#include "microbench/workloads.h"

#define TOP "fileserver"
#define ABSENT_SHARE 5 /* at first, one of this many files is missing: prealloc=80 of filebench */

static int config_check(const struct microbench_config *c, struct err *e)
{
	if (c->n_files < 2 * ABSENT_SHARE * c->level)
		return err_set(e, EINVAL, "files %llu: expected at least %llu (%d for each thread)",
			       (unsigned long long)c->n_files,
			       (unsigned long long)(2 * ABSENT_SHARE * c->level), 2 * ABSENT_SHARE);
	if (c->append_bytes < 1 || c->dir_width < 1 || !(c->size_shape > 0))
		return err_set(e, EINVAL,
			       "append-size %llu, dir-width %llu, size-shape %g: all must be "
			       "above 0",
			       (unsigned long long)c->append_bytes,
			       (unsigned long long)c->dir_width, c->size_shape);
	return 0;
}

/* --- a thread's files ---------------------------------------------------- */

struct thread_files { /* file i of the thread is file i * level + thread of the tree */
	size_t n;
	bool *exists;
	uint64_t *n_bytes;            /* current size of each file */
	size_t present_at, absent_at; /* places where the next search begins */
};

static void thread_files_open(struct thread_files *s, const struct microbench_config *c,
			      const struct tree *t, unsigned int thread)
{
	gsl_rng *rng = draw_stream(c->fileset_seed, thread, DRAW_EXISTING);
	*s = (struct thread_files){.n = (t->n_files - thread + c->level - 1) / c->level};
	size_t n_absent = s->n / ABSENT_SHARE;
	SCOPED_FREE size_t *order = xcalloc(s->n, sizeof *order);
	s->exists = xcalloc(s->n, sizeof *s->exists);
	s->n_bytes = xcalloc(s->n, sizeof *s->n_bytes);
	for (size_t i = 0; i < s->n; i++) {
		order[i] = i;
		s->n_bytes[i] = t->file[i * c->level + thread].n_bytes;
	}
	gsl_ran_shuffle(rng, order, s->n, sizeof *order);
	for (size_t i = n_absent; i < s->n; i++)
		s->exists[order[i]] = true;
	gsl_rng_free(rng);
}

static void thread_files_close(struct thread_files *s)
{
	FREE_EACH(s->exists, s->n_bytes);
}

/* The next existing (or missing) file, cyclically from *at. */
static size_t file_take(const struct thread_files *s, size_t *at, bool exists)
{
	while (s->exists[*at] != exists)
		*at = (*at + 1) % s->n;
	size_t taken = *at;
	*at = (*at + 1) % s->n;
	return taken;
}

static void files_add(const struct microbench_config *c, struct fileset *s)
{
	struct tree t;
	size_t cap = 0;
	tree_draw(&t, TOP, c);
	for (size_t i = 0; i < t.n_dirs; i++)
		fileset_add_directory(s, &cap, xstrdup(t.dir[i]));
	for (unsigned int thread = 0; thread < c->level; thread++) {
		struct thread_files thread_files;
		thread_files_open(&thread_files, c, &t, thread);
		for (size_t i = 0; i < thread_files.n; i++) {
			const struct tree_file *f = &t.file[i * c->level + thread];
			if (thread_files.exists[i])
				fileset_add_file(s, &cap, xstrdup(f->path), f->n_bytes);
		}
		thread_files_close(&thread_files);
	}
	tree_release(&t);
}

/* --- rounds -------------------------------------------------------------- */

struct round {
	const struct microbench_config *c;
	const struct tree *tree;
	struct thread_files *thread_files;
	struct script *script;
	uint32_t first_name;
	unsigned int thread;
};

static void file_append(const struct round *r, size_t i, uint64_t n_bytes)
{
	script_open(r->script, 0, r->first_name + (uint32_t)i, OPEN_UPDATE, 0666);
	script_seek(r->script, 0, 0, SEEK_END, r->thread_files->n_bytes[i]);
	script_write(r->script, 0, (uint32_t)n_bytes);
	script_close(r->script, 0);
	r->thread_files->n_bytes[i] += n_bytes;
}

static void read_whole(const struct round *r, size_t i)
{
	script_open(r->script, 0, r->first_name + (uint32_t)i, OPEN_UPDATE, 0666);
	script_seek(r->script, 0, 0, SEEK_SET, 0);
	script_read_whole(r->script, 0, r->thread_files->n_bytes[i], r->c->block_bytes, true);
	script_close(r->script, 0);
}

static void round_write(const struct round *r, uint64_t append_bytes)
{
	struct thread_files *s = r->thread_files;
	size_t i = file_take(s, &s->absent_at, false);
	uint64_t n_bytes = r->tree->file[i * r->c->level + r->thread].n_bytes;
	script_open(r->script, 0, r->first_name + (uint32_t)i, OPEN_CREATE, 0666);
	script_write_whole(r->script, 0, n_bytes, r->c->block_bytes);
	script_close(r->script, 0);
	r->thread_files->exists[i] = true;
	r->thread_files->n_bytes[i] = n_bytes;
	file_append(r, file_take(s, &s->present_at, true), append_bytes);
	read_whole(r, file_take(s, &s->present_at, true));
	size_t gone = file_take(s, &s->present_at, true);
	script_remove(r->script, r->first_name + (uint32_t)gone, OP_UNLINK);
	s->exists[gone] = false;
	script_stat(r->script, r->first_name + (uint32_t)file_take(s, &s->present_at, true), true);
	script_end_unit(r->script);
}

static void write_script(const struct microbench_config *c, unsigned int thread, uint64_t n_units,
			 struct script *s)
{
	struct tree t;
	struct thread_files thread_files;
	gsl_rng *rng = draw_stream(c->seed, thread, DRAW_SCRIPT);
	tree_draw(&t, TOP, c);
	thread_files_open(&thread_files, c, &t, thread);
	struct round r = {c, &t, &thread_files, s, (uint32_t)s->names->n, thread};
	for (size_t i = 0; i < thread_files.n; i++)
		script_name(s, xstrdup(t.file[i * c->level + thread].path));
	thread_files.present_at = gsl_rng_uniform_int(rng, thread_files.n);
	thread_files.absent_at = gsl_rng_uniform_int(rng, thread_files.n);
	for (uint64_t i = 0; i < n_units; i++)
		round_write(&r, 1 + gsl_rng_uniform_int(rng, 2 * c->append_bytes - 1));
	thread_files_close(&thread_files);
	tree_release(&t);
	gsl_rng_free(rng);
}

/* Lower bound: 14 calls, and the copying of the bytes, half of it with page faults. */
static double fastest_ns(const struct microbench_config *c)
{
	return 14 * 400 + 0.05 * (2 * (double)c->file_bytes + (double)c->append_bytes);
}

static const struct workload_default defaults[] = {
    {"level", "4"}, {"requests", "1"}, {"min-duration", "30s"}, {"files", "1000"},
    {"file-size", "128K"}, {"fileset-seed", "1"}, {"size-shape", "1.5"}, {"block-size", "1M"},
    {"append-size", "16K"}, {"dir-width", "20"}, {"anon-memory", "84M"}, {NULL, NULL},
};

static const struct workload_script scripted = {
    .top = TOP, .unit = "rounds", .n_per_unit = 14, .check = config_check, .files = files_add,
    .write = write_script, .fastest_ns = fastest_ns,
};

const struct workload workload_fileserver = {
    .name = "fileserver", .alias = "fs",
    .help = "rounds of create, append, whole-file read, delete and stat on a file tree",
    .writes = true, .defaults = defaults,
    .own_options = (const char *const[]){"files", "fileset-seed", "append-size", "dir-width",
    "size-shape", NULL},
    .script = &scripted, .loop = script_loop,
};
