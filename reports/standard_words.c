/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/standard_words.h"

#include "common/units.h"

static void fault_word(struct standard_point *p)
{
	switch (p->fault) {
	case STANDARD_NO_FAULT:
		break;
	case STANDARD_FEW_VISITS:
		snprintf(p->reason, sizeof p->reason, "too few measurements of the point");
		break;
	case STANDARD_BIASED:
		snprintf(p->reason, sizeof p->reason, "|bias| + U is %.3g %% (limit %.3g %%)",
			 100 * (fabs(p->bias) + p->expanded), 100 * STANDARD_LIMIT);
		break;
	case STANDARD_EXCESS:
		snprintf(p->reason, sizeof p->reason,
			 "p99 of the excess over the programmed time is %s (limit %s)",
			 duration_text(p->excess_p99_ns).s,
			 duration_text(standard_excess_limit_ns(p)).s);
		break;
	case STANDARD_UNSTEADY:
		snprintf(p->reason, sizeof p->reason,
			 "the check of the lead (the time by which the server answers earlier than "
			 "programmed) failed in %zu of %zu measurements at this point (permitted: "
			 "at most half of them)",
			 p->n_unsteady, p->n_visits);
		break;
	}
}

void standard_word(struct standard *s)
{
	for (size_t i = 0; i < s->n; i++)
		fault_word(&s->point[i]);
}
