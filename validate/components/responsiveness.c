/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether replays follow their storage. On a volume, one block of each pair of blocks is served
 * more slowly, drawn with the protocol's seed.
 *
 * The value of two blocks is ln(x/r) of the slow block minus that of the other block: 0 if the
 * replay slows down as much as the program. These differences are judged like paired log ratios.
 * The draw gives a random, independent sign to the part of a difference that the storage does not
 * cause. So drift of the machine and dependence between runs have no effect on average, and no
 * P-value is increased. If the program does not follow its storage, nothing can be required of a
 * replay. Source: calibration of a measuring system at two known values (VIM 4.12, sensitivity). */
#include "validate/components/component.h"

struct slowing { /* differences slow - normal between two blocks */
	double *d, *r;	       /* ln(x/r) and ln r; [n] */
	/* the replay in the slow block */
	const struct run **x;
	size_t n;
};

/* Whether all four runs exist and one of the two blocks is slow. */
static bool are_two(const struct pairs *p, size_t i)
{
	const struct run *a = p->r[i - 1], *b = p->r[i];
	return (a->block + 1) / 2 == (b->block + 1) / 2 && a->block != b->block &&
		a->service_factor > 0 && b->service_factor > 0 && a->service_factor !=
		b->service_factor && a->summary.response.mean > 0 && b->summary.response.mean > 0 &&
		p->x[i - 1]->summary.response.mean > 0 && p->x[i]->summary.response.mean > 0;
}

static void slowing_find(struct slowing *s, const struct pairs *p)
{
	for (size_t i = 1; i < p->n; i++) {
		if (!are_two(p, i))
			continue;
		const size_t slow =
				 p->r[i]->service_factor > p->r[i - 1]->service_factor ? i : i - 1,
			     normal = slow == i ? i - 1 : i;
		s->x[s->n] = p->x[slow];
		s->r[s->n] =
		    log(p->r[slow]->summary.response.mean / p->r[normal]->summary.response.mean);
		s->d[s->n] = log(p->x[slow]->summary.response.mean /
			p->x[normal]->summary.response.mean) - s->r[s->n];
		s->n++;
	}
}

static void measure_responsiveness(const struct measuring *m)
{
	struct response_evidence *e = &m->e->responsiveness;
	const size_t room = m->pairs->n + 1;
	struct slowing s = {xcalloc(room, sizeof *s.d), xcalloc(room, sizeof *s.r),
			    xcalloc(room, sizeof *s.x), 0};
	struct t_estimate wide;
	struct serial serial;
	slowing_find(&s, m->pairs);
	e->program_status = dependent_mean(s.r, s.n, &e->program, &wide, &serial);
	paired_values(&e->ratio, s.d, &(struct pairs){.x = s.x, .n = s.n,
						      .verdicts_only = m->pairs->verdicts_only});
	/* the draw makes the differences independent, even if runs are not */
	e->ratio.wide = e->ratio.t;
	e->ratio.serial = serial_none(s.n);
	if (!s.n)
		e->ratio.status = STAT_NOT_APPLICABLE;
	FREE_EACH(s.r, s.x);
}

/* Whether the program's change is not significantly beyond the limit. */
static bool program_is_insensitive(const struct response_evidence *e, double limit)
{
	double lo, hi;
	return !e->program_status && !t_interval(&e->program, 0.90, &lo, &hi) && lo <= log1p(limit);
}

static void decide_responsiveness(struct component *c, const struct deciding *d)
{
	const struct response_evidence *e = &d->e->responsiveness;
	c->estimate = estimate_of_ratio(&e->ratio, expm1);
	if (e->ratio.status == STAT_NOT_APPLICABLE) {
		c->decision = DECISION_NOT_APPLICABLE;
		REASON(c, NOT_SLOWED);
	} else if (program_is_insensitive(e, c->limit)) {
		c->decision = DECISION_NOT_APPLICABLE;
		REASON(c, PROGRAM_DEAF, expm1(e->program.value));
	} else {
		decide_ratio(c, &e->ratio, d->levels, false, NAN);
		if (!e->program_status && !e->ratio.status)
			REASON_ADD(c, FOLLOWS, expm1(e->program.value),
				   expm1(e->program.value + e->ratio.t.value));
	}
}

static void plan_responsiveness(struct component *c, const struct planning *p)
{
	plan_ratio(c, p);
	/* two blocks give one difference */
	if (c->n_more < UINT64_MAX / 2)
		c->n_more *= 2;
}

const struct component_row component_responsiveness = {
	.title = "Responsiveness",
	.meaning = "Deviation of the replay's slowdown on a slower volume from the program's "
		   "slowdown.",
	.rule = "Two-sided. Applicable only if the campaign slows a volume and the program's "
		"slowdown is shown to exceed the limit.",
	.source = "VIM 4.12",
	.unit = COMPONENT_CHANGE, .two_sided = true,
	.scatter = M_SQRT2, .relative = true,
	.measure = measure_responsiveness, .decide = decide_responsiveness,
	.evidence = offsetof(struct evidence, responsiveness.ratio), .plan = plan_responsiveness,
};
