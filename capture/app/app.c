/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/app/app.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "capture/app/app_private.h"
#include "capture/app/code_scan.h"
#include "capture/content/content.h"
#include "capture/watched.h"
#include "common/clock.h"
#include "common/files.h"
#include "common/processors.h"
#include "common/signals.h"

/* shorter intervals while windows fill, so that windows are reused while they are still in a
 * cache */
#define POLL_MS 10
#define POLL_BUSY_MS 2
/* the first calibration of the clock uses this much of the command's time */
#define CALIBRATION_NS 5000000
#define FIELD(f) offsetof(struct app_config, f)

const struct option_spec app_options[] = {
	OPTION(STRING, "output", FIELD(output), .group = "Output", .letter = 'o', .arg = "TRACE",
	       .help = "write the trace to TRACE"),
	OPTION(STRING, "root", FIELD(root), .arg = "DIR",
	       .help = "store names relative to DIR, and ignore files outside DIR (default /)"),
	OPTION(STRING, "rotate", FIELD(rotate), .arg = "SIZE|TIME",
	       .help = "write the trace in parts TRACE.000, TRACE.001 and so on. A part ends after "
	       "SIZE of records (before compression), such as 64M, or after TIME, such as 1h "
	       "(default: one file)"),
	OPTION(FLAG, "compress", FIELD(compress), .help = "compress the trace with zstd"),
	OPTION(FLAG, "snapshot", FIELD(snapshot), .group = "What is recorded",
	       .help = "record the size, permissions and holes that each file has before its first "
	       "use, for replay --prepare"),
	OPTION(FLAG, "digests", FIELD(digests),
	       .help = "like --snapshot, but also read each file and store a digest of "
	       "its content"),
	OPTION(FLAG, "content", FIELD(content),
	       .help = "store in TRACE.content the data that the program writes, for replay "
	       "--payload captured"),
	OPTION(FLAG, "memory", FIELD(memory),
	       .help = "record at intervals how much anonymous memory all captured programs use "
	       "together, for replay --balloon traced"),
	OPTION(DURATION, "memory-interval", FIELD(memory_interval_ns), .arg = "TIME",
	       .help = "with --memory: time between two samples (default 100ms)", .min = 1e6,
	       .max = 3.6e12),
	OPTION(FLAG, "no-characters", FIELD(no_characters),
	       .help = "do not record stdio calls that move a single character (getc, putc)"),
	OPTION(STRING, "pid", FIELD(pid), .group = "Command", .letter = 'p', .arg = "PID",
	       .help = "not available here: the library can only be loaded when a program starts. "
	       "For a running process use \"validate capture vfs --pid PID\""),
	OPTION(FLAG, "check-status", FIELD(check_status),
	       .help = "exit with status 3 if COMMAND fails; the trace is still written"),
	OPTION(STRING, "scratch", FIELD(scratch), .arg = "DIR",
	       .help = "directory for the buffers while the command runs (default /dev/shm)"),
	{0},
};

void app_config_init(struct app_config *c)
{
	*c = (struct app_config){.root = "/", .memory_interval_ns = 100000000};
}

void app_outcome_release(struct app_outcome *o)
{
	struct app_programs *const all[] = {&o->unseen, &o->own_calls, &o->own_rings,
					     &o->made_code, &o->replaced};
	for (size_t k = 0; k < sizeof all / sizeof *all; k++)
		for (int i = 0; i < APP_NAMES_SHOWN; i++)
			free(all[k]->name[i]);
}

/* --- the command's processes --------------------------------------------- */

struct app_run {
	const struct app_config *config;
	struct app_outcome *outcome;
	char *library;
	struct spool spool;
	struct app_memory memory;
	struct clock clock;
	uint64_t start;
	int64_t wall_epoch_ns;
	pid_t child;
	bool child_ended;
	int signals;
	int64_t stop_ns; /* when the last signal that requested the end arrived */
	sigset_t old_mask;
};

/* Runs in the child. Sets the environment variables of the preload library, without which the
 * command would run unrecorded. Returns 0 or an errno. */
static int child_prepare(void *ctx)
{
	const struct app_run *r = ctx;
	const char *before = getenv("LD_PRELOAD");
	char *list;
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (asprintf(&list, "%s%s%s", r->library, before && *before ? ":" : "",
		     before ? before : "") < 0)
		return ENOMEM;
	const bool set = !setenv("LD_PRELOAD", list, 1) &&
			 !setenv(LOG_DIR_VARIABLE, r->spool.dir, 1);
	free(list);
	return set ? 0 : ENOMEM;
}

/* Reaps all children that have ended. False: there are no more children. */
static bool children_reap(struct app_run *r)
{
	int status;
	pid_t pid;
	while ((pid = waitpid(-1, &status, WNOHANG | (r->config->left ? WUNTRACED : 0))) > 0)
		if (WIFSTOPPED(status)) {
			/* this process stopped the child, and nothing else would continue it */
			kill(pid, SIGCONT);
		} else if (pid == r->child) {
			r->outcome->status = status;
			r->child_ended = true;
		}
	if (pid == 0 && r->child_ended && r->config->left)
		r->config->left();
	return pid == 0 || (pid < 0 && errno != ECHILD);
}

/* Passes the first signal on to the command. A second signal ends the capture. */
static bool signals_take(struct app_run *r)
{
	struct signalfd_siginfo info;
	while (read(r->signals, &info, sizeof info) == sizeof info) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		int64_t now_ns = clock_monotonic_ns();
		if (r->outcome->n_stops && now_ns - r->stop_ns < SIGNALS_APART_NS)
			continue;
		r->stop_ns = now_ns;
		if (++r->outcome->n_stops > 1)
			return false;
		/* a terminal sends the signal to the command itself; the PID of an ended child may
		 * belong to another process */
		if (info.ssi_code != SI_KERNEL && !r->child_ended)
			kill(r->child, (int)info.ssi_signo);
	}
	return true;
}

static int processes_follow(struct app_run *r, struct err *e)
{
	struct pollfd p = {.fd = r->signals, .events = POLLIN};
	bool calibrated = false;
	int ret = 0;
	while (children_reap(r)) {
		size_t before = r->spool.n_windows;
		ret = spool_drain(&r->spool, processors_are_busy() ? SPOOL_BUSY : SPOOL_NOW, e);
		if (ret)
			return ret;
		if (!signals_take(r)) {
			r->outcome->interrupted = true;
			break;
		}
		int64_t now = clock_monotonic_ns();
		if (!calibrated && now - r->clock.first.ns >= CALIBRATION_NS) {
			calibrated = true;
			ret = clock_calibrate(&r->clock, CALIBRATION_NS, e);
			if (ret)
				return ret;
		}
		if (memory_is_due(&r->memory, now))
			memory_add(&r->memory, now, spool_memory(&r->spool));
		poll(&p, 1, r->spool.n_windows > before ? POLL_BUSY_MS : POLL_MS);
	}
	ret = spool_drain(&r->spool, SPOOL_LAST, e);
	return ret || calibrated ? ret : clock_calibrate(&r->clock, CALIBRATION_NS, e);
}

static int signals_open(struct app_run *r, struct err *e)
{
	sigset_t set;
	signals_hold(&set, true, &r->old_mask);
	r->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (r->signals >= 0)
		return 0;
	int code = errno;
	signals_release(&r->old_mask, false);
	return err_sys(e, code, "cannot wait for signals");
}

static int content_check(const struct app_config *c, struct err *e)
{
	SCOPED_FREE char *path = xasprintf("%s" CONTENT_SUFFIX, c->output);
	return c->content ? trace_output_check_replaced(path, e) : 0;
}

static int run_all(struct app_run *r, const char *file, struct err *e)
{
	uint32_t flags = r->config->no_characters ? LOG_NO_CHARACTERS : 0;
	if (r->config->snapshot || r->config->digests)
		flags |= LOG_STATE;
	if (r->config->digests)
		flags |= LOG_DIGEST;
	if (r->config->content)
		flags |= LOG_CONTENT;
	struct stat st;
	const bool exists = !stat(r->config->root, &st);
	if (!exists || !S_ISDIR(st.st_mode))
		return err_sys(e, exists ? ENOTDIR : errno, "--root %s", r->config->root);
	int ret = trace_output_check(r->config->output, e);
	ret = ret ? ret : content_check(r->config, e);
	ret = ret ? ret : clock_open(&r->clock, e);
	ret = ret ? ret
		: spool_open(&r->spool, r->config->scratch, r->config->output, &r->clock, flags, e);
	if (ret)
		return ret;
	ret = signals_open(r, e);
	if (!ret && r->config->prepare)
		ret = r->config->prepare(r->config->prepare_ctx, r->spool.dir, e);
	r->start = clock_begin(&r->clock);
	r->wall_epoch_ns = clock_realtime_ns();
	const struct watched_options how = {.command = r->config->command,
					    .file = file,
					    .start = r->config->start,
					    .start_ctx = r->config->start_ctx,
					    .prelude = child_prepare,
					    .prelude_ctx = r};
	ret = ret ? ret : watched_start(&how, &r->old_mask, &r->child, e);
	if (!ret) {
		ret = processes_follow(r, e);
		if (ret) {
			/* after an error (for example a full disk), the command continues without
			  * being recorded */
			struct pollfd p = {.fd = r->signals, .events = POLLIN};
			atomic_store(&r->spool.control->closed, 1);
			while (children_reap(r) && signals_take(r))
				poll(&p, 1, POLL_MS);
			return ret;
		}
		ret = clock_reanchor(&r->clock, e);
	}
	r->outcome->n_samples = r->memory.n;
	return ret ? ret
		  : app_trace_write(r->config, &r->spool, &r->clock, r->start, r->wall_epoch_ns,
				    &r->memory, r->outcome, e);
}

int app_capture(const struct app_config *c, struct app_outcome *o, struct err *e)
{
	struct app_run r = {.config = c, .outcome = o, .signals = -1, .spool = {.dir_fd = -1,
										.fd = -1}};
	struct code_scanner scanner = {0}; /* loaded before the command starts */
	*o = (struct app_outcome){.status = 0};
	memory_init(&r.memory, c->memory ? c->memory_interval_ns : 0);
	r.library = app_library_find(c->causes, e);
	char *file = r.library ? app_command_find(c->command[0], e) : NULL;
	int ret = file ? app_command_check(file, e) : -e->code;
	ret = ret ? ret : code_scanner_open(&scanner, e);
	/* orphaned descendants become children of this process, so that it can wait for them */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	ret = ret ? ret : run_all(&r, file, e);
	char *scratch = r.spool.dir ? xstrdup(r.spool.dir) : NULL;
	spool_close(&r.spool);
	if (!ret && scratch && path_exists(scratch))
		ret = err_set(e, EIO, "the trace is written, but the scratch directory %s was not "
			"removed: remove it yourself", scratch);
	free(scratch);
	if (r.signals >= 0) {
		close(r.signals);
		signals_release(&r.old_mask, r.outcome->n_stops > 0);
	}
	code_scanner_close(&scanner);
	FREE_EACH(r.library, file);
	return ret;
}
