/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/app.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "capture/app_private.h"
#include "common/files.h"
#include "common/strbuf.h"
#include "common/xalloc.h"

#define LIBRARY "libvalidate-capture.so"
/* While windows fill, often: those that come back soon are still in a cache. */
#define POLL_MS 10
#define POLL_BUSY_MS 2
#define FIELD(f) offsetof(struct app_config, f)

const struct option_spec app_options[] = {
	{.name = "output", .letter = 'o', .type = OPT_STRING, .offset = FIELD(output), .arg = "TRACE",
	 .help = "the trace to write", .flags = OPT_CLI_ONLY},
	{.name = "root", .type = OPT_STRING, .offset = FIELD(root), .arg = "DIR",
	 .help = "name files relative to DIR and leave out all others; /", .flags = OPT_CLI_ONLY},
	{.name = "snapshot", .type = OPT_FLAG, .offset = FIELD(snapshot),
	 .help = "note how the files were before they were used first, for replay --prepare", .flags = OPT_CLI_ONLY},
	{.name = "no-characters", .type = OPT_FLAG, .offset = FIELD(no_characters),
	 .help = "leave out stdio calls of one character (getc, putc)", .flags = OPT_CLI_ONLY},
	{.name = "compress", .type = OPT_FLAG, .offset = FIELD(compress), .help = "compress the trace (zstd)",
	 .flags = OPT_CLI_ONLY},
	{.name = "scratch", .type = OPT_STRING, .offset = FIELD(scratch), .arg = "DIR",
	 .help = "where the buffers are while the command runs; /dev/shm", .flags = OPT_CLI_ONLY},
	{0},
};

void app_config_init(struct app_config *c)
{
	*c = (struct app_config){.root = "/"};
}

void app_outcome_release(struct app_outcome *o)
{
	for (int i = 0; i < APP_UNSEEN_SHOWN; i++)
		free(o->unseen[i]);
}

/* --- can it be captured ------------------------------------------------------------------------------------------------ */

/* The library beside the program as built, or where it is installed. The caller frees. */
static char *library_find(struct err *e)
{
	char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	self[len > 0 ? len : 0] = 0;
	char *slash = strrchr(self, '/');
	if (slash)
		*slash = 0;
	static const char *const places[] = {"", "../lib/validate/"};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		char *path = xasprintf("%s/%s%s", self, places[i], LIBRARY);
		char *real = realpath(path, NULL);
		free(path);
		if (real && strpbrk(real, " :"))
			err_set(e, EINVAL, "%s: the dynamic linker cannot preload a library whose path has a blank or a colon",
				real);
		else if (real)
			return real;
		if (real) {
			free(real);
			return NULL;
		}
	}
	err_set(e, ENOENT, "%s is neither beside the program (%s) nor in ../lib/validate", LIBRARY, self);
	return NULL;
}

/* The file that a shell would start. The caller frees. */
static char *command_find(const char *name, struct err *e)
{
	const char *path = getenv("PATH");
	if (strchr(name, '/')) {
		if (!access(name, X_OK))
			return xstrdup(name);
		err_sys(e, errno, "%s", name);
		return NULL;
	}
	for (path = path ? path : "/usr/local/bin:/usr/bin:/bin"; *path; path += strspn(path, ":")) {
		size_t len = strcspn(path, ":");
		char *file = xasprintf("%.*s/%s", (int)len, path, name);
		struct stat st;
		if (!access(file, X_OK) && !stat(file, &st) && S_ISREG(st.st_mode))
			return file;
		free(file);
		path += len;
	}
	err_set(e, ENOENT, "%s: no such command", name);
	return NULL;
}

/* Programs that get other privileges by being started do not load what the caller names. */
static int privileges_check(const char *file, struct err *e)
{
	struct stat st;
	if (stat(file, &st))
		return err_sys(e, errno, "%s", file);
	bool other_user = st.st_mode & S_ISUID && st.st_uid != getuid();
	bool other_group = st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getgid();
	bool capabilities = getuid() && getxattr(file, "security.capability", NULL, 0) > 0;
	if (!other_user && !other_group && !capabilities)
		return 0;
	return err_set(e, EPERM, "%s: refused: it runs with other privileges (%s), and the dynamic linker then loads no library "
		       "for us; start it as the user it changes to",
		       file, other_user ? "setuid" : other_group ? "setgid" : "file capabilities");
}

/* 1: an ELF program that asks for a dynamic linker, 0: one that does not, -1: no 64-bit ELF (a script, perhaps). */
static int is_dynamic(const char *file)
{
	Elf64_Ehdr h;
	Elf64_Phdr p;
	int answer = -1, fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (pread(fd, &h, sizeof h, 0) == sizeof h && !memcmp(h.e_ident, ELFMAG, SELFMAG) &&
	    h.e_ident[EI_CLASS] == ELFCLASS64 && h.e_phentsize == sizeof p) {
		answer = 0;
		for (int i = 0; i < h.e_phnum && !answer; i++)
			if (pread(fd, &p, sizeof p, (off_t)(h.e_phoff + (uint64_t)i * sizeof p)) == sizeof p)
				answer = p.p_type == PT_INTERP;
	}
	close(fd);
	return answer;
}

static int command_check(const char *file, struct err *e)
{
	int rc = privileges_check(file, e);
	if (!rc && is_dynamic(file) == 0)
		rc = err_set(e, ENOEXEC, "%s is statically linked: a preloaded library does not see its calls", file);
	return rc;
}

/* --- the command's processes ---------------------------------------------------------------------------------------------- */

struct run {
	const struct app_config *config;
	struct app_outcome *outcome;
	struct spool spool;
	struct clock clock;
	uint64_t start;
	int64_t wall_epoch_ns;
	pid_t child;
	int signals;
	sigset_t old_mask;
	unsigned int n_stops;
};

static void variables_set(const struct run *r, const char *library)
{
	const char *before = getenv("LD_PRELOAD");
	char *list = before && *before ? xasprintf("%s:%s", library, before) : xstrdup(library);
	setenv("LD_PRELOAD", list, 1);
	setenv(LOG_DIR_VARIABLE, r->spool.dir, 1);
	free(list);
}

static int command_start(struct run *r, const char *file, const char *library, struct err *e)
{
	int report[2];
	if (pipe2(report, O_CLOEXEC))
		return err_sys(e, errno, "making a pipe");
	fflush(NULL);
	r->child = fork();
	if (r->child == 0) {
		signal(SIGPIPE, SIG_DFL);
		signal(SIGXFSZ, SIG_DFL);
		sigprocmask(SIG_SETMASK, &r->old_mask, NULL);
		variables_set(r, library);
		execv(file, r->config->command);
		if (errno == ENOEXEC) { /* a script without a first line that names its shell: as a shell starts it */
			char **v = r->config->command;
			size_t n = 0;
			while (v[n])
				n++;
			char **shell = xcalloc(n + 2, sizeof *shell);
			shell[0] = xstrdup("sh");
			shell[1] = xstrdup(file);
			memcpy(shell + 2, v + 1, n * sizeof *shell - sizeof *shell);
			execv("/bin/sh", shell);
		}
		int code = errno;
		if (write(report[1], &code, sizeof code) < 0)
			_exit(126);
		_exit(127);
	}
	int code = r->child < 0 ? errno : 0;
	close(report[1]);
	if (r->child > 0 && read(report[0], &code, sizeof code) == sizeof code)
		waitpid(r->child, NULL, 0);
	close(report[0]);
	return code ? err_sys(e, code, "starting %s", file) : 0;
}

/* All children that have ended. False: there is none left. */
static bool children_reap(struct run *r)
{
	int status;
	pid_t pid;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == r->child)
			r->outcome->status = status;
	return pid == 0 || (pid < 0 && errno != ECHILD);
}

/* The first request to stop is passed on to the command; a second one ends the capture with what there is. */
static bool signals_take(struct run *r)
{
	struct signalfd_siginfo info;
	while (read(r->signals, &info, sizeof info) == sizeof info) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		if (++r->n_stops > 1)
			return false;
		/* from the terminal it went to the command too */
		if (info.ssi_code != SI_KERNEL)
			kill(r->child, (int)info.ssi_signo);
	}
	return true;
}

static int processes_follow(struct run *r, struct err *e)
{
	struct pollfd p = {.fd = r->signals, .events = POLLIN};
	while (children_reap(r)) {
		size_t before = r->spool.n_windows;
		int rc = spool_drain(&r->spool, false, e);
		if (rc)
			return rc;
		if (!signals_take(r)) {
			r->outcome->interrupted = true;
			break;
		}
		poll(&p, 1, r->spool.n_windows > before ? POLL_BUSY_MS : POLL_MS);
	}
	return spool_drain(&r->spool, true, e);
}

/* What the trace needs may be missing (the disk is full, perhaps), but the command goes on as if nobody looked. */
static void processes_let_run(struct run *r)
{
	struct pollfd p = {.fd = r->signals, .events = POLLIN};
	atomic_store(&r->spool.control->closed, 1);
	while (children_reap(r) && signals_take(r))
		poll(&p, 1, POLL_MS);
}

static int signals_open(struct run *r, struct err *e)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &r->old_mask);
	r->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return r->signals < 0 ? err_sys(e, errno, "waiting for signals") : 0;
}

static int64_t wall_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static int run_all(struct run *r, const char *file, const char *library, struct err *e)
{
	uint32_t flags = r->config->no_characters ? LOG_NO_CHARACTERS : 0;
	if (r->config->snapshot)
		flags |= LOG_STATE;
	struct stat st;
	if (stat(r->config->root, &st) || !S_ISDIR(st.st_mode))
		return err_sys(e, ENOTDIR, "--root %s", r->config->root);
	if (!stat(r->config->output, &st) && S_ISDIR(st.st_mode))
		return err_sys(e, EISDIR, "%s", r->config->output);
	int rc = clock_init(&r->clock, 5000000, e);
	rc = rc ? rc : spool_open(&r->spool, r->config->scratch, r->config->output, &r->clock, flags, e);
	if (rc)
		return rc;
	rc = signals_open(r, e);
	r->start = clock_begin(&r->clock);
	r->wall_epoch_ns = wall_ns();
	rc = rc ? rc : command_start(r, file, library, e);
	if (!rc) {
		rc = processes_follow(r, e);
		if (rc) {
			processes_let_run(r);
			return rc;
		}
		rc = clock_reanchor(&r->clock, e);
	}
	return rc ? rc : app_trace_write(r->config, &r->spool, &r->clock, r->start, r->wall_epoch_ns, r->outcome, e);
}

int app_capture(const struct app_config *c, struct app_outcome *o, struct err *e)
{
	struct run r = {.config = c, .outcome = o, .signals = -1, .spool = {.dir_fd = -1, .fd = -1}};
	*o = (struct app_outcome){.status = 0};
	char *library = library_find(e), *file = library ? command_find(c->command[0], e) : NULL;
	int rc = file ? command_check(file, e) : -e->code;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); /* whoever loses its parent is still waited for */
	if (!rc)
		rc = run_all(&r, file, library, e);
	spool_close(&r.spool);
	if (r.signals >= 0) {
		close(r.signals);
		sigprocmask(SIG_SETMASK, &r.old_mask, NULL);
	}
	free(library);
	free(file);
	return rc;
}
