/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "torture_attempt.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/words.h"
#include "replay/plan/mutant.h"
#include "replay/replay.h"
#include "torture_random.h"

int validate_main(int argc, char **argv); /* the program's main() under another name */

#define DISK SCENE_WORK "/disk"
const struct kind kinds[] = {
    {"event", "event", TARGET_DIRECTORY, true, 60, {NULL}},
    {"coordinator", "coordinator", TARGET_DIRECTORY, true, 30, {NULL}},
    {"processes", "event", TARGET_DIRECTORY, true, 20, {"--processes", NULL}},
    {"command", "event", TARGET_DIRECTORY, false, 4, {"--prepare", "--no-keep", NULL}},
    {"compiled",
     "compiled",
     TARGET_DIRECTORY,
     false,
     1,
     {"--program-cache", SCENE_WORK "/cache", NULL}},
    {"parallel", "parallel", TARGET_DIRECTORY, false, 1, {"--mode", "afap", NULL}},
    {"block-file", "block", TARGET_FILE, true, 10, {"--destructive", NULL}},
    {"block-device", "block", TARGET_DEVICE, true, 10, {NULL}},
    {"fio-directory",
     "fio",
     TARGET_DIRECTORY,
     false,
     1,
     {"--times", "self", "--time-limit", "5s", NULL}},
    {"fio-device", "fio", TARGET_DEVICE, false, 1, {"--times", "self", "--time-limit", "5s", NULL}},
    {"exec",
     "exec",
     TARGET_DIRECTORY,
     false,
     4,
     {"--times", "none", "--export", "iolog", "--command", "[\"/bin/cat\", \"{trace}\"]", NULL}},
    {"btreplay",
     "btreplay",
     TARGET_DEVICE,
     false,
     1,
     {"--times", "block", "--time-limit", "3s", NULL}},
    {NULL, NULL, TARGET_DIRECTORY, false, 0, {NULL}},
};

uint32_t attempt_n_requests(const struct attempt *a)
{
	uint64_t state = a->seed ^ 0x5eed;
	const uint64_t most = random_below(&state, 4) ? 40 : RANDOM_REQUESTS_MAX;
	return 1 + (uint32_t)random_below(&state, most);
}

/* --- the command line ---------------------------------------------------- */

/* Draws choices and flags from the program's own table of options, as far as the engine accepts
 * them. */
static void options_draw(struct words_list *w, const struct attempt *a, uint64_t *state)
{
	struct replay_config c;
	replay_config_init(&c);
	c.engine = a->kind->engine;
	for (const struct option_spec *o = replay_options; o->name; o++) {
		char text[200];
		const char *value = "yes";
		if ((o->flags & OPT_CLI_ONLY) || (o->type != OPT_CHOICE && o->type != OPT_FLAG) ||
		    !strcmp(o->name, "processes") ||
		    (!strcmp(o->name, "stop-on-mismatch") && random_below(state, 8)) ||
		    random_below(state, !strcmp(o->name, "order") ? 2 : 20))
			continue;
		uint64_t n = 0;
		while (o->type == OPT_CHOICE && o->choices[n])
			n++;
		if (n)
			value = o->choices[random_below(state, n)];
		/* these are mostly refused with such traces, so they are tried only sometimes */
		const bool unordered =
		    !strcmp(value, "none") && !strcmp(a->kind->name, "processes");
		if ((unordered || !strcmp(value, "original") || !strcmp(value, "captured")) &&
		    random_below(state, 8))
			continue;
		struct replay_config with = c;
		if (options_set(replay_options, &with, o->name, value, NULL) ||
		    replay_check(&with, NULL))
			continue;
		c = with;
		snprintf(text, sizeof text, n ? "--%s=%s" : "--%s", o->name, value);
		words_list_add(w, text);
	}
}

static void mutant_draw(struct words_list *w, uint64_t *state)
{
	uint64_t n = 0;
	char text[100];
	while (faults[n].name)
		n++;
	const struct fault *f = &faults[random_below(state, n)];
	snprintf(text, sizeof text, "--mutant=%s%s%s", f->name, f->usual ? ":" : "",
		 f->usual ? f->usual : "");
	words_list_add(w, text);
}

static void target_add(struct words_list *w, const struct scene *s, const struct attempt *a,
		       uint64_t *state)
{
	if (a->kind->target == TARGET_DIRECTORY) {
		words_list_add(w, "--dir");
		words_list_add(w, SCENE_TARGET);
		return;
	}
	/* sometimes: the device that must not change, without permission to overwrite it */
	const bool is_canary = a->kind->target == TARGET_DEVICE && random_below(state, 4) == 0;
	words_list_add(w, "--device");
	words_list_add(w, a->kind->target == TARGET_FILE ? DISK
			  : is_canary                    ? s->canary
							 : s->scratch);
	if (a->kind->target == TARGET_DEVICE && !is_canary)
		words_list_add(w, "--destructive");
	if (is_canary && random_below(state, 2))
		words_list_add(w, "--read-only");
}

/* Properties of the trace, drawn from the seed, because the generator and the command line both
 * need them. */
static enum random_manner manner_of(const struct attempt *a)
{
	uint64_t state = a->seed ^ 0x3a11;
	const uint64_t n = random_below(&state, 10);
	return n == 0 ? RANDOM_WILD : n < 5 ? RANDOM_BOLD : RANDOM_QUIET;
}

/* Files cannot be created if special objects have their names. */
static bool is_prepared(const struct attempt *a)
{
	static const uint64_t one_in[] = {
	    [RANDOM_QUIET] = 2, [RANDOM_BOLD] = 12, [RANDOM_WILD] = 3};
	uint64_t state = a->seed ^ 0xf11e;
	return random_below(&state, one_in[manner_of(a)]) == 0;
}

static void command_draw(struct words_list *w, const struct scene *s, const struct attempt *a)
{
	uint64_t state = a->seed ^ 0xc0de;
	const struct replay_engine *engine = replay_engine_find(a->kind->engine);
	const bool ours = engine && !engine->adapter;
	words_list_add(w, "validate");
	words_list_add(w, "replay");
	words_list_add(w, "--engine");
	words_list_add(w, a->kind->engine);
	target_add(w, s, a, &state);
	for (const char *const *more = a->kind->more; *more; more++)
		words_list_add(w, *more);
	if (ours)
		options_draw(w, a, &state);
	if (!strcmp(a->kind->engine, "event") && random_below(&state, 30) == 0)
		mutant_draw(w, &state);
	if (ours && random_below(&state, 100) == 0)
		words_list_add(w, "--memory=1");
	if (a->kind->target == TARGET_DIRECTORY && is_prepared(a))
		words_list_add(w, "--prepare");
	if (a->kind->target == TARGET_DIRECTORY && ours)
		words_list_add(w, "--watchdog=1s");
	words_list_add(w, "-o");
	words_list_add(w, SCENE_WORK "/out.trace");
	words_list_add(w, ATTEMPT_TRACE);
}

static void command_note(const struct words_list *w)
{
	FILE *f = fopen(ATTEMPT_COMMAND, "we");
	if (!f)
		abort();
	for (size_t i = 0; i < w->n; i++)
		fprintf(f, "%s%s", w->v[i], i + 1 < w->n ? " " : "\n");
	fclose(f);
}

/* --- the clock ----------------------------------------------------------- */

int __real_clock_init(struct clock *c, int64_t baseline_ns, struct err *e);
int __wrap_clock_init(struct clock *c, int64_t baseline_ns, struct err *e);
int __real_clock_calibrate(struct clock *c, int64_t baseline_ns, struct err *e);
int __wrap_clock_calibrate(struct clock *c, int64_t baseline_ns, struct err *e);

static struct clock calibrated;

void attempts_begin(void)
{
	struct err e = ERR_INIT;
	if (__real_clock_init(&calibrated, 50000000, &e)) {
		fprintf(stderr, "torture: %s\n", e.msg);
		exit(3);
	}
}

/* The linker replaces clock_init() and clock_calibrate() by these functions (--wrap). Replays of
 * this process use the clock that was calibrated before, because calibration is half of the CPU
 * time of a short replay. */
int __wrap_clock_init(struct clock *c, int64_t baseline_ns, struct err *e)
{
	*c = calibrated;
	return clock_reanchor(c, NULL) ? __real_clock_init(c, baseline_ns, e) : 0;
}

int __wrap_clock_calibrate(struct clock *c, int64_t baseline_ns, struct err *e)
{
	const struct clock opened = *c;
	*c = calibrated;
	if (!clock_reanchor(c, NULL))
		return 0;
	*c = opened;
	return __real_clock_calibrate(c, baseline_ns, e);
}

/* --- processes ----------------------------------------------------------- */

static void output_to(const char *path, int fd)
{
	const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (file < 0 || dup2(file, fd) < 0)
		_exit(125);
	close(file);
}

static void limits_set(void)
{
	const struct rlimit core = {0, 0}, memory = {(rlim_t)4 << 30, (rlim_t)4 << 30};
	setrlimit(RLIMIT_CORE, &core);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* their shadows need more */
	setrlimit(RLIMIT_AS, &memory);
#else
	(void)memory;
#endif
}

static void replay_in_child(const struct attempt *a, const struct words_list *w)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	scene_drop_rights();
	limits_set();
	output_to(ATTEMPT_OUT, STDOUT_FILENO);
	output_to(ATTEMPT_ERR, STDERR_FILENO);
	if (chdir(SCENE_WORK))
		_exit(125);
	if (a->kind->in_process)
		exit(validate_main((int)w->n, w->v));
	execv(a->validate, w->v);
	_exit(125);
}

static pid_t swapper_start(uint64_t seed)
{
	const pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		scene_swap_names(seed);
	}
	return pid;
}

static void child_end(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Processes that the replay left become children of this subreaper. They may need a moment to end.
 * Returns how many did not end. */
static int left_processes_end(void)
{
	char path[64];
	int n = 0;
	pid_t pid;
	for (int i = 0; i < 2000; i++) {
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0)
			return 0;
		usleep(1000);
	}
	snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
	FILE *f = fopen(path, "re");
	for (int left; f && fscanf(f, "%d", &left) == 1; n++)
		kill(left, SIGKILL);
	if (f)
		fclose(f);
	while (waitpid(-1, NULL, 0) > 0)
		;
	return n;
}

/* Returns the status of waitpid(), or -1 after the limit. Waits a second at a time: if all
 * processes are stopped for minutes, this counts as only one second. */
static int replay_wait(pid_t pid, int limit_s)
{
	int status = -1;
	const int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd end = {.fd = fd, .events = POLLIN};
	int n = 0;
	for (int i = 0; i < limit_s && n <= 0; i++)
		n = poll(&end, 1, 1000);
	close(fd);
	if (n > 0) {
		waitpid(pid, &status, 0);
		return status;
	}
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return -1;
}

/* --- judging ------------------------------------------------------------- */

static bool file_holds(const char *path, const char *text)
{
	static char content[65536];
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd < 0 ? -1 : read(fd, content, sizeof content);
	if (fd >= 0)
		close(fd);
	return n > 0 && memmem(content, (size_t)n, text, strlen(text));
}

static bool status_is_good(int status, int *code, char *why, size_t size)
{
	*code = -1;
	if (status == -1)
		snprintf(why, size, "it hung");
	else if (WIFSIGNALED(status))
		snprintf(why, size, "ended by signal %d", WTERMSIG(status));
	else if (file_holds(ATTEMPT_ERR, "Sanitizer") || file_holds(ATTEMPT_ERR, "runtime error:"))
		snprintf(why, size, "a sanitizer reported an error");
	else {
		*code = WEXITSTATUS(status);
		if (*code != 0 && *code != 2 && *code != 3 && *code != 6)
			snprintf(why, size, "exit status %d", *code);
		else if (*code != 0 && !file_holds(ATTEMPT_ERR, "validate: "))
			snprintf(why, size, "exit status %d without a message", *code);
		else if (*code == 0 && file_holds(ATTEMPT_OUT, "refused"))
			snprintf(why, size, "exit status 0 although a call was refused");
		else
			return true;
	}
	return false;
}

bool attempt_ran(int status)
{
	return status == 0 ||
	       (status == 6 && (file_holds(ATTEMPT_ERR, "call of the trace. The first is on") ||
				file_holds(ATTEMPT_ERR, "calls of the trace. The first is on")));
}

/* Makes the file that represents a device, and removes leftovers of the previous attempt. */
static void work_prepare(const struct attempt *a)
{
	unlink(SCENE_WORK "/out.trace");
	if (a->kind->target != TARGET_FILE)
		return;
	const int fd = open(DISK, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, SCENE_DEVICE_BYTES))
		abort();
	close(fd);
}

bool attempt_make(struct scene *s, const struct attempt *a, int *status, char *why, size_t size)
{
	struct err e = ERR_INIT;
	struct words_list words = {.n = 0};
	const bool is_block = a->kind->target != TARGET_DIRECTORY;
	struct random_trace t = {.seed = a->seed,
				 .level = is_block ? LEVEL_BLOCK : LEVEL_SYSCALL,
				 .manner = manner_of(a),
				 .prepared = is_prepared(a),
				 .left_out = a->left_out,
				 .n_requests = attempt_n_requests(a),
				 .device_bytes = SCENE_DEVICE_BYTES};
	const struct replay_engine *engine = replay_engine_find(a->kind->engine);
	t.positioned = engine && engine->adapter;
	scene_plant(s, a->seed);
	work_prepare(a);
	if (random_trace_write(&t, ATTEMPT_TRACE, &e)) {
		fprintf(stderr, "torture: %s\n", e.msg);
		exit(3);
	}
	command_draw(&words, s, a);
	command_note(&words);
	fflush(NULL);
	/* replayers of other projects may follow links that appear while they run, so they are
	 * excluded */
	const pid_t swapper =
	    !is_block && !t.positioned && a->seed % 3 == 0 ? swapper_start(a->seed) : 0;
	const pid_t pid = fork();
	if (pid == 0)
		replay_in_child(a, &words);
	const int ended = pid < 0 ? -1 : replay_wait(pid, a->limit_s);
	child_end(swapper);
	words_list_release(&words);
	bool good = status_is_good(ended, status, why, size);
	const int n_left = left_processes_end();
	if (good && n_left) {
		snprintf(why, size, "%d processes were left", n_left);
		good = false;
	}
	/* a change outside is more important than the way it ended */
	char changed[300];
	if (!scene_is_unchanged(s, changed, sizeof changed)) {
		if (good || strncmp(changed, "left behind", 11))
			snprintf(why, size, "%s", changed);
		good = false;
	}
	if (!strcmp(a->kind->engine, "compiled") && system("rm -rf " SCENE_WORK "/cache"))
		abort();
	return good;
}
