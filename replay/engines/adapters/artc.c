/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ARTC: `artc` generates C from strace's text and a list of the existing files, `make` compiles it,
 * and `artrun` replays it below the subdirectory bench_root of its directory. Here bench_root is a
 * link to the target. All three programs are needed: artc is expected in the directory of artrun.
 *
 * ARTC takes delays from the CPU use in an iostat log. Without such a log, `-c 1` replays as fast
 * as possible, and only -C keeps gaps. The log of a thread lists its calls in order, by name,
 * without files and offsets. */
#include <ftw.h>

#include "common/files.h"
#include "replay/engines/adapters/outputs.h"
#include "replay/engines/adapters/tool.h"

enum { ORDER_OF_ROOT, ORDER_OF_TIME, ORDER_OF_NONE, ORDER_SINGLE };

/* --- its output: "thread_log(TID): open:START_NS:LENGTH_NS ..." ---------- */

#define LOG_WORD "thread_log("

/* One call: "pread:123:456". Calls of ARTC itself have other names and are skipped. */
static int call_read(char *word, uint32_t tid, const struct request_taker *t, struct err *e)
{
	char *field[3];
	int64_t start_ns, took_ns;
	struct adapter_request q = ADAPTER_REQUEST_INIT;
	if (!line_fields(word, ':', field, 3, 3))
		return err_set(e, EBADMSG, "\"%.60s\": expected CALL:START:DURATION", word);
	int ret = field_number(field[1], "start", 0, &start_ns, e);
	ret = ret ? ret : field_number(field[2], "duration", 0, &took_ns, e);
	if (ret)
		return ret;
	if (start_ns < 0 || took_ns < 0 || start_ns > TRACE_TIME_MAX - took_ns)
		return err_set(e, EBADMSG, "%.20s: start %lld ns or duration %lld ns is out of "
			       "range", field[0], (long long)start_ns, (long long)took_ns);
	q.op = op_find(field[0]);
	q.tid = tid;
	q.begin_ns = start_ns;
	q.end_ns = start_ns + took_ns;
	return q.op == OP_INVALID ? 0 : t->take(t->ctx, &q, e);
}

/* The log of a thread is one line of any length: it is read word by word. */
struct artc_log {
	const struct request_taker *taker;
	bool first;  /* the next word is the first of a line */
	bool within; /* a thread's log */
	uint32_t tid;
	bool any, complete; /* whether a log and its end were found */
};

static int word_take(struct artc_log *l, char *word, struct err *e)
{
	if (!l->first)
		return l->within ? call_read(word, l->tid, l->taker, e) : 0;
	l->first = false;
	l->complete |= !strcmp(word, "elapsed_time:");
	l->within = !strncmp(word, LOG_WORD, strlen(LOG_WORD));
	if (!l->within)
		return 0;
	char *end;
	unsigned long tid = strtoul(word + strlen(LOG_WORD), &end, 10);
	if (strcmp(end, "):") || tid > UINT32_MAX)
		return err_set(e, EBADMSG, "\"%.40s\": expected thread_log(NUMBER):", word);
	l->any = true;
	l->tid = (uint32_t)tid;
	return 0;
}

static int words_take(struct artc_log *l, FILE *f, unsigned long long *line, struct err *e)
{
	char word[200];
	size_t n = 0;
	int ret = 0, c;
	do {
		c = getc_unlocked(f);
		if (c != EOF && c != ' ' && c != '\n') {
			if (n < sizeof word - 1)
				word[n++] = (char)c;
			continue;
		}
		word[n] = 0;
		ret = n ? word_take(l, word, e) : 0;
		n = 0;
		l->first |= c == '\n';
		*line += c == '\n' && !ret;
	} while (!ret && c != EOF);
	return ret || !ferror(f) ? ret : err_set(e, EIO, "the rest of the file cannot be read");
}

int artc_output_read(const char *path, const struct request_taker *taker, struct err *e)
{
	struct artc_log l = {.taker = taker, .first = true};
	unsigned long long line = 1;
	SCOPED_FILE FILE *f = text_open(path, e);
	if (!f)
		return -e->code;
	if (words_take(&l, f, &line, e))
		return err_context(e, "%s, line %llu", path, line);
	if (l.any && l.complete)
		return 0;
	return err_set(e, EBADMSG, "%s: %s", path,
		       l.any ? "the log ends before the line with the elapsed time"
			     : "the file contains no log of a thread");
}

/* --- the request of the input for a call: the thread's next call of that name --- */

struct artc_place { /* in the input, of the current thread */
	struct adapter_run *run;
	uint32_t tid;
	bool started;
	uint64_t seq;
};

static int call_take(void *ctx, const struct adapter_request *call, struct err *e)
{
	struct artc_place *p = ctx;
	struct adapter_request q = *call;
	const struct trace_record *r;
	int ret = 0;
	if (!p->started || p->tid != call->tid) {
		ret = trace_rewind(p->run->input, e);
		p->started = true;
		p->tid = call->tid;
		p->seq = 0;
	}
	while (!ret && (ret = trace_next(p->run->input, &r, e)) == 1) {
		q.seq = p->seq++;
		if (r->tid == call->tid && r->op == (uint16_t)call->op &&
		    !inputs_is_left_out(&p->run->inputs, q.seq))
			return adapter_seen(p->run, &q, e);
		ret = 0;
	}
	return ret ? ret
		   : err_set(e, EBADMSG, "thread %u: ARTC reports a %s that is not in the thread's "
				"trace", call->tid, op_name(call->op));
}

static int artc_parse(struct adapter_run *r, struct err *e)
{
	struct artc_place p = {.run = r};
	const struct request_taker taker = {call_take, &p};
	return artc_output_read(r->output, &taker, e);
}

/* --- its list of files --------------------------------------------------- */

static _Thread_local struct {
	FILE *list;
	size_t target_len;
	const char *root; /* common directory of the trace's names, without a slash at its end */
	const char *bad;  /* reason why the list cannot hold a name */
} listed;

static int list_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
	char link[4096];
	const char *name = path + listed.target_len;
	(void)where;
	if (!*name)
		return 0;
	if (strpbrk(name, "#\n")) {
		listed.bad = "# or a line break";
		return 1;
	}
	if (type == FTW_D)
		fprintf(listed.list, "dir#%s%s\n", listed.root, name);
	else if (type == FTW_F && S_ISREG(st->st_mode))
		fprintf(listed.list, "file#%s%s#%lld\n", listed.root, name, (long long)st->st_size);
	else if (type == FTW_SL) {
		ssize_t len = readlink(path, link, sizeof link - 1);
		link[len > 0 ? len : 0] = 0;
		if (strpbrk(link, "#\n")) {
			listed.bad = "# or a line break, or a link to such a name";
			return 1;
		}
		fprintf(listed.list, "symlink#%s%s#%s\n", listed.root, name, link);
	}
	return 0;
}

/* Writes the parent directories of the root of names, and the content of the target. */
static int list_write(const struct adapter_run *r, const char *root, const char *path,
		      struct err *e)
{
	listed.list = fopen(path, "we");
	if (!listed.list)
		return err_sys(e, errno, "cannot create %s", path);
	listed.root = root;
	listed.target_len = strlen(r->target);
	listed.bad = NULL;
	for (const char *slash = *root ? strchr(root + 1, '/') : NULL; slash;
	     slash = strchr(slash + 1, '/'))
		fprintf(listed.list, "dir#%.*s\n", (int)(slash - root), root);
	fprintf(listed.list, "dir#%s\n", *root ? root : "/" );
	int walked = nftw(r->target, list_entry, 16, FTW_PHYS);
	bool good = !ferror(listed.list);
	good = !fclose(listed.list) && good;
	if (listed.bad)
		return err_set(e, EINVAL, "%s: ARTC's list of files cannot hold a name with %s",
			       r->target, listed.bad);
	if (walked)
		return err_set(e, EIO, "%s: cannot list the files of the target for ARTC",
			       r->target);
	return good ? 0 : err_set(e, EIO, "cannot write ARTC's list of files %s", path);
}

/* --- the adapter --------------------------------------------------------- */

/* artrun replays in DIR/bench_root plus the root of the trace's names. Makes this path a link to
 * the target. */
static int root_link(struct adapter_run *r, const char *root, struct err *e)
{
	SCOPED_FREE char *name = xasprintf("run/bench_root%s", root);
	char *path = adapter_path(r, name), *slash = strrchr(path, '/');
	*slash = 0;
	int ret = dir_create(path, e);
	*slash = '/';
	if (!ret && symlink(r->target, path))
		ret = err_sys(e, errno, "cannot create the symbolic link %s", path);
	r->root = path;
	return ret;
}

static int benchmark_compile(struct adapter_run *r, const char *list, struct err *e)
{
	char *slash = strrchr(r->binary, '/'), *log = adapter_path(r, "artc.log"),
	     *bench = adapter_path(r, "bench");
	SCOPED_FREE char *artc = xasprintf("%.*s/artc", (int)(slash - r->binary), r->binary);
	char *const artc_words[] = {
	    artc, "--strace", r->inputs.file.v[0], (char *)list, bench, NULL};
	char *const make_words[] = {"make", "-s", "-C", bench, NULL};
	int ret = tool_run(artc_words, r->scratch, log, r->config->adapter.user,
			   r->config->adapter.time_limit_ns, e);
	if (!ret)
		ret = tool_run(make_words, r->scratch, log, r->config->adapter.user,
			       r->config->adapter.time_limit_ns, e);
	FREE_EACH(log, bench);
	return ret;
}

static int artc_ready(struct adapter_run *r, struct err *e)
{
	const char *given = trace_meta(r->input)->root;
	char *root =
		 xasprintf("%s%s", given && *given && *given != '/' ? "/" : "", given ? given : ""),
	     *list = adapter_path(r, "files");
	for (size_t len = strlen(root); len && root[len - 1] == '/';)
		root[--len] = 0;
	int ret = list_write(r, root, list, e);
	ret = ret ? ret : root_link(r, root, e);
	ret = ret ? ret : benchmark_compile(r, list, e);
	FREE_EACH(root, list);
	return ret;
}

static int artc_words(struct adapter_run *r, struct err *e)
{
	const struct known_options *o = &r->config->adapter.known;
	(void)e;
	if (o->artc_order == ORDER_SINGLE)
		adapter_word(r, "-s");
	else if (o->artc_order != ORDER_OF_ROOT) {
		adapter_word(r, "-k");
		adapter_word(r, "all");
	}
	if (o->artc_order == ORDER_OF_TIME) {
		adapter_word(r, "-K");
		adapter_word(r, "temporal");
	}
	if (o->artc_gaps)
		adapter_word(r, "-C");
	adapter_word(r, "-c");
	adapter_word(r, "%g", o->artc_gaps ? 1 / r->config->speed : 0);
	adapter_word(r, "{scratch}/bench/bench.so");
	adapter_word(r, "{scratch}/run");
	return 0;
}

static const struct adapter adapter_artc = {
	.name = "artc",
	.program = "artrun",
	.format = "artc",
	.suffix = ".strace",
	/* with -n and -P it neither drops caches nor creates files */
	.command = (const char *const[]){"-n", "-P", NULL},
	.times = ADAPTER_SELF | ADAPTER_PRELOAD,
	.usual = ADAPTER_SELF,
	.takes = (const char *const[]){"speed", "artc-order", "artc-gaps", NULL},
	.ready = artc_ready,
	.words = artc_words,
	.parse = artc_parse,
	.unversioned = "ARTC (version unknown)",
};

ADAPTER_ENGINE(artc, LEVEL_SYSCALL,
	       "ARTC: artc and make compile the trace into a program, which artrun starts");
