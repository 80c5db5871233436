/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/disorder.h"

#include "validate/metrics/disorder_window.h"

void distribution_release(struct distribution *d)
{
	histogram_release(&d->histogram);
	memset(d, 0, sizeof *d);
}

void disorder_init(struct disorder *d, const struct disorder_options *o)
{
	memset(d, 0, sizeof *d);
	d->options = *o;
}

void disorder_release(struct disorder *d)
{
	struct disorder_total *t = &d->total;
	struct distribution *distribution[] = {&t->extent, &t->late_ns, &t->byte_offset, &t->gap,
					       &t->gap_ns};
	struct histogram *histogram[] = {&t->preceding, &t->displaced_early, &t->displaced_late,
					 &t->occupied};
	for (size_t i = 0; i < d->n_sequences; i++) {
		struct disorder_sequence *s = &d->sequence[i];
		if (s->window)
			disorder_window_release(s->window);
		FREE_EACH(s->window, s->loss);
		occupancy_release(&s->occupancy);
		stay_back_close(s->stay_back);
	}
	free(d->sequence);
	for (size_t i = 0; i < sizeof distribution / sizeof *distribution; i++)
		distribution_release(distribution[i]);
	for (size_t i = 0; i < sizeof histogram / sizeof *histogram; i++)
		histogram_release(histogram[i]);
	memset(d, 0, sizeof *d);
}

static struct disorder_sequence *sequence_get(struct disorder *d, uint32_t number)
{
	while (d->n_sequences <= number) {
		GROW(d->sequence, d->n_sequences, d->cap);
		struct disorder_sequence *s = &d->sequence[d->n_sequences++];
		memset(s, 0, sizeof *s);
		s->plain = d->options.dt == DENSITY_UNBOUNDED;
		s->stay_back = s->plain ? NULL : stay_back_open(d->options.dt);
	}
	return &d->sequence[number];
}

/* Returns a place or position in full. A value modulo 2^32 means the value nearest to the arrivals
 * so far. */
static uint64_t place_unwrap(uint64_t near, uint32_t k)
{
	return near + (uint64_t)(int64_t)(int32_t)(k - (uint32_t)near);
}

/* Updates the counts that are not updated as long as everything arrives in order: displacements of
 * 0, empty buffer. */
static void leave_plain(struct disorder *d, struct disorder_sequence *s)
{
	if (!s->plain)
		return;
	s->plain = false;
	s->n_in_order += s->next - s->n;
	d->total.n_displaced += s->next - s->n;
	d->total.n_occupancies += s->next - s->n;
	s->n = s->next;
	s->previous = s->n ? s->n - 1 : 0;
	s->next_number = s->occupancy.expected = s->next + s->n_lost;
}

static bool is_plain(const struct disorder *d, const struct disorder_sequence *s)
{
	if (s->stay_back || s->loss_from < s->n_losses || (s->window && s->window->open) ||
	    s->next_number != s->next + s->n_lost)
		return false;
	return d->options.counts_only || d->total.needs_bt ||
	       (!s->occupancy.n_held && s->occupancy.expected == s->next_number);
}

/* --- losses -------------------------------------------------------------- */

static void losses_settle(struct disorder_sequence *s)
{
	uint64_t low = s->window && s->window->open ? s->window->first : s->next;
	for (; s->loss_from < s->n_losses && s->loss[s->loss_from].place <= low; s->loss_from++)
		s->n_lost += s->loss[s->loss_from].n;
	if (s->loss_from == s->n_losses)
		s->loss_from = s->n_losses = 0;
}

/* Returns the number of lost requests before a place that is not below the settled places. The list
 * contains losses in the range that is numbered and has not arrived completely, and it begins near
 * the place. */
static uint64_t lost_before(const struct disorder_sequence *s, uint64_t place)
{
	uint64_t n = s->n_lost;
	for (size_t i = s->loss_from; i < s->n_losses && s->loss[i].place <= place; i++)
		n += s->loss[i].n;
	return n;
}

void disorder_lost(struct disorder *d, uint32_t sequence, uint32_t k)
{
	struct disorder_sequence *s = sequence_get(d, sequence);
	leave_plain(d, s);
	uint64_t place = place_unwrap(s->next, k);
	d->total.n_lost++;
	d->total.needs_bt |= d->options.bt == DENSITY_UNBOUNDED;
	if (s->n_losses > s->loss_from && s->loss[s->n_losses - 1].place == place) {
		s->loss[s->n_losses - 1].n++;
		return;
	}
	losses_settle(s);
	if (s->loss_from > s->n_losses / 2) {
		s->n_losses -= s->loss_from;
		memmove(s->loss, s->loss + s->loss_from, s->n_losses * sizeof *s->loss);
		s->loss_from = 0;
	}
	APPEND(s->loss, s->n_losses, s->loss_cap, (struct disorder_loss){place, 1});
}

/* --- the densities ------------------------------------------------------- */

static void displacement_add(void *context, int64_t displacement)
{
	struct disorder_total *t = context;
	t->n_displaced++;
	if (!displacement)
		return;
	uint64_t distance = (uint64_t)(displacement < 0 ? -displacement : displacement);
	histogram_add(displacement < 0 ? &t->displaced_early : &t->displaced_late,
		      (int64_t)distance);
	t->displacement_sum += distance;
}

static void add_densities(struct disorder *d, struct disorder_sequence *s, uint64_t place)
{
	struct disorder_total *t = &d->total;
	uint64_t number = place + lost_before(s, place), held;
	if (s->stay_back)
		stay_back_add(s->stay_back, number + 1, displacement_add, t);
	else
		displacement_add(t, (int64_t)(s->n + lost_before(s, s->n) - number));
	if (t->needs_bt || !occupancy_add(&s->occupancy, number, d->options.bt, &held))
		return;
	t->n_occupancies++;
	t->occupancy_sum += held;
	if (held)
		histogram_add(&t->occupied, (int64_t)held);
}

/* --- arrivals ------------------------------------------------------------ */

/* Counts a discontinuity: the arrival skips missing places, whose requests will be reordered. */
static void add_discontinuity(struct disorder_total *t, struct disorder_sequence *s,
			      int64_t time_ns)
{
	t->n_discontinuities++;
	if (s->has_discontinuity) {
		distribution_add(&t->gap, (int64_t)(s->n - s->discontinuity));
		distribution_add(&t->gap_ns, time_ns - s->discontinuity_ns);
	}
	s->has_discontinuity = true;
	s->discontinuity = s->n;
	s->discontinuity_ns = time_ns;
}

static int add_in_order(struct disorder *d, struct disorder_sequence *s, uint64_t place,
			const struct disorder_arrival *a, struct err *e)
{
	uint64_t number = place + lost_before(s, place);
	s->n_in_order++;
	d->total.n_sequence_discontinuities += number > s->next_number;
	s->next_number = number + 1;
	if (place > s->next)
		add_discontinuity(&d->total, s, a->time_ns);
	if (place > s->next && !s->window) {
		s->window = xcalloc(1, sizeof *s->window);
		s->window->counts_only = d->options.counts_only;
	}
	if (place > s->next && !s->window->open)
		disorder_window_open(s->window, s->n);
	int ret = s->window && s->window->open
		     ? disorder_window_pass(s->window, place, s->n, a->time_ns, a->bytes, e)
		     : 0;
	s->next = place + 1;
	return ret;
}

static int add_late(struct disorder *d, struct disorder_sequence *s, uint64_t place,
		    const struct disorder_arrival *a, struct err *e)
{
	struct disorder_total *t = &d->total;
	struct window_late late;
	if (!s->window || !disorder_window_fill(s->window, place, s->n, a->bytes, &late))
		return err_set(e, EINVAL, "two requests of the replay match the same request of "
			       "the trace: number %llu (the first is 0) of the requests whose "
			       "order is compared",
			       (unsigned long long)place);
	uint64_t extent = s->n - late.passed_position, run = s->n_in_order - s->run_from;
	s->n_reordered++;
	s->max_extent = extent > s->max_extent ? extent : s->max_extent;
	if (d->options.counts_only)
		return 0;
	distribution_add(&t->extent, (int64_t)extent);
	distribution_add(&t->late_ns, a->time_ns - late.passed_time);
	distribution_add(&t->byte_offset, (int64_t)late.bytes_larger);
	t->inversions += late.n_larger;
	if (late.n_preceding)
		histogram_add(&t->preceding, (int64_t)late.n_preceding);
	t->max_preceding =
	    late.n_preceding > t->max_preceding ? late.n_preceding : t->max_preceding;
	t->runs_x++;
	t->runs_q += run * run;
	s->run_from = s->n_in_order;
	return 0;
}

int disorder_add_slowly(struct disorder *d, uint32_t sequence, uint32_t k,
			const struct disorder_arrival *a, struct err *e)
{
	struct disorder_sequence *s = sequence_get(d, sequence);
	if (s->plain && k == (uint32_t)s->next) {
		s->next++;
		return 0;
	}
	leave_plain(d, s);
	uint64_t place = place_unwrap(s->next, k);
	if (!d->options.counts_only)
		add_densities(d, s, place);
	d->total.n_descents += s->n && place < s->previous;
	d->total.footrule += place > s->n ? place - s->n : s->n - place;
	int ret = place >= s->next ? add_in_order(d, s, place, a, e) : add_late(d, s, place, a, e);
	if (ret)
		return ret;
	s->previous = place;
	s->n++;
	if (s->window && s->window->open && s->window->first == s->window->next)
		d->total.n_moves += disorder_window_close(s->window, s->n);
	losses_settle(s);
	s->plain = is_plain(d, s);
	return 0;
}

void disorder_finish(struct disorder *d)
{
	struct disorder_total *t = &d->total;
	for (size_t i = 0; i < d->n_sequences; i++) {
		struct disorder_sequence *s = &d->sequence[i];
		leave_plain(d, s);
		if (s->window && s->window->open)
			t->n_moves += disorder_window_close(s->window, s->n);
		if (s->stay_back)
			stay_back_finish(s->stay_back, displacement_add, t);
		t->n_sequences += s->n || s->n_lost || s->n_losses;
		t->n_received += s->n;
		t->n_reordered += s->n_reordered;
		t->runs_a += s->n_in_order;
		t->n_pairs += s->n ? s->n * (s->n - 1) / 2 : 0;
	}
	t->runs_p = t->n_received;
}
