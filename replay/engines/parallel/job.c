/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/parallel/job.h"

#include <ctype.h>
#include <sys/wait.h>

#include "capture/watched.h"
#include "common/companion.h"
#include "common/files.h"
#include "common/mpi_leftovers.h"
#include "common/mpi_launch.h"
#include "common/options.h"
#include "common/signals.h"
#include "replay/engines/adapters/tool.h"
#include "replay/engines/adapters/child.h"
#include "replay/engines/parallel/bundle.h"

#define SAID_BYTES 600
/* the OpenMPI daemons of an unreachable host end after this time instead of after six minutes */
#define KEEPALIVE_S "5"
#define FOREVER_NS (INT64_C(1) << 61)

/* --- the command --------------------------------------------------------- */

int job_prepare(struct job *l, const char *launcher, uint32_t n_ranks, uint32_t n_threads,
		const char *dir, const char *token, int64_t watchdog_ns, struct err *e)
{
	*l = (struct job){.shown = STRBUF_INIT};
	SCOPED_FREE char *program = companion_find(JOB_PROGRAM,
		"engine parallel starts it; to build it, install OpenMPI and build validate "
		"again; Debian packages: libopenmpi-dev, openmpi-bin", e);
	if (!program)
		return -ENOENT;
	int ret = mpi_launch_words_threads(&l->command, launcher, n_ranks, n_threads, e);
	char *launcher_path = ret ? NULL : binary_find(l->command.v[0], e);
	ret = ret ? ret : launcher_path ? 0 : -ENOENT;
	if (!ret) {
		for (size_t i = 0; i < l->command.n; i++) {
			if (i)
				strbuf_addch(&l->shown, ' ');
			shell_word(&l->shown, l->command.v[i]);
		}
		free(l->command.v[0]);
		l->command.v[0] = launcher_path;
		words_list_add_all(&l->command, program, dir, token, NULL);
		words_list_addf(&l->command, "%" PRId64, watchdog_ns);
	}
	return ret ? err_context(e, "engine parallel") : 0;
}

void job_release(struct job *l)
{
	words_list_release(&l->command);
	strbuf_release(&l->shown);
}

/* --- errors -------------------------------------------------------------- */

static void clean_add(struct strbuf *to, const char *text, size_t len)
{
	bool blank = true;
	for (size_t i = 0; i < len; i++) {
		const unsigned char c = (unsigned char)text[i];
		if (isspace(c) && blank)
			continue;
		blank = isspace(c);
		strbuf_addch(to, blank ? ' ' : c >= 0x20 && c != 0x7f ? (char)c : '?');
	}
	while (to->len && to->s[to->len - 1] == ' ')
		to->s[--to->len] = 0;
}

/* Appends the message of a rank, otherwise that of the launcher, without ruled lines. If the
 * launcher names the rank that ended, the message begins there. */
static void printed_add(struct strbuf *to, const char *printed)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	SCOPED_STRBUF all = STRBUF_INIT;
	if (file_read(printed, &text, 0, NULL)) {
		strbuf_addstr(to, "the replay under MPI failed; the launcher's output is lost");
		return;
	}
	const char *mark = strstr(text.s, BUNDLE_MARK);
	if (mark) {
		mark += strlen(BUNDLE_MARK);
		clean_add(to, mark, strcspn(mark, "\n"));
		return;
	}
	/* OpenMPI prints other text before the name of the rank */
	const char *noticed = strstr(text.s, "noticed that process rank");
	while (noticed && noticed > text.s && noticed[-1] != '\n')
		noticed--;
	for (const char *line = noticed ? noticed : text.s; *line;
	     line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n')) {
		const size_t len = strcspn(line, "\n");
		if (len == strspn(line, "- "))
			continue;
		if (all.len)
			strbuf_addch(&all, ' ');
		clean_add(&all, line, len);
	}
	strbuf_addf(to, "the replay under MPI failed; the launcher printed: %s%.*s",
		    all.len ? "" : "nothing", SAID_BYTES, all.s ? all.s : "");
	if (all.len > SAID_BYTES)
		strbuf_addstr(to, "...");
}

static int end_judge(const struct job *l, const struct child_result *r, const char *printed,
		     struct err *e)
{
	SCOPED_STRBUF said = STRBUF_INIT;
	int ret = 0;
	if (r->end == CHILD_NOT_STARTED) {
		ret = r->error ? err_sys(e, r->error, "%s was not started: %s",
					 l->command.v[0], r->step)
			       : err_set(e, ECHILD, "the process that starts and supervises "
					 "%s was killed", l->command.v[0]);
	} else if (r->end == CHILD_INTERRUPTED) {
		ret = err_set(e, EINTR, "interrupted");
	} else if (r->status || r->end == CHILD_TIMED_OUT) {
		printed_add(&said, printed);
		ret = err_set(e, EIO, "%s", said.s);
	}
	return ret;
}

/* --- running ------------------------------------------------------------- */

struct keeping {
	struct job *job;
	const char *scratch, *printed, *ended;
	struct child_result *result;
};

static int keeper_run(void *ctx)
{
	const struct keeping *k = ctx;
	static char *const environment[] = {"OMPI_MCA_oob_tcp_keepalive_time=" KEEPALIVE_S,
					    "OMPI_MCA_oob_tcp_keepalive_intvl=" KEEPALIVE_S,
					    "OMPI_MCA_oob_tcp_keepalive_probes=3", NULL};
	const struct child_spec spec = {.argv = k->job->command.v,
					.environment = environment,
					.dir = k->scratch,
					.time_limit_ns = FOREVER_NS,
					.ended = k->ended,
					.printed = k->printed};
	return child_keep(&spec, k->result);
}

int job_run(struct job *l, const char *scratch, struct err *e)
{
	SCOPED_FREE char *printed = xasprintf("%s/printed", scratch);
	struct child_result *result = child_result_make(e);
	SCOPED_FREE char *ended = xasprintf("%s/" BUNDLE_ENDED, scratch);
	struct keeping k = {l, scratch, printed, ended, result};
	struct mpi_leftovers leftovers;
	struct watched w;
	sigset_t held, before;
	int ret = result ? 0 : -ENOMEM;
	if (!ret) {
		mpi_leftovers_note(&leftovers);
		signals_hold(&held, true, &before);
		const struct watched_options o = {.command = l->command.v,
						  .start = keeper_run,
						  .start_ctx = &k,
						  .before = &before};
		ret = watched_run(&o, &w, e);
		signals_release(&before, w.interrupted);
		mpi_leftovers_remove(&leftovers);
		if (!ret && w.interrupted)
			ret = err_set(e, EINTR, "interrupted");
	}
	ret = ret ? ret : end_judge(l, result, printed, e);
	child_result_free(result);
	return ret;
}
