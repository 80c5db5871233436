/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many threads create or copy many files: filebench's createfiles and copyfiles personalities. A
 * unit of createfiles creates and writes a file; a unit of copyfiles reads a file and writes a
 * copy. Files are used in turn; thread t has the files t, t + level, .... After its last file, a
 * thread begins again and recreates its files.
 *
 * With --direct, sizes are multiples of 4 KiB.
 *
 * Source: filebench 1.5 (createfiles: 50,000 files, mean directory width 100, 16 threads, 1 MB
 * requests; copyfiles: width 20), sizes gamma-distributed with mean 16 KB and shape 1.5; the
 * block-replay paper (FAST 2017), section 5.2.1: 100,000 files copied by 256 threads. */
#include "microbench/draw.h"
#include "microbench/loop.h"
#include "microbench/script.h"
#include "microbench/tree.h"
#include "microbench/workloads.h"

#define CREATE_TOP "createfiles"
#define COPY_TOP "copyfiles"
#define COPY_FROM COPY_TOP "/src"
#define COPY_TO COPY_TOP "/copy"
#define DIRECT_BYTES 4096

static int config_check(const struct microbench_config *c, struct err *e)
{
	if (c->n_files < c->level)
		return err_set(e, EINVAL,
			       "files %llu: expected at least one for each of %llu threads",
			       (unsigned long long)c->n_files, (unsigned long long)c->level);
	if (c->dir_width < 1 || !(c->size_shape > 0))
		return err_set(e, EINVAL, "dir-width %llu, size-shape %g: both must be above 0",
			       (unsigned long long)c->dir_width, c->size_shape);
	if (c->direct && c->block_bytes % DIRECT_BYTES)
		return err_set(e, EINVAL,
			       "block-size %llu: option direct needs a multiple of %d bytes",
			       (unsigned long long)c->block_bytes, DIRECT_BYTES);
	return 0;
}

static void files_draw(struct tree *t, const char *top, const struct microbench_config *c)
{
	tree_draw(t, top, c);
	for (size_t i = 0; c->direct && i < t->n_files; i++)
		t->file[i].n_bytes = round_up(t->file[i].n_bytes, DIRECT_BYTES);
}

/* The name of a copy: its path below COPY_TO equals the path of the original below COPY_FROM. */
static char *copy_of(const char *path)
{
	return xasprintf(COPY_TO "%s", path + strlen(COPY_FROM));
}

static void create_files(const struct microbench_config *c, struct fileset *s)
{
	struct tree t;
	size_t cap = 0;
	files_draw(&t, CREATE_TOP, c);
	for (size_t i = 0; i < t.n_dirs; i++)
		fileset_add_directory(s, &cap, xstrdup(t.dir[i]));
	tree_release(&t);
}

static void copy_files(const struct microbench_config *c, struct fileset *s)
{
	struct tree t;
	size_t cap = 0;
	files_draw(&t, COPY_FROM, c);
	fileset_add_directory(s, &cap, xstrdup(COPY_TOP));
	for (size_t i = 0; i < t.n_dirs; i++) {
		fileset_add_directory(s, &cap, xstrdup(t.dir[i]));
		fileset_add_directory(s, &cap, copy_of(t.dir[i]));
	}
	for (size_t i = 0; i < t.n_files; i++)
		fileset_add_file(s, &cap, xstrdup(t.file[i].path), t.file[i].n_bytes);
	tree_release(&t);
}

static void create_add(const struct microbench_config *c, const struct tree_file *f, uint32_t name,
		       struct script *s)
{
	script_open(s, 0, name, OPEN_REPLACE, 0666);
	script_write_whole(s, 0, f->n_bytes, c->block_bytes);
	script_close(s, 0);
}

static void copy_add(const struct microbench_config *c, const struct tree_file *f, uint32_t name,
		     struct script *s)
{
	script_open(s, 0, name, OPEN_READ, 0666);
	script_read_whole(s, 0, f->n_bytes, c->block_bytes, false);
	script_open(s, 1, name + 1, OPEN_REPLACE, 0666);
	script_write_whole(s, 1, f->n_bytes, c->block_bytes);
	script_close(s, 0);
	script_close(s, 1);
}

static void write_script(const struct microbench_config *c, unsigned int thread, uint64_t n_units,
			 bool copies, struct script *s)
{
	struct tree t;
	gsl_rng *rng = draw_stream(c->seed, thread, DRAW_SCRIPT);
	files_draw(&t, copies ? COPY_FROM : CREATE_TOP, c);
	size_t n = (t.n_files - thread + c->level - 1) / c->level,
	       first = gsl_rng_uniform_int(rng, n);
	uint32_t first_name = (uint32_t)s->names->n, n_names = copies ? 2 : 1;
	for (size_t i = 0; i < n; i++) {
		const struct tree_file *f = &t.file[i * c->level + thread];
		script_name(s, xstrdup(f->path));
		if (copies)
			script_name(s, copy_of(f->path));
	}
	for (uint64_t i = 0; i < n_units; i++) {
		size_t k = (first + i) % n;
		(copies ? copy_add : create_add)(c, &t.file[k * c->level + thread],
						 first_name + (uint32_t)k * n_names, s);
		script_end_unit(s);
	}
	tree_release(&t);
	gsl_rng_free(rng);
}

static void create_write(const struct microbench_config *c, unsigned int thread, uint64_t n_units,
			 struct script *s)
{
	write_script(c, thread, n_units, false, s);
}

static void copy_write(const struct microbench_config *c, unsigned int thread, uint64_t n_units,
		       struct script *s)
{
	write_script(c, thread, n_units, true, s);
}

/* Lower bound: 3 or 6 calls, and the copying of the bytes with page faults. */
static double create_fastest_ns(const struct microbench_config *c)
{
	return 3 * 400 + 0.05 * (double)c->file_bytes;
}

static double copy_fastest_ns(const struct microbench_config *c)
{
	return 2 * create_fastest_ns(c);
}

static const struct workload_default copy_defaults[] = {
    {"block-size", "1M"}, {"file-size", "16K"}, {"fileset-seed", "1"}, {"size-shape", "1.5"},
    {"level", "256"}, {"files", "100000"}, {"requests", "391"}, {"dir-width", "20"}, {NULL, NULL},
};

static const struct workload_default create_defaults[] = {
    {"block-size", "1M"}, {"file-size", "16K"}, {"fileset-seed", "1"}, {"size-shape", "1.5"},
    {"level", "16"}, {"files", "50000"}, {"requests", "3125"}, {"dir-width", "100"}, {NULL, NULL},
};

static const struct workload_script create_scripted = {
    .top = CREATE_TOP, .unit = "files", .n_per_unit = 3, .direct = true, .check = config_check,
    .files = create_files, .write = create_write, .fastest_ns = create_fastest_ns,
};

static const struct workload_script copy_scripted = {
    .top = COPY_TOP, .unit = "files", .n_per_unit = 6, .direct = true, .check = config_check,
    .files = copy_files, .write = copy_write, .fastest_ns = copy_fastest_ns,
};

static const char *const own_options[] = {"files", "fileset-seed", "dir-width", "size-shape", NULL};

const struct workload workload_createfiles = {
    .name = "createfiles", .alias = "mf",
    .help = "create and write many small files in a directory tree", .writes = true,
    .defaults = create_defaults, .own_options = own_options, .script = &create_scripted,
    .loop = script_loop,
};

const struct workload workload_copyfiles = {
    .name = "copyfiles", .alias = "cf", .help = "copy a tree of many small files, file by file",
    .writes = true, .defaults = copy_defaults, .own_options = own_options, .script = &copy_scripted,
    .loop = script_loop,
};
