/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/slices.h"

#include "capture/trace.h"
#include "common/sort.h"

int slices_check(const struct slices *s, struct err *e)
{
	if (!s->n || s->settle_ns < 0)
		return err_set(
		    e, EINVAL,
		    "slices: %zu slices, settling time %lld ns: expected at least 1 slice, and a "
		    "settling time of 0 ns or more", s->n, (long long)s->settle_ns);
	for (size_t i = 0; i < s->n; i++) {
		const struct slice *a = &s->slice[i];
		if (a->close_ns < a->open_ns || a->quiet_ns < a->close_ns ||
		    (i && a->open_ns < a[-1].quiet_ns))
			return err_set(e, EINVAL,
				       "slices: the times of slice %zu are not ascending", i);
	}
	return 0;
}

int slice_clock_init(struct slice_clock *c, const struct slices *s, int64_t epoch_ns, struct err *e)
{
	int64_t active_ns = 0;
	*c = (struct slice_clock){.slices = s, .epoch_ns = epoch_ns};
	int ret = slices_check(s, e);
	if (ret)
		return ret;
	c->active_ns = xcalloc(s->n, sizeof *c->active_ns);
	for (size_t i = 0; i < s->n; i++) {
		c->active_ns[i] = active_ns;
		active_ns += s->slice[i].quiet_ns - s->slice[i].open_ns;
	}
	return 0;
}

void slice_clock_release(struct slice_clock *c)
{
	free(c->active_ns);
	*c = (struct slice_clock){0};
}

/* Returns the last slice that opens at `ns` of CLOCK_MONOTONIC or earlier; the first slice for
 * earlier times. */
static size_t slice_at(struct slice_clock *c, int64_t ns)
{
	const struct slice *a = c->slices->slice;
	size_t n = c->slices->n, n_open = 0;
	if (a[c->last].open_ns <= ns && (c->last + 1 == n || ns < a[c->last + 1].open_ns))
		return c->last;
	BISECT(n_open, n, i, a[i].open_ns <= ns)
	return c->last = n_open ? n_open - 1 : 0;
}

int64_t slice_clock_active_ns(struct slice_clock *c, int64_t ns)
{
	int64_t at = ns + c->epoch_ns;
	size_t i = slice_at(c, at);
	const struct slice *a = &c->slices->slice[i];
	if (at <= a->open_ns)
		return c->active_ns[i];
	return c->active_ns[i] + (at < a->quiet_ns ? at : a->quiet_ns) - a->open_ns;
}

static bool is_inside(struct slice_clock *c, int64_t begin_ns, int64_t end_ns)
{
	size_t i = slice_at(c, begin_ns + c->epoch_ns);
	const struct slice *a = &c->slices->slice[i];
	int64_t settle_ns = i ? c->slices->settle_ns : 0;
	return begin_ns + c->epoch_ns - a->open_ns >= settle_ns &&
	       end_ns + c->epoch_ns <= a->close_ns;
}

bool slice_clock_map(struct slice_clock *c, const struct trace_record *x, struct trace_record *y)
{
	bool ended = x->begin_ns != TIME_NONE && x->end_ns != TIME_NONE,
	     negative = ended && x->end_ns < x->begin_ns;
	bool counts = !ended || negative || is_inside(c, x->begin_ns, x->end_ns);
	*y = *x;
	if (negative)
		return counts;
	int64_t *times[] = {&y->begin_ns, &y->end_ns, &y->intended_ns, &y->dispatch_ns};
	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		if (*times[i] != TIME_NONE)
			*times[i] = slice_clock_active_ns(c, *times[i]);
	return counts;
}
