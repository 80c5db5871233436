/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/protocol/protocol_read.h"

#define FEWEST_BLOCKS 6 /* half of them are slowed */

static bool is_throttled(const struct target *t)
{
	return !strncmp(t->volume, "throttled", strlen("throttled"));
}

/* Whether the workload is a built-in workload that waits for each answer. With an arrival rate, a
 * slower volume changes the queue, not only the times. */
static bool follows_its_storage(const struct scenario *s)
{
	return !s->script && !s->trace && !setting_find(s->option, s->n_options, "rate");
}

static bool slows_by_default(const struct protocol *p, size_t target)
{
	if (p->n_replicates_min < FEWEST_BLOCKS || p->n_claims || p->n_published || p->claimed)
		return false;
	for (size_t i = 0; i < p->n_replayers; i++)
		if (p->replayer[i].timed)
			return false;
	for (size_t i = 0; i < p->n_scenarios; i++)
		if (p->scenario[i].target == target && !follows_its_storage(&p->scenario[i]))
			return false;
	return true;
}

bool protocol_slows(const struct protocol *p, size_t target)
{
	const struct target *t = &p->target[target];
	if (!t->volume || is_throttled(t) || p->reference != REFERENCE_RERUN ||
	    t->responsiveness == RESPONSIVENESS_NO)
		return false;
	return t->responsiveness == RESPONSIVENESS_YES || slows_by_default(p, target);
}

int responsiveness_check(const struct protocol *p, const struct target *t, struct err *e)
{
	if (t->responsiveness != RESPONSIVENESS_YES)
		return 0;
	if (!t->volume || is_throttled(t))
		return err_set(e, EINVAL, "\"yes\": this needs the key \"volume\", with a service "
			"model other than throttled");
	if (p->reference != REFERENCE_RERUN)
		return err_set(e, EINVAL, "\"yes\": this needs reference = rerun, because a "
			"recording is made with one service time");
	return 0;
}
