/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/plan/plan.h"

#include <libgen.h>

#include "common/heap.h"
#include "common/placement.h"
#include "common/sort.h"
#include "common/units.h"
#include "common/unnamed_file.h"
#include "replay/options/engine.h"
#include "replay/plan/pinning.h"

/* --- memory: the arrays of a plan, or a scratch file if they exceed --memory - */

/* Lanes begin at a multiple of this number of elements, which is a multiple of 128 bytes in every
 * array: two lanes never share a cache line. */
#define LANE_ALIGN 16u

#define PART_ALIGN UINT64_C(4096)

static const char *const part_names[PLAN_PARTS] = {"the requests", "the order",
    "the times of the requests", "the results of the replay", "the results of repeated requests",
    "the expected results", "the records"};

/* Returns *base and advances it by the size of a lane's part; NULL stays NULL. */
static void *lane_part(char **base, uint64_t n, size_t size)
{
	char *part = *base;
	if (part)
		*base += round_up(n, LANE_ALIGN) * size;
	return part;
}

static void lanes_point(struct replay_plan *p, const uint32_t *n_waits)
{
	char *base[PLAN_PARTS];
	for (int i = 0; i < PLAN_PARTS; i++)
		base[i] = p->memory[i].base;
	for (uint32_t i = 0; i < p->n_lanes; i++) {
		struct lane *a = &p->lane[i];
		a->request = lane_part(&base[PLAN_REQUESTS], a->n, sizeof *a->request);
		a->wait = lane_part(&base[PLAN_WAITS], n_waits[i], sizeof *a->wait);
		a->due = lane_part(&base[PLAN_DUE], a->n, sizeof *a->due);
		a->outcome = lane_part(&base[PLAN_OUTCOMES], a->n, sizeof *a->outcome);
		a->repeated = lane_part(&base[PLAN_REPEATED], a->n, sizeof *a->repeated);
		a->expected = lane_part(&base[PLAN_EXPECTED], a->n, sizeof *a->expected);
	}
	p->place = p->memory[PLAN_PLACES].base;
	if (p->place)
		memset(p->place, 0xff, (p->n_records + 1) * sizeof *p->place);
}

/* --- plan in a file ------------------------------------------------------ */

/* Returns why a plan must be in memory, or NULL if it may be in a file. */
static const char *whole_reason(const struct replay_plan *p, const struct replay_config *c)
{
	if (!c->row || !c->row->bounded)
		return "this engine needs the whole plan in memory";
	if (p->pool)
		return "order = none needs the whole plan in memory";
	if (c->processes)
		return "--processes needs the whole plan in memory";
	return p->mutant.kind != FAULT_NONE ? "a mutant needs the whole plan in memory" : NULL;
}

/* Opens the file. It is beside the replay trace, where space for as much data is needed anyway. */
static int file_open(struct replay_plan *p, const struct replay_config *c, uint64_t n_bytes,
		     struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	SCOPED_FREE char *near = xstrdup(c->output ? c->output : "");
	const char *dir = c->scratch    ? c->scratch
			  : c->output   ? dirname(near)
			  : tmp && *tmp ? tmp
					: "/var/tmp";
	int ret = 0, fd = unnamed_file_open(dir, e);
	if (fd < 0)
		ret = fd;
	else
		p->file.fd = fd;
	const int code = ret ? 0 : -file_reserve(fd, n_bytes);
	if (code) {
		ret = err_sys(e, code, "%s: not enough space for the plan of the replay, which "
			"takes %s (choose another directory with --scratch)", dir,
			size_text(n_bytes).s);
	}
	p->file.in_memory = !ret && file_in_memory(fd);
	return ret;
}

static int parts_map(struct replay_plan *p, const struct replay_config *c, const uint64_t *n_bytes,
		     struct err *e)
{
	uint64_t at = 0;
	for (int i = 0; i < PLAN_PARTS; i++) {
		p->file.at[i] = at;
		at += round_up(n_bytes[i], PART_ALIGN);
	}
	int ret = file_open(p, c, at, e);
	for (int i = 0; i < PLAN_PARTS && !ret; i++)
		ret = vm_map_file(&p->memory[i], p->file.fd, p->file.at[i], n_bytes[i],
				  part_names[i], e);
	return ret;
}

static int parts_reserve(struct replay_plan *p, const struct replay_config *c,
			 const uint64_t *n_bytes, struct err *e)
{
	int ret = 0;
	for (int i = 0; i < PLAN_PARTS && !ret; i++) {
		bool across = c->processes && (i == PLAN_OUTCOMES || i == PLAN_REPEATED);
		ret = vm_get(&p->memory[i], across ? VM_SHARED : VM_RESERVED, n_bytes[i],
			     part_names[i], e);
	}
	return ret;
}

/* --- file or memory ------------------------------------------------------ */

/* Allocates the lanes, whose n is set, with n_waits[i] waits each, and p->place. Errors: ENOMEM;
 * those of the scratch file, such as ENOSPC. */
static int plan_memory_get(struct replay_plan *p, const struct replay_config *c,
			   const uint32_t *n_waits, struct err *e)
{
	uint64_t n = 0, n_all_waits = 0;
	for (uint32_t i = 0; i < p->n_lanes; i++) {
		n += round_up(p->lane[i].n, LANE_ALIGN);
		n_all_waits += round_up(n_waits[i], LANE_ALIGN);
		p->file.n_waits += n_waits[i];
	}
	const uint64_t n_bytes[PLAN_PARTS] = {
		[PLAN_REQUESTS] = n * sizeof(struct hot_request),
		[PLAN_WAITS] = n_all_waits * sizeof(struct hot_wait),
		[PLAN_DUE] = c->timing == TIMING_FULLSPEED ? 0 : n * sizeof(int64_t),
		[PLAN_OUTCOMES] = n * sizeof(struct outcome),
		[PLAN_REPEATED] = p->mutant.kind == FAULT_REPEAT ? n * sizeof(struct outcome) : 0,
		[PLAN_EXPECTED] = n * sizeof(int64_t),
		[PLAN_PLACES] = (p->n_records + 1) * sizeof(struct lane_place),
	};
	p->file.limit_bytes = c->memory_bytes;
	for (int i = 0; i < PLAN_PARTS; i++)
		p->file.n_bytes += n_bytes[i];
	const bool large = p->file.n_bytes > c->memory_bytes;
	p->file.whole = large ? whole_reason(p, c) : NULL;
	int ret = large && !p->file.whole ? parts_map(p, c, n_bytes, e)
					  : parts_reserve(p, c, n_bytes, e);
	if (!ret)
		lanes_point(p, n_waits);
	return ret;
}

/* Makes memory present, so that the run causes no page faults; writes a file to storage and drops
 * it from the page cache. Call it when the plan is complete. Errors: of the file. */
static int plan_memory_settle(struct replay_plan *p, struct err *e)
{
	if (p->file.fd && !p->file.in_memory && fdatasync(p->file.fd))
		return err_sys(e, errno, "cannot write the plan of the replay to its scratch file");
	for (int i = 0; i < PLAN_PARTS; i++) {
		const struct vm_region *r = &p->memory[i];
		if (!p->file.fd)
			vm_own(r->base, r->n_bytes);
		else if (r->n_bytes)
			(void)madvise(r->base, r->n_bytes, MADV_DONTNEED);
	}
	if (p->file.fd)
		(void)posix_fadvise(p->file.fd, 0, 0, POSIX_FADV_DONTNEED);
	return 0;
}

/* number of requests of the load whose memory is freed together */
#define FORGET_REQUESTS (UINT32_C(1) << 17)

/* --- lanes --------------------------------------------------------------- */

struct lane_life { /* of a thread */
	int64_t begin_ns, end_ns;
	uint32_t thread;
};

static struct lane_life *lives_find(const struct load *l)
{
	struct lane_life *life = xcalloc((size_t)l->n_threads + 1, sizeof *life);
	for (uint32_t i = 0; i < l->n_threads; i++)
		life[i] = (struct lane_life){INT64_MAX, INT64_MIN, i};
	for (uint32_t i = 0; i < l->n; i++) {
		const struct load_request *r = &l->request[i];
		struct lane_life *x = &life[r->thread];
		x->begin_ns = r->begin_ns < x->begin_ns ? r->begin_ns : x->begin_ns;
		const int64_t end_ns = load_end_ns(l, r);
		x->end_ns = end_ns > x->end_ns ? end_ns : x->end_ns;
	}
	return life;
}

ORDER_BY(compare_begin, struct lane_life, begin_ns, thread)

/* Orders lanes by the time at which they become free: a heap of (end, lane). */
static bool free_before(const void *a, const void *b, const void *context)
{
	const struct lane_life *x = a, *y = b;
	(void)context;
	return x->end_ns != y->end_ns ? x->end_ns < y->end_ns : x->thread < y->thread;
}

static const struct heap_type lanes_free = {sizeof(struct lane_life), free_before, NULL};

/* Assigns threads to lanes. In the order of their starts, each thread gets the lane that has been
 * free for the longest time, or a new lane. */
static uint32_t threads_join(const struct lane_life *life, uint32_t n_threads, uint32_t *lane)
{
	SCOPED_FREE struct lane_life *heap = xcalloc((size_t)n_threads + 1, sizeof *heap);
	uint32_t n = 0;
	for (uint32_t i = 0; i < n_threads; i++) {
		struct lane_life x = life[i];
		const bool any = n && heap[0].end_ns <= x.begin_ns;
		const uint32_t taken = any ? heap[0].thread : n;
		lane[x.thread] = taken;
		x.thread = taken; /* in the heap: the lane */
		if (any) {
			heap[0] = x;
			heap_sift_down(&lanes_free, heap, n, 0);
		} else {
			heap[n] = x;
			heap_sift_up(&lanes_free, heap, n++);
		}
	}
	return n;
}

/* Numbers the lanes in the order of their first threads. */
static void lanes_renumber(uint32_t *lane, uint32_t n_threads, uint32_t n)
{
	uint32_t *new_number = xcalloc((size_t)n + 1, sizeof *new_number), next = 0;
	for (uint32_t i = 0; i < n; i++)
		new_number[i] = NONE32;
	for (uint32_t i = 0; i < n_threads; i++) {
		uint32_t *number = &new_number[lane[i]];
		*number = *number == NONE32 ? next++ : *number;
		lane[i] = *number;
	}
	free(new_number);
}

void lanes_assign(struct lanes *out, const struct load *l, bool joins)
{
	const size_t n = (size_t)l->n_threads + 1;
	SCOPED_FREE struct lane_life *life = lives_find(l);
	*out = (struct lanes){.lane = xcalloc(n, sizeof *out->lane),
			      .base = xcalloc(n, sizeof *out->base),
			      .n_requests = xcalloc(n, sizeof *out->n_requests),
			      .n = l->n_threads};
	qsort(life, l->n_threads, sizeof *life, compare_begin);
	for (uint32_t i = 0; i < l->n_threads; i++)
		out->lane[i] = i;
	if (joins)
		out->n = threads_join(life, l->n_threads, out->lane);
	out->joined = out->n < l->n_threads;
	lanes_renumber(out->lane, l->n_threads, out->n);
	for (uint32_t i = 0; i < l->n_threads; i++) {
		const uint32_t thread = life[i].thread, lane = out->lane[thread];
		out->base[thread] = out->n_requests[lane];
		out->n_requests[lane] += l->thread[thread].n_requests;
	}
}

/* --- one request --------------------------------------------------------- */

static int64_t scaled_ns(int64_t gap_ns, double speed)
{
	double ns = (double)gap_ns / speed;
	return ns <= 0 ? 0 : ns > 9e18 ? INT64_MAX / 2 : llrint(ns);
}

#define NO_END INT64_MIN

/* Returns the due time of a request. `before_ns`: end of the previous request in its lane, NO_END
 * for the first. */
static int64_t due_ns(const struct replay_config *c, const struct load *l,
		      const struct load_request *r, int64_t before_ns)
{
	const int64_t begin_ns = load_call_begin(l, r);
	if (c->timing == TIMING_TIMESTAMP)
		return scaled_ns(r->begin_ns - l->first_begin_ns, c->speed);
	if (load_is_async(r) && r->flags & LOAD_HANDED_OVER) /* its submission had the pause */
		return 0;
	if (before_ns == NO_END)
		return scaled_ns(begin_ns - l->first_begin_ns, c->speed);
	/* an unknown end, or overlapping calls of one thread: no gap */
	return before_ns >= begin_ns ? 0 : scaled_ns(begin_ns - before_ns, c->speed);
}

static int64_t expected_of(const struct load_request *r)
{
	if (r->skipped || op_info(r->op)->family == FAMILY_CAUSE)
		return 0;
	return r->rvalue > 0 && !call_result_counts(r->op) ? 0 : r->rvalue;
}

/* Stores a hot request, but keeps the waits and publication flags that were set before. */
static void request_lay(struct hot_request *to, struct hot_request h)
{
	h.n_waits = to->n_waits;
	h.flags |= to->flags;
	*to = h;
}

/* Converts an edge to a wait. Returns false if both requests are in the same lane, which keeps
 * their order. */
static bool wait_of(const struct lanes *lanes, const struct load *l, const struct edge *g,
		    struct hot_wait *w)
{
	*w = (struct hot_wait){lanes->lane[g->thread], g->threshold + 2 * lanes->base[g->thread]};
	return w->lane != lanes->lane[l->request[g->request].thread];
}

struct waits_walk { /* a walk over the edges, which are sorted by request */
	const struct edges *edges;
	size_t n; /* edges that are done */
	struct hot_wait **next; /* next[n_lanes] */
};

static void waits_walk_begin(struct waits_walk *x, const struct replay_plan *p,
			     const struct edges *d)
{
	*x = (struct waits_walk){d, p->pool ? d->n : 0, xcalloc(p->n_lanes + 1, sizeof *x->next)};
	for (uint32_t i = 0; i < p->n_lanes; i++)
		x->next[i] = p->lane[i].wait;
}

/* Adds the waits of request i, whose place is `at`. */
static void waits_lay(struct replay_plan *p, struct waits_walk *x, const struct load *l,
		      const struct lanes *lanes, uint32_t i, struct lane_place at)
{
	struct hot_wait w;
	for (; x->n < x->edges->n && x->edges->edge[x->n].request == i; x->n++) {
		if (!wait_of(lanes, l, &x->edges->edge[x->n], &w))
			continue;
		*x->next[at.lane]++ = w;
		p->lane[at.lane].request[at.index].n_waits++;
		p->lane[w.lane].request[(w.threshold - 1) / 2].flags |=
		    w.threshold & 1 ? HOT_PUBLISH_BEGUN : HOT_PUBLISH_ENDED;
		p->ordered = true;
	}
}

/* Assigns a buffer to a request. Long requests share a buffer: the replay does not use the bytes
 * that it reads, and the bytes that it writes are arbitrary or are generated just before the
 * request. */
static void buffer_lay(struct replay_plan *p, struct lane *a, const struct load *l,
		       const struct load_request *r, uint64_t n_bytes, struct hot_request *h)
{
	const bool made = h->op == HOT_CALL && p->calls.call[h->length].bits & CALL_PAYLOAD;
	const bool common = n_bytes > PLACEMENT_OWN_MAX && !made;
	uint64_t *longest = common ? &a->common_bytes : &a->own_bytes;
	h->flags |= common ? HOT_COMMON : 0;
	*longest = n_bytes > *longest ? n_bytes : *longest;
	if (n_bytes > p->longest.n_bytes)
		p->longest =
		    (struct plan_longest){n_bytes, r->record, l->thread[r->thread].tid, r->op};
}

/* Lays out the requests. This is the last walk over the load's requests. It frees their memory in
 * steps, so that load and plan are never both completely in memory. */
static void requests_lay(struct replay_plan *p, const struct replay_config *c, struct load *l,
			 const struct slots *s, const struct edges *d, const struct lanes *lanes)
{
	struct waits_walk waits;
	SCOPED_FREE int64_t *before_ns = xmalloc(((size_t)lanes->n + 1) * sizeof *before_ns);
	bool by_thread = !p->pool || p->own_lanes;
	for (uint32_t i = 0; i < lanes->n; i++)
		before_ns[i] = NO_END;
	waits_walk_begin(&waits, p, d);
	call_table_init(&p->calls, l, s);
	p->payload =
	    (struct payload){c->payload == PAYLOAD_ZERO ? 1 : c->compressible, c->duplicates};
	p->calls.payload =
	    c->payload == PAYLOAD_BUFFER || c->payload == PAYLOAD_CAPTURED ? NULL : &p->payload;
	for (uint32_t i = 0; i < l->n; i++) {
		const struct load_request *r = &l->request[i];
		const uint32_t lane = lanes->lane[r->thread];
		struct lane_place at = {by_thread ? lane : 0,
					by_thread ? lanes->base[r->thread] + r->index : i};
		struct lane *a = &p->lane[at.lane];
		waits_lay(p, &waits, l, lanes, i, at);
		uint64_t n_bytes;
		struct hot_request h = call_hot(&p->calls, l, s, r, &n_bytes);
		buffer_lay(p, a, l, r, n_bytes, &h);
		request_lay(&a->request[at.index], h);
		a->expected[at.index] = expected_of(r);
		if (a->due)
			a->due[at.index] = due_ns(c, l, r, before_ns[lane]);
		p->place[r->record] = at;
		if (r->skipped && !p->skip_reason)
			p->skip_reason = xcalloc(p->n_records + 1, 1);
		if (r->skipped)
			p->skip_reason[r->record] = r->skipped;
		before_ns[lane] = load_call_end(l, r);
		if ((i + 1) % FORGET_REQUESTS == 0)
			vm_forget(&l->request[i + 1 - FORGET_REQUESTS],
				  FORGET_REQUESTS * sizeof *l->request);
	}
	p->calls.n_skipped[SKIP_CAUSE] = l->n_causes;
	call_table_laid(&p->calls);
	p->bytes = l->bytes; /* calls refer to it */
	p->n_bytes = l->n_bytes;
	l->bytes = NULL;
	l->n_bytes = l->bytes_cap = 0;
	free(l->request);
	l->request = NULL;
	l->n = 0;
	free(waits.next);
}

/* Marks the last request of each thread, after which the thread leaves its process. */
static void leaves_lay(struct replay_plan *p, const struct load *l, const struct lanes *lanes)
{
	if (p->pool)
		return;
	p->process_of = xcalloc((size_t)p->n_lanes + 1, sizeof *p->process_of);
	for (uint32_t i = 0; i < l->n_threads; i++) {
		const uint32_t process = p->calls.process_of_thread[i], n = l->thread[i].n_requests;
		const uint32_t last = lanes->base[i] + n; /* of the thread, plus one */
		struct lane *a = &p->lane[lanes->lane[i]];
		if (last == a->n)
			p->process_of[lanes->lane[i]] = process;
		if (!n || p->calls.n_processes < 2 || !call_ends_something(&p->calls, process))
			continue;
		a->request[last - 1].flags |= HOT_LEAVE;
		a->request[last - 1].process = (uint16_t)process;
	}
}

/* --- order --------------------------------------------------------------- */

static void opens_lay(struct replay_plan *p, const struct slots *s)
{
	p->n_slots = s->n;
	p->open = xcalloc(s->n + 1, sizeof *p->open);
	p->fds = xcalloc(s->n + 1, sizeof *p->fds);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct slot *b = &s->slot[i];
		p->direct |= b->flags & O_DIRECT && i;
		atomic_init(&p->fds[i], -1);
		if (i && b->file != NONE32)
			p->open[i] = (struct hot_open){s->file[b->file].name,
						       rooted_flags(b->flags), b->mode};
	}
}

/* --- the plan ------------------------------------------------------------ */

static int lanes_make(struct replay_plan *p, const struct replay_config *c, const struct load *l,
		      const struct edges *d, const struct lanes *lanes, struct err *e)
{
	struct hot_wait w;
	/* a pool of workers that takes requests in issue order has a single lane */
	p->pool = c->order == ORDER_NONE || p->mutant.kind == FAULT_DOUBLE;
	uint64_t n_workers = !p->pool ? lanes->n : c->n_workers ? c->n_workers : lanes->n;
	if (p->mutant.kind == FAULT_DOUBLE)
		n_workers = 2 * (c->n_workers ? c->n_workers : lanes->n);
	p->n_workers = (uint32_t)n_workers;
	p->own_lanes = p->pool && n_workers == lanes->n && c->timing == TIMING_FULLSPEED;
	p->n_lanes = p->pool && !p->own_lanes ? 1 : lanes->n;
	p->lane = xcalloc(p->n_lanes + 1, sizeof *p->lane);
	SCOPED_FREE uint32_t *n_waits = xcalloc(p->n_lanes + 1, sizeof *n_waits);
	for (uint32_t i = 0; i < p->n_lanes; i++)
		p->lane[i].n = p->pool && !p->own_lanes ? l->n : lanes->n_requests[i];
	for (size_t i = 0; !p->pool && i < d->n; i++)
		n_waits[lanes->lane[l->request[d->edge[i].request].thread]] +=
		    wait_of(lanes, l, &d->edge[i], &w);
	return plan_memory_get(p, c, n_waits, e);
}

int plan_make(struct replay_plan *p, const struct replay_config *c, struct load *l,
	      const struct slots *s, const struct edges *d, struct err *e)
{
	struct lanes lanes;
	*p = (struct replay_plan){
		.n = l->n, .n_records = l->n_records, .root = {.fd = -1, .tree = -1}};
	int ret = c->mutant ? mutant_parse(&p->mutant, c->mutant, e) : 0;
	if (ret)
		return ret;
	lanes_assign(&lanes, l, !c->processes && !pinning_is_traced(c));
	ret = lanes_make(p, c, l, d, &lanes, e);
	if (!ret) {
		requests_lay(p, c, l, s, d, &lanes);
		if (!p->pool) {
			/* mark the requests that publish inside the timed region, or shortly before
			 * it: gate_drain() precedes them */
			for (uint32_t i = 0; i < p->n_lanes; i++)
				for (uint32_t k = 0; k < p->lane[i].n; k++) {
					struct hot_request *h = &p->lane[i].request[k];
					if (h->flags & HOT_PUBLISH_BEGUN ||
					    (k && h[-1].flags & HOT_PUBLISH_ENDED))
						h->flags |= HOT_DRAIN;
				}
		}
		/* threads that share a lane leave their processes within the lane */
		p->ordered |= !p->pool && lanes.joined;
		leaves_lay(p, l, &lanes);
		if (c->blank)
			plan_blank(p);
		opens_lay(p, s);
		ret = p->mutant.kind != FAULT_NONE ? mutant_apply(p, e) : 0;
		ret = ret ? ret : plan_memory_settle(p, e);
	}
	lanes_release(&lanes);
	return ret;
}

void plan_blank(struct replay_plan *p)
{
	for (uint32_t i = 0; i < p->n_lanes; i++)
		for (uint32_t k = 0; k < p->lane[i].n; k++) {
			if (p->lane[i].request[k].op != HOT_SKIPPED)
				p->lane[i].request[k].op = HOT_NOTHING;
			p->lane[i].expected[k] = 0;
		}
}

void plan_release(struct replay_plan *p)
{
	for (int i = 0; i < PLAN_PARTS; i++)
		vm_free(&p->memory[i]);
	if (p->file.fd > 0)
		close(p->file.fd);
	p->file = (struct plan_file){.fd = 0};
	FREE_EACH(p->lane, p->process_of, p->skip_reason, p->bytes);
	if (p->program_fd > 0)
		close(p->program_fd);
	FREE_EACH((void *)p->fds, p->open);
	*p = (struct replay_plan){.n = 0};
}
