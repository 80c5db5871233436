/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate capture: records the I/O of a program or device as a trace. Each method has a row. */
#include <sys/wait.h>

#include "capture/app/app.h"
#include "capture/content/content.h"
#include "commands/capture.h"
#include "commands/commands.h"
#include "common/units.h"

/* --- capture app --------------------------------------------------------- */

static const char app_synopsis[] = "app [options] -o TRACE [--] COMMAND [ARGUMENT]...";
static const char app_about[] =
	"Runs COMMAND with a preloaded library, and writes a trace of the file calls of\n"
	"COMMAND and all its children. The capture ends when the last of them has ended.\n"
	"The trace contains every call that returned, even if a program was killed. The\n"
	"library sees only calls through the C library. It does not see statically\n"
	"linked programs, the dynamic linker or direct system calls. To record these, or\n"
	"a running process, use \"validate capture vfs\".\n"
	"\n"
	"Exit status: 0 the trace was written, 2 wrong usage, 3 failed, 6 refused\n"
	"because COMMAND is setuid or setgid, or has file capabilities. The status of\n"
	"COMMAND is printed.";

static void programs_print(const char *label, const char *what, const struct app_programs *p)
{
	if (!p->n)
		return;
	printf("%-14s%" PRIu64 " %s %s:", label, p->n,
	       p->n == 1 ? "run of a program" : "runs of programs", what);
	for (int i = 0; i < APP_NAMES_SHOWN && p->name[i]; i++) {
		fputs(i ? ", " : " ", stdout);
		shown_print(stdout, p->name[i], SIZE_MAX);
	}
	putchar('\n');
}

static void content_print(const struct app_config *c, const struct app_outcome *o)
{
	printf("%-14s%s written by %" PRIu64
	       " request%s, stored as %s (equal blocks only once) -> %s" CONTENT_SUFFIX
	       "; the file holds the program's data, so share it with care\n",
	       "content", size_text(o->n_content_bytes).s, o->n_content_requests,
	       o->n_content_requests == 1 ? "" : "s", size_text(o->n_content_stored_bytes).s,
	       c->output);
	count_line("note", o->n_without_content,
		   "request wrote data that is not stored, such as wide characters: a replay "
		   "writes other data instead",
		   "requests wrote data that is not stored, such as wide characters: a replay "
		   "writes other data instead");
}

void files_noted_print(const struct files_noted *n)
{
	if (n->n_left_out)
		printf("%-14sthe list of the %" PRIu64
		       " initial files is too long for a trace, and is left out\n",
		       "warning", n->n_left_out);
	count_line("note", n->n_holes_cut,
		   "file has more than 256 holes: only the first 256 are stored",
		   "files have more than 256 holes: only the first 256 are stored");
	count_line("note", n->n_undigested,
		   "file has no digest: its holes are larger than 1 GiB in total",
		   "files have no digests: the holes of each are larger than 1 GiB in total");
}

void changes_print(uint64_t n_mounts, uint64_t n_unshared)
{
	count_line("warning", n_mounts,
		   "call mounted or unmounted a file system: after it, the same name can refer to "
		   "another file, and the trace does not show which",
		   "calls mounted or unmounted file systems: after them, the same name can refer "
		   "to another file, and the trace does not show which");
	count_line("warning", n_unshared,
		   "thread or process shares descriptors or the working directory in an unusual "
		   "way (clone or unshare with CLONE_FILES or CLONE_FS): its files are not known",
		   "threads or processes share descriptors or the working directory in an unusual "
		   "way (clone or unshare with CLONE_FILES or CLONE_FS): their files are not "
		   "known");
}

void command_status_print(int status)
{
	if (WIFSIGNALED(status))
		printf("%-14skilled by signal %d (%s)\n", "command", WTERMSIG(status),
		       strsignal(WTERMSIG(status)));
	else
		printf("%-14sended with status %d\n", "command", WEXITSTATUS(status));
}

#define LOST_CAUSES                                                                                \
	". Usual causes: a limit on the program's memory or file size, a seccomp filter, or a "    \
	"full scratch directory (--scratch). Such limits and filters do not affect \"validate "    \
	"capture vfs\""

static void app_print(const struct app_config *c, const struct app_outcome *o)
{
	command_status_print(o->status);
	printf("%-14s%" PRIu64 " from %" PRIu64 " thread%s of %" PRIu64 " program run%s -> %s\n",
	       "requests", o->n_requests, o->n_threads, o->n_threads == 1 ? "" : "s",
	       o->n_processes, o->n_processes == 1 ? "" : "s", c->output);
	if (o->n_outside)
		printf("%-14s%" PRIu64 " request%s outside %s %s left out\n", "note", o->n_outside,
		       o->n_outside == 1 ? "" : "s", c->root, o->n_outside == 1 ? "is" : "are");
	files_noted_print(&o->files);
	if (c->content)
		content_print(c, o);
	count_line("warning", o->n_lost,
		   "request is lost: the trace is incomplete" LOST_CAUSES,
		   "requests are lost: the trace is incomplete" LOST_CAUSES);
	changes_print(o->n_mounts, o->n_unshared);
	count_line("warning", o->n_file_actions,
		   "call to posix_spawn failed, or its file actions could not be read: the trace "
		   "does not show which files these actions made or truncated",
		   "calls to posix_spawn failed, or their file actions could not be read: the "
		   "trace does not show which files these actions made or truncated");
	if (o->interrupted)
		printf("%-14sinterrupted: processes that are still running are not traced "
		       "further\n", "warning");
	programs_print("warning", "not captured (statically linked, setuid, setgid, or of another "
		       "user)", &o->unseen);
	programs_print("warning",
		       "can call the kernel without the C library; such calls are not in the trace",
		       &o->own_calls);
	programs_print("note",
		       "generated code at run time; if this code made direct system calls, they "
		       "are not in the trace",
		       &o->made_code);
	programs_print("note", "could not be searched for direct system calls (a file of the "
		       "program or of a library was removed or changed); such calls are not in the "
		       "trace", &o->replaced);
	programs_print(
	    "note", "can use io_uring without liburing; such requests are not in the trace",
	    &o->own_rings);
	count_line("warning", o->n_ring_entries,
		"direct system call to io_uring_enter: its requests are not in the trace",
		"direct system calls to io_uring_enter: their requests are not in the trace");
}

static int capture_app(int argc, char **argv, struct err *e)
{
	struct app_config c;
	struct app_outcome o;
	struct trace_parts parts;
	int n_positional, command;
	app_config_init(&c);
	int ret = options_parse_command(app_options, &c, argc, argv, 0, &n_positional, &command, e);
	if (ret > 0) {
		command_help(&cmd_capture, app_synopsis, app_about, app_options);
		return EXIT_OK;
	}
	if (!ret && c.pid)
		ret = err_set(e, EINVAL, "--pid %s: \"validate capture app\" cannot attach to a "
			"running process, because its library is loaded when a program starts. As "
			"root, use \"validate capture vfs --pid %s -o TRACE\"", c.pid, c.pid);
	if (!ret && command >= argc)
		ret = err_set(e, EINVAL, "the command is missing: usage is validate capture %s",
			      app_synopsis);
	if (!ret && !c.output)
		ret = err_set(e, EINVAL, "-o TRACE is missing");
	if (!ret && c.rotate && c.content)
		ret = err_set(e, EINVAL, "--rotate and --content cannot be used together: the "
			"content belongs to one trace file");
	ret = ret ? ret : rotate_check(&parts, c.rotate, e);
	if (ret)
		return EXIT_USAGE;
	c.command = argv + command;
	ret = app_capture(&c, &o, e);
	if (!ret)
		app_print(&c, &o);
	ret = ret ? ret : rotate_apply(&parts, c.rotate, c.output, c.compress, e);
	if (!ret && c.check_status && o.status)
		ret = err_set(e, ECANCELED,
			      WIFSIGNALED(o.status) ? "the command was killed by signal %d"
						   : "the command ended with status %d",
			      WIFSIGNALED(o.status) ? WTERMSIG(o.status) : WEXITSTATUS(o.status));
	app_outcome_release(&o);
	return !ret ? EXIT_OK : ret == -EPERM ? EXIT_REFUSED : EXIT_FAILED;
}

/* --- the table ----------------------------------------------------------- */

static const struct capture_way {
	const char *name;
	int (*run)(int argc, char **argv, struct err *e); /* argv[0] is the method's name */
} ways[] = {
	{"app", capture_app}, /* calls of a program, by a preloaded library */
	/* calls of programs, page faults and cache misses, by the kernel's tracepoints */
	{"vfs", capture_vfs},
	{"block", capture_block}, /* requests of a device, by the kernel's tracepoints */
	/* calls of a parallel application and its waits, by several runs */
	{"causality", capture_causality},
	{NULL, NULL},
};

static const char methods_help[] =
	"Usage: validate capture app|vfs|block|causality [options] -o TRACE ...\n"
	"\n"
	"Records I/O requests, and writes them as a trace. There are four methods:\n"
	"  app        file calls of a program, with a preloaded library\n"
	"  vfs        file calls of a program, page faults and page-cache misses, with\n"
	"             the kernel's tracepoints; needs root\n"
	"  block      requests of a block device, with the kernel's tracepoints; needs\n"
	"             root\n"
	"  causality  file calls of a parallel application, and which of its threads wait\n"
	"             for which others, with a preloaded library and several runs\n";

/* Handles a call without a method, for which only the help is available. */
static int capture_nothing(int argc, char **argv, struct err *e)
{
	if (argc < 2 || (strcmp(argv[1], "--help") && strcmp(argv[1], "-h"))) {
		if (argc > 1)
			err_set(e, ENOENT, "unknown option %s: the first argument must be app, "
				"vfs, block or causality", argv[1]);
		else
			err_set(e, EINVAL, "the method is missing: the first argument must be app, "
				"vfs, block or causality");
		return EXIT_USAGE;
	}
	fputs(methods_help, stdout);
	for (const struct capture_way *w = ways; w->name; w++) {
		char *help[] = {(char *)(uintptr_t)w->name, argv[1], NULL};
		putchar('\n');
		w->run(2, help, e);
	}
	return EXIT_OK;
}

static int capture_command(int argc, char **argv, struct err *e)
{
	const char *names[sizeof ways / sizeof *ways];
	size_t n = 0;
	for (const struct capture_way *w = ways; w->name; w++)
		names[n++] = w->name;
	names[n] = NULL;
	if (argc < 2 || argv[1][0] == '-')
		return capture_nothing(argc, argv, e);
	for (const struct capture_way *w = ways; w->name; w++)
		if (!strcmp(argv[1], w->name))
			return w->run(argc - 1, argv + 1, e);
	name_refuse(e, EINVAL, argv[1], names, NULL,
		    "unknown capture method \"%s\"", argv[1]);
	return EXIT_USAGE;
}

const struct command cmd_capture = {"capture", "record the I/O of a program or of a device",
				    capture_command};
