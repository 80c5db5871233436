/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "replay/engines/compiled/image.h"
#include "common/u64_map.h"

#define ALIGN 128u
#define NOWHERE UINT64_MAX

struct writer {
	const struct replay_plan *p;
	const struct image_sink *to;
	struct image image;
	uint64_t at;		/* bytes written */
	struct u64_map of_text; /* address to index */
	const char **text;	/* text[n_texts] */
	uint64_t *text_at;	/* and where it begins in its part */
	uint32_t n_texts, texts_cap, texts_at_cap;
	uint64_t text_bytes;
};

static uint64_t rounded(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* --- texts --------------------------------------------------------------- */

static void text_note(struct writer *w, const char *text)
{
	uint32_t *known = text ? u64_map_at(&w->of_text, (uintptr_t)text, w->n_texts) : NULL;
	if (!known || *known != w->n_texts)
		return;
	GROW(w->text, w->n_texts, w->texts_cap);
	GROW(w->text_at, w->n_texts, w->texts_at_cap);
	w->text[w->n_texts] = text;
	w->text_at[w->n_texts++] = w->text_bytes;
	w->text_bytes += strlen(text) + 1;
}

static const char *text_offset(const struct writer *w, const char *text)
{
	const uint32_t *known = text ? u64_map_find(&w->of_text, (uintptr_t)text) : NULL;
	return (const char *)(uintptr_t)(known ? w->text_at[*known] : NOWHERE);
}

static void texts_find(struct writer *w)
{
	const struct replay_plan *p = w->p;
	for (uint32_t i = 0; i < p->n_slots; i++)
		text_note(w, p->open[i].path);
	for (uint32_t i = 0; i < p->calls.n_places; i++)
		text_note(w, p->calls.place[i]);
	for (uint32_t i = 0; i < p->calls.n_paths; i++) {
		text_note(w, p->calls.path[i].whole);
		text_note(w, p->calls.path[i].last);
	}
}

/* Of what points into the heap items: NOWHERE for a constant of ours. */
static const void *bytes_offset(const struct replay_plan *p, const void *at)
{
	uintptr_t base = (uintptr_t)p->bytes, here = (uintptr_t)at;
	bool inside = p->bytes && here >= base && here - base < p->n_bytes;
	return (const void *)(uintptr_t)(inside ? here - base : NOWHERE);
}

/* --- layout -------------------------------------------------------------- */

static uint32_t waits_of(const struct lane *a)
{
	uint32_t n = 0;
	for (uint32_t k = 0; k < a->n; k++)
		n += a->request[k].n_waits;
	return n;
}

static struct image_lane *lanes_lay(const struct writer *w, struct image_lane *sum)
{
	const struct replay_plan *p = w->p;
	struct image_lane *lane = xcalloc((size_t)p->n_lanes + 1, sizeof *lane);
	*sum = (struct image_lane){.n = 0};
	for (uint32_t i = 0; i < p->n_lanes; i++) {
		const struct lane *a = &p->lane[i];
		lane[i] = *sum;
		lane[i].n = a->n;
		lane[i].own_bytes = a->own_bytes;
		lane[i].common_bytes = a->common_bytes;
		lane[i].n_waits = p->pool ? 0 : waits_of(a);
		sum->request += rounded(a->n, IMAGE_LANE_ALIGN);
		sum->expected += rounded(a->n, IMAGE_LANE_ALIGN);
		sum->due += a->due ? rounded(a->n, IMAGE_LANE_ALIGN) : 0;
		sum->wait += rounded(lane[i].n_waits, IMAGE_LANE_ALIGN);
	}
	return lane;
}

static void image_lay(struct writer *w, const struct image_lane *sum)
{
	const struct replay_plan *p = w->p;
	struct image *m = &w->image;
	const uint64_t size[IMAGE_N] = {
		[IMAGE_LANES] = p->n_lanes * sizeof(struct image_lane),
		[IMAGE_REQUESTS] = sum->request * sizeof(struct hot_request),
		[IMAGE_WAITS] = sum->wait * sizeof(struct hot_wait),
		[IMAGE_DUE] = sum->due * sizeof(int64_t),
		[IMAGE_EXPECTED] = sum->expected * sizeof(int64_t),
		[IMAGE_PLACE] = p->n_records * sizeof(struct lane_place),
		[IMAGE_PROCESS_OF] = p->process_of ? p->n_lanes * sizeof(uint32_t) : 0,
		[IMAGE_OPEN] = p->n_slots * sizeof(struct hot_open),
		[IMAGE_SLOTS] = p->n_slots * sizeof(struct slot),
		[IMAGE_ENDING] = p->n_slots * sizeof(uint32_t),
		[IMAGE_CALLS] = p->calls.n * sizeof(struct call),
		[IMAGE_PATHS] = p->calls.n_paths * sizeof(struct call_path),
		[IMAGE_TIMES] = p->calls.n_times * sizeof(struct timespec),
		[IMAGE_PARTS] = p->calls.n_parts * sizeof(struct call_part),
		[IMAGE_DIRECTORIES] = p->calls.n_places * sizeof(char *),
		[IMAGE_PROCESSES] = p->calls.n_processes * sizeof(struct call_process_laid),
		[IMAGE_MAPS] = p->calls.n_maps * sizeof(uint32_t),
		[IMAGE_BYTES] = p->n_bytes,
		[IMAGE_TEXTS] = w->text_bytes,
	};
	*m = (struct image){.magic = IMAGE_MAGIC,
			    .seed = p->seed,
			    .n_records = p->n_records,
			    .n_lanes = p->n_lanes,
			    .n = p->n,
			    .n_workers = p->n_workers,
			    .longest = p->longest,
			    .n_slots = p->n_slots,
			    .n_calls = p->calls.n,
			    .n_paths = p->calls.n_paths,
			    .n_times = p->calls.n_times,
			    .n_parts = p->calls.n_parts,
			    .reads = p->calls.reads,
			    .n_directories = p->calls.n_places,
			    .n_maps = p->calls.n_maps,
			    .n_processes = p->calls.n_processes,
			    .ordered = p->ordered,
			    .pool = p->pool,
			    .own_lanes = p->own_lanes,
			    .direct = p->direct,
			    .timed = p->n_lanes && p->lane[0].due,
			    .by_process = p->process_of != NULL};
	uint64_t at = rounded(sizeof *m, ALIGN);
	for (int i = 0; i < IMAGE_N; i++) {
		m->at[i] = at;
		at += rounded(size[i], ALIGN);
	}
	m->n_bytes = at;
}

/* --- writing ------------------------------------------------------------- */

static int put(struct writer *w, const void *data, uint64_t n, struct err *e)
{
	w->at += n;
	return n ? w->to->put(w->to->context, data, (size_t)n, e) : 0;
}

static int put_zeros(struct writer *w, uint64_t n, struct err *e)
{
	static const char zeros[4096];
	int ret = 0;
	for (; n && !ret; n -= n < sizeof zeros ? n : sizeof zeros)
		ret = put(w, zeros, n < sizeof zeros ? n : sizeof zeros, e);
	return ret;
}

/* A part that lies in memory as it is in the image. */
static int put_part(struct writer *w, enum image_part part, const void *data, uint64_t n,
		    struct err *e)
{
	int ret = put_zeros(w, w->image.at[part] - w->at, e);
	return ret ? ret : put(w, data, n, e);
}

static const void *lane_part(const struct lane *a, enum image_part part, uint64_t n_waits,
			     uint64_t *n, uint64_t *size)
{
	*n = part == IMAGE_WAITS ? n_waits : a->n;
	*size = part == IMAGE_REQUESTS ? sizeof *a->request
		: part == IMAGE_WAITS  ? sizeof *a->wait
				       : sizeof(int64_t);
	switch (part) {
	case IMAGE_REQUESTS:
		return a->request;
	case IMAGE_WAITS:
		return a->wait;
	case IMAGE_DUE:
		return a->due;
	default:
		return a->expected;
	}
}

static int put_lanes(struct writer *w, const struct image_lane *lane, struct err *e)
{
	const struct replay_plan *p = w->p;
	int ret = put_part(w, IMAGE_LANES, lane, p->n_lanes * sizeof *lane, e);
	for (int part = IMAGE_REQUESTS; part <= IMAGE_EXPECTED; part++) {
		ret = ret ? ret : put_part(w, (enum image_part)part, NULL, 0, e);
		for (uint32_t i = 0; i < p->n_lanes && !ret; i++) {
			uint64_t n, size;
			const void *data = lane_part(&p->lane[i], (enum image_part)part,
						     lane[i].n_waits, &n, &size);
			if (!data)
				continue;
			ret = put(w, data, n * size, e);
			ret =
			    ret ? ret : put_zeros(w, (rounded(n, IMAGE_LANE_ALIGN) - n) * size, e);
		}
	}
	return ret;
}

static int put_opens(struct writer *w, struct err *e)
{
	int ret = put_part(w, IMAGE_OPEN, NULL, 0, e);
	for (uint32_t i = 0; i < w->p->n_slots && !ret; i++) {
		struct hot_open o = w->p->open[i];
		o.path = text_offset(w, o.path);
		ret = put(w, &o, sizeof o, e);
	}
	return ret;
}

static int put_paths(struct writer *w, struct err *e)
{
	int ret = put_part(w, IMAGE_PATHS, NULL, 0, e);
	for (uint32_t i = 0; i < w->p->calls.n_paths && !ret; i++) {
		struct call_path path = w->p->calls.path[i];
		char *tail = (char *)&path + offsetof(struct call_path, place) + sizeof path.place;
		path.whole = text_offset(w, path.whole);
		path.last = text_offset(w, path.last);
		/* the same plan gives the same bytes */
		memset(tail, 0, (size_t)((char *)(&path + 1) - tail));
		ret = put(w, &path, sizeof path, e);
	}
	return ret;
}

static int put_calls(struct writer *w, struct err *e)
{
	int ret = put_part(w, IMAGE_CALLS, NULL, 0, e);
	for (uint32_t i = 0; i < w->p->calls.n && !ret; i++) {
		struct call c;
		memcpy(&c, &w->p->calls.call[i], sizeof c);
		c.text = bytes_offset(w->p, c.text);
		c.vector = bytes_offset(w->p, c.vector);
		ret = put(w, &c, sizeof c, e);
	}
	ret = ret ? ret : put_paths(w, e);
	ret = ret ? ret
		  : put_part(w, IMAGE_TIMES, w->p->calls.times,
			     w->p->calls.n_times * sizeof *w->p->calls.times, e);
	ret = ret ? ret
		  : put_part(w, IMAGE_PARTS, w->p->calls.part,
			     w->p->calls.n_parts * sizeof *w->p->calls.part, e);
	ret = ret ? ret : put_part(w, IMAGE_DIRECTORIES, NULL, 0, e);
	for (uint32_t i = 0; i < w->p->calls.n_places && !ret; i++) {
		const char *at = text_offset(w, w->p->calls.place[i]);
		ret = put(w, &at, sizeof at, e);
	}
	ret = ret ? ret : put_part(w, IMAGE_PROCESSES, NULL, 0, e);
	for (uint32_t i = 0; i < w->p->calls.n_processes && !ret; i++) {
		const struct call_process_laid laid = call_process_laid(&w->p->calls, i);
		ret = put(w, &laid, sizeof laid, e);
	}
	ret = ret ? ret : put_part(w, IMAGE_MAPS, NULL, 0, e);
	for (uint32_t i = 0; i < w->p->calls.n_maps && !ret; i++) {
		const uint32_t next = call_map_next(&w->p->calls, i);
		ret = put(w, &next, sizeof next, e);
	}
	return ret;
}

static int put_texts(struct writer *w, struct err *e)
{
	int ret = put_part(w, IMAGE_TEXTS, NULL, 0, e);
	for (uint32_t i = 0; i < w->n_texts && !ret; i++)
		ret = put(w, w->text[i], strlen(w->text[i]) + 1, e);
	return ret ? ret : put_zeros(w, w->image.n_bytes - w->at, e);
}

static int put_all(struct writer *w, const struct image_lane *lane, struct err *e)
{
	const struct replay_plan *p = w->p;
	int ret = put(w, &w->image, sizeof w->image, e);
	ret = ret ? ret : put_lanes(w, lane, e);
	ret = ret ? ret : put_part(w, IMAGE_PLACE, p->place, p->n_records * sizeof *p->place, e);
	ret = ret ? ret
		  : put_part(w, IMAGE_PROCESS_OF, p->process_of,
			     p->process_of ? p->n_lanes * sizeof(uint32_t) : 0, e);
	ret = ret ? ret : put_opens(w, e);
	ret = ret ? ret
		  : put_part(w, IMAGE_SLOTS, p->calls.slot, p->n_slots * sizeof *p->calls.slot, e);
	ret =
	    ret ? ret
		: put_part(w, IMAGE_ENDING, p->calls.next_ending, p->n_slots * sizeof(uint32_t), e);
	ret = ret ? ret : put_calls(w, e);
	ret = ret ? ret : put_part(w, IMAGE_BYTES, p->bytes, p->n_bytes, e);
	return ret ? ret : put_texts(w, e);
}

int image_write(const struct replay_plan *p, const struct image_sink *to, struct err *e)
{
	struct writer w = {.p = p, .to = to};
	struct image_lane sum, *lane;
	texts_find(&w);
	lane = lanes_lay(&w, &sum);
	image_lay(&w, &sum);
	int ret = w.image.n_bytes > IMAGE_MAX_BYTES
		      ? err_set(e, E2BIG,
				"the tables of the compiled program would take %llu MiB, more than "
				"%llu (engine event has no limit)",
				(unsigned long long)(w.image.n_bytes >> 20),
				(unsigned long long)(IMAGE_MAX_BYTES >> 20))
		      : put_all(&w, lane, e);
	u64_map_release(&w.of_text);
	free(w.text);
	free(w.text_at);
	free(lane);
	return ret;
}
