/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/compiled/compiled.h"

#include "common/files.h"
#include "replay/issue/issue.h"

/* number of loops for special kinds of requests; further lanes share a general loop */
#define MAX_LOOPS 32u
#define THREADS_PER_FILE 4096u
/* with --unroll: the compiler's time and memory grow faster than the length of a function */
#define STEPS_PER_FUNCTION 32u
#define FUNCTIONS_PER_FILE 128u

struct lane_kind { /* properties of a lane */
	unsigned int kinds; /* enum issue_kind */
	bool ordered;
};

struct source_writer {
	const struct replay_plan *p;
	const struct replay_config *c;
	const char *dir;
	struct source_files *files;
	struct lane_kind *lane; /* lane[n_lanes]; in a pool, lane[0] stands for all lanes */
	uint32_t *loop_of;	/* loop_of[n_lanes] */
	struct lane_kind loop[MAX_LOOPS];
	uint32_t n_loops;
	FILE *out;
};

/* --- loops --------------------------------------------------------------- */

static struct lane_kind kind_of(const struct replay_plan *p, const struct replay_config *c,
				uint32_t lane)
{
	const struct lane *a = &p->lane[lane];
	struct lane_kind kind = {.ordered = c->timing != TIMING_FULLSPEED};
	for (uint32_t k = 0; k < a->n; k++) {
		const struct hot_request *h = &a->request[k];
		kind.kinds |= issue_kind_of(h->op);
		kind.ordered |=
		    h->n_waits || h->flags & (HOT_PUBLISH_BEGUN | HOT_PUBLISH_ENDED | HOT_LEAVE);
	}
	return kind;
}

static uint32_t loop_find(struct source_writer *s, struct lane_kind kind)
{
	for (uint32_t i = 0; i < s->n_loops; i++)
		if (s->loop[i].kinds == kind.kinds && s->loop[i].ordered == kind.ordered)
			return i;
	if (s->n_loops + 1 < MAX_LOOPS) {
		s->loop[s->n_loops] = kind;
		return s->n_loops++;
	}
	s->n_loops = MAX_LOOPS;
	s->loop[MAX_LOOPS - 1] = (struct lane_kind){ISSUE_ANY, true};
	return MAX_LOOPS - 1;
}

static void loops_choose(struct source_writer *s)
{
	const struct replay_plan *p = s->p;
	s->lane = xcalloc((size_t)p->n_lanes + 1, sizeof *s->lane);
	s->loop_of = xcalloc((size_t)p->n_lanes + 1, sizeof *s->loop_of);
	for (uint32_t i = 0; i < p->n_lanes; i++)
		s->lane[i] = kind_of(p, s->c, i);
	for (uint32_t i = 1; p->pool && i < p->n_lanes; i++)
		s->lane[0].kinds |= s->lane[i].kinds;
	for (uint32_t i = 0; i < (p->pool ? 1 : p->n_lanes); i++)
		s->loop_of[i] = loop_find(s, s->lane[i]);
}

/* --- files --------------------------------------------------------------- */

static int file_begin(struct source_writer *s, char *name, struct err *e)
{
	char *path = xasprintf("%s/%s", s->dir, name);
	size_t len = strlen(name);
	s->out = fopen(path, "we");
	int ret = s->out ? 0 : err_sys(e, errno, "cannot create %s", path);
	free(path);
	if (ret || strcmp(name + len - 2, ".c")) {
		free(name);
		return ret;
	}
	APPEND(s->files->name, s->files->n, s->files->cap, name);
	fputs("/* made by validate replay */\n#include \"threads.h\"\n\n", s->out);
	return 0;
}

static int file_end(struct source_writer *s, struct err *e)
{
	bool bad = ferror(s->out);
	errno = 0;
	bad |= fclose(s->out) != 0;
	s->out = NULL;
	return bad ? err_sys(e, errno ? errno : EIO, "%s: cannot write the source code of the "
			     "compiled program", s->dir)
		   : 0;
}

static int headers_write(const char *dir, struct err *e)
{
	int ret = 0;
	for (const char *name = program_headers; *name && !ret; name = program_header_next(name)) {
		const char *text = program_header_text(name);
		SCOPED_FREE char *path = xasprintf("%s/%s", dir, name);
		*strrchr(path, '/') = '\0';
		ret = dir_create(path, e);
		path[strlen(path)] = '/';
		int fd = ret ? -1 : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (!ret)
			ret = fd < 0 ? -errno : write_all(fd, text, strlen(text));
		if (fd >= 0 && close(fd) < 0 && !ret)
			ret = -errno;
		if (ret)
			ret = err_sys(e, -ret, "cannot write %s", path);
	}
	return ret;
}

static int tables_write(struct source_writer *s, const struct image *tables, struct err *e)
{
	int ret = file_begin(s, xstrdup("tables.bin"), e);
	if (ret)
		return ret;
	(void)fwrite(tables, 1, tables->n_bytes, s->out); /* file_end() reports failures */
	return file_end(s, e);
}

/* --- text ---------------------------------------------------------------- */

static const char *timing_word(const struct source_writer *s)
{
	static const char *const words[] = {"TIMING_FULLSPEED", "TIMING_TIMESTAMP", "TIMING_THINK"};
	return words[s->c->timing];
}

static uint32_t n_threads(const struct source_writer *s)
{
	return s->p->pool ? 1 : s->p->n_lanes;
}

static bool is_unrolled(const struct source_writer *s)
{
	return s->c->compiled.unroll && !s->p->pool;
}

static uint32_t n_functions(const struct source_writer *s, uint32_t lane)
{
	return (s->p->lane[lane].n + STEPS_PER_FUNCTION - 1) / STEPS_PER_FUNCTION;
}

static int declarations_write(struct source_writer *s, struct err *e)
{
	int ret = file_begin(s, xstrdup("threads.h"), e);
	if (ret)
		return ret;
	fputs("/* made by validate replay */\n#include "
	      "\"replay/engines/compiled/program.h\"\n\nextern struct image program_tables;\n",
	      s->out);
	for (uint32_t i = 0; i < s->n_loops; i++)
		fprintf(s->out, "program_thread loop_%" PRIu32 ";\n", i);
	fputs("program_thread blank_0, blank_1;\n", s->out);
	for (uint32_t i = 0; i < n_threads(s); i++)
		fprintf(s->out, "program_thread thread_%" PRIu32 ";\n", i);
	for (uint32_t i = 0; is_unrolled(s) && i < s->p->n_lanes; i++)
		for (uint32_t f = 0; f < n_functions(s, i); f++)
			fprintf(s->out, "program_part part_%" PRIu32 "_%" PRIu32 ";\n", i, f);
	return file_end(s, e);
}

static void main_text(struct source_writer *s)
{
	fputs("__asm__(\".section .validate_tables,\\\"aw\\\"\\n.balign 4096\\n.globl "
	      "program_tables\\nprogram_tables:\\n\"\n"
	      "\t\".incbin \\\"tables.bin\\\"\\n.previous\\n\");\n\nstatic program_thread *const "
	      "threads[] = {\n",
	      s->out);
	for (uint32_t i = 0; i < n_threads(s); i++)
		fprintf(s->out, "\tthread_%" PRIu32 ",\n", i);
	fputs("};\n\nstatic program_thread *const blanks[] = {\n", s->out);
	for (uint32_t i = 0; i < n_threads(s); i++)
		fprintf(s->out,
			is_unrolled(s) ? "\tthread_%" PRIu32 ",\n" : "\tblank_%" PRIu32 ",\n",
			is_unrolled(s) ? i : (uint32_t)s->lane[i].ordered);
	fprintf(s->out, "};\n\nint main(int argc, char **argv)\n{\n\tconst struct program program "
		"= {&program_tables, threads, blanks, %" PRIu32 "};\n\treturn program_main(argc, "
		"argv, &program);\n}\n", n_threads(s));
}

static void loops_text(struct source_writer *s)
{
	for (uint32_t i = 0; i < s->n_loops; i++) {
		fprintf(s->out, "void loop_%" PRIu32 "(struct runner *w)\n{\n", i);
		if (s->p->pool)
			fprintf(s->out, "\tpool_run(w, %s, %uu);\n}\n\n", timing_word(s),
				s->loop[i].kinds);
		else
			fprintf(s->out, "\tlane_run(w, %d, %s, %uu);\n}\n\n", s->loop[i].ordered,
				timing_word(s), s->loop[i].kinds);
	}
}

static void thread_write(struct source_writer *s, uint32_t i)
{
	fprintf(s->out, "void thread_%" PRIu32 "(struct runner *w)\n{\n", i);
	if (!is_unrolled(s)) {
		fprintf(s->out, "\tloop_%" PRIu32 "(w); /* %" PRIu32 " requests */\n}\n\n",
			s->loop_of[i], s->p->lane[i].n);
		return;
	}
	fputs("\tconst struct site site = site_of(w);\n\tstruct lane_walk walk = "
		"lane_walk_of(w);\n", s->out);
	for (uint32_t f = 0; f < n_functions(s, i); f++)
		fprintf(s->out, "\tpart_%" PRIu32 "_%" PRIu32 "(w, &site, &walk);\n", i, f);
	fputs(s->lane[i].ordered ? "}\n\n" : "\tlane_leave(w);\n}\n\n", s->out);
}

/* Writes the threads. The first file contains the tables, main, the loops, and the first threads.
 * Most programs need only this file. */
static int threads_write(struct source_writer *s, struct err *e)
{
	int ret = file_begin(s, xstrdup("main.c"), e);
	if (ret)
		return ret;
	main_text(s);
	if (!is_unrolled(s)) {
		loops_text(s);
		/* also write loops without calls, so that a replay and its blank use the same
		 * program */
		for (int ordered = 0; ordered < 2; ordered++)
			if (s->p->pool)
				fprintf(s->out, "void blank_%d(struct runner *w)\n{\n\tpool_run(w, "
					"%s, ISSUE_NOTHING);\n}\n\n", ordered, timing_word(s));
			else
				fprintf(s->out, "void blank_%d(struct runner *w)\n{\n\tlane_run(w, "
					"%d, %s, ISSUE_NOTHING);\n}\n\n", ordered, ordered,
					timing_word(s));
	}
	for (uint32_t i = 0; i < n_threads(s) && !ret; i++) {
		if (i && i % THREADS_PER_FILE == 0) {
			ret = file_end(s, e);
			ret = ret ? ret
				  : file_begin(
					s, xasprintf("threads-%" PRIu32 ".c", i / THREADS_PER_FILE),
					e);
		}
		if (!ret)
			thread_write(s, i);
	}
	return ret ? ret : file_end(s, e);
}

static void part_write(struct source_writer *s, uint32_t lane, uint32_t part)
{
	const struct lane *a = &s->p->lane[lane];
	uint32_t first = part * STEPS_PER_FUNCTION,
		 end = a->n - first < STEPS_PER_FUNCTION ? a->n : first + STEPS_PER_FUNCTION;
	fprintf(s->out,
		"void part_%" PRIu32 "_%" PRIu32
		"(struct runner *w, const struct site *s, struct lane_walk *t)\n{\n",
		lane, part);
	for (uint32_t k = first; k < end; k++) {
		const struct hot_request *h = &a->request[k];
		unsigned int op = s->c->blank ? HOT_NOTHING : h->op;
		fprintf(s->out, "\tPROGRAM_STEP(%d, %s, %" PRIu32 "u, %uu, %u, %u, %u, %u, %" PRIu32
			"u, %" PRIu32 "u, %" PRIu64 "u);\n", s->lane[lane].ordered, timing_word(s),
			k, issue_kind_of(op), op, h->flags, h->process, h->n_waits, h->slot,
			h->length, h->offset);
	}
	fputs("}\n\n", s->out);
}

static int parts_write(struct source_writer *s, struct err *e)
{
	uint32_t n = 0;
	int ret = 0;
	for (uint32_t i = 0; i < s->p->n_lanes && !ret; i++)
		for (uint32_t f = 0; f < n_functions(s, i) && !ret; f++, n++) {
			if (n % FUNCTIONS_PER_FILE == 0 && n)
				ret = file_end(s, e);
			if (!ret && n % FUNCTIONS_PER_FILE == 0)
				ret = file_begin(
				    s, xasprintf("parts-%" PRIu32 ".c", n / FUNCTIONS_PER_FILE), e);
			if (!ret)
				part_write(s, i, f);
		}
	return ret || !n ? ret : file_end(s, e);
}

/* --- all files ----------------------------------------------------------- */

int source_write(const struct replay_plan *p, const struct image *tables,
	const struct replay_config *c, const char *dir, struct source_files *files, struct err *e)
{
	struct source_writer s = {.p = p, .c = c, .dir = dir, .files = files};
	*files = (struct source_files){.n = 0};
	loops_choose(&s);
	int ret = headers_write(dir, e);
	ret = ret ? ret : tables_write(&s, tables, e);
	ret = ret ? ret : declarations_write(&s, e);
	ret = ret ? ret : threads_write(&s, e);
	ret = ret || !is_unrolled(&s) ? ret : parts_write(&s, e);
	if (s.out)
		fclose(s.out);
	FREE_EACH(s.lane, s.loop_of);
	return ret;
}

void source_files_release(struct source_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		free(files->name[i]);
	free(files->name);
	*files = (struct source_files){.n = 0};
}

/* --- the key ------------------------------------------------------------- */

int source_key(const struct image *tables, const struct replay_config *c, const char *const *more,
	       char key[FILE_DIGEST_HEX], struct err *e)
{
	SCOPED_STRBUF all = STRBUF_INIT;
	int ret = bytes_digest(tables, tables->n_bytes, key, e);
	strbuf_addf(&all, "%s %d %d %d", key, c->timing, c->compiled.unroll,
		    c->compiled.unroll && c->blank);
	for (const char *name = program_headers; *name; name = program_header_next(name))
		strbuf_addstr(&all, program_header_text(name));
	for (; *more; more++)
		strbuf_add(&all, *more, strlen(*more) + 1);
	return ret ? ret : bytes_digest(all.s, all.len, key, e);
}
