/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/results/summaries.h"

#include "common/each.h"
#include "common/files.h"
#include "validate/results/journal.h"
#include "validate/results/results_file.h"

#define THREADS_FROM 2000 /* runs */

/* Whether the last line is unfinished, because the machine or the program died. */
static bool is_torn(int fd)
{
	struct stat st;
	char last;
	return fstat(fd, &st) == 0 && st.st_size > 0 && pread(fd, &last, 1, st.st_size - 1) == 1 &&
	       last != '\n';
}

int summaries_append(const char *dir, uint32_t run, json_t *o, bool with_course,
		     char digest[FILE_DIGEST_HEX], struct err *e)
{
	SCOPED_STRBUF line = STRBUF_INIT;
	struct stat st;
	SCOPED_FREE char *path = results_path(dir, "summaries"), *file = results_run_path(dir, run);
	if (digest)
		digest[0] = 0;
	int ret = 0, fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (fd < 0 || stat(file, &st) < 0) {
		ret = err_sys(e, errno, "cannot open %s", fd < 0 ? path : file);
		goto out;
	}
	json_object_del(json_object_get(o, "summary"), "response_histogram");
	if (!with_course)
		json_object_del(json_object_get(o, "summary"), "pace");
	json_object_set_new(o, "seq", json_integer((json_int_t)run));
	json_object_set_new(o, "event", json_string("summary"));
	json_object_set_new(o, "bytes", json_integer((json_int_t)st.st_size));
	if (is_torn(fd))
		strbuf_addch(&line, '\n');
	const size_t start = line.len;
	ret = journal_line_add(&line, o, e);
	if (!ret && digest)
		ret = bytes_digest(line.s + start, line.len - start - 1, digest, e);
	if (!ret && (ret = write_all(fd, line.s, line.len)))
		ret = err_sys(e, -ret, "cannot write to %s", path);
out:
	if (ret && digest)
		digest[0] = 0;
	fd_close(fd);
	return ret;
}

struct summaries_reading { /* lines of the runs whose number is `part` modulo n_parts */
	const char *path;
	struct run *run;
	size_t n_runs;
	uint64_t part, n_parts;
	int runs_fd; /* DIR/runs */
	bool with_course;
};

/* Whether the file from which the line was made still has the same size. */
static bool is_of_file(const struct summaries_reading *g, json_int_t run, json_int_t bytes)
{
	struct stat st;
	char name[32];
	snprintf(name, sizeof name, "%06lld.json", (long long)run);
	return fstatat(g->runs_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	       st.st_size == bytes;
}

/* Whether this is the line that was written when the run was journalled. If the journal has no
 * digest, any line is accepted. Without a valid line the run's file is read, which reports the
 * error. */
static bool is_sealed_line(const struct run *r, const char *line, size_t len)
{
	char hex[FILE_DIGEST_HEX];
	return !r->line_sha256[0] ||
	       (!bytes_digest(line, len, hex, NULL) && !strcmp(hex, r->line_sha256));
}

#define BEGINNING "{\"version\":1,\"run\":" /* as run_summary_file() begins */

/* Decides by the beginning of the line whether this part reads it, so that each line is parsed by
 * one thread only. */
static bool line_is_wanted(const char *line, size_t len, void *context)
{
	const struct summaries_reading *g = context;
	uint64_t run = 0;
	size_t at = sizeof BEGINNING - 1;
	if (len <= at || memcmp(line, BEGINNING, at))
		return false;
	for (; at < len && line[at] >= '0' && line[at] <= '9' && run < g->n_runs; at++)
		run = run * 10 + (uint64_t)(line[at] - '0');
	if (run % g->n_parts != g->part)
		return false;
	return run >= g->n_runs || is_sealed_line(&g->run[run], line, len);
}

static int line_take(const json_t *line, void *context, struct err *e)
{
	const struct summaries_reading *g = context;
	const json_int_t id = json_integer_value(json_object_get(line, "run"));
	(void)e;
	if (id < 0 || (uint64_t)id >= g->n_runs || (uint64_t)id % g->n_parts != g->part ||
	    g->run[id].state != RUN_OK ||
	    !is_of_file(g, id, json_integer_value(json_object_get(line, "bytes"))))
		return 0;
	struct run *r = &g->run[id];
	/* the run was repeated, and its last line counts */
	if (r->has_summary)
		summary_release(&r->summary);
	r->has_summary = false;
	run_summary_take(r, line, "summaries", true, NULL);
	if (!g->with_course)
		run_summary_leave_out_course(r);
	return 0;
}

static void part_read(void *context, size_t i)
{
	struct journal_reading reading;
	struct summaries_reading g = *(const struct summaries_reading *)context;
	g.part = i;
	journal_read_some(g.path, line_is_wanted, line_take, &g, &reading, NULL);
}

void summaries_read(const char *dir, struct run *run, size_t n_runs, bool with_course)
{
	char *path = results_path(dir, "summaries"), *runs = results_path(dir, "runs");
	struct summaries_reading g = {.path = path, .run = run, .n_runs = n_runs,
				      .with_course = with_course,
			    .n_parts = n_runs < THREADS_FROM ? 1 : each_threads(n_runs)};
	g.runs_fd = open(runs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (g.runs_fd >= 0) {
		each_do(g.n_parts, part_read, &g);
		close(g.runs_fd);
	}
	FREE_EACH(path, runs);
}
