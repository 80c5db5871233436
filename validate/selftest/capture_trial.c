/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/selftest/capture_trial.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "common/files.h"
#include "common/leftovers.h"
#include "common/progress.h"
#include "validate/campaign/launch.h"

enum { N_CONDITIONS = CAPTURE_N_WORKLOADS * CAPTURE_N_LEVELS, MAX_ARGUMENTS = 24 };

#define TIMEOUT_NS INT64_C(300000000000)

const struct capture_method capture_methods[CAPTURE_N_METHODS + 1] = {
    {"app", "validate capture app"},
    {"vfs", "validate capture vfs"},
    {"strace", "strace"},
    {NULL, NULL},
};

const unsigned int capture_levels[CAPTURE_N_LEVELS] = {1, 2};

const char *const capture_workload_names[CAPTURE_N_WORKLOADS + 1] = {"random-read", "random-write",
    "sequential-read", "sequential-write", "postmark", "compile", NULL};

/* Additional options for each workload: few requests, because strace is slow. */
static const char *const arguments[CAPTURE_N_WORKLOADS] = {"--requests 500 --file-size 1M",
    "--requests 500 --file-size 1M --fsync-end", "--requests 500 --file-size 1M",
    "--requests 500 --file-size 1M --fsync-end", "--requests 100 --files 60 --file-size 4K",
    "--requests 8 --headers 60 --files 20"};

/* Returns the command of a run: all conditions in the order of `order`. "$1" is this program and
 * "$2" the directory, so no name needs quoting. */
static char *script_make(const int *order, uint64_t seed, bool quick)
{
	struct strbuf s = STRBUF_INIT;
	strbuf_addstr(&s, "cd \"$2\"\n");
	for (int i = 0; i < N_CONDITIONS; i++) {
		int w = order[i] / CAPTURE_N_LEVELS, l = order[i] % CAPTURE_N_LEVELS;
		if (quick && w < 4 && w % 2 == 0) /* skips the read workloads */
			continue;
		strbuf_addf(&s, "\"$1\" microbench %s %s --min-duration 0 --level %u --seed %llu "
			"--remove --no-sync-output -d files -o own-%d.trace >own.out\n",
			capture_workload_names[w], arguments[w], capture_levels[l],
			(unsigned long long)seed, order[i]);
	}
	return strbuf_detach(&s);
}

struct trial_job {
	const struct capture_trial_options *o;
	struct capture_trial *t;
	char *dir;
	gsl_rng *rng;
	struct progress progress;
	uint64_t n_done, n_total;
	int signal_fd;
	int order[N_CONDITIONS];
};

/* --- one command under a method ------------------------------------------ */

/* Puts the command of a method before the command of the run; CAPTURE_N_METHODS means no method.
 * argv[0] is the executable. */
static size_t method_start(const struct trial_job *j, size_t method, const char *output,
			   const char **argv)
{
	const char *name = method < CAPTURE_N_METHODS ? capture_methods[method].name : "";
	const char *own[] = {j->o->self, "capture", name, "-o", output, "--", NULL};
	const char *strace[] = {
	    "/bin/sh", "-c", "exec strace \"$@\"", "sh", "-f", "-ttt", "-T", "-o", output, NULL};
	const char *const *from = !*name ? NULL : !strcmp(name, "strace") ? strace : own;
	size_t n = 0;
	while (from && from[n]) {
		argv[n] = from[n];
		n++;
	}
	return n;
}

static int script_launch(struct trial_job *j, size_t method, const char *script, char *reason,
			 size_t size, struct err *e)
{
	char *output = xasprintf("%s/captured", j->dir);
	const char *argv[MAX_ARGUMENTS] = {NULL};
	size_t n = method_start(j, method, output, argv);
	const char *command[] = {"/bin/sh", "-ec", script, "sh", j->o->self, j->dir};
	memcpy(argv + n, command, sizeof command);
	struct launch_spec spec = {
	    .argv = (char *const *)(uintptr_t)argv, .timeout_ns = TIMEOUT_NS,
	    .signal_fd = j->signal_fd};
	struct launch_result r = {0};
	int ret = launch_run(&spec, &r, e);
	if (!ret && r.end == LAUNCH_INTERRUPTED)
		ret = err_set(e, EINTR, "interrupted");
	FREE_EACH(r.memory, output);
	snprintf(reason, size, "%s", ret ? "" : r.reason);
	return ret;
}

/* --- available methods --------------------------------------------------- */

static bool is_listed(const char *list, const char *name)
{
	size_t len = strlen(name);
	for (const char *s = list; s; s = strchr(s, ','), s += s != NULL)
		if (!strncmp(s, name, len) && (!s[len] || s[len] == ','))
			return true;
	return !list;
}

static int methods_check(const char *list, struct err *e)
{
	for (const char *s = list; s; s = strchr(s, ','), s += s != NULL) {
		bool known = false;
		for (const struct capture_method *m = capture_methods; m->name; m++)
			known |= strlen(m->name) == strcspn(s, ",") &&
				 !strncmp(s, m->name, strlen(m->name));
		if (!known)
			return err_set(
			    e, EINVAL,
			    "\"%.*s\" is not a capture method: expected app, vfs or strace",
			    (int)strcspn(s, ","), s);
	}
	return 0;
}

/* Tries each method on a command that does nothing. */
static int methods_try(struct trial_job *j, struct err *e)
{
	char reason[400];
	size_t last = 0;
	bool any = false;
	for (size_t i = 0; i < CAPTURE_N_METHODS; i++) {
		struct capture_standing *s = &j->t->method[i];
		s->tried = is_listed(j->o->methods, capture_methods[i].name);
		if (!s->tried) {
			snprintf(s->left_out, sizeof s->left_out, "not requested");
			continue;
		}
		int ret = script_launch(j, i, "exit 0", reason, sizeof reason, e);
		if (ret)
			return ret;
		reason[strcspn(reason, "\n")] = 0;
		for (char *c = reason; *c; c++) /* make the text safe for JSON */
			*c = *c < ' ' || *c > '~' ? '?' : *c;
		const char *why = strncmp(reason, "exit status ", 12) ? NULL : strstr(reason, ": ");
		snprintf(s->left_out, sizeof s->left_out, "%.299s", why ? why + 2 : reason);
		any |= !reason[0];
		last = i;
	}
	if (any)
		return 0;
	return err_set(e, ENOTSUP, "no capture method is available here; %s: %.250s",
		       capture_methods[last].name, j->t->method[last].left_out);
}

/* --- runs ---------------------------------------------------------------- */

static int run_read(struct trial_job *j, size_t method, size_t run, struct err *e)
{
	int ret = 0;
	bool none = method == CAPTURE_N_METHODS;
	/* each own trace of the run reports the losses of the single captured trace */
	uint64_t lost = 0;
	SCOPED_FREE char *captured = xasprintf("%s/captured", j->dir);
	for (int i = 0; i < N_CONDITIONS && !ret; i++) {
		SCOPED(capture_match_release) struct capture_match m = {0};
		SCOPED_FREE char *own = xasprintf("%s/own-%d.trace", j->dir, i);
		if (path_exists(own)) {
			ret = capture_match_add(&m, own, none ? own : captured, e);
			if (!ret)
				capture_study_add(&j->t->study, none ? CAPTURE_NONE : method,
						  (size_t)(i / CAPTURE_N_LEVELS),
						  capture_levels[i % CAPTURE_N_LEVELS], run, &m);
			unlink(own);
		}
		if (!ret && !none) {
			struct capture_standing *s = &j->t->method[method];
			s->resolution_ns =
			    m.resolution_ns > s->resolution_ns ? m.resolution_ns : s->resolution_ns;
			if (m.n_lost > lost)
				lost = m.n_lost;
		}
	}
	if (!none)
		j->t->method[method].n_lost += lost;
	unlink(captured);
	return ret;
}

static int run_make(struct trial_job *j, size_t method, size_t run, struct err *e)
{
	char reason[400];
	const char *name = method < CAPTURE_N_METHODS ? capture_methods[method].name : "no capture";
	gsl_ran_shuffle(j->rng, j->order, N_CONDITIONS, sizeof *j->order);
	SCOPED_FREE char *script = script_make(j->order, j->o->seed + run, j->o->quick);
	progress_step(&j->progress, j->n_done, (double)j->n_done, name);
	int ret = script_launch(j, method, script, reason, sizeof reason, e);
	if (!ret && reason[0])
		ret = err_set(e, ECHILD, "a run failed (capture method: %s): %s", name, reason);
	ret = ret ? ret : run_read(j, method, run, e);
	j->n_done++;
	return ret;
}

static int runs_make(struct trial_job *j, struct err *e)
{
	int ret = 0;
	size_t method[CAPTURE_N_METHODS + 1], n = 0;
	for (size_t i = 0; i <= CAPTURE_N_METHODS; i++)
		if (i == CAPTURE_N_METHODS || !j->t->method[i].left_out[0])
			method[n++] = i;
	j->n_total = n * j->o->n_runs;
	progress_start(&j->progress, j->n_total, (double)j->n_total, !j->o->quiet);
	for (size_t run = 0; run < j->o->n_runs && !ret; run++) {
		gsl_ran_shuffle(j->rng, method, n, sizeof *method);
		for (size_t i = 0; i < n && !ret; i++)
			ret = run_make(j, method[i], run, e);
	}
	progress_end(&j->progress);
	return ret;
}

static int trial_run(struct trial_job *j, struct err *e)
{
	sigset_t old;
	SCOPED_FREE char *files = xasprintf("%s/files", j->dir);
	int ret = dir_create(files, e);
	ret = ret ? ret : signals_take(&old, &j->signal_fd, e);
	if (ret)
		return ret;
	ret = methods_try(j, e);
	ret = ret ? ret : runs_make(j, e);
	signals_restore(&old, j->signal_fd);
	return ret;
}

int capture_trial_run(struct capture_trial *t, const struct capture_trial_options *o, struct err *e)
{
	struct trial_job j = {.o = o, .t = t};
	struct err second = ERR_INIT;
	memset(t, 0, sizeof *t);
	t->study.n_runs = o->n_runs;
	t->seed = o->seed;
	if (o->n_runs < CAPTURE_MIN_RUNS)
		return err_set(e, EINVAL,
			       "--replicates %llu is too small: at least %d runs with each method "
			       "are needed",
			       (unsigned long long)o->n_runs, CAPTURE_MIN_RUNS);
	int ret = methods_check(o->methods, e);
	if (ret)
		return ret;
	char *where = realpath(o->target ? o->target : ".", NULL);
	if (!where)
		return err_sys(e, errno, "cannot use directory %s", o->target);
	j.dir = xasprintf("%s/validate-capture-XXXXXX", where);
	free(where);
	if (!leftover_directory(j.dir)) {
		ret = err_sys(e, errno,
			      "cannot create a directory with a name of the form %s (--target "
			      "chooses another place)",
			      j.dir);
		free(j.dir);
		return ret;
	}
	j.rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(j.rng, (unsigned long)o->seed);
	for (int i = 0; i < N_CONDITIONS; i++)
		j.order[i] = i;
	ret = trial_run(&j, e);
	gsl_rng_free(j.rng);
	if (dir_remove_tree(j.dir, &second) < 0 && !ret) {
		*e = second;
		ret = -second.code;
	}
	free(j.dir);
	return ret;
}

void capture_trial_release(struct capture_trial *t)
{
	capture_study_release(&t->study);
	memset(t, 0, sizeof *t);
}
