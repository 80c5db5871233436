/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Some programs fetch the results of libaio's requests without a call (QEMU, SPDK, fio with
 * userspace_reap). The context of io_setup(2) is the address of a ring in the program's memory;
 * these programs read its events and move its head. The library inspects the ring before each call
 * that submits or fetches requests, and where a program waits for events. An event is recorded as
 * fetched when an inspection finds that the head has passed it. The kernel overwrites an event only
 * after later submissions, so inspections at each submission miss no event. */
#include "capture/preload/async.h"
#include "capture/preload/core.h"

enum { N_RINGS = 64, TRIES = 10000, MAGIC = 0xa10a10a1 };

struct aio_ring { /* defined in fs/aio.c of the kernel */
	uint32_t id, n, head, tail, magic, compatible, incompatible, header_length;
	struct io_event event[];
};

static struct aio_place {
	_Atomic aio_context_t context; /* 0: the entry is free */
	_Atomic bool busy;	       /* a thread uses `seen` */
	_Atomic uint32_t n_fetching;   /* threads in io_getevents(2), which also moves the head */
	uint32_t seen;		       /* head at the last inspection */
} place[N_RINGS];
_Atomic uint32_t aio_n_rings;

/* False: another thread, or a call that a signal handler interrupted, uses the entry. */
static bool place_take(struct aio_place *p)
{
	for (int i = 0; i < TRIES; i++)
		if (!atomic_exchange_explicit(&p->busy, true, memory_order_acquire))
			return true;
	return false;
}

static void place_put(struct aio_place *p)
{
	atomic_store_explicit(&p->busy, false, memory_order_release);
}

static struct aio_place *place_of(aio_context_t context)
{
	for (int i = 0; context && aio_n_rings && i < N_RINGS; i++)
		if (atomic_load(&place[i].context) == context)
			return &place[i];
	return NULL;
}

static const struct aio_ring *ring_of(aio_context_t context)
{
	return (const struct aio_ring *)(uintptr_t)context;
}

static uint32_t head_of(const struct aio_ring *ring)
{
	return __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
}

static void ring_look(struct aio_place *p)
{
	const struct aio_ring *ring = ring_of(atomic_load(&p->context));
	if (!ring || p->seen == head_of(ring) || !place_take(p))
		return;
	const uint32_t n = ring->n, head = head_of(ring);
	const uint64_t now = clock_now(&capture_clock);
	if (head < n && !atomic_load(&p->n_fetching))
		for (; p->seen != head; p->seen = (p->seen + 1) % n)
			async_note_done(ring->event[p->seen].obj, ring->event[p->seen].res, now);
	place_put(p);
}

void aio_ring_look(aio_context_t context)
{
	struct aio_place *p = place_of(context);
	if (p)
		ring_look(p);
}

void aio_rings_look(void)
{
	for (int i = 0; aio_n_rings && i < N_RINGS; i++)
		ring_look(&place[i]);
}

void aio_ring_submitted(aio_context_t context)
{
	const struct aio_ring *ring = ring_of(context);
	if (place_of(context) || ring->magic != MAGIC || ring->incompatible ||
	    ring->header_length != sizeof *ring)
		return;
	for (int i = 0; i < N_RINGS; i++) {
		if (atomic_load(&place[i].context) || !place_take(&place[i]))
			continue;
		const bool free = !atomic_load(&place[i].context);
		if (free) {
			place[i].seen = head_of(ring);
			atomic_store(&place[i].n_fetching, 0);
			atomic_store(&place[i].context, context);
			aio_n_rings++;
		}
		place_put(&place[i]);
		if (free)
			return;
	}
}

void aio_ring_fetching(aio_context_t context)
{
	struct aio_place *p = place_of(context);
	if (!p)
		return;
	ring_look(p);
	atomic_fetch_add(&p->n_fetching, 1);
}

void aio_ring_fetched(aio_context_t context)
{
	struct aio_place *p = place_of(context);
	if (!p)
		return;
	if (place_take(p)) {
		p->seen = head_of(ring_of(context));
		place_put(p);
	}
	if (atomic_load(&p->n_fetching))
		atomic_fetch_sub(&p->n_fetching, 1);
}

void aio_ring_forget(aio_context_t context)
{
	struct aio_place *p = place_of(context);
	if (!p)
		return;
	ring_look(p);
	if (atomic_exchange(&p->context, 0))
		aio_n_rings--;
}

void aio_rings_forked(void)
{
	for (int i = 0; i < N_RINGS && aio_n_rings; i++) {
		atomic_store(&place[i].context, 0);
		place_put(&place[i]);
	}
	aio_n_rings = 0;
}
