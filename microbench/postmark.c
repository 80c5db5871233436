/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PostMark's pattern: the many small files of a mail server. There are three phases. First, the
 * files are created. Then come the transactions: each reads or appends to a file, and creates or
 * deletes a file. Finally, the remaining files are deleted.
 *
 * The behaviour is that of PostMark 1.5 with its defaults and without buffering. Requests have
 * --block-size (512 bytes). A read covers the whole file. An append adds a drawn number of bytes
 * below the largest size (a file of that size is read instead). There are at most twice as many
 * files as at first.
 *
 * Source: J. Katcher, "PostMark: A New File System Benchmark", Network Appliance TR-3022, 1997; the
 * VFS-replay paper (FAST 2005), section 4.1: 20,000 files of 512 bytes to 10 KB, 200,000
 * transactions, all four kinds equally likely. */
#include "microbench/draw.h"
#include "microbench/loop.h"
#include "microbench/script.h"
#include "microbench/tree.h"
#include "microbench/workloads.h"

#define TOP "postmark"
#define MAX_BYTES (UINT64_C(1) << 30)

static int config_check(const struct microbench_config *c, struct err *e)
{
	if (c->n_files < c->level || c->n_files > UINT32_MAX)
		return err_set(e, EINVAL,
			       "files %llu: expected at least one for each of %llu threads, and at "
			       "most 2^32-1",
			       (unsigned long long)c->n_files, (unsigned long long)c->level);
	if (c->min_file_bytes < 1 || c->min_file_bytes > c->file_bytes || c->file_bytes > MAX_BYTES)
		return err_set(e, EINVAL, "min-file-size %llu, file-size %llu: expected 1 <= "
			"min-file-size <= file-size <= 1G", (unsigned long long)c->min_file_bytes,
			(unsigned long long)c->file_bytes);
	return 0;
}

static char *thread_dir(unsigned int thread)
{
	return xasprintf(TOP "/%u", thread);
}

static void files_add(const struct microbench_config *c, struct fileset *s)
{
	size_t cap = 0;
	fileset_add_directory(s, &cap, xstrdup(TOP));
	for (unsigned int i = 0; i < c->level; i++)
		fileset_add_directory(s, &cap, thread_dir(i));
}

/* --- one thread's pool --------------------------------------------------- */

struct mail {
	uint32_t name;
	uint64_t n_bytes;
};

struct file_pool {
	const struct microbench_config *c;
	struct script *script;
	gsl_rng *rng;
	char *dir;
	uint32_t *subdir;  /* subdir[c->n_subdirs]: numbers of names */
	struct mail *mail; /* mail[n], in any order */
	size_t n, n_most;
	uint64_t n_made; /* number of files created so far, used for names */
};

static uint64_t draw_between(gsl_rng *rng, uint64_t least, uint64_t most)
{
	return least + gsl_rng_uniform_int(rng, most - least + 1);
}

static void mail_make(struct file_pool *p)
{
	struct mail *m = &p->mail[p->n++];
	uint64_t subdir = p->c->n_subdirs ? gsl_rng_uniform_int(p->rng, p->c->n_subdirs) : 0;
	const char *dir = p->c->n_subdirs ? p->script->names->name[p->subdir[subdir]] : p->dir;
	m->n_bytes = draw_between(p->rng, p->c->min_file_bytes, p->c->file_bytes);
	m->name =
	    script_name(p->script, xasprintf("%s/%llu", dir, (unsigned long long)++p->n_made));
	script_open(p->script, 0, m->name, OPEN_CREATE, 0644);
	script_write_whole(p->script, 0, m->n_bytes, p->c->block_bytes);
	script_close(p->script, 0);
}

static void mail_delete(struct file_pool *p, size_t i)
{
	script_remove(p->script, p->mail[i].name, OP_UNLINK);
	p->mail[i] = p->mail[--p->n];
}

static void read_one(struct file_pool *p, const struct mail *m)
{
	script_open(p->script, 0, m->name, OPEN_READ, 0644);
	script_read_whole(p->script, 0, m->n_bytes, p->c->block_bytes, false);
	script_close(p->script, 0);
}

static void append_one(struct file_pool *p, struct mail *m)
{
	uint64_t n_bytes = draw_between(p->rng, 1, p->c->file_bytes - m->n_bytes);
	script_open(p->script, 0, m->name, OPEN_APPEND, 0644);
	script_write_whole(p->script, 0, n_bytes, p->c->block_bytes);
	script_close(p->script, 0);
	m->n_bytes += n_bytes;
}

static void transaction_write(struct file_pool *p)
{
	bool reads = gsl_rng_uniform(p->rng) < p->c->read_share;
	bool makes = gsl_rng_uniform(p->rng) < p->c->create_share;
	if (p->n) {
		struct mail *m = &p->mail[gsl_rng_uniform_int(p->rng, p->n)];
		if (reads || m->n_bytes == p->c->file_bytes)
			read_one(p, m);
		else
			append_one(p, m);
	}
	if (p->n && (!makes || p->n == p->n_most))
		mail_delete(p, gsl_rng_uniform_int(p->rng, p->n));
	else
		mail_make(p);
	script_end_unit(p->script);
}

static void subdirs_make(struct file_pool *p)
{
	p->subdir = xcalloc(p->c->n_subdirs + 1, sizeof *p->subdir);
	for (uint64_t i = 0; i < p->c->n_subdirs; i++) {
		p->subdir[i] =
		    script_name(p->script, xasprintf("%s/s%llu", p->dir, (unsigned long long)i));
		script_mkdir(p->script, p->subdir[i], 0755);
	}
}

static void write_script(const struct microbench_config *c, unsigned int thread, uint64_t n_units,
			 struct script *s)
{
	struct file_pool p = {
	    .c = c, .script = s, .rng = draw_stream(c->seed, thread, DRAW_SCRIPT)};
	size_t n_first = (c->n_files - thread + c->level - 1) / c->level;
	p.n_most = 2 * n_first;
	p.mail = xcalloc(p.n_most + 1, sizeof *p.mail);
	p.dir = thread_dir(thread);
	subdirs_make(&p);
	for (size_t i = 0; i < n_first; i++)
		mail_make(&p);
	for (uint64_t i = 0; i < n_units; i++)
		transaction_write(&p);
	while (p.n)
		mail_delete(&p, p.n - 1);
	for (uint64_t i = 0; i < c->n_subdirs; i++)
		script_remove(s, p.subdir[i], OP_RMDIR);
	FREE_EACH(p.subdir, p.mail, p.dir);
	gsl_rng_free(p.rng);
}

static const struct workload_default defaults[] = {
    {"requests", "200000"}, {"files", "20000"}, {"min-file-size", "512"}, {"file-size", "10K"},
    {"block-size", "512"}, {"read-share", "0.5"}, {"create-share", "0.5"}, {NULL, NULL},
};

static const struct workload_script scripted = {
    .top = TOP, .unit = "transactions", .n_per_unit = 18, .finite = true, .check = config_check,
    .files = files_add, .write = write_script,
};

const struct workload workload_postmark = {
    .name = "postmark", .alias = "pm",
    .help = "create small files, run transactions (each reads or appends, and then creates or "
	    "deletes), delete all files",
    .writes = true, .defaults = defaults,
    .own_options = (const char *const[]){"files", "min-file-size", "subdirs", "read-share",
    "create-share", NULL},
    .script = &scripted, .loop = script_loop,
};
