/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/parallel/launch.h"

#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "common/clock.h"
#include "common/companion.h"
#include "common/mpi_leftovers.h"
#include "common/mpi_launch.h"
#include "common/signals.h"
#include "common/units.h"

/* --- the command --------------------------------------------------------- */

/* Whether the ranks do not need the option, because the files exist and the launcher sets the
 * number of ranks. */
static bool is_of_the_launch(const char *name)
{
	static const char *const names[] = {"level",  "launcher",      "prepare", "prepare-only",
					    "remove", "print-command", "list",    NULL};
	return word_in(name, names);
}

static int option_add(struct words_list *out, const struct option_spec *o,
	const struct microbench_config *c, const struct microbench_config *standard, struct err *e)
{
	const struct option_spec row[] = {*o, {.name = NULL}};
	struct words_list words;
	if (o->type == OPT_STRING) { /* any text */
		SCOPED_STRBUF word = STRBUF_INIT;
		strbuf_addf(&word, "--%s=%s", o->name,
			    *(const char *const *)((const char *)c + o->offset));
		words_list_add(out, word.s);
		return 0;
	}
	SCOPED_STRBUF text = STRBUF_INIT;
	options_command(&text, row, c, standard, true);
	int ret = words_parse(&words, text.s, e);
	for (size_t i = 0; !ret && i < words.n; i++)
		words_list_add(out, words.v[i]);
	if (!ret)
		words_list_release(&words);
	return ret;
}

int parallel_command(const struct workload *w, const struct microbench_config *c,
		     struct words_list *out, struct err *e)
{
	struct microbench_config standard;
	int ret = mpi_launch_words(out, c->launcher, (unsigned int)c->level, e);
	if (ret)
		return ret;
	SCOPED_FREE char *program =
	    companion_find(MPI_WORKLOAD, "to build it, install OpenMPI and build validate "
			   "again; Debian packages: libopenmpi-dev, openmpi-bin", e);
	if (!program) {
		words_list_release(out);
		return -ENOENT;
	}
	words_list_add(out, program);
	words_list_add(out, w->name);
	workload_config_init(w, &standard);
	const struct option_spec *o = microbench_options;
	for (; !ret && (o = options_changed(o, c, &standard)); o++)
		if (!is_of_the_launch(o->name))
			ret = option_add(out, o, c, &standard, e);
	if (ret)
		words_list_release(out);
	return ret;
}

/* --- the job ------------------------------------------------------------- */

static void job_exec(char **word, const sigset_t *mask, pid_t parent)
{
	int null = open("/dev/null", O_RDONLY);
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* when the launcher ends, its ranks end, too */
	if (getppid() != parent)
		_exit(127);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(word[0], word);
	_exit(127);
}

/* Waits for the job. A signal ends the job, a second signal ends it at once. *status: its wait
 * status. */
static int job_wait(pid_t job, int signal_fd, int *status, int *signal_seen)
{
	struct signalfd_siginfo info;
	int64_t seen_ns = 0;
	*signal_seen = 0;
	for (;;) {
		pid_t ended = waitpid(job, status, WNOHANG);
		if (ended != 0)
			return ended < 0 ? -errno : 0;
		if (read(signal_fd, &info, sizeof info) != sizeof info)
			return -EIO;
		if ((int)info.ssi_signo == SIGCHLD)
			continue;
		const int64_t now_ns = clock_monotonic_ns();
		if (*signal_seen && now_ns - seen_ns < SIGNALS_APART_NS)
			continue;
		seen_ns = now_ns;
		kill(job, *signal_seen ? SIGKILL : SIGTERM);
		*signal_seen = (int)info.ssi_signo;
	}
}

static int job_run(char **word, struct err *e)
{
	sigset_t held, before;
	int status = 0, signal_seen = 0;
	signals_hold(&held, true, &before);
	int signal_fd = signalfd(-1, &held, SFD_CLOEXEC);
	if (signal_fd < 0) {
		int code = errno;
		signals_release(&before, false);
		return err_sys(e, code, "cannot create a signalfd");
	}
	const pid_t self = getpid(), job = fork();
	if (job == 0)
		job_exec(word, &before, self);
	int ret = job < 0 ? -errno : job_wait(job, signal_fd, &status, &signal_seen);
	signals_release(&before, signal_seen != 0);
	close(signal_fd);
	if (ret)
		return err_sys(e, -ret, "cannot start %s", word[0]);
	if (signal_seen)
		return err_set(e, EINTR, "interrupted (%s): no trace was written",
			       strsignal(signal_seen));
	if (WIFSIGNALED(status))
		return err_set(e, EIO, "%s was ended by a signal (%s)", word[0],
			       strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status))
		return err_set(e, EIO,
			       "%s ended with status %d: see the messages of its ranks above",
			       word[0], WEXITSTATUS(status));
	return 0;
}

/* --- result -------------------------------------------------------------- */

static int outcome_read(const char *path, struct microbench_outcome *o, struct err *e)
{
	struct trace *t;
	const struct trace_record *r;
	size_t n;
	int64_t last_ns = INT64_MIN, first_ns = INT64_MAX;
	double sum_ns = 0;
	int ret = trace_open(&t, path, e);
	if (ret)
		return ret;
	while ((ret = trace_next_batch(t, &r, &n, e)) > 0)
		for (size_t i = 0; i < n; i++) {
			o->n_requests++;
			sum_ns += (double)(r[i].end_ns - r[i].begin_ns);
			first_ns = r[i].begin_ns < first_ns ? r[i].begin_ns : first_ns;
			last_ns = r[i].end_ns > last_ns ? r[i].end_ns : last_ns;
		}
	trace_close(t);
	if (ret < 0)
		return ret;
	if (o->n_requests) {
		o->mean_response_ns = sum_ns / (double)o->n_requests;
		o->elapsed_ns = last_ns - first_ns;
	}
	return 0;
}

int parallel_launch(const struct workload *w, const struct microbench_config *c,
		    struct microbench_outcome *o, struct err *e)
{
	struct words_list command;
	int ret = parallel_command(w, c, &command, e);
	if (ret)
		return ret;
	struct mpi_leftovers leftovers;
	mpi_leftovers_note(&leftovers);
	ret = job_run(command.v, e);
	mpi_leftovers_remove(&leftovers);
	words_list_release(&command);
	return ret ? ret : outcome_read(c->output, o, e);
}
