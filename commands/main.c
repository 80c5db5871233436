/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate: shows whether an I/O trace replayer measures what the application would have seen.
 *
 * The table of subcommands. Only this file prints failures and exits. */
#include <gsl/gsl_errno.h>
#include <jansson.h>
#include <poll.h>
#include <sys/resource.h>

#include "commands/commands.h"
#include "common/cgroup_where.h"
#include "common/leftovers.h"
#include "common/units.h"

const struct command *const commands[] = {
	&cmd_init,
	&cmd_run,
	&cmd_judge,
	&cmd_claim,
	&cmd_report,
	&cmd_compare,
	&cmd_baseline,
	&cmd_pool,
	&cmd_history,
	&cmd_stats,
	&cmd_metrics,
	&cmd_import,
	&cmd_export,
	&cmd_slice,
	&cmd_info,
	&cmd_capture,
	&cmd_microbench,
	&cmd_replay,
	&cmd_deps,
	&cmd_volume,
	&cmd_standard,
	&cmd_doctor,
	&cmd_selftest,
	&cmd_version,
	NULL,
};

/* Headings of the list in --help. Each is above the named command. */
static const struct {
	const struct command *first;
	const char *heading;
} groups[] = {
	{&cmd_init, "Judge replayers"},
	{&cmd_report, "Read and compare results"},
	{&cmd_import, "Read and change traces"},
	{&cmd_capture, "Record and replay"},
	{&cmd_doctor, "This machine and this program"},
};

static const struct command *command_find(const char *name)
{
	for (const struct command *const *c = commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

static void help_print(FILE *out)
{
	fputs("Usage: validate COMMAND [arguments]\n"
		"       validate help COMMAND\n"
		"\n"
		"Tests whether an I/O trace replayer reproduces the response times of the\n"
		"program that was traced.\n", out);
	for (const struct command *const *c = commands; *c; c++) {
		for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
			if (groups[i].first == *c)
				fprintf(out, "\n%s:\n", groups[i].heading);
		fprintf(out, "  %-12s%s\n", (*c)->name, (*c)->help);
	}
	fputs("\n"
		"\"validate COMMAND --help\" lists the arguments and options of a command.\n"
		"\n"
		"Exit status: 0 done or trusted, 1 not trusted (compare: worse), 2 wrong usage,\n"
		"3 failed, 4 inconclusive, 5 not comparable, 6 refused for safety.\n", out);
}

static int command_unknown(const char *name, struct err *e)
{
	const char *names[sizeof commands / sizeof *commands + 2] = {"--help", "--version"};
	size_t n = 2;
	for (const struct command *const *c = commands; *c; c++)
		names[n++] = (*c)->name;
	names[n] = NULL;
	name_refuse(e, ENOENT, name, names, " (\"validate help\" lists the commands)",
		    "unknown %s \"%s\"", name[0] == '-' ? "option" : "command", name);
	return EXIT_USAGE;
}

/* Below these limits, the kernel could kill the program at any point without a message. */
#define STACK_LEAST (UINT64_C(512) << 10)
#define GROUP_LEAST (UINT64_C(16) << 20)

static int limits_check(const char *command, struct err *e)
{
	struct rlimit r;
	if (!getrlimit(RLIMIT_STACK, &r) && r.rlim_cur < STACK_LEAST)
		return err_set(e, ENOMEM, "the stack limit is %llu KiB, but this program needs "
			"%llu KiB: raise it (ulimit -s)", (unsigned long long)r.rlim_cur >> 10,
			(unsigned long long)STACK_LEAST >> 10);
	/* A campaign starts these two commands in a cgroup that may have only its cache budget.
	 * They check their allocations themselves. */
	if (!strcmp(command, cmd_replay.name) || !strcmp(command, cmd_microbench.name))
		return 0;
	const struct cgroup_room room = cgroup_room("");
	if (room.limit_bytes != UINT64_MAX && room.limit_bytes - room.anonymous_bytes < GROUP_LEAST)
		return err_set(e, ENOMEM, "the memory cgroup has room for %llu KiB, but this "
			"program needs %llu KiB: raise its limit (memory.max, "
			"memory.limit_in_bytes)", (unsigned long long)(room.limit_bytes -
			room.anonymous_bytes) >> 10, (unsigned long long)GROUP_LEAST >> 10);
	return 0;
}

static int command_dispatch(int argc, char **argv, struct err *e)
{
	const char *word = argc > 1 ? argv[1] : "";
	const bool help = !strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h");
	const bool of_command =
	    help && argc > 2 && argv[2][0] != '-' && strcmp(argv[2], "help") != 0;
	if (argc < 2) {
		help_print(stderr);
		return EXIT_USAGE;
	}
	if (help && !of_command) {
		help_print(stdout);
		return EXIT_OK;
	}
	if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		printf("validate %s\n", VALIDATE_VERSION);
		return EXIT_OK;
	}
	if (!of_command && limits_check(word, e))
		return EXIT_FAILED;
	const char *name = of_command ? argv[2] : word;
	const struct command *command = command_find(name);
	char ask[] = "--help";
	char *line[] = {argv[2], ask, NULL};
	return !command     ? command_unknown(name, e)
	       : of_command ? command->run(2, line, e)
			    : command->run(argc - 1, argv + 1, e);
}

static void ignore_signal(int signal_number)
{
	(void)signal_number;
}

/* Files are read through mappings. If another program truncates such a file, or a disk fails, this
 * prints the reason. The failed access is unknown, so the program cannot continue. */
static void on_bus_error(int signal_number, siginfo_t *how, void *context)
{
	static const char text[] = "validate: another program truncated a file while validate read "
				   "it, or the disk of the file failed (SIGBUS)\n";
	(void)context;
	if (how->si_code != BUS_ADRERR) { /* caused by a bug in this program */
		signal(signal_number, SIG_DFL);
		return;
	}
	(void)!write(STDERR_FILENO, text, sizeof text - 1);
	leftovers_remove();
	_exit(EXIT_FAILED);
}

/* A terminating signal first removes scratch files and then ends the program as usual. */
static void on_end(int signal_number)
{
	leftovers_remove();
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

/* Catches terminating signals. An ignored signal (nohup, a background job) stays ignored. */
static void end_signals_catch(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction now = {.sa_handler = on_end}, was;
	sigemptyset(&now.sa_mask);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (!sigaction(signals[i], NULL, &was) && was.sa_handler == SIG_DFL)
			sigaction(signals[i], &now, NULL);
}

/* If descriptor 0, 1 or 2 is closed, the next opened file would get its number, and messages would
 * be written to a trace. So /dev/null is opened, for reading only: output without a destination is
 * an error. */
static void standard_descriptors_open(void)
{
	int fd;
	do {
		fd = open("/dev/null", O_RDONLY);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

static bool reader_is_gone(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
	return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

/* Flushes standard output. Lost output is a failure, unless the reader has closed the pipe. */
static int stdout_finish(int status, struct err *e)
{
	bool bad = ferror(stdout);
	errno = 0;
	bad |= fflush(stdout) != 0;
	int code = bad && reader_is_gone() ? EPIPE : errno;
	if (close(STDOUT_FILENO) < 0 && !bad) {
		bad = true;
		code = errno;
	}
	if (!bad || code == EPIPE || status == EXIT_USAGE || status == EXIT_FAILED)
		return status;
	err_sys(e, code ? code : EIO, "cannot write to standard output");
	return EXIT_FAILED;
}

/* GSL's allocating functions return NULL if there is no memory, and most callers do not check that.
 * So this ends the program. Other errors of GSL are returned. */
static void on_gsl_error(const char *reason, const char *file, int line, int code)
{
	(void)reason;
	(void)file;
	(void)line;
	if (code == GSL_ENOMEM)
		out_of_memory(0);
}

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;
	gsl_set_error_handler(on_gsl_error);
	/* jansson silently drops a member if an allocation fails; xmalloc ends the program with a
	 * message instead */
	json_set_alloc_funcs(xmalloc, free);
	standard_descriptors_open();
	/* If the reader closes the output of this program, writes must fail with EPIPE and not kill
	 * a campaign. SIGPIPE gets a handler instead of SIG_IGN, because started programs would
	 * inherit SIG_IGN. */
	struct sigaction on_pipe = {.sa_handler = ignore_signal, .sa_flags = SA_RESTART};
	sigemptyset(&on_pipe.sa_mask);
	sigaction(SIGPIPE, &on_pipe, NULL);
	/* a file at its size limit then fails with EFBIG, like a full disk */
	sigaction(SIGXFSZ, &on_pipe, NULL);
	struct sigaction on_bus = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
	sigemptyset(&on_bus.sa_mask);
	sigaction(SIGBUS, &on_bus, NULL);
	end_signals_catch();

	int status = command_dispatch(argc, argv, &e);
	status = stdout_finish(status, &e);
	/* the message may contain names from untrusted traces, results and protocols */
	if (status != EXIT_OK && e.msg[0]) {
		fputs("validate: ", stderr);
		shown_print(stderr, e.msg, sizeof e.msg);
		fputc('\n', stderr);
	}
	return status;
}
