/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Offsets between clocks of different hosts. The head repeatedly asks each rank of another host for
 * its time. A rank reads its clock after the head sent the question and before the answer arrives
 * at the head. So half of the fastest round trip is an upper limit of the error, even if the two
 * directions differ in latency. Offsets are measured before and after the replay and interpolated
 * linearly. Source: Cristian, Probabilistic clock synchronization (1989). */

#include "replay/engines/parallel/mpi/rank.h"

enum { TAG_ASK = 2, TAG_ANSWER, TAG_FOUND, N_TRIPS = 200, N_TRIPS_FEWEST = 20 };
#define TRIPS_NS 50000000 /* longest time for one rank */

struct clock_found {
	uint64_t ticks;
	int64_t head_ns, uncertainty_ns;
};

static void clock_answer(struct replay_rank *r, struct clock_offset *o)
{
	struct clock_found f;
	for (;;) {
		char more;
		MPI_Recv(&more, 1, MPI_CHAR, r->head, TAG_ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		uint64_t ticks = clock_now(&r->plan.clock);
		if (!more)
			break;
		MPI_Send(&ticks, 1, MPI_UINT64_T, r->head, TAG_ANSWER, MPI_COMM_WORLD);
	}
	MPI_Recv(&f, (int)sizeof f, MPI_BYTE, r->head, TAG_FOUND, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
	*o = (struct clock_offset){
	    .ticks = f.ticks, .head_ns = f.head_ns, .uncertainty_ns = f.uncertainty_ns};
}

static void clock_ask(struct replay_rank *r, int of)
{
	const struct clock *c = &r->plan.clock;
	struct clock_found best = {.uncertainty_ns = INT64_MAX};
	const uint64_t until = clock_now(c) + (uint64_t)(TRIPS_NS / c->ns_per_tick);
	for (int i = 0; i < N_TRIPS && (i < N_TRIPS_FEWEST || clock_now(c) < until); i++) {
		char more = 1;
		uint64_t ticks, from = clock_now(c);
		MPI_Send(&more, 1, MPI_CHAR, of, TAG_ASK, MPI_COMM_WORLD);
		MPI_Recv(&ticks, 1, MPI_UINT64_T, of, TAG_ANSWER, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		uint64_t to = clock_now(c);
		int64_t half_ns = (int64_t)((double)(to - from) * c->ns_per_tick / 2) + 1;
		if (half_ns < best.uncertainty_ns)
			best = (struct clock_found){
			    ticks, clock_ns_of_ticks(c, from + (to - from) / 2), half_ns};
	}
	char no_more = 0;
	MPI_Send(&no_more, 1, MPI_CHAR, of, TAG_ASK, MPI_COMM_WORLD);
	MPI_Send(&best, (int)sizeof best, MPI_BYTE, of, TAG_FOUND, MPI_COMM_WORLD);
}

void clocks_compare(struct replay_rank *r, struct clock_offset *o)
{
	if (!r->shares_clock[r->number]) {
		clock_answer(r, o);
		return;
	}
	for (int i = 0; i < r->n && r->number == r->head; i++)
		if (!r->shares_clock[i])
			clock_ask(r, i);
	o->ticks = clock_now(&r->plan.clock);
	o->head_ns = clock_ns_of_ticks(&r->plan.clock, o->ticks);
}

int64_t clocks_head_ns(const struct replay_rank *r, uint64_t ticks)
{
	const int64_t ns = clock_ns_of_ticks(&r->plan.clock, ticks);
	if (r->shares_clock[r->number])
		return ns;
	const double first = (double)(r->before.ns - r->before.head_ns),
		     last = (double)(r->after.ns - r->after.head_ns);
	const double span = (double)(r->after.ns - r->before.ns);
	const double part = span > 0 ? (double)(ns - r->before.ns) / span : 0;
	/* only the small interpolated part is a double: clocks may differ by years, which a double
	 * cannot represent to the ns */
	const double more = (last - first) * part;
	return ns - (r->before.ns - r->before.head_ns) -
	       (int64_t)(more < 0 ? more - 0.5 : more + 0.5);
}
