/* SPDX-License-Identifier: GPL-3.0-or-later */
/* File accesses of a program build, in bursts. A unit is the compilation of one source: stat of
 * object and source as make does, a read of the whole source, then for each header stats along the
 * include path, most of which fail, and a read of the whole header. The object is written under a
 * temporary name in small pieces, and is then renamed. Then the thread pauses, which represents
 * computing.
 *
 * At the start, a directory is made for the objects, and the sources are listed. Sources are
 * compiled in turn; after the last source, the first follows. The headers of a source do not
 * change. */
#include <gsl/gsl_randist.h>

#include "microbench/draw.h"
#include "microbench/loop.h"
#include "microbench/script.h"
#include "microbench/tree.h"
#include "microbench/workloads.h"

#define TOP "compile"
#define OBJECT_RATIO 3         /* an object is this many times as large as its source */
#define READ_BYTES (1u << 16)  /* sources and headers are read in pieces of this size */
#define NAMES_PER_LISTING 500u /* so few that a getdents call returns all of them */

static int config_check(const struct microbench_config *c, struct err *e)
{
	if (c->n_files < 1 || c->n_files > 1000000 || c->n_headers < 1 || c->n_headers > 1000000)
		return err_set(e, EINVAL, "files %llu, headers %llu: expected 1 to 1000000 of each",
			       (unsigned long long)c->n_files, (unsigned long long)c->n_headers);
	if (!(c->size_shape > 0))
		return err_set(e, EINVAL, "size-shape %g: expected more than 0", c->size_shape);
	if (c->n_include_dirs < 1 || c->n_include_dirs > 1000)
		return err_set(e, EINVAL, "include-dirs %llu: expected 1 to 1000",
			       (unsigned long long)c->n_include_dirs);
	if (c->n_includes < 1 || c->n_includes > c->n_headers)
		return err_set(e, EINVAL,
			       "includes %llu: expected 1 to the number of headers (%llu)",
			       (unsigned long long)c->n_includes, (unsigned long long)c->n_headers);
	return 0;
}

/* --- the project --------------------------------------------------------- */

struct project {
	uint64_t *source_bytes, *header_bytes; /* source_bytes[n_files], header_bytes[n_headers] */
	uint32_t *header_dir;                  /* index of the include directory with the header */
};

static void project_draw(struct project *p, const struct microbench_config *c)
{
	gsl_rng *rng = draw_stream(c->fileset_seed, 0, DRAW_TREE);
	p->source_bytes = xcalloc(c->n_files, sizeof *p->source_bytes);
	p->header_bytes = xcalloc(c->n_headers, sizeof *p->header_bytes);
	p->header_dir = xcalloc(c->n_headers, sizeof *p->header_dir);
	for (uint64_t i = 0; i < c->n_files; i++)
		p->source_bytes[i] = tree_size(rng, (double)c->file_bytes, c->size_shape);
	for (uint64_t i = 0; i < c->n_headers; i++) {
		p->header_bytes[i] = tree_size(rng, (double)c->file_bytes, c->size_shape);
		p->header_dir[i] = (uint32_t)gsl_rng_uniform_int(rng, c->n_include_dirs);
	}
	gsl_rng_free(rng);
}

static void project_release(struct project *p)
{
	FREE_EACH(p->source_bytes, p->header_bytes, p->header_dir);
}

static char *source_path(uint64_t i)
{
	return xasprintf(TOP "/src/%06llu.c", (unsigned long long)i);
}

static char *header_path(uint64_t dir, uint64_t i)
{
	return xasprintf(TOP "/inc%llu/%06llu.h", (unsigned long long)dir, (unsigned long long)i);
}

static void files_add(const struct microbench_config *c, struct fileset *s)
{
	struct project p;
	size_t cap = 0;
	project_draw(&p, c);
	fileset_add_directory(s, &cap, xstrdup(TOP));
	fileset_add_directory(s, &cap, xstrdup(TOP "/src"));
	for (uint64_t i = 0; i < c->n_include_dirs; i++)
		fileset_add_directory(s, &cap, xasprintf(TOP "/inc%llu", (unsigned long long)i));
	for (uint64_t i = 0; i < c->n_files; i++)
		fileset_add_file(s, &cap, source_path(i), p.source_bytes[i]);
	for (uint64_t i = 0; i < c->n_headers; i++)
		fileset_add_file(s, &cap, header_path(p.header_dir[i], i), p.header_bytes[i]);
	project_release(&p);
}

/* --- compilations -------------------------------------------------------- */

struct build {
	const struct microbench_config *c;
	const struct project *project;
	struct script *script;
	uint32_t *source, *object, *unfinished; /* numbers of the names, by source */
	/* header[i * n_include_dirs + d]: number of the name of header i in directory d */
	uint32_t *header;
	uint32_t **includes; /* includes of each source, ending with UINT32_MAX */
	bool *built;
};

static void includes_draw(struct build *b)
{
	const struct microbench_config *c = b->c;
	SCOPED_FREE uint32_t *all = xcalloc(c->n_headers, sizeof *all);
	for (uint64_t i = 0; i < c->n_headers; i++)
		all[i] = (uint32_t)i;
	for (uint64_t i = 0; i < c->n_files; i++) {
		gsl_rng *rng = draw_stream(c->fileset_seed, (unsigned int)i, DRAW_INCLUDES);
		uint64_t n = gsl_ran_poisson(rng, (double)c->n_includes);
		n = n < c->n_headers ? n : c->n_headers;
		b->includes[i] = xcalloc(n + 1, sizeof **b->includes);
		gsl_ran_choose(rng, b->includes[i], n, all, c->n_headers, sizeof *all);
		b->includes[i][n] = UINT32_MAX;
		gsl_rng_free(rng);
	}
}

static void read_file(struct script *s, uint32_t name, uint64_t n_bytes)
{
	script_stat(s, name, true);
	script_open(s, 0, name, OPEN_READ, 0);
	script_read_whole(s, 0, n_bytes, READ_BYTES, true);
	script_close(s, 0);
}

static void source_compile(struct build *b, uint64_t i)
{
	struct script *s = b->script;
	script_stat(s, b->object[i], b->built[i]);
	read_file(s, b->source[i], b->project->source_bytes[i]);
	for (const uint32_t *h = b->includes[i]; *h != UINT32_MAX; h++) {
		const uint32_t *name = &b->header[*h * b->c->n_include_dirs];
		uint32_t dir = b->project->header_dir[*h];
		for (uint32_t d = 0; d < dir; d++)
			script_stat(s, name[d], false);
		read_file(s, name[dir], b->project->header_bytes[*h]);
	}
	script_open(s, 0, b->unfinished[i], OPEN_REPLACE, 0666);
	script_write_whole(s, 0, OBJECT_RATIO * b->project->source_bytes[i], b->c->block_bytes);
	script_close(s, 0);
	script_rename(s, b->unfinished[i], b->object[i]);
	script_end_unit(s);
	b->built[i] = true;
}

static void names_make(struct build *b, unsigned int thread)
{
	const struct microbench_config *c = b->c;
	for (uint64_t i = 0; i < c->n_files; i++) {
		b->source[i] = script_name(b->script, source_path(i));
		b->object[i] = script_name(
		    b->script, xasprintf(TOP "/obj%u/%06llu.o", thread, (unsigned long long)i));
		b->unfinished[i] = script_name(
		    b->script, xasprintf(TOP "/obj%u/%06llu.o.new", thread, (unsigned long long)i));
	}
	for (uint64_t i = 0; i < c->n_headers; i++)
		for (uint64_t d = 0; d < c->n_include_dirs; d++)
			b->header[i * c->n_include_dirs + d] =
			    script_name(b->script, header_path(d, i));
}

static void build_begin(struct build *b, unsigned int thread)
{
	script_mkdir(b->script, script_name(b->script, xasprintf(TOP "/obj%u", thread)), 0777);
	script_open(b->script, 0, script_name(b->script, xstrdup(TOP "/src")), OPEN_DIRECTORY, 0);
	for (uint64_t listed = 0; listed < b->c->n_files + NAMES_PER_LISTING;
	     listed += NAMES_PER_LISTING)
		script_list(b->script, 0);
	script_close(b->script, 0);
}

static void write_script(const struct microbench_config *c, unsigned int thread, uint64_t n_units,
			 struct script *s)
{
	struct project p;
	struct build b = {.c = c, .project = &p, .script = s};
	gsl_rng *rng = draw_stream(c->seed, thread, DRAW_SCRIPT);
	project_draw(&p, c);
	b.source = xcalloc(c->n_files, sizeof *b.source);
	b.object = xcalloc(c->n_files, sizeof *b.object);
	b.unfinished = xcalloc(c->n_files, sizeof *b.unfinished);
	b.header = xcalloc(c->n_headers * c->n_include_dirs, sizeof *b.header);
	b.includes = xcalloc(c->n_files, sizeof *b.includes);
	b.built = xcalloc(c->n_files, sizeof *b.built);
	includes_draw(&b);
	names_make(&b, thread);
	build_begin(&b, thread);
	uint64_t first = gsl_rng_uniform_int(rng, c->n_files);
	for (uint64_t i = 0; i < n_units; i++)
		source_compile(&b, (first + i) % c->n_files);
	for (uint64_t i = 0; i < c->n_files; i++)
		free(b.includes[i]);
	FREE_EACH(b.source, b.object, b.unfinished, b.header, b.includes, b.built);
	project_release(&p);
	gsl_rng_free(rng);
}

static double fastest_ns(const struct microbench_config *c)
{
	double n_calls = (double)c->n_includes * ((double)c->n_include_dirs / 2 + 4);
	return 200 * n_calls + 0.02 * (double)c->file_bytes *
		(double)(c->n_includes + 1 + OBJECT_RATIO) + 0.75 * (double)c->pause_ns;
}

static const struct workload_default defaults[] = {
    {"requests", "200"}, {"files", "100"}, {"file-size", "8K"}, {"fileset-seed", "1"},
    {"size-shape", "1.5"}, {"block-size", "4K"}, {"headers", "400"}, {"include-dirs", "8"},
    {"includes", "20"}, {"pause", "20ms"}, {"think", "exponential"}, {NULL, NULL},
};

static const struct workload_script scripted = {
    .top = TOP, .unit = "compilations", .n_per_unit = 180, .check = config_check,
    .files = files_add, .write = write_script, .fastest_ns = fastest_ns,
};

const struct workload workload_compile = {
    .name = "compile", .alias = "cc",
    .help = "bursts of calls, as in a compiler: search and read headers, write and rename an "
	    "object file",
    .writes = true, .defaults = defaults,
    .own_options = (const char *const[]){"files", "fileset-seed", "size-shape", "headers",
					 "include-dirs", "includes", NULL},
    .script = &scripted, .loop = script_loop,
};
