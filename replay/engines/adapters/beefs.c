/* SPDX-License-Identifier: GPL-3.0-or-later */
/* beefs_replayer, the event replayer of the metrology paper: a coordinator passes events to
 * threads. Names are relative to its working directory. It crashes on a trace without events,
 * always requests SCHED_FIFO 99, and has room for descriptors and processes below 32768. Calls that
 * it does not support are not exported. It reports times in whole us. */

#include "replay/engines/adapters/outputs.h"

/* --- its output: start, end and schedule (s us), delay, expected, result, thread --- */

#define N_FIELDS 10

struct lines {
	const struct request_taker *taker;
	bool any;
};

static int instant_read(char *const *field, const char *what, int64_t *ns, struct err *e)
{
	int64_t s, us;
	int ret = field_number(field[0], what, 0, &s, e);
	ret = ret ? ret : field_number(field[1], what, 0, &us, e);
	if (ret)
		return ret;
	if (s < 0 || s > TRACE_TIME_MAX / 1000000000 - 1 || us < 0 || us > 999999)
		return err_set(e, EBADMSG, "%s: %lld s and %lld us are out of range", what,
			       (long long)s, (long long)us);
	*ns = s * 1000000000 + us * 1000;
	return 0;
}

static int beefs_line(void *ctx, char *line, struct err *e)
{
	struct lines *l = ctx;
	char *field[N_FIELDS];
	int64_t tid, expected;
	struct adapter_request q = ADAPTER_REQUEST_INIT;
	if (!line_fields(line, ' ', field, N_FIELDS, N_FIELDS))
		return err_set(e, EBADMSG, "\"%.60s\": expected %d fields between spaces", line,
			       N_FIELDS);
	if (!l->any) { /* the root event is not a call */
		l->any = true;
		return 0;
	}
	int ret = instant_read(&field[0], "begin", &q.begin_ns, e);
	ret = ret ? ret : instant_read(&field[2], "end", &q.end_ns, e);
	ret = ret ? ret : field_number(field[7], "expected result", 0, &expected, e);
	ret = ret ? ret : field_number(field[8], "result", 0, &q.rvalue, e);
	ret = ret ? ret : field_number(field[9], "thread", 0, &tid, e);
	if (ret)
		return ret;
	if (tid < 0 || tid > UINT32_MAX)
		return err_set(e, EBADMSG, "the thread number %lld is out of range",
			       (long long)tid);
	q.tid = (uint32_t)tid;
	if (q.rvalue < 0) /* -1, without the error */
		q.rvalue = expected < 0 ? ADAPTER_AS_TRACED : -EIO;
	return l->taker->take(l->taker->ctx, &q, e);
}

int beefs_output_read(const char *path, const struct request_taker *taker, struct err *e)
{
	struct lines l = {.taker = taker};
	int ret = lines_read(path, beefs_line, &l, e);
	return ret || l.any ? ret : err_set(e, EBADMSG, "%s contains no event", path);
}

/* --- the adapter --------------------------------------------------------- */

static int beefs_words(struct adapter_run *r, struct err *e)
{
	const struct known_options *o = &r->config->adapter.known;
	(void)e;
	adapter_word(r, "%s", beefs_policy_names[o->beefs_policy]);
	adapter_word(r, "%" PRIu64,
		     o->beefs_workers ? o->beefs_workers : (uint64_t)r->inputs.n_threads);
	adapter_word(r, "%lld", (long long)(o->beefs_delay_ns / 1000));
	adapter_word(r, "debug");
	return 0;
}

static int beefs_parse(struct adapter_run *r, struct err *e)
{
	const struct request_taker taker = {request_seen, r};
	return beefs_output_read(r->output, &taker, e);
}

static const struct adapter adapter_beefs = {
	.name = "beefs",
	.program = "beefs_replayer",
	.format = "events",
	.suffix = ".events",
	.command = (const char *const[]){"{trace}", NULL},
	.times = ADAPTER_SELF | ADAPTER_PRELOAD,
	.usual = ADAPTER_SELF,
	.in_target = true,
	.resolution_ns = 1000,
	.takes = (const char *const[]){"beefs-policy", "beefs-workers", "beefs-delay", NULL},
	.words = beefs_words,
	.parse = beefs_parse,
	.unversioned = "beefs_replayer (version unknown)",
};

ADAPTER_ENGINE(beefs, LEVEL_SYSCALL,
	       "beefs_replayer by Pereira and others (2016): an event replayer with a coordinator");
