/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/plan/gaps.h"

#include "common/units.h"

void gaps_init(struct gaps *g, int64_t limit_ns, double speed)
{
	*g = (struct gaps){.limit_ns = (double)limit_ns, .speed = speed};
}

static int gap_refuse(const struct gaps *g, double ns, double limit_ns, const char *what,
		      uint64_t record, struct err *e)
{
	return err_set(e, ERANGE,
		       "record %llu: the replay would issue this request %s after the %s request. "
		       "The limit is %s%s: use --max-gap TIME to allow a longer wait, --timing "
		       "fullspeed (engines block and parallel: --mode afap) to ignore the traced "
		       "times, or \"validate slice\" to cut the trace",
		       (unsigned long long)record, duration_text(ns).s, what,
		       duration_text(limit_ns).s,
		       limit_ns > g->limit_ns ? " (1000 times --max-gap)" : "");
}

int gaps_add(struct gaps *g, int64_t begin_ns, uint64_t record, struct err *e)
{
	if (g->limit_ns < 0)
		return 0;
	if (!g->any)
		g->first_ns = g->before_ns = begin_ns;
	g->any = true;
	/* computed in double, because untrusted times could overflow integers */
	const double gap = ((double)begin_ns - (double)g->before_ns) / g->speed,
		     all = ((double)begin_ns - (double)g->first_ns) / g->speed;
	g->before_ns = begin_ns;
	if (gap > g->limit_ns)
		return gap_refuse(g, gap, g->limit_ns,
				  "previous", record, e);
	if (all > g->limit_ns * REPLAY_MAX_GAPS)
		return gap_refuse(g, all, g->limit_ns * REPLAY_MAX_GAPS,
				  "first", record, e);
	return 0;
}
