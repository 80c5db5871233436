/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate capture block: records the requests to a block device. */
#include "capture/kernel/block.h"
#include "commands/capture.h"
#include "commands/commands.h"

static const char synopsis[] = "block [options] -o TRACE DEVICE [-- COMMAND [ARGUMENT]...]";
static const char about[] =
	"Records the requests of a block device or partition with the kernel's\n"
	"tracepoints. Recording ends when COMMAND has ended (see --linger), after\n"
	"--duration, or at a signal. If COMMAND is still running then, it is killed.\n"
	"Requests of all processes are recorded, not only those of COMMAND. Needs root\n"
	"and tracefs.\n"
	"\n"
	"Exit status: 0 the trace was written, 2 wrong usage, 3 failed. The status of\n"
	"COMMAND is printed.";

static void outcome_print(const struct block_config *c, const struct block_outcome *o)
{
	if (o->has_status)
		command_status_print(o->status);
	printf("%-14s%" PRIu64 " of %s, from %" PRIu64 " event%s -> %s\n", "requests",
	       o->counts.n_requests - o->n_other, c->device, o->n_events,
	       o->n_events == 1 ? "" : "s", c->output);
	count_line("note", o->counts.n_unfinished,
		   "request had not completed when the capture ended: its end is unknown",
		   "requests had not completed when the capture ended: their ends are unknown");
	count_line("note", o->counts.n_unpaired,
		   "completion is left out: its request began before the capture",
		   "completions are left out: their requests began before the capture");
	count_line("note", o->counts.n_requeued,
		   "request was requeued by the driver and issued again",
		   "requests were requeued by the driver and issued again");
	count_line("note", o->n_other,
		   "request is left out: it is not a read, write, discard or flush",
		   "requests are left out: they are not reads, writes, discards or flushes");
	count_line("warning", o->n_lost,
		   "event is lost: the trace is incomplete; a larger --buffer helps",
		   "events are lost: the trace is incomplete; a larger --buffer helps");
}

int capture_block(int argc, char **argv, struct err *e)
{
	struct block_config c;
	struct block_outcome o;
	struct trace_parts parts;
	int n_positional, command;
	block_config_init(&c);
	int ret =
	    options_parse_command(block_options, &c, argc, argv, 1, &n_positional, &command, e);
	if (ret > 0) {
		command_help(&cmd_capture, synopsis, about, block_options);
		return EXIT_OK;
	}
	if (!ret && n_positional < 1)
		ret = err_set(e, EINVAL,
			"the argument DEVICE is missing: usage is validate capture %s", synopsis);
	if (!ret && !c.output)
		ret = err_set(e, EINVAL, "-o TRACE is missing");
	ret = ret ? ret : rotate_check(&parts, c.rotate, e);
	if (ret)
		return EXIT_USAGE;
	c.device = argv[1];
	c.command = command < argc ? argv + command : NULL;
	ret = block_capture(&c, &o, e);
	if (!ret)
		outcome_print(&c, &o);
	ret = ret ? ret : rotate_apply(&parts, c.rotate, c.output, c.compress, e);
	return ret ? EXIT_FAILED : EXIT_OK;
}
