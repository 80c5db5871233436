/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the replayer, with or without an observer, and checks how it ended. */
#include <ctype.h>
#include <sys/prctl.h>

#include "capture/app/app.h"
#include "capture/kernel/block.h"
#include "capture/watched.h"
#include "common/files.h"
#include "common/signals.h"
#include "common/units.h"
#include "common/words.h"
#include "replay/engines/adapters/adapter_private.h"

#define OUTPUT_BYTES_MIN (UINT64_C(16) << 20)
#define OUTPUT_BYTES_PER_REQUEST 1024
#define SAID_BYTES 250

/* --- observers ----------------------------------------------------------- */

static int keeper_run(void *ctx)
{
	struct adapter_state *a = ctx;
	const struct inputs *in = &a->run.inputs;
	const struct child_spec spec = {
	    .argv = a->command.v,
	    .environment = a->environment.v,
	    .dir = a->start_in                                   ? a->start_in
		   : a->run.adapter->in_target && !a->run.device ? a->run.target
								 : a->run.scratch,
	    .input = a->run.adapter->stdin_trace ? in->file.v[0] : NULL,
	    .user = a->run.config->adapter.user,
	    .cpus = a->has_cpus ? &a->cpus : NULL,
	    .time_limit_ns = a->run.config->adapter.time_limit_ns,
	    .quiet_ns = a->run.adapter->quiet_ns,
	    .quiet_from_ns = in->first_ns == TIME_NONE ? 0 : in->last_ns - in->first_ns,
	    .output = a->times.how == ADAPTER_SELF && !a->writes_output ? a->run.output : NULL,
	    .watched = a->writes_output ? a->run.output : NULL,
	    .output_limit_bytes = OUTPUT_BYTES_MIN + in->n_records * OUTPUT_BYTES_PER_REQUEST,
	    .printed = a->run.printed,
	    .pause = &a->pause,
	};
	return child_keep(&spec, a->result);
}

/* Runs a keeper, which gets SIGTERM after a signal to this process. It is not started if a signal
 * is already pending. `before`: the old signal mask. */
static int run_kept(struct adapter_state *a, const sigset_t *before, struct err *e)
{
	const struct watched_options o = {
	    .command = a->command.v, .start = keeper_run, .start_ctx = a, .before = before};
	struct watched w;
	return watched_run(&o, &w, e);
}

static void programs_note(struct adapter_state *a, const struct app_programs *p, const char *what)
{
	if (p->n)
		adapter_note(&a->run, "%s%s %s", p->name[0] ? p->name[0] : "a program",
			     p->n > 1 ? " and others" : "", what);
}

static int run_preloaded(struct adapter_state *a, struct err *e)
{
	struct app_config c;
	struct app_outcome o = {.status = 0};
	app_config_init(&c);
	c.output = a->seen_path;
	c.root = a->run.device ? "/" : a->run.root ? a->run.root : a->run.target;
	c.command = a->command.v;
	c.start = keeper_run;
	c.start_ctx = a;
	c.left = child_left_kill;
	int ret = app_capture(&c, &o, e);
	a->n_events_lost = o.n_lost;
	a->blind = o.unseen.n || o.own_calls.n || o.own_rings.n;
	programs_note(a, &o.unseen, "ran without the preloaded library; the library does not see "
				    "calls of such programs");
	programs_note(a, &o.own_calls, "can call the kernel without the C library; the preloaded "
				       "library does not see such calls");
	programs_note(a, &o.own_rings, "can use io_uring without liburing; the preloaded library "
				       "does not see such requests");
	app_outcome_release(&o);
	return ret ? err_context(e, "times preload") : 0;
}

static int run_traced(struct adapter_state *a, const sigset_t *before, struct err *e)
{
	struct block_config c;
	struct block_outcome o = {.has_status = false};
	struct block_watch *b = NULL;
	block_config_init(&c);
	c.output = a->seen_path;
	c.device = a->run.device;
	c.unit = UNIT_BIO;
	c.no_sync = true;
	c.command = a->command.v;
	int ret = block_watch_begin(&b, &c, e);
	ret = ret ? ret : run_kept(a, before, e);
	if (b) {
		int stopped = block_watch_stop(b, ret ? NULL : e);
		ret = ret ? ret : stopped;
	}
	ret = ret ? ret : block_watch_write(b, &o, e);
	block_watch_close(b);
	a->n_events_lost = o.n_lost;
	return ret ? err_context(e, "times block") : 0;
}

static bool is_keeper_killed(const struct child_result *r)
{
	return r->end == CHILD_NOT_STARTED && !r->error;
}

static int run_observed(struct adapter_state *a, struct err *e)
{
	sigset_t held, before;
	if (a->times.how == ADAPTER_PRELOAD)
		return run_preloaded(a, e);
	/* for the processes that remain if the keeper is killed */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	signals_hold(&held, true, &before);
	int ret =
	    a->times.how == ADAPTER_BLOCK ? run_traced(a, &before, e) : run_kept(a, &before, e);
	signals_release(&before,
			ret == -EINTR || a->result->end == CHILD_INTERRUPTED);
	if (is_keeper_killed(a->result))
		child_left_end();
	return ret;
}

/* --- end of the run ------------------------------------------------------ */

/* Appends the end of the replayer's printed text, as a single line. */
static void printed_add(const struct adapter_state *a, struct strbuf *out)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	if (file_read(a->run.printed, &text, 0, NULL))
		return;
	while (text.len && isspace((unsigned char)text.s[text.len - 1]))
		text.s[--text.len] = 0;
	const char *from = text.len > SAID_BYTES ? text.s + text.len - SAID_BYTES : text.s;
	if (*from)
		strbuf_addstr(out, from > text.s ? ": ..." : ": ");
	for (; *from; from++)
		strbuf_addch(out, (unsigned char)*from >= 0x20 && (unsigned char)*from < 0x7f
				      ? *from
				  : isspace((unsigned char)*from) ? ' '
								  : '?');
}

static int program_fail(const struct adapter_state *a, int code, struct err *e, const char *format,
			...) __attribute__((format(printf, 4, 5)));

static int program_fail(const struct adapter_state *a, int code, struct err *e, const char *format,
			...)
{
	SCOPED_STRBUF why = STRBUF_INIT;
	va_list ap;
	va_start(ap, format);
	strbuf_vaddf(&why, format, ap);
	va_end(ap);
	printed_add(a, &why);
	const char *slash = strrchr(a->command.v[0], '/');
	return err_set(e, code, "%s %s", slash ? slash + 1 : a->command.v[0], why.s);
}

int statuses_check(const char *list, uint64_t status, bool *found, struct err *e)
{
	SCOPED(words_list_release) struct words_list item;
	uint64_t number;
	int ret = words_split(&item, list, e);
	*found = false;
	for (size_t i = 0; i < item.n && !ret; i++) {
		ret = parse_uint(item.v[i], &number, e);
		if (!ret && number > 255)
			ret = err_set(e, EINVAL, "\"%s\" is not an exit status (0 to 255)",
				      item.v[i]);
		*found |= !ret && number == status;
	}
	return ret ? err_context(e, "accept-status") : 0;
}

static bool is_accepted(const struct adapter_state *a, int status)
{
	const uint64_t is =
	    (uint64_t)(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
	const char *list = a->run.config->adapter.accept_status;
	bool found;
	return !is || (list && !statuses_check(list, is, &found, NULL) && found);
}

static int status_judge(struct adapter_state *a, struct err *e)
{
	const struct adapter *d = a->run.adapter;
	const int status = a->run.status;
	int ret = d->ended ? d->ended(&a->run, e) : -EAGAIN;
	if (ret != -EAGAIN)
		return ret;
	if (is_accepted(a, status))
		return 0;
	if (WIFSIGNALED(status))
		return program_fail(a, EIO, e, "was ended by signal %d (%s)", WTERMSIG(status),
				    strsignal(WTERMSIG(status)));
	return program_fail(a, EIO, e, "ended with exit status %d", WEXITSTATUS(status));
}

/* Checks that the replayer did not change the trace, which is read again; the target directory or
 * device itself; or its own program, which later runs start. */
static int files_judge(const struct adapter_state *a, struct err *e)
{
	const char *input = file_mark_differs(&a->input_before, a->input_path, true);
	const char *target = file_mark_differs(&a->target_before, a->run.target, false);
	const char *program = file_mark_differs(&a->program_before, a->run.binary, true);
	if (input)
		return program_fail(a, EIO, e, "%s its input trace %s", input, a->input_path);
	if (target)
		return program_fail(a, EIO, e, "%s its target %s", target, a->run.target);
	if (file_mark_resized(&a->target_before, a->run.target))
		return program_fail(a, EIO, e, "changed the size of its target %s", a->run.target);
	return program ? program_fail(a, EIO, e, "%s its own program %s", program, a->run.binary)
		       : 0;
}

static int end_judge(struct adapter_state *a, struct err *e)
{
	const struct child_result *r = a->result;
	char wrote[400];
	switch (r->end) {
	case CHILD_NOT_STARTED:
		return is_keeper_killed(r)
			   ? err_set(e, ECHILD, "%s: the process that supervises it was killed",
				     a->command.v[0])
			   : err_sys(e, r->error, "%s was not started: %s", a->command.v[0],
				     r->step);
	case CHILD_TIMED_OUT:
		return program_fail(a, ETIMEDOUT, e,
				    "did not end within %.10g s (time-limit), and was killed",
				    (double)a->run.config->adapter.time_limit_ns * 1e-9);
	case CHILD_TOO_MUCH_OUTPUT:
		if (r->output_error)
			break;
		return program_fail(a, EFBIG, e,
				    "was killed, because it wrote more than %" PRIu64 " bytes, "
				    "the limit for output with the times of %" PRIu64 " requests",
				    OUTPUT_BYTES_MIN + a->run.inputs.n_records *
							   OUTPUT_BYTES_PER_REQUEST,
				    a->run.inputs.n_records);
	case CHILD_INTERRUPTED:
		return program_fail(a, EINTR, e, "was interrupted");
	case CHILD_QUIET:
	case CHILD_EXITED:
		break;
	}
	if (r->output_error)
		return program_fail(a, r->output_error, e,
				    "wrote output that could not be stored in %s: %s",
				    a->run.scratch, strerror(r->output_error));
	int ret = files_judge(a, e);
	ret = ret ? ret : status_judge(a, e);
	if (!ret && r->n_left)
		ret = program_fail(a, EBUSY, e,
				   "left %" PRIu32 " process%s running, which %s killed: %s",
				   r->n_left, r->n_left == 1 ? "" : "es",
				   r->n_left == 1 ? "was" : "were", r->left);
	if (!ret && surroundings_differ(&a->before, &a->after, wrote, sizeof wrote))
		ret = program_fail(a, EPERM, e, "wrote outside of its target, in %s: %s",
				   a->before.dir, wrote);
	return ret == -EPERM ? err_set(e, EIO, "%s", e ? e->msg : "") : ret;
}

int adapter_start(struct adapter_state *a, struct err *e)
{
	/* the scratch directory is OUTPUT.run-XXXXXX */
	const size_t output_len =
	    a->run.config->output ? strlen(a->run.scratch) - strlen(".run-XXXXXX") : 1;
	SCOPED_FREE char *output = xasprintf("%.*s", (int)output_len, a->run.scratch);
	const char *except[] = {a->run.target, a->run.scratch, output, NULL};
	struct err why = ERR_INIT;
	a->result = child_result_make(e);
	if (!a->result)
		return -(e ? e->code : ENOMEM);
	int ret = surroundings_take(&a->before, a->run.target, except, e);
	ret = ret ? ret : file_mark_take(&a->target_before, a->run.target, e);
	ret = ret ? ret : file_mark_take(&a->program_before, a->run.binary, e);
	ret = ret ? ret : file_mark_take(&a->input_before, a->input_path, e);
	if (ret)
		return ret;
	ret = run_observed(a, e);
	const int unseen = surroundings_take(&a->after, a->run.target, except, &why);
	a->run.started_ns = a->result->started_ns;
	a->run.ended_ns = a->result->ended_ns;
	a->run.status = a->result->status;
	a->run.quiet = a->result->end == CHILD_QUIET;
	if (a->result->n_printed_bytes > 2 * CHILD_PRINTED_BYTES)
		adapter_note(&a->run,
			     "the replayer printed %" PRIu64 " bytes; the first and the last %u "
			     "are kept",
			     a->result->n_printed_bytes, CHILD_PRINTED_BYTES);
	if (!ret || !is_keeper_killed(a->result)) {
		struct err judged = ERR_INIT;
		int ended = end_judge(a, &judged);
		ret = ended ? err_set(e, -ended, "%s", judged.msg) : ret;
	}
	return !ret && unseen ? err_set(e, -unseen, "%s", why.msg) : ret;
}
