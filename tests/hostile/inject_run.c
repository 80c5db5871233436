/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts a command with a fault, waits for it, and judges its outcome. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "inject_walk.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void shell(const char *how, ...) __attribute__((format(printf, 1, 2)));
static void shell(const char *how, ...)
{
	char line[9000];
	va_list ap;
	va_start(ap, how);
	vsnprintf(line, sizeof line, how, ap);
	va_end(ap);
	if (system(line))
		give_up("failed: %s", line);
}

void run_prepare(const struct walk *w, const struct fault_case *c)
{
	shell("chmod -R u+rwx '%s' 2>/dev/null; rm -rf '%s' && mkdir -p '%s/tmp'", w->run, w->run,
	      w->run);
	if (c->from)
		shell("cp -a '%s/in/%s/.' '%s/'", w->base, c->from, w->run);
}

static void child_run(const struct walk *w, char *const *argv, bool faults)
{
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	int in = open("/dev/null", O_RDONLY),
	    out = open(w->out, O_WRONLY | O_CREAT | O_TRUNC, 0600),
	    err = open(w->err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	char *tmp = text_make("%s/tmp", w->run);
	if (in < 0 || out < 0 || err < 0 || chdir(w->run) < 0)
		_exit(120);
	dup2(in, 0);
	dup2(out, 1);
	dup2(err, 2);
	if (err > 2)
		close(in), close(out), close(err);
	setenv("TMPDIR", tmp, 1);
	if (faults) { /* the driver's own calls are not counted */
		for (int f = 0; f < N_FAMILIES; f++)
			w->state->count[f] = 0;
		w->state->nth = w->armed;
	}
	if (faults && w->library) {
		setenv("LD_PRELOAD", w->library, 1);
		setenv(STATE_VARIABLE, w->state_path, 1);
	}
	execvp(argv[0], argv);
	_exit(121);
}

/* Waits for processes that the command left, which are children of this process
 * (PR_SET_CHILD_SUBREAPER). Kills processes that do not end. */
static bool orphans_end(void)
{
	double until = now() + 3;
	siginfo_t info;
	for (;;) {
		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG) < 0)
			return false;
		if (!info.si_pid && now() > until)
			break;
		if (!info.si_pid)
			nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
	}
	/* the kernel lists the children of a process */
	char *list = text_make("/proc/self/task/%d/children", (int)getpid());
	FILE *f = fopen(list, "r");
	int pid;
	while (f && fscanf(f, "%d", &pid) == 1)
		kill(pid, SIGKILL);
	if (f)
		fclose(f);
	free(list);
	while (waitid(P_ALL, 0, &info, WEXITED) == 0)
		;
	return true;
}

void run_command(const struct walk *w, char *const *argv, bool faults, double limit,
		 struct outcome *o)
{
	sigset_t child;
	siginfo_t info = {0};
	double begin = now();
	memset(o, 0, sizeof *o);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	pid_t pid = fork();
	if (pid < 0)
		give_up("cannot fork: %s", strerror(errno));
	if (!pid)
		child_run(w, argv, faults);
	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG) == 0 && !info.si_pid) {
		if (now() - begin > limit && !o->late) {
			o->late = true;
			kill(-pid, SIGKILL);
		}
		struct timespec some = {.tv_nsec = 20000000};
		sigtimedwait(&child, NULL, &some);
	}
	o->seconds = now() - begin;
	if (info.si_code == CLD_EXITED)
		o->status = info.si_status;
	else
		o->status = -1, o->signal = info.si_status;
	o->orphans = orphans_end();
	int fd = open(w->err, O_RDONLY);
	ssize_t got = fd < 0 ? 0 : read(fd, o->text, sizeof o->text - 1);
	o->text[got < 0 ? 0 : got] = 0;
	close(fd);
}

static bool is_good(const struct fault_case *c, int status)
{
	return status >= 0 && status < 32 && c->good >> status & 1;
}

/* A trace that differs between runs is correct if it can be read. */
static bool trace_is_whole(const struct walk *w, const char *path)
{
	size_t len = strlen(path);
	if (len < 6 || strcmp(path + len - 6, ".trace"))
		return true;
	char *argv[] = {(char *)w->program, "info", (char *)path, NULL};
	struct outcome o;
	struct walk apart = *w;
	apart.out = text_make("%s/look-out", w->dir);
	apart.err = text_make("%s/look-err", w->dir);
	run_command(&apart, argv, false, 60, &o);
	free(apart.out);
	free(apart.err);
	return o.status == 0;
}

static bool file_has(const char *path, const char *text)
{
	char line[65536];
	bool found = false;
	FILE *f = fopen(path, "r");
	while (f && !found && fgets(line, sizeof line, f))
		found = strstr(line, text) != NULL;
	if (f)
		fclose(f);
	return found;
}

/* Whether the command printed the text of the error as the reason why something is missing or
 * different. */
static bool is_named(const struct walk *w, const char *file)
{
	const char *error =
	    w->state->fault == FAULT_SHORT ? "short" : strerror((int)w->state->fault);
	/* with the file system, the fault may be in another program with other messages: gnuplot */
	bool named = (!w->library && file_has(w->err, "no plots: ")) || file_has(w->out, error) ||
		     file_has(w->err, error) ||
		     (w->state->fault == ENOMEM &&
		      (file_has(w->out, "memory") || file_has(w->err, "memory")));
	char *path = file ? text_make("%s/%s", w->run, file) : NULL;
	named = named || (path && file_has(path, error));
	free(path);
	return named;
}

/* Whether the command named the remaining file, or the scratch directory that contains it. */
static bool is_left_openly(const struct walk *w, const char *path)
{
	char *part = text_make("%s", path), *end;
	bool named;
	while (!(named = file_has(w->out, part) || file_has(w->err, part)) &&
	       (end = strrchr(part, '/')) && strstr(part, "validate-") < end)
		*end = 0;
	free(part);
	return named;
}

/* Judges a file that exists after the run. Returns a text, or NULL. */
static const char *entry_judge(const struct walk *w, const struct fault_case *c,
			       const struct tree_entry *e, bool good)
{
	static char text[5000];
	const struct tree_entry *want = tree_find(&c->after, e->path),
				*had = tree_find(&c->before, e->path);
	const char *base = strrchr(e->path, '/') ? strrchr(e->path, '/') + 1 : e->path;
	snprintf(text, sizeof text, "%s", "");
	if (!good && !had && c->stays && !strcmp(e->path, c->stays))
		return NULL;
	/* a file that cannot be removed remains; with the file system, every call includes
	 * look-ups, so an unlink may fail, or a file was created although its creation fails */
	bool looked_up = !w->library && w->state->family == STAT,
	     kept = w->state->family == UNLINK || looked_up;
	if (!strncmp(base, ".validate-", 10) && !had)
		snprintf(text, sizeof text, "left behind: %s", e->path);
	else if (!c->free_tree && !want && !had)
		snprintf(text, sizeof text, "left behind: %s", e->path);
	if (*text)
		return kept || is_left_openly(w, e->path) ? NULL : text;
	if (c->data && !strncmp(e->path, c->data, strlen(c->data)))
		return NULL;
	if (c->free_tree || !S_ISREG(e->mode) || (looked_up && !good) ||
	    (want && e->digest == want->digest) || (!good && had && e->digest == had->digest))
		return NULL;
	if (want &&
	    ((want->varies && trace_is_whole(w, e->path)) || (good && is_named(w, e->path))))
		return NULL;
	snprintf(text, sizeof text, "%s is neither as without the fault nor as before", e->path);
	return text;
}

/* Whether a page states why something is missing. */
static bool is_named_in_page(const struct walk *w, const struct fault_case *c)
{
	for (size_t i = 0; i < c->after.n; i++) {
		const char *end = strrchr(c->after.entry[i].path, '.');
		if (end && !strcmp(end, ".html") && is_named(w, c->after.entry[i].path))
			return true;
	}
	return is_named(w, NULL);
}

static const char *tree_judge(const struct walk *w, const struct fault_case *c, bool good)
{
	static char text[5000];
	struct tree now_there;
	const char *why = NULL;
	tree_take(&now_there, w->run);
	for (size_t i = 0; i < now_there.n && !why; i++)
		why = entry_judge(w, c, &now_there.entry[i], good);
	for (size_t i = 0; i < c->after.n && !why && good && !c->free_tree; i++)
		if (!tree_find(&now_there, c->after.entry[i].path) && !is_named_in_page(w, c)) {
			snprintf(text, sizeof text, "success without %s", c->after.entry[i].path);
			why = text;
		}
	for (size_t i = 0; i < c->before.n && !why && !good && !c->free_tree; i++)
		if (!tree_find(&now_there, c->before.entry[i].path) &&
		    tree_find(&c->after, c->before.entry[i].path)) {
			snprintf(text, sizeof text, "lost: %s", c->before.entry[i].path);
			why = text;
		}
	tree_release(&now_there);
	return why;
}

/* Runs the script of the case, which may resume a campaign and checks the final state. */
static const char *script_judge(const struct walk *w, const struct fault_case *c, int status)
{
	static char text[5000];
	struct outcome o;
	struct walk apart = *w;
	char number[16];
	snprintf(number, sizeof number, "%d", status);
	char *script = text_make("%s/in/%s", w->base, c->check),
	     *argv[] = {"sh", script, (char *)w->program, number, NULL};
	apart.out = text_make("%s/check-out", w->dir);
	apart.err = text_make("%s/check-err", w->dir);
	run_command(&apart, argv, false, 120, &o);
	free(script);
	free(apart.out);
	free(apart.err);
	if (!o.status)
		return NULL;
	snprintf(text, sizeof text, "afterwards: %.3000s", o.text);
	return text;
}

const char *run_judge(const struct walk *w, const struct fault_case *c, const struct outcome *o)
{
	static char text[200];
	bool good = is_good(c, o->status);
	if (o->late || o->signal) {
		snprintf(text, sizeof text,
			 o->late ? "did not end within %.0f s" : "killed by signal %.0f",
			 o->late ? o->seconds : (double)o->signal);
		return text;
	}
	if (strstr(o->text, "Sanitizer") || strstr(o->text, "runtime error:"))
		return "a sanitizer's report";
	if (o->orphans)
		return "left a process";
	snprintf(text, sizeof text, "status %d", o->status);
	if (o->status > 6)
		return text;
	if (!good && !strstr(o->text, "validate: "))
		return strcat(text, " without a message");
	if (good && !c->vary_output && file_sum(w->out) != c->output && !is_named(w, NULL))
		return strcat(text, " with another output");
	const char *why = tree_judge(w, c, good);
	return why || !c->check ? why : script_judge(w, c, o->status);
}
