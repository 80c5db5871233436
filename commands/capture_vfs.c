/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate capture vfs: records file operations in the kernel. */
#include "capture/kernel/vfs.h"
#include "commands/capture.h"
#include "commands/commands.h"

static const char synopsis[] = "vfs [options] -o TRACE (--pid PID | [--] COMMAND [ARGUMENT]...)";
static const char about[] =
	"Records the file calls of COMMAND or of a running process, and of all its\n"
	"children, with the kernel's tracepoints. Page faults on mapped files and\n"
	"page-cache misses are recorded too. Statically linked programs and direct\n"
	"system calls are seen. Recording ends when COMMAND or the process ends, after\n"
	"--duration, or at a signal. If COMMAND is still running then, it is killed.\n"
	"Children that are still running are not recorded any further. Needs root and\n"
	"tracefs.\n"
	"\n"
	"Exit status: 0 the trace was written, 2 wrong usage, 3 failed. The status of\n"
	"COMMAND is printed.";

static void outcome_print(const struct vfs_config *c, const struct vfs_outcome *o)
{
	if (o->has_status)
		command_status_print(o->status);
	printf("%-14s%" PRIu64 " from %" PRIu64 " event%s -> %s\n", "requests", o->n_requests,
	       o->n_events, o->n_events == 1 ? "" : "s", c->output);
	if (o->n_faults || o->n_added)
		printf("%-14s%" PRIu64 " fault%s on mapped files, %" PRIu64
		       " insertion%s into the page cache\n",
		       "of them", o->n_faults, o->n_faults == 1 ? "" : "s", o->n_added,
		       o->n_added == 1 ? "" : "s");
	count_line("note", o->counts.n_unfinished,
		   "call had not returned when its thread or the capture ended: left out",
		   "calls had not returned when their thread or the capture ended: left out");
	count_line("note", o->counts.n_without_begin, "call began before the capture: left out",
		   "calls began before the capture: left out");
	if (o->no_paths.code)
		printf("%-14spaths cannot be read on this machine, and are not in the trace (%s)\n",
		       "warning", o->no_paths.msg);
	count_line("warning", o->counts.n_unnamed, "call has an unknown path",
		   "calls have an unknown path");
	count_line("warning", o->counts.n_unknown,
		"call uses a descriptor without a captured open (perhaps received from another "
		"process)", "calls use descriptors without a captured open (perhaps received from "
		"another process)");
	count_line("warning", o->counts.n_positions_unknown,
		   "file was in use when the capture began: its file offset is unknown until the "
		   "program calls lseek",
		   "files were in use when the capture began: their file offsets are unknown until "
		   "the program calls lseek");
	if (o->counts.n_rings && o->no_rings.code)
		printf("%-14srings of io_uring cannot be read on this machine (%s)\n", "warning",
		       o->no_rings.msg);
	count_line("warning", o->counts.n_ring_unread,
		   "request of io_uring cannot be replayed: it uses a registered file, its "
		   "operation is not decoded, or its end was not captured",
		   "requests of io_uring cannot be replayed: they use registered files, their "
		   "operations are not decoded, or their ends were not captured");
	count_line("warning", o->counts.n_handed_over, "asynchronous request was submitted "
		"(io_submit, io_uring_enter) and is not in the trace", "asynchronous requests were "
		"submitted (io_submit, io_uring_enter) and are not in the trace");
	count_line("warning", o->counts.n_rings,
		   "instance of io_uring was set up: its requests are not in the trace; use "
		   "\"validate capture app\"",
		   "instances of io_uring were set up: their requests are not in the trace; use "
		   "\"validate capture app\"");
	count_line("warning", o->counts.n_programs_unseen,
		   "32-bit program ran: its calls are not in the trace",
		   "32-bit programs ran: their calls are not in the trace");
	count_line("warning", o->n_calls32, "32-bit system call is not in the trace",
		   "32-bit system calls are not in the trace");
	count_line("warning", c->command ? o->counts.n_alive : 0,
		   "process was still running when the command ended: its later calls are not in "
		   "the trace",
		   "processes were still running when the command ended: their later calls are "
		   "not in the trace");
	changes_print(o->counts.n_mounts, o->counts.n_unshared);
	files_noted_print(&o->files);
	count_line("warning", o->n_unseen,
		   "call used a file that --snapshot could not read, because of chroot",
		   "calls used files that --snapshot could not read, because of chroot");
	count_line("warning", o->n_lost,
		   "event is lost: the trace is incomplete; a larger --buffer helps",
		   "events are lost: the trace is incomplete; a larger --buffer helps");
}

int capture_vfs(int argc, char **argv, struct err *e)
{
	struct vfs_config c;
	struct vfs_outcome o;
	struct trace_parts parts;
	int n_positional, command;
	vfs_config_init(&c);
	int ret = options_parse_command(vfs_options, &c, argc, argv, 0, &n_positional, &command, e);
	if (ret > 0) {
		command_help(&cmd_capture, synopsis, about, vfs_options);
		return EXIT_OK;
	}
	if (!ret && (command < argc) == (c.pid != 0))
		ret = err_set(e, EINVAL, "%s: usage is validate capture %s",
			      c.pid ? "give a command or --pid, not both"
				    : "the command is missing",
			      synopsis);
	if (!ret && c.pid && c.snapshot)
		ret = err_set(e, EINVAL, "--snapshot needs a command: a running process (--pid) "
			"does not wait until its files have been read");
	if (!ret && !c.output)
		ret = err_set(e, EINVAL, "-o TRACE is missing");
	ret = ret ? ret : rotate_check(&parts, c.rotate, e);
	if (ret)
		return EXIT_USAGE;
	c.command = command < argc ? argv + command : NULL;
	ret = vfs_capture(&c, &o, e);
	if (!ret)
		outcome_print(&c, &o);
	ret = ret ? ret : rotate_apply(&parts, c.rotate, c.output, c.compress, e);
	return ret ? EXIT_FAILED : EXIT_OK;
}
