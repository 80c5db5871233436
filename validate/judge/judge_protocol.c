/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate judge: generates the protocol for a trace. */
#include "common/drop_caches.h"
#include "common/files.h"
#include "common/leftovers.h"
#include "validate/judge/judge.h"
#include "common/text.h"

#define TITLE_NAME_MAX 150

const char *const judge_caches[] = {"auto", "cold", "warm", "as-is", NULL};

/* Returns a time limit that is finite, but long enough for a replayer that is much too slow. */
static int64_t timeout_s(const struct judged *j)
{
	return 60 + 20 * (j->lasts_ns / 1000000000);
}

/* Checks a path. In a protocol line ; or # after a blank starts a comment. The path must change
 * neither its own meaning nor that of another key. The rest of its line has `n_more` bytes. */
static int path_check(const char *path, size_t n_more, struct err *e)
{
	size_t len = strlen(path);
	if (len + n_more > PROTOCOL_LINE_MAX)
		return err_set(
		    e, EINVAL,
		    "the path %s is too long for a protocol, whose lines have at most %d bytes",
		    path,
		    PROTOCOL_LINE_MAX);
	bool held = len && path[len - 1] != ' ' && path[len - 1] != ';' &&
		    text_valid_length(path, len) == len;
	for (const char *p = path; *p && held; p++)
		held = (unsigned char)*p >= ' ' && *p != 0x7f && *p != '"' &&
		       !(*p == ' ' && (p[1] == ';' || p[1] == '#'));
	return held ? 0
		    : err_set(e, EINVAL,
			      "a protocol cannot contain the path \"%s\". A path must be UTF-8 "
			      "without quotes, control characters, \" ;\" and \" #\", and must not "
			      "end with a space or a semicolon",
			      path);
}

static int path_add(struct strbuf *out, const char *key, const char *path, struct err *e)
{
	SCOPED_FREE char *real = realpath(path, NULL);
	int ret = path_check(real ? real : path, strlen(key) + strlen(" = "), e);
	strbuf_addf(out, "%s = %s\n", key, real ? real : path);
	return ret;
}

/* Writes the keys for the caches. A program on cold files also found their names and inodes
 * cold. */
static void cache_write(struct strbuf *out, int cache)
{
	strbuf_addf(out, "cache = %s\n", judge_caches[cache]);
	if (cache == JUDGE_CACHE_COLD && may_drop_caches())
		strbuf_addf(out, "evict = all\n");
}

/* Chooses the caches so that replays find the files as the recorded program did: cached or not. */
static void cache_add(struct strbuf *out, const struct judge_config *c, const struct judged *j)
{
	if (c->cache != JUDGE_CACHE_AUTO) {
		cache_write(out, c->cache);
		return;
	}
	bool told = j->device_bytes >= 0 && j->n_read_bytes;
	bool warm = told ? (uint64_t)j->device_bytes < j->n_read_bytes / 10
			 : j->n_quick_reads > j->n_reads / 2;
	if (told)
		strbuf_addf(out, "; during the recording, %lld bytes came from storage, and the "
				 "program read %llu bytes\n", (long long)j->device_bytes,
			(unsigned long long)j->n_read_bytes);
	else if (j->n_reads)
		strbuf_addf(out, "; the trace does not show whether its files were cached; %llu "
				 "of its %llu reads took less than %d us\n",
			(unsigned long long)j->n_quick_reads, (unsigned long long)j->n_reads,
			QUICK_NS / 1000);
	cache_write(out, warm ? JUDGE_CACHE_WARM : JUDGE_CACHE_COLD);
}

static void reference_add(struct strbuf *out, const struct judge_config *c, const struct judged *j)
{
	if (c->rerun) {
		strbuf_addstr(out, "\n"
				   "; the captured command, recorded and run again in each block\n"
				   "[workload rerun]\n"
				   "type = program\n"
				   "script = " RERUN_SCRIPT "\n");
		return;
	}
	if (!j->n_ended)
		strbuf_addstr(out, "\n; the trace has no response times: only order, times of "
				   "issue, execution time and fidelity are judged");
	strbuf_addf(out, "\n[workload trace]\ntype = trace\ntrace = \"%s\"\n", j->path);
}

int judge_protocol_make(struct strbuf *out, const struct judge_config *c, const struct judged *j,
			struct err *e)
{
	const unsigned long long usual = c->rerun ? 20 : 10,
				 fewest = c->rerun ? 6 : 5,
				 replicates = c->replicates ? c->replicates : usual;
	if (!c->claim && replicates < fewest)
		return err_set(e, EINVAL, "--replicates %llu is too small for a verdict: at least "
			"%llu replicates are necessary, and %llu (the default) usually suffice",
			replicates, fewest, usual);
	SCOPED_FREE char *number = xasprintf("%llu", replicates);
	int ret = path_check(j->path, strlen("trace = \"\""), e);
	strbuf_addf(out,
		    "; Made by validate %s. To change it, edit a copy, and run the copy: validate "
		    "run COPY\n"
		    "[protocol]\n"
		    "title = Verdict on replays of %s\n"
		    "replicates = %s\n"
		    "reference = %s\n"
		    "min-duration = 0\n"
		    "timeout = %llds\n",
		    c->claim ? "claim" : "judge",
		    strlen(j->name) < TITLE_NAME_MAX ? j->name : "a trace",
		    c->claim ? c->claim_replicates : number, c->rerun ? "rerun" : "trace",
		    (long long)timeout_s(j));
	if (c->claim)
		strbuf_addf(out, "budget = %.12gs\nclaim = %s\n",
			    1e-9 * (double)c->claim_budget_ns, c->claim);
	strbuf_addstr(out, "\n[target here]\n");
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
	ret = ret ? ret : judge_replayers_add(out, c, j, e);
	if (c->rerun || c->claim)
		return ret;
	strbuf_addf(out,
		    "\n"
		    "[accept]\n"
		    "; one recording is the reference of all replays: the program's scatter is "
		    "unknown\n"
		    "repeatability = 20%%\n"
		    "uncertainty = none\n"
		    "reorder-scope = auto\n"
		    "issue-error = %s\n",
		    j->n_ended ? "none" : "1ms");
	return ret;
}

int judge_protocol_write(const struct strbuf *text, const struct strbuf *script, const char *name,
			 char **path, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = xasprintf("%s/validate-judge-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!leftover_directory(dir)) {
		int ret = err_sys(e, errno, "cannot create the directory %s for the protocol", dir);
		free(dir);
		return ret;
	}
	*path = xasprintf("%s/%s.conf", dir, name);
	SCOPED_FREE char *beside = xasprintf("%s/" RERUN_SCRIPT, dir);
	free(dir);
	int ret = file_write_atomic(*path, text->s, text->len, e);
	if (!ret && script)
		ret = file_write_atomic(beside, script->s, script->len, e);
	return ret;
}

void judge_protocol_remove(char *path)
{
	if (!path)
		return;
	*strrchr(path, '/') = 0;
	dir_remove_tree(path, NULL);
	free(path);
}
