/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate judge: a verdict on replayers for one trace, by a protocol that is made for it. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/format.h"
#include "capture/kernel/block.h"
#include "capture/trace.h"
#include "commands/commands.h"
#include "commands/judge_rerun.h"
#include "commands/run_campaign.h"
#include "common/drop_caches.h"
#include "common/files.h"
#include "common/leftovers.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "replay/adapters/adapter.h"
#include "reports/escape.h"
#include "validate/protocol/text.h"

struct judge_config {
	struct option_list with;
	const char *dir, *device, *output, *format, *files;
	uint64_t replicates; /* 0: as usual for the reference */
	int cache; /* index of judge_caches */
	bool rerun, destructive, dry_run, quiet;
};

enum { JUDGE_CACHE_AUTO, JUDGE_CACHE_COLD, JUDGE_CACHE_WARM, JUDGE_CACHE_AS_IS };
static const char *const judge_caches[] = {"auto", "cold", "warm", "as-is", NULL};

#define FIELD(name) offsetof(struct judge_config, name)
static const struct option_spec judge_options[] = {
    {.name = "with",
     .type = OPT_LIST,
     .offset = FIELD(with),
     .arg = "REPLAYER",
     .help = "an engine of \"validate replay --list-engines\", with its options behind it: "
	     "event:order=fs,timing=think (our own, where not told "
	     "otherwise: order=fs,timing=timestamp; on a device mode=hf); may be given several "
	     "times (all that are found and can replay the trace; "
	     "of others' on a device, where they can be watched there)"},
    {.name = "rerun",
     .type = OPT_FLAG,
     .offset = FIELD(rerun),
     .help = "run the captured command again beside the replays, in a fresh copy of its files, and "
	     "judge by that; what it does outside of the copy "
	     "it does again (ask, where this is a terminal; else judge by the recording)"},
    {.name = "files",
     .type = OPT_STRING,
     .offset = FIELD(files),
     .arg = "DIR",
     .help = "--rerun: directory with the files as they were before the command (names and sizes "
	     "as the trace has them, with the present "
	     "content of those that still have that size)"},
    {.name = "dir",
     .type = OPT_STRING,
     .offset = FIELD(dir),
     .arg = "DIR",
     .help = "a trace of calls: where its files are made, in a fresh directory (the results "
	     "directory)"},
    {.name = "device",
     .type = OPT_STRING,
     .offset = FIELD(device),
     .arg = "DEV",
     .help = "a trace of a device's requests: the block device or file to make them on"},
    {.name = "destructive",
     .type = OPT_FLAG,
     .offset = FIELD(destructive),
     .help = "what is on the device may be overwritten"},
    {.name = "cache",
     .type = OPT_CHOICE,
     .offset = FIELD(cache),
     .choices = judge_caches,
     .help = "a trace of calls: whether its files are cached before each replay; auto: as they "
	     "were when it was recorded, by what it then read "
	     "from storage, or by how long its reads took"},
    {.name = "replicates",
     .type = OPT_UINT,
     .offset = FIELD(replicates),
     .arg = "N",
     .min = 2,
     .max = 10000,
     .help = "replays that count, of each replayer (10; with --rerun 20)"},
    {.name = "output",
     .letter = 'o',
     .type = OPT_STRING,
     .offset = FIELD(output),
     .arg = "RESULTS",
     .help = "results directory, new or empty (./results-judge-NAME-DATE-TIME)"},
    {.name = "dry-run",
     .type = OPT_FLAG,
     .offset = FIELD(dry_run),
     .help = "print the protocol, and touch nothing"},
    {.name = "format",
     .type = OPT_STRING,
     .offset = FIELD(format),
     .arg = "FORM",
     .help = "what is printed at the end, a form of \"validate report --list\" (terminal)"},
    {.name = "quiet",
     .letter = 'q',
     .type = OPT_FLAG,
     .offset = FIELD(quiet),
     .help = "neither protocol nor progress line"},
    {.name = NULL},
};
#undef FIELD

static const char synopsis[] =
    "[--rerun] [--with REPLAYER]... [--dir DIR | --device DEV [--destructive]] [options] TRACE";
static const char about[] =
    "Replays TRACE several times with each replayer, in random order and from the same state, and "
    "judges the replayers. With --rerun the\n"
    "captured command is run again beside the replays, and is the reference. Without it the "
    "reference is the recording, which may be of\n"
    "another day, load or storage: a replay whose times differ from it is not rejected, but "
    "\"differs from the recording\" (status 4), and a\n"
    "control replay by our own engine stands beside it. The protocol that is made is printed, and "
    "kept in the results directory: it can\n"
    "be changed and run by \"validate run\".\n"
    "\n"
    "Exit status: as of validate run.";

/* --- the trace -------------------------------------------------------------------------------------------------------- */

struct judged {
	char *path, *name; /* resolved; the file's name without what does not belong into a protocol's */
	enum trace_level level;
	int64_t lasts_ns;
	uint64_t n, n_ended; /* requests that were issued; those of them whose end is known */
	uint64_t n_reads, n_quick_reads, n_read_bytes; /* that returned data; those quicker than any storage is */
	bool is_iolog;
	bool rerun_wanted;
	struct rerun rerun; /* with --rerun, or where it may be asked for */
	struct err no_rerun; /* why not */
	int64_t device_bytes; /* read from storage meanwhile; -1 the trace does not tell */
};

#define QUICK_NS 10000 /* a cached read takes less, a read from storage more */

static char *name_of(const char *path)
{
	const char *base = strrchr(path, '/');
	char *name = xstrdup(base ? base + 1 : path), *dot = strchr(name, '.');
	if (dot && dot != name)
		*dot = 0;
	for (char *c = name; *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", *c))
			*c = '-';
	return name;
}

static void read_count(struct judged *j, const struct trace_record *r)
{
	bool is_read = r->op == OP_READ || r->op == OP_PREAD || r->op == OP_READV || r->op == OP_PREADV;
	if (!is_read || r->rvalue <= 0 || r->end_ns < r->begin_ns)
		return;
	j->n_reads++;
	j->n_quick_reads += r->end_ns - r->begin_ns < QUICK_NS;
	j->n_read_bytes += (uint64_t)r->rvalue;
}

static int64_t device_bytes_of(const struct trace *t)
{
	const char *extra = trace_meta(t)->extra_json;
	json_t *all = extra ? json_loads(extra, 0, NULL) : NULL;
	const json_t *bytes = json_object_get(json_object_get(all, "facts"), "bytes_read_device");
	int64_t n = json_is_integer(bytes) ? json_integer_value(bytes) : -1;
	json_decref(all);
	return n;
}

static int trace_look(struct judged *j, const char *path, struct err *e)
{
	const struct trace_record *r;
	struct trace *t;
	size_t n;
	int64_t first = INT64_MAX, last = INT64_MIN;
	*j = (struct judged){0};
	int ret = trace_open(&t, path, e);
	if (ret)
		return ret;
	trace_requests_only(t, true);
	while ((ret = trace_next_batch(t, &r, &n, e)) == 1)
		for (size_t i = 0; i < n; i++) {
			if (r[i].begin_ns == TIME_NONE)
				continue;
			j->n++;
			j->n_ended += r[i].end_ns != TIME_NONE;
			first = r[i].begin_ns < first ? r[i].begin_ns : first;
			last = r[i].begin_ns > last ? r[i].begin_ns : last;
			last = r[i].end_ns > last ? r[i].end_ns : last;
			read_count(j, &r[i]);
		}
	j->device_bytes = device_bytes_of(t);
	j->path = realpath(path, NULL);
	j->no_rerun = (struct err)ERR_INIT;
	if (j->path)
		rerun_read(&j->rerun, j->path, trace_meta(t), &j->no_rerun);
	j->level = trace_meta(t)->level;
	j->is_iolog = !strcmp(trace_format_of(t)->name, "iolog");
	trace_close(t);
	if (!ret && last == INT64_MIN)
		ret = err_set(e, ENODATA, "no request in it was issued");
	if (ret)
		return err_context(e, "%s", path);
	j->lasts_ns = last - first;
	j->name = name_of(path);
	return j->path ? 0 : err_sys(e, errno, "%s", path);
}

static void judged_release(struct judged *j)
{
	rerun_release(&j->rerun);
	free(j->path);
	free(j->name);
}

/* --- the replayers ---------------------------------------------------------------------------------------------------- */

static bool can_take(const struct replay_engine *g, const struct judged *j)
{
	enum trace_level level = replay_engine_level(g);
	return !level || level == j->level;
}

/* Whether a line of `lines`, "key = value" each, is of that key. */
static bool has_key(const char *lines, const char *key)
{
	const size_t len = strlen(key);
	for (const char *p = lines; *p; p += strcspn(p, "\n"), p += *p == '\n')
		if (!strncmp(p, key, len) && p[len + strspn(p + len, " ")] == '=')
			return true;
	return false;
}

/* Adds what makes our own engines keep the trace's times, unless its options, from `at` on, say
 * otherwise: then its schedule can be judged. */
static void usual_options(struct strbuf *out, size_t at, const struct replay_engine *g)
{
	const char *told = out->s + at;
	const bool mode = has_key(told, "mode"), order = has_key(told, "order"), timing = has_key(told, "timing");
	if (g->adapter)
		strbuf_addstr(out, "optional = yes\n");
	else if (g->level == LEVEL_BLOCK)
		strbuf_addstr(out, mode ? "" : "mode = hf\n");
	else if (!mode) /* one of engine parallel is a time and an order of its own */
		strbuf_addf(out, "%s%s", order ? "" : "order = fs\n", timing ? "" : "timing = timestamp\n");
}

#define CONTROL_LINE "control = yes\n"

/* The control is a replay by our own engine, at the same time as the others: what it deviates by is
 * the machine's, not the replayer's. */
static const char *control_engine(const struct judged *j)
{
	return j->level == LEVEL_BLOCK ? "block" : "event";
}

/* Marks the replayer whose options begin at `at` as the control, where they are the control's. */
static void control_mark(struct strbuf *out, size_t at, const struct replay_engine *g,
			 const struct judged *j)
{
	struct strbuf usual = STRBUF_INIT;
	usual_options(&usual, 0, g);
	if (!j->rerun_wanted && !strcmp(g->name, control_engine(j)) &&
	    !strcmp(usual.s, out->s + at))
		strbuf_addstr(out, CONTROL_LINE);
	strbuf_release(&usual);
}

static void control_add(struct strbuf *out, const struct judged *j)
{
	const char *engine = control_engine(j);
	if (strstr(out->s, "\n" CONTROL_LINE))
		return;
	strbuf_addf(out, "\n[replayer control]\nengine = %s\n" CONTROL_LINE, engine);
	usual_options(out, out->len, replay_engine_find(engine));
}

/* What others do is seen at a block device, by the kernel's tracepoints; where that cannot be, that is written down. */
static bool others_are_seen(struct strbuf *out, const struct judge_config *c, const struct judged *j)
{
	struct err why = ERR_INIT;
	struct stat st;
	if (j->level != LEVEL_BLOCK)
		return true;
	if (!stat(c->device, &st) && !S_ISBLK(st.st_mode))
		err_set(&why, ENOTBLK, "%s is no block device", c->device);
	else if (!block_watch_possible(&why))
		return true;
	for (char *p = why.msg; *p; p++)
		*p = *p == '\n' ? ' ' : *p;
	strbuf_addf(out, "\n; other people's replayers are left out, for they are timed at a block device: %s\n", why.msg);
	return false;
}

/* All that can take the trace, others' where they are found; those that must be told what to do are left out, and the engine of parallel
 * applications, which a protocol compares with one that can be run again. */
static void replayers_add_all(struct strbuf *out, const struct judge_config *c, const struct judged *j)
{
	const bool others = others_are_seen(out, c, j);
	for (const struct replay_engine *const *g = replay_engines; *g; g++) {
		const bool told = (*g)->adapter && !(*g)->adapter->program;
		if (told || !strcmp((*g)->name, "parallel") || !can_take(*g, j) || ((*g)->adapter && !others))
			continue;
		strbuf_addf(out, "\n[replayer %s]\nengine = %s\n", (*g)->name, (*g)->name);
		const size_t at = out->len;
		usual_options(out, at, *g);
		control_mark(out, at, *g, j);
	}
}

#define PROTOCOL_LINE_MAX 198 /* doc/protocol.md, "Lines" */
#define TITLE_NAME_MAX 150

/* NAME:key=value,key=value; a comma within brackets, parentheses or quotes belongs to the value. */
static void settings_add(struct strbuf *out, const char *text)
{
	int depth = 0;
	bool quoted = false, key = true;
	for (const char *p = text; *p; p++) {
		quoted ^= *p == '"';
		depth += quoted ? 0 : *p == '[' || *p == '(' ? 1 : *p == ']' || *p == ')' ? -1 : 0;
		if (*p == ',' && !quoted && depth <= 0) {
			strbuf_addch(out, '\n');
			key = true;
		} else if (*p == '=' && key) {
			strbuf_addstr(out, " = ");
			key = false;
		} else {
			strbuf_addch(out, *p);
		}
	}
	strbuf_addch(out, '\n');
}

static bool has_long_line(const char *text)
{
	for (size_t len; (len = strcspn(text, "\n")) <= PROTOCOL_LINE_MAX; text += len + 1)
		if (!text[len])
			return false;
	return true;
}

static int replayer_add(struct strbuf *out, const char *text, size_t index, const struct judged *j, struct err *e)
{
	size_t len = strcspn(text, ":");
	char *name = xasprintf("%.*s", (int)len, text);
	const struct replay_engine *g = replay_engine_find(name);
	int ret = 0;
	if (!g) {
		const char *names[66];
		size_t n = 0;
		for (const struct replay_engine *const *r = replay_engines; *r && n < 65; r++)
			names[n++] = (*r)->name;
		names[n] = NULL;
		const char *near = nearest_name(name, names);
		ret = err_set(e, EINVAL, "--with %s: there is no such replayer%s%s%s", text, near ? " (did you mean \"" : "", near ? near : "",
			      near ? "\"?)" : " (\"validate replay --list-engines\")");
	} else if (!can_take(g, j)) {
		ret = err_set(e, EINVAL, "--with %s: it cannot replay a trace of %s", text, j->level == LEVEL_BLOCK ? "a device's requests" : "calls on files");
	} else if (strchr(text, '\n')) {
		ret = err_set(e, EINVAL, "--with %s: an option on one line", name);
	} else {
		strbuf_addf(out, "\n[replayer %s%s%.0zu]\nengine = %s\n", name, index ? "-" : "", index, name);
		const size_t at = out->len;
		if (text[len] && text[len + 1])
			settings_add(out, text + len + 1);
		if (!g->adapter)
			usual_options(out, at, g);
		control_mark(out, at, g, j);
		if (has_long_line(out->s + at))
			ret = err_set(e, EINVAL, "--with %s: a protocol cannot hold an option that is so long: its lines have at most %d bytes",
				      name, PROTOCOL_LINE_MAX);
	}
	free(name);
	return ret;
}

static int replayers_add(struct strbuf *out, const struct judge_config *c, const struct judged *j, struct err *e)
{
	int ret = 0;
	if (!c->with.n)
		replayers_add_all(out, c, j);
	for (size_t i = 0; i < c->with.n && !ret; i++)
		ret = replayer_add(out, c->with.text[i], i, j, e);
	if (c->with.n && !c->rerun && !ret)
		control_add(out, j);
	return ret;
}

/* --- the protocol ----------------------------------------------------------------------------------------------------- */

/* Long enough for a replayer that is much too slow, and not for ever. */
static int64_t timeout_s(const struct judged *j)
{
	return 60 + 20 * (j->lasts_ns / 1000000000);
}

/* A protocol is lines, in which ; or # behind a blank begins a comment: another path must not come of one, nor another key. Beside it there are
 * `n_more` bytes on its line. */
static int path_check(const char *path, size_t n_more, struct err *e)
{
	size_t len = strlen(path);
	if (len + n_more > PROTOCOL_LINE_MAX)
		return err_set(e, EINVAL, "a protocol cannot hold the path %s: its lines have at most %d bytes", path, PROTOCOL_LINE_MAX);
	bool held = len && path[len - 1] != ' ' && path[len - 1] != ';' && text_valid_length(path, len) == len;
	for (const char *p = path; *p && held; p++)
		held = (unsigned char)*p >= ' ' && *p != 0x7f && *p != '"' && !(*p == ' ' && (p[1] == ';' || p[1] == '#'));
	return held ? 0 : err_set(e, EINVAL, "a protocol cannot hold the path \"%s\": quotes, \" ;\", \" #\", control characters, a blank "
					     "or ; at its end and what is no UTF-8 have no place there", path);
}

static int path_add(struct strbuf *out, const char *key, const char *path, struct err *e)
{
	char *real = realpath(path, NULL);
	int ret = path_check(real ? real : path, strlen(key) + strlen(" = "), e);
	strbuf_addf(out, "%s = %s\n", key, real ? real : path);
	free(real);
	return ret;
}

/* A program on cold files found their names and inodes cold, too. */
static void cache_write(struct strbuf *out, int cache)
{
	strbuf_addf(out, "cache = %s\n", judge_caches[cache]);
	if (cache == JUDGE_CACHE_COLD && may_drop_caches())
		strbuf_addf(out, "evict = all\n");
}

/* Replays are to find the files as the recorded program did: cached or not. */
static void cache_add(struct strbuf *out, const struct judge_config *c, const struct judged *j)
{
	if (c->cache != JUDGE_CACHE_AUTO) {
		cache_write(out, c->cache);
		return;
	}
	bool told = j->device_bytes >= 0 && j->n_read_bytes;
	bool warm = told ? (uint64_t)j->device_bytes < j->n_read_bytes / 10 : j->n_quick_reads > j->n_reads / 2;
	if (told)
		strbuf_addf(out, "; when it was recorded, %lld bytes were read from storage for the %llu that it read\n", (long long)j->device_bytes,
			    (unsigned long long)j->n_read_bytes);
	else if (j->n_reads)
		strbuf_addf(out, "; whether its files were cached is not told; %llu of its %llu reads took less than %d us\n",
			    (unsigned long long)j->n_quick_reads, (unsigned long long)j->n_reads, QUICK_NS / 1000);
	cache_write(out, warm ? JUDGE_CACHE_WARM : JUDGE_CACHE_COLD);
}

static void reference_add(struct strbuf *out, const struct judge_config *c, const struct judged *j)
{
	if (c->rerun) {
		strbuf_addstr(out, "\n; the captured command, recorded and run again in each "
				   "block\n[workload rerun]\ntype = program\nscript = " RERUN_SCRIPT
				   "\n");
		return;
	}
	if (!j->n_ended)
		strbuf_addstr(out, "\n; the trace has no response times: order, times of issue, "
				   "execution time and fidelity are judged");
	strbuf_addf(out, "\n[workload trace]\ntype = trace\ntrace = \"%s\"\n", j->path);
}

static int protocol_make(struct strbuf *out, const struct judge_config *c, const struct judged *j, struct err *e)
{
	const unsigned long long usual = c->rerun ? 20 : 10,
				 replicates = c->replicates ? c->replicates : usual;
	int ret = path_check(j->path, strlen("trace = \"\""), e);
	strbuf_addf(out,
		    "; Made by validate judge. To change it: edit a copy, and validate run "
		    "it.\n[protocol]\ntitle = Verdict on replays of %s\n"
		    "replicates = %llu\nreference = %s\nmin-duration = 0\ntimeout = "
		    "%llds\n\n[target here]\n",
		    strlen(j->name) < TITLE_NAME_MAX ? j->name : "a trace", replicates,
		    c->rerun ? "rerun" : "trace", (long long)timeout_s(j));
	if (j->level == LEVEL_BLOCK) {
		ret = ret ? ret : path_add(out, "device", c->device, e);
		if (c->destructive)
			strbuf_addstr(out, "destructive = yes\n");
	} else {
		if (c->dir)
			ret = ret ? ret : path_add(out, "dir", c->dir, e);
		cache_add(out, c, j);
	}
	reference_add(out, c, j);
	ret = ret ? ret : replayers_add(out, c, j, e);
	if (c->rerun)
		return ret;
	strbuf_addf(out,
		    "\n[accept]\n; one recording is the reference of all: its own scatter is not "
		    "known\nrepeatability = 20%%\nuncertainty = none\n"
		    "reorder-scope = auto\nissue-error = %s\n",
		    j->n_ended ? "none" : "1ms");
	return ret;
}

/* A file of it by the name judge-NAME, which becomes that of the protocol, and beside it its script
 * (NULL: none). */
static int protocol_put(const struct strbuf *text, const struct strbuf *script, const char *name,
			char **path, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = xasprintf("%s/validate-judge-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!leftover_directory(dir)) {
		int ret = err_sys(e, errno, "cannot make a directory for the protocol, %s", dir);
		free(dir);
		return ret;
	}
	*path = xasprintf("%s/judge-%s.conf", dir, name);
	char *beside = xasprintf("%s/" RERUN_SCRIPT, dir);
	free(dir);
	int ret = file_write_atomic(*path, text->s, text->len, e);
	if (!ret && script)
		ret = file_write_atomic(beside, script->s, script->len, e);
	free(beside);
	return ret;
}

static void protocol_forget(char *path)
{
	if (!path)
		return;
	*strrchr(path, '/') = 0;
	dir_remove_tree(path, NULL);
	free(path);
}

#define OVERHEAD_NS 3e8 /* of a run, beside the requests: as measured, with some files */

/* What it will take, before it begins. */
static void judged_tell(const struct judged *j, const struct protocol *p)
{
	struct strbuf one = STRBUF_INIT, all = STRBUF_INIT;
	const uint64_t n_runs = protocol_n_runs(p);
	format_duration(&one, (double)j->lasts_ns);
	format_duration(&all, (double)n_runs * ((double)j->lasts_ns + OVERHEAD_NS));
	printf("%" PRIu64 " request%s in %s: %" PRIu64 " runs, which take about %s where they keep the trace's times\n\n", j->n, j->n == 1 ? "" : "s",
	       one.s, n_runs, all.s);
	fflush(stdout);
	strbuf_release(&one);
	strbuf_release(&all);
}

/* What cannot be judged, before anything is started. */
static void responses_tell(const struct judged *j)
{
	if (j->n_ended)
		return;
	fprintf(stderr,
		"validate: %s: none of its %" PRIu64
		" requests has a response time%s. Only order, times of issue, execution time and "
		"fidelity can be judged, and no replayer can be trusted by them alone. For "
		"response times record the program itself: "
		"validate capture app (files), or validate capture block (a device)\n",
		j->path, j->n, j->is_iolog ? " (a fio iolog has none)" : "");
}

/* What is run again, and where, or how it could be. */
static void rerun_tell(const struct judge_config *c, const struct judged *j,
		       const struct strbuf *script)
{
	struct strbuf command = STRBUF_INIT, base = STRBUF_INIT;
	if (!j->no_rerun.code)
		rerun_show(&command, &base, &j->rerun);
	if (c->rerun)
		printf("Runs this command again, in a fresh copy of %s. What it does outside of "
		       "the copy it does again:\n  %s\n\n",
		       base.s, command.s);
	else if (command.len)
		printf("The reference is the recording. --rerun runs the captured command again "
		       "instead: %s\n\n",
		       command.s);
	for (const char *line = script->s; c->rerun && c->dry_run && *line;) {
		const size_t len = strcspn(line, "\n");
		char *one = xasprintf("%.*s", (int)len, line);
		struct strbuf shown = STRBUF_INIT;
		escape_line(&shown, one);
		puts(shown.s);
		strbuf_release(&shown);
		free(one);
		line += len + (line[len] == '\n');
	}
	strbuf_release(&base);
	strbuf_release(&command);
}

/* At a terminal: whether the captured command may be run. */
static bool rerun_ask(const struct judge_config *c, const struct judged *j)
{
	struct strbuf command = STRBUF_INIT, base = STRBUF_INIT;
	char answer[16] = "";
	if (c->rerun || c->quiet || c->dry_run || j->no_rerun.code || !isatty(STDIN_FILENO) ||
	    !isatty(STDERR_FILENO))
		return c->rerun;
	rerun_show(&command, &base, &j->rerun);
	fprintf(stderr,
		"Run this command of the trace again beside the replays, in a fresh copy of %s?\n  "
		"%s\n[y/N] ",
		base.s, command.s);
	strbuf_release(&base);
	strbuf_release(&command);
	return fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

static int rerun_check(const struct judge_config *c, const struct judged *j, struct err *e)
{
	struct stat st;
	if (!c->rerun)
		return c->files ? err_set(e, EINVAL, "--files is for --rerun") : 0;
	if (j->no_rerun.code)
		return err_set(e, EINVAL, "%s", j->no_rerun.msg);
	if (j->level == LEVEL_BLOCK)
		return err_set(e, EINVAL,
			       "--rerun is for traces of calls on files: a workload of type "
			       "program with a device can be run by validate run");
	if (c->files && (stat(c->files, &st) < 0 || !S_ISDIR(st.st_mode)))
		return err_set(e, EINVAL, "--files %s: no such directory", c->files);
	return 0;
}

static int judge(const struct judge_config *c, const struct judged *j, const struct report_form *form, struct err *e)
{
	struct strbuf text = STRBUF_INIT, script = STRBUF_INIT;
	struct protocol p = {0};
	char *path = NULL, *dir = NULL, *files = c->files ? realpath(c->files, NULL) : NULL;
	int status = rerun_check(c, j, e) || protocol_make(&text, c, j, e) ? EXIT_USAGE : EXIT_OK;
	if (status == EXIT_OK && c->rerun)
		rerun_script(&script, &j->rerun, files);
	if (status == EXIT_OK && protocol_put(&text, c->rerun ? &script : NULL, j->name, &path, e))
		status = EXIT_FAILED;
	if (status == EXIT_OK && (protocol_read(&p, path, e) || replayers_find(&p, e)))
		status = EXIT_USAGE;
	if (status == EXIT_OK)
		responses_tell(j);
	if (status == EXIT_OK && (!c->quiet || c->dry_run)) {
		printf("%s\n", text.s);
		rerun_tell(c, j, &script);
		judged_tell(j, &p);
	}
	if (status == EXIT_OK)
		status = run_consent(&p, c->destructive ? c->device : NULL, e);
	if (status == EXIT_OK && !c->dry_run) {
		dir = c->output ? xstrdup(c->output) : run_default_dir(p.name);
		status = run_campaign(&p, &(struct campaign_options){.dir = dir, .quiet = c->quiet}, form, e);
	}
	protocol_release(&p);
	protocol_forget(path);
	strbuf_release(&text);
	strbuf_release(&script);
	free(files);
	free(dir);
	return status;
}

static int judge_run(int argc, char **argv, struct err *e)
{
	struct judge_config c = {.format = "terminal"};
	const struct report_form *form;
	struct judged j;
	int n_positional;
	int status = command_parse(&cmd_judge, synopsis, about, judge_options, &c, argc, argv, 1, 1, &n_positional, e);
	if (status >= 0)
		return status;
	if (report_form_choose(c.format, &form, e) < 0)
		return EXIT_USAGE;
	if (trace_look(&j, argv[1], e)) {
		judged_release(&j);
		return EXIT_FAILED;
	}
	const bool block = j.level == LEVEL_BLOCK;
	if (block ? !c.device : c.device != NULL) {
		err_set(e, EINVAL, block ? "--device is missing: %s is a trace of a device's requests"
					 : "--device: %s is a trace of calls on files (--dir)", argv[1]);
		status = EXIT_USAGE;
	} else {
		c.rerun = j.rerun_wanted = rerun_ask(&c, &j);
		status = judge(&c, &j, form, e);
	}
	judged_release(&j);
	return status;
}

const struct command cmd_judge = {"judge", "judge replayers by replays of one trace", judge_run};
