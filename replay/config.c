/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/placement.h"
#include "common/units.h"
#include "common/wait.h"
#include "common/xalloc.h"
#include "replay/cache/reads.h"
#include "replay/load/load.h"
#include "replay/mutant.h"
#include "replay/order/order.h"
#include "replay/replay.h"

#define NO_LIMIT -1 /* as a row's max: below any min */

void replay_config_init(struct replay_config *c)
{
	*c = (struct replay_config){
		.order = ORDER_TEMPORAL,
		.timing = TIMING_FULLSPEED,
		.speed = 1,
		.wait = WAIT_HYBRID,
		.spin_ns = 5000,
		.placement = PLACEMENT_DEFAULT,
		.watchdog_ns = 60000000000,
		.engine = "event",
	};
}

#define FIELD(name) offsetof(struct replay_config, name)
const struct option_spec replay_options[] = {
	{.name = "order", .type = OPT_CHOICE, .offset = FIELD(order), .arg = "ORDER", .choices = replay_order_names,
	 .help = "what a request waits for (temporal)"},
	{.name = "timing", .type = OPT_CHOICE, .offset = FIELD(timing), .arg = "TIMING", .choices = replay_timing_names,
	 .help = "when a request is issued (fullspeed)"},
	{.name = "speed", .type = OPT_DOUBLE, .offset = FIELD(speed), .arg = "FACTOR", .min = 1e-6, .max = 1e6,
	 .help = "traced times and gaps are divided by this (1)"},
	{.name = "fs-rules", .type = OPT_STRING, .offset = FIELD(fs_rules), .arg = "RULES",
	 .help = "rules of order fs: names with commas between, or with - in front those left out of all "
		 "(descriptor, position, name, directory, data, size, attribute)"},
	{.name = "wait", .type = OPT_CHOICE, .offset = FIELD(wait), .arg = "METHOD", .choices = wait_method_names,
	 .help = "how a time is waited for (hybrid)"},
	{.name = "spin", .type = OPT_DURATION, .offset = FIELD(spin_ns), .arg = "TIME", .max = NO_LIMIT,
	 .help = "how long another request is waited for by spinning, before yielding and sleeping (5us)"},
	{.name = "placement", .type = OPT_CHOICE, .offset = FIELD(placement), .arg = "KIND", .choices = placement_names,
	 .help = "where buffers lie in memory, alike for program and replay (offset)"},
	{.name = "processes", .type = OPT_FLAG, .offset = FIELD(processes),
	 .help = "a process for each traced process, with descriptors of its own (otherwise all are threads of one)"},
	{.name = "pin", .type = OPT_FLAG, .offset = FIELD(pin), .help = "worker i on the i-th processor it may use"},
	{.name = "workers", .type = OPT_UINT, .offset = FIELD(n_workers), .arg = "N", .max = REPLAY_MAX_THREADS,
	 .help = "workers of order none (0: as many as traced threads)"},
	{.name = "reads", .type = OPT_CHOICE, .offset = FIELD(reads), .arg = "HOW", .choices = replay_reads_names,
	 .help = "what decides which pages reads get from storage: the cache as it is, or as it was when captured (slice --join); "
		 "none: nothing but changes of state (current)"},
	{.name = "stop-on-mismatch", .type = OPT_FLAG, .offset = FIELD(stop_on_mismatch),
	 .help = "stop at the first return value that differs from the traced one"},
	{.name = "watchdog", .type = OPT_DURATION, .offset = FIELD(watchdog_ns), .arg = "TIME", .max = NO_LIMIT,
	 .help = "end a replay in which no request has ended for so long, naming the one that blocks (60s; 0: never)"},
	{.name = "mutant", .type = OPT_STRING, .offset = FIELD(mutant), .arg = "FAULT[:SIZE]",
	 .help = "a deliberate fault, to test what judges replayers (--list-mutants)"},
	{.name = "blank", .type = OPT_FLAG, .offset = FIELD(blank), .flags = OPT_CLI_ONLY,
	 .help = "no call is made between the stamps: what is measured then is the replay itself"},
	{.name = "engine", .letter = 'e', .type = OPT_STRING, .offset = FIELD(engine), .arg = "NAME", .flags = OPT_CLI_ONLY,
	 .help = "what replays: event (default), coordinator; --list-engines tells more"},
	{.name = "dir", .letter = 'd', .type = OPT_STRING, .offset = FIELD(dir), .arg = "DIR", .flags = OPT_CLI_ONLY,
	 .help = "target directory; nothing outside it is touched"},
	{.name = "output", .letter = 'o', .type = OPT_STRING, .offset = FIELD(output), .arg = "TRACE", .flags = OPT_CLI_ONLY,
	 .help = "the replay trace to write (none)"},
	{.name = "prepare", .type = OPT_FLAG, .offset = FIELD(prepare), .flags = OPT_CLI_ONLY,
	 .help = "first make the files that the trace needs, or put their content back"},
	{.name = "no-sync-output", .type = OPT_FLAG, .offset = FIELD(no_sync_output), .flags = OPT_CLI_ONLY,
	 .help = "do not wait until the replay trace is on disk"},
	{.name = "list-engines", .type = OPT_FLAG, .offset = FIELD(list_engines), .flags = OPT_CLI_ONLY,
	 .help = "print the engines and end"},
	{.name = "list-mutants", .type = OPT_FLAG, .offset = FIELD(list_mutants), .flags = OPT_CLI_ONLY,
	 .help = "print the deliberate faults and end"},
	{.name = NULL},
};

const struct replay_engine *replay_engine_find(const char *name)
{
	for (const struct replay_engine *const *g = replay_engines; *g; g++)
		if (!strcmp((*g)->name, name))
			return *g;
	return NULL;
}

static int engine_check(const struct replay_config *c, struct err *e)
{
	const char *name = c->engine ? c->engine : "";
	const struct replay_engine *g = replay_engine_find(name);
	if (g && c->processes && !g->processes)
		return err_set(e, EINVAL, "processes: the %s engine has threads only (event and coordinator have both)", name);
	if (g)
		return g->check(c, e);
	size_t n = 0;
	while (replay_engines[n])
		n++;
	const char **names = xcalloc(n + 1, sizeof *names);
	for (size_t i = 0; i < n; i++)
		names[i] = replay_engines[i]->name;
	const char *near = nearest_name(name, names);
	int ret = near ? err_set(e, ENOENT, "unknown engine \"%s\" (did you mean \"%s\"?)", name, near)
		       : err_set(e, ENOENT, "unknown engine \"%s\" (--list-engines lists them)", name);
	free(names);
	return ret;
}

int replay_check(const struct replay_config *c, struct err *e)
{
	struct mutant m;
	unsigned int rules;
	int ret = fs_rules_parse(&rules, c->fs_rules, e);
	ret = ret ? ret : mutant_parse(&m, c->mutant, e);
	if (ret)
		return ret;
	const struct fault *f = mutant_fault(m.kind);
	bool pool = c->order == ORDER_NONE || m.kind == FAULT_DOUBLE;
	if (!(c->speed > 0) || !isfinite(c->speed) || c->spin_ns < 0 || c->n_workers > REPLAY_MAX_THREADS)
		return err_set(e, EINVAL, "speed, spin or workers: out of range");
	if (f && c->blank)
		return err_set(e, EINVAL, "blank: nothing is called that mutant %s could spoil", f->name);
	if (c->blank && c->stop_on_mismatch)
		return err_set(e, EINVAL, "blank: nothing is called, so no result can differ (stop-on-mismatch)");
	if (f && f->timed && c->timing == TIMING_FULLSPEED)
		return err_set(e, EINVAL, "mutant %s is a fault of waiting for times: it needs timing timestamp or think", f->name);
	if (pool && c->timing == TIMING_THINK)
		return err_set(e, EINVAL, "timing think needs the order of each thread: order none has no such thing (use thread)");
	if (pool && c->processes)
		return err_set(e, EINVAL, "processes: %s lets any worker issue any request, so that none belongs to a process",
			       f && f->kind == FAULT_DOUBLE ? "mutant double" : "order none");
	if (c->n_workers && !pool)
		return err_set(e, EINVAL, "workers: only order none has a choice; the others have one for each traced thread");
	return engine_check(c, e);
}
