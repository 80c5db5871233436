/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether replays follow their storage: on a volume, one block of each two is served more slowly, drawn by the protocol's seed.
 *
 * For each two blocks, the log ratio ln(x/r) of the slow one minus that of the other one: 0 where the replay becomes slower as the program does.
 * These differences are judged as paired log ratios are. The draw gives each difference a random sign, so nothing that the machine does is
 * mistaken for the effect of the storage. Where the program does not follow its storage itself, nothing can be asked of a replay.
 * Source: calibration of a measuring system at two known values (VIM 4.12, sensitivity). */
#include <math.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "validate/components/component.h"
#include "validate/stats/distributions.h"

/* Differences slow - normal of both logarithms, for each two blocks that are whole; how many. d[], r[]: p->n / 2. */
static size_t differences(const struct pairs *p, double *d, double *r)
{
	size_t n = 0;
	for (size_t i = 1; i < p->n; i++) {
		const struct run *a = p->r[i - 1], *b = p->r[i];
		const double x[] = {p->x[i - 1]->summary.response.mean, p->x[i]->summary.response.mean};
		const double ref[] = {a->summary.response.mean, b->summary.response.mean};
		if ((a->block + 1) / 2 != (b->block + 1) / 2 || a->block == b->block || !(a->service_factor > 0 && b->service_factor > 0) ||
		    a->service_factor == b->service_factor || !(x[0] > 0 && x[1] > 0 && ref[0] > 0 && ref[1] > 0))
			continue;
		const double sign = b->service_factor > a->service_factor ? 1 : -1;
		r[n] = sign * log(ref[1] / ref[0]);
		d[n] = sign * log(x[1] / x[0]) - r[n];
		n++;
	}
	return n;
}

static void measure_responsiveness(const struct measuring *m)
{
	const struct pairs *p = m->pairs;
	struct response_evidence *e = &m->e->responsiveness;
	double *d = xcalloc(p->n + 1, sizeof *d), *r = xcalloc(p->n + 1, sizeof *r);
	struct t_estimate wide;
	struct serial serial;
	e->ratio = (struct ratio_evidence){.n = differences(p, d, r)};
	e->ratio.status = !e->ratio.n ? STAT_NOT_APPLICABLE : dependent_mean(d, e->ratio.n, &e->ratio.t, &e->ratio.wide, &e->ratio.serial);
	e->program_status = !e->ratio.n ? STAT_NOT_APPLICABLE : dependent_mean(r, e->ratio.n, &e->program, &wide, &serial);
	free(d);
	free(r);
}

/* The program's own change is not shown to be beyond the limit. */
static bool program_is_deaf(const struct response_evidence *e, double limit)
{
	double lo, hi;
	return !e->program_status && !t_interval(&e->program, 0.90, &lo, &hi) && lo <= log1p(limit);
}

static void decide_responsiveness(struct component *c, const struct deciding *d)
{
	const struct response_evidence *e = &d->e->responsiveness;
	c->estimate = estimate_of_t(e->ratio.status, &e->ratio.t, expm1);
	if (e->ratio.status == STAT_NOT_APPLICABLE) {
		c->decision = DECISION_NOT_APPLICABLE;
		REASON(c, "the storage was not made slower in any block: that needs a volume of the campaign (responsiveness = yes)");
	} else if (program_is_deaf(e, c->limit)) {
		c->decision = DECISION_NOT_APPLICABLE;
		REASON(c, "the program itself takes %s %% longer on the slower storage: not enough to ask a replay to follow",
		       shown_change(expm1(e->program.value)).text);
	} else {
		decide_ratio(c, &e->ratio, d->levels, false, NAN);
		if (!e->program_status && !e->ratio.status)
			REASON_ADD(c, "; on the slower storage the program takes %s %%, the replay %s %% longer",
				   shown_percent(expm1(e->program.value)).text, shown_percent(expm1(e->program.value + e->ratio.t.value)).text);
	}
}

static void plan_responsiveness(struct component *c, const struct planning *p)
{
	plan_ratio(c, &p->e->responsiveness.ratio, p->alpha_reject);
	if (c->n_more < UINT64_MAX / 2) /* two blocks give one difference */
		c->n_more *= 2;
}

const struct component_row component_responsiveness = {
	.title = "Responsiveness",
	.meaning =
		"By how much the response times of a replay grow more (+) or less (-) than "
		"those of the program where a volume serves more slowly.",
	.rule =
		"accepted when the 90 % interval lies inside the limits, rejected when the "
		"95 % interval lies wholly outside; not applicable without a volume whose "
		"service times the campaign changes",
	.source = "VIM 4.12 (sensitivity); as bias",
	.unit = COMPONENT_CHANGE,
	.two_sided = true,
	.relative = true,
	.measure = measure_responsiveness,
	.decide = decide_responsiveness,
	.plan = plan_responsiveness,
};
