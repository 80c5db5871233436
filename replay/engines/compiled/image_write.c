/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "common/u64_map.h"
#include "replay/engines/compiled/image.h"

#define ALIGN 128u
#define NOWHERE UINT64_MAX

/* --- texts --------------------------------------------------------------- */

struct image_texts {
	struct u64_map at; /* address to offset in `bytes` */
	struct strbuf bytes;
};

static void text_add(struct image_texts *t, const char *text)
{
	const uint32_t next = (uint32_t)t->bytes.len;
	if (text && t->bytes.len <= IMAGE_MAX_BYTES &&
	    *u64_map_at(&t->at, (uintptr_t)text, next) == next)
		strbuf_add(&t->bytes, text, strlen(text) + 1);
}

static const char *text_offset(const struct image_texts *t, const char *text)
{
	const uint32_t *at = text ? u64_map_find(&t->at, (uintptr_t)text) : NULL;
	return (const char *)(uintptr_t)(at ? *at : NOWHERE);
}

static void texts_find(struct image_texts *t, const struct replay_plan *p)
{
	for (uint32_t i = 0; i < p->n_slots; i++)
		text_add(t, p->open[i].path);
	for (uint32_t i = 0; i < p->calls.n_places; i++)
		text_add(t, p->calls.place[i]);
	for (uint32_t i = 0; i < p->calls.n_paths; i++) {
		text_add(t, p->calls.path[i].whole);
		text_add(t, p->calls.path[i].last);
	}
}

/* The offset of a pointer within the heap items; NOWHERE if it points to a constant of validate. */
static const void *bytes_offset(const struct replay_plan *p, const void *at)
{
	uintptr_t base = (uintptr_t)p->bytes, here = (uintptr_t)at;
	bool inside = p->bytes && here >= base && here - base < p->n_bytes;
	return (const void *)(uintptr_t)(inside ? here - base : NOWHERE);
}

/* --- layout -------------------------------------------------------------- */

static struct image_lane *lanes_lay(const struct replay_plan *p, struct image_lane *sum)
{
	struct image_lane *lane = xcalloc((size_t)p->n_lanes + 1, sizeof *lane);
	*sum = (struct image_lane){.n = 0};
	for (uint32_t i = 0; i < p->n_lanes; i++) {
		const struct lane *a = &p->lane[i];
		lane[i] = *sum;
		lane[i].n = a->n;
		lane[i].own_bytes = a->own_bytes;
		lane[i].common_bytes = a->common_bytes;
		for (uint32_t k = 0; k < a->n && !p->pool; k++)
			lane[i].n_waits += a->request[k].n_waits;
		sum->request += round_up(a->n, IMAGE_LANE_ALIGN);
		sum->expected += round_up(a->n, IMAGE_LANE_ALIGN);
		sum->due += a->due ? round_up(a->n, IMAGE_LANE_ALIGN) : 0;
		sum->wait += round_up(lane[i].n_waits, IMAGE_LANE_ALIGN);
	}
	return lane;
}

static struct image image_of(const struct replay_plan *p)
{
	const struct call_table *c = &p->calls;
	return (struct image){
	    .magic = IMAGE_MAGIC,
	    .plan = {.seed = p->seed,
		     .n_records = p->n_records,
		     .n_lanes = p->n_lanes,
		     .n = p->n,
		     .n_workers = p->n_workers,
		     .longest = p->longest,
		     .n_slots = p->n_slots,
		     .ordered = p->ordered,
		     .pool = p->pool,
		     .own_lanes = p->own_lanes,
		     .direct = p->direct,
		     .calls = {.n = c->n,
			       .n_paths = c->n_paths,
			       .n_times = c->n_times,
			       .n_parts = c->n_parts,
			       .reads = c->reads,
			       .n_places = c->n_places,
			       .n_maps = c->n_maps,
			       .n_processes = c->n_processes,
			       .n_slots = p->n_slots,
			       .null_fd = -1}},
	    .timed = p->n_lanes && p->lane[0].due,
	    .by_process = p->process_of != NULL,
	};
}

/* --- content ------------------------------------------------------------- */

static void array_copy(void *to, const void *from, size_t n_bytes)
{
	if (from && n_bytes)
		memcpy(to, from, n_bytes);
}

static void lanes_fill(char *base, const struct image *m, const struct replay_plan *p,
		       const struct image_lane *lane)
{
	for (uint32_t i = 0; i < p->n_lanes; i++) {
		const struct lane *a = &p->lane[i];
		const struct image_lane *at = &lane[i];
		array_copy((struct hot_request *)(base + m->at[IMAGE_REQUESTS]) + at->request,
			   a->request, a->n * sizeof *a->request);
		array_copy((struct hot_wait *)(base + m->at[IMAGE_WAITS]) + at->wait, a->wait,
			   at->n_waits * sizeof *a->wait);
		array_copy((int64_t *)(base + m->at[IMAGE_DUE]) + at->due, a->due,
			   a->n * sizeof *a->due);
		array_copy((int64_t *)(base + m->at[IMAGE_EXPECTED]) + at->expected, a->expected,
			   a->n * sizeof *a->expected);
	}
}

/* Replaces pointers by offsets. */
static void pointers_fill(char *base, const struct image *m, const struct replay_plan *p,
			  const struct image_texts *texts)
{
	struct hot_open *open = (struct hot_open *)(base + m->at[IMAGE_OPEN]);
	for (uint32_t i = 0; i < p->n_slots; i++)
		open[i].path = text_offset(texts, p->open[i].path);
	struct call *call = (struct call *)(base + m->at[IMAGE_CALLS]);
	for (uint32_t i = 0; i < p->calls.n; i++) {
		call[i].text = bytes_offset(p, p->calls.call[i].text);
		call[i].vector = bytes_offset(p, p->calls.call[i].vector);
	}
	struct call_path *path = (struct call_path *)(base + m->at[IMAGE_PATHS]);
	for (uint32_t i = 0; i < p->calls.n_paths; i++) {
		char *tail = (char *)&path[i].place + sizeof path[i].place;
		path[i].whole = text_offset(texts, p->calls.path[i].whole);
		path[i].last = text_offset(texts, p->calls.path[i].last);
		/* clear the padding, so that the same plan gives the same bytes */
		memset(tail, 0, (size_t)((char *)(&path[i] + 1) - tail));
	}
	const char **place = (const char **)(base + m->at[IMAGE_DIRECTORIES]);
	for (uint32_t i = 0; i < p->calls.n_places; i++)
		place[i] = text_offset(texts, p->calls.place[i]);
	struct call_process_laid *laid =
	    (struct call_process_laid *)(base + m->at[IMAGE_PROCESSES]);
	for (uint32_t i = 0; i < p->calls.n_processes; i++)
		laid[i] = call_process_laid(&p->calls, i);
	uint32_t *map = (uint32_t *)(base + m->at[IMAGE_MAPS]);
	for (uint32_t i = 0; i < p->calls.n_maps; i++)
		map[i] = call_map_next(&p->calls, i);
}

int image_make(const struct replay_plan *p, struct vm_region *r, struct err *e)
{
	struct image_texts texts = {.bytes = STRBUF_INIT};
	struct image_lane sum;
	SCOPED_FREE struct image_lane *lane = lanes_lay(p, &sum);
	struct image m = image_of(p);
	const struct call_table *c = &p->calls;
	texts_find(&texts, p);
	/* if `from` is NULL, the content is filled in later */
	const struct {
		const void *from;
		uint64_t n_bytes;
	} part[IMAGE_N] = {
	    [IMAGE_LANES] = {lane, p->n_lanes * sizeof *lane},
	    [IMAGE_REQUESTS] = {NULL, sum.request * sizeof(struct hot_request)},
	    [IMAGE_WAITS] = {NULL, sum.wait * sizeof(struct hot_wait)},
	    [IMAGE_DUE] = {NULL, sum.due * sizeof(int64_t)},
	    [IMAGE_EXPECTED] = {NULL, sum.expected * sizeof(int64_t)},
	    [IMAGE_PLACE] = {p->place, p->n_records * sizeof *p->place},
	    [IMAGE_PROCESS_OF] = {p->process_of, p->process_of ? p->n_lanes * sizeof(uint32_t) : 0},
	    [IMAGE_OPEN] = {p->open, p->n_slots * sizeof *p->open},
	    [IMAGE_SLOTS] = {c->slot, p->n_slots * sizeof *c->slot},
	    [IMAGE_ENDING] = {c->next_ending, p->n_slots * sizeof(uint32_t)},
	    [IMAGE_CALLS] = {c->call, c->n * sizeof *c->call},
	    [IMAGE_PATHS] = {c->path, c->n_paths * sizeof *c->path},
	    [IMAGE_TIMES] = {c->times, c->n_times * sizeof *c->times},
	    [IMAGE_PARTS] = {c->part, c->n_parts * sizeof *c->part},
	    [IMAGE_DIRECTORIES] = {NULL, c->n_places * sizeof(char *)},
	    [IMAGE_PROCESSES] = {NULL, c->n_processes * sizeof(struct call_process_laid)},
	    [IMAGE_MAPS] = {NULL, c->n_maps * sizeof(uint32_t)},
	    [IMAGE_BYTES] = {p->bytes, p->n_bytes},
	    [IMAGE_TEXTS] = {texts.bytes.s, texts.bytes.len},
	};
	m.n_bytes = round_up(sizeof m, ALIGN);
	for (int i = 0; i < IMAGE_N; i++) {
		m.at[i] = m.n_bytes;
		m.n_bytes += round_up(part[i].n_bytes, ALIGN);
	}
	*r = (struct vm_region){.base = NULL};
	int ret = m.n_bytes > IMAGE_MAX_BYTES
		      ? err_set(e, E2BIG, "the tables of the compiled program would take %llu MiB, "
				"but the limit is %llu MiB: use engine event, which has no limit",
				(unsigned long long)(m.n_bytes >> 20),
				(unsigned long long)(IMAGE_MAX_BYTES >> 20))
		      : vm_get(r, VM_RESERVED, m.n_bytes, "the tables of the compiled program", e);
	if (!ret) {
		memcpy(r->base, &m, sizeof m);
		for (int i = 0; i < IMAGE_N; i++)
			array_copy((char *)r->base + m.at[i], part[i].from, part[i].n_bytes);
		lanes_fill(r->base, &m, p, lane);
		pointers_fill(r->base, &m, p, &texts);
	}
	u64_map_release(&texts.at);
	strbuf_release(&texts.bytes);
	return ret;
}
