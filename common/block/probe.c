/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/block/probe.h"

#include <libaio.h>
#include <sys/uio.h>

#include "common/clock.h"

#define LENGTH_MOST ((uint64_t)1 << 20)
/* every device takes a request of this length without splitting it */
#define LENGTH_WHOLE ((uint64_t)64 << 10)
/* Size of a huge page, in which the buffers of the workers also lie. The kernel splits a request
 * that consists of many separate pages. */
#define BUFFER_BYTES ((size_t)2 << 20)
/* this many refusals in a burst are not an accident */
#define REFUSED_MANY 2u
/* if io_submit takes longer than this per request, it waits for the target */
#define SUBMIT_WAITS_NS 50000
/* the wait must show in each of these bursts, because another process can interrupt a burst */
#define WAITING_BURSTS 3
#define STUCK_NS 1000000000

struct burst {
	uint32_t n_submitted, n_ended, n_refused; /* refused: EAGAIN */
	int code;		     /* errno of io_submit, 0 */
	bool ended_at_once;	     /* requests had ended when io_submit returned */
	int64_t submit_ns;
};

static void events_count(struct burst *b, const struct io_event *event, int n)
{
	for (int i = 0; i < n; i++)
		b->n_refused += (long)event[i].res == -EAGAIN;
	b->n_ended += n > 0 ? (uint32_t)n : 0;
}

static struct burst burst_make(io_context_t context, const struct block_probe *p, void *buffer,
			       int flags)
{
	struct iocb iocb[BLOCK_PROBE_MAX], *list[BLOCK_PROBE_MAX];
	struct io_event event[BLOCK_PROBE_MAX];
	struct burst b = {.code = 0};
	for (uint32_t i = 0; i < p->n; i++) {
		const uint64_t length = p->length[i] < LENGTH_MOST ? p->length[i] : LENGTH_MOST;
		io_prep_pread(&iocb[i], p->fd, buffer, length, (long long)p->offset);
		iocb[i].aio_rw_flags = flags;
		list[i] = &iocb[i];
	}
	const int64_t begin_ns = clock_monotonic_ns();
	while (b.n_submitted < p->n && !b.code) {
		int got = io_submit(context, p->n - b.n_submitted, list + b.n_submitted);
		b.code = got < 0 && got != -EINTR ? -got : 0;
		b.n_submitted += got > 0 ? (uint32_t)got : 0;
	}
	b.submit_ns = clock_monotonic_ns() - begin_ns;
	events_count(&b, event, io_getevents(context, 0, p->n, event, &(struct timespec){0}));
	b.ended_at_once = b.n_ended == b.n_submitted;
	const int64_t until_ns = clock_monotonic_ns() + STUCK_NS;
	while (b.n_ended < b.n_submitted && clock_monotonic_ns() < until_ns) {
		struct timespec wait = {.tv_nsec = 100000000};
		events_count(&b, event, io_getevents(context, 1, p->n, event, &wait));
	}
	return b;
}

static void choice_set(struct block_choice *c, const struct block_backend *b, const char *why)
{
	c->backend = b;
	snprintf(c->why, sizeof c->why, "%s", why);
}

static bool submit_waits(const struct burst *b)
{
	return b->n_submitted && b->ended_at_once &&
	       b->submit_ns > SUBMIT_WAITS_NS * (int64_t)b->n_submitted;
}

/* After a burst that was refused: decides whether libaio is better. */
static void choose_refused(struct block_choice *c, const struct burst *plain, const char *refusal)
{
	if (!plain->n_submitted)
		choice_set(c, &block_uring, "the target could not be probed: it refuses Linux AIO");
	else if (submit_waits(plain))
		choice_set(
		    c, &block_uring,
		    "with kernel threads, because the target serves requests of Linux AIO one "
		    "at a time");
	else
		choice_set(c, &block_libaio, refusal);
}

void block_choose(struct block_choice *c, const struct block_probe *p)
{
	struct vm_region buffer;
	io_context_t context = NULL;
	if (!p->n || vm_alloc(&buffer, BUFFER_BYTES, "a probe of the device", NULL)) {
		choice_set(c, &block_uring,
			   p->n ? "the target was not probed: not enough memory"
				: "the target was not probed: there are no reads or writes");
		return;
	}
	if (io_setup((int)p->n, &context) < 0) {
		vm_free(&buffer);
		choice_set(c, &block_uring,
			   "the target was not probed: cannot create a Linux AIO context");
		return;
	}
	struct block_probe nothing = {.fd = p->fd, .offset = p->offset, .n = 1};
	struct burst b = burst_make(context, &nothing, buffer.base, RWF_NOWAIT);
	bool needs_burst = b.n_refused > 0;
	for (uint32_t i = 0; i < p->n; i++)
		needs_burst |= p->length[i] > LENGTH_WHOLE;
	if (b.n_submitted && needs_burst)
		b = burst_make(context, p, buffer.base, RWF_NOWAIT);
	char refusal[BLOCK_WHY_BYTES] =
	    "the target does not support RWF_NOWAIT, so io_uring would use kernel threads";
	if (b.n_submitted && b.n_refused < REFUSED_MANY)
		choice_set(c, &block_uring,
			   "the target accepts requests without waiting (RWF_NOWAIT)");
	else if (b.n_ended == b.n_submitted) {
		if (b.n_submitted)
			snprintf(refusal, sizeof refusal, "the target refused %u of %u reads with "
				"RWF_NOWAIT, so io_uring would use kernel threads", b.n_refused,
				b.n_submitted);
		b = burst_make(context, p, buffer.base, 0);
		for (int i = 1; i < WAITING_BURSTS && submit_waits(&b); i++)
			b = burst_make(context, p, buffer.base, 0);
		choose_refused(c, &b, refusal);
	}
	if (b.n_ended < b.n_submitted) { /* the kernel may still write to the buffer */
		choice_set(c, &block_uring, "the target did not answer the probe");
		return;
	}
	io_destroy(context);
	vm_free(&buffer);
}
