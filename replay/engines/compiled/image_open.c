/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "replay/engines/compiled/image.h"

/* --- outcomes, whose size the program and its starter compute alike ------- */

static uint64_t lane_room(uint64_t n)
{
	return (n + IMAGE_LANE_ALIGN - 1) / IMAGE_LANE_ALIGN * IMAGE_LANE_ALIGN;
}

uint64_t image_outcome_bytes(const struct replay_plan *p)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < p->n_lanes; i++)
		n += lane_room(p->lane[i].n);
	return n * sizeof(struct outcome);
}

void image_outcomes_set(struct replay_plan *p, struct outcome *base)
{
	for (uint32_t i = 0; i < p->n_lanes; i++) {
		p->lane[i].outcome = base;
		base += lane_room(p->lane[i].n);
	}
}

/* --- opening ------------------------------------------------------------- */

static void *part(struct image *m, enum image_part which)
{
	return (char *)m + m->at[which];
}

static void lanes_open(struct image *m, struct replay_plan *p)
{
	const struct image_lane *at = part(m, IMAGE_LANES);
	p->lane = xcalloc((size_t)m->n_lanes + 1, sizeof *p->lane);
	for (uint32_t i = 0; i < m->n_lanes; i++)
		p->lane[i] = (struct lane){
		    .request = (struct hot_request *)part(m, IMAGE_REQUESTS) + at[i].request,
		    .wait = m->pool ? NULL : (struct hot_wait *)part(m, IMAGE_WAITS) + at[i].wait,
		    .due = m->timed ? (int64_t *)part(m, IMAGE_DUE) + at[i].due : NULL,
		    .expected = (int64_t *)part(m, IMAGE_EXPECTED) + at[i].expected,
		    .n = at[i].n,
		    .own_bytes = at[i].own_bytes,
		    .common_bytes = at[i].common_bytes,
		};
}

/* The text at an offset. The offset UINTPTR_MAX means `none`. */
static const char *text_at(struct image *m, const char *offset, const char *none)
{
	return (uintptr_t)offset == UINTPTR_MAX
		   ? none
		   : (const char *)part(m, IMAGE_TEXTS) + (uintptr_t)offset;
}

static int calls_open(struct image *m, struct call_table *c, struct err *e)
{
	const char *bytes = part(m, IMAGE_BYTES);
	*c = (struct call_table){.call = part(m, IMAGE_CALLS),
				 .n = m->n_calls,
				 .path = part(m, IMAGE_PATHS),
				 .n_paths = m->n_paths,
				 .times = part(m, IMAGE_TIMES),
				 .n_times = m->n_times,
				 .place = part(m, IMAGE_DIRECTORIES),
				 .n_places = m->n_directories,
				 .n_maps = m->n_maps,
				 .n_processes = m->n_processes,
				 .slot = part(m, IMAGE_SLOTS),
				 .n_slots = m->n_slots,
				 .next_ending = part(m, IMAGE_ENDING),
				 .part = part(m, IMAGE_PARTS),
				 .n_parts = m->n_parts,
				 .reads = m->reads,
				 .null_fd = -1};
	for (uint32_t i = 0; i < c->n_places; i++)
		c->place[i] = (char *)(uintptr_t)text_at(m, c->place[i], "");
	for (uint32_t i = 0; i < c->n_paths; i++) {
		c->path[i].whole = text_at(m, c->path[i].whole, NULL);
		c->path[i].last = text_at(m, c->path[i].last, NULL);
	}
	for (uint32_t i = 0; i < c->n; i++) {
		struct call *k = &c->call[i];
		k->text = (uintptr_t)k->text == UINTPTR_MAX ? "" : bytes + (uintptr_t)k->text;
		bool vector = (uintptr_t)k->vector != UINTPTR_MAX;
		k->vector =
		    vector ? (const uint64_t *)(const void *)(bytes + (uintptr_t)k->vector) : NULL;
	}
	return call_table_revive(c, part(m, IMAGE_PROCESSES), part(m, IMAGE_MAPS), e);
}

/* Makes the pages present. A program's pages are read from its file at the first access. A write to
 * each page makes it present and private before the replay. */
static void pages_take(struct image *m)
{
	volatile char *at = (volatile char *)m;
#ifdef MADV_POPULATE_WRITE
	uintptr_t first = (uintptr_t)m & ~(uintptr_t)4095;
	if (!madvise((void *)first, (size_t)((uintptr_t)m + m->n_bytes - first),
		     MADV_POPULATE_WRITE))
		return;
#endif
	for (uint64_t i = 0; i < m->n_bytes; i += 4096)
		at[i] = at[i];
}

int image_open(struct image *m, struct replay_plan *p, struct err *e)
{
	if (memcmp(m->magic, IMAGE_MAGIC, sizeof IMAGE_MAGIC))
		return err_set(e, EINVAL, "the tables of the compiled replay are of another "
					  "version of validate: compile the replay again");
	if (m->opened)
		return err_set(e, EINVAL, "the tables of the compiled replay were already used: "
					  "they can be replayed only once");
	pages_take(m);
	m->opened = true;
	p->n_lanes = m->n_lanes;
	p->ordered = m->ordered;
	p->pool = m->pool;
	p->own_lanes = m->own_lanes;
	p->n = m->n;
	p->n_records = m->n_records;
	p->place = part(m, IMAGE_PLACE);
	p->n_workers = m->n_workers;
	p->longest = m->longest;
	p->direct = m->direct;
	p->seed = m->seed;
	p->n_slots = m->n_slots;
	p->process_of = m->by_process ? part(m, IMAGE_PROCESS_OF) : NULL;
	p->bytes = part(m, IMAGE_BYTES);
	p->open = part(m, IMAGE_OPEN);
	for (uint32_t i = 0; i < p->n_slots; i++)
		p->open[i].path = text_at(m, p->open[i].path, NULL);
	lanes_open(m, p);
	return calls_open(m, &p->calls, e);
}
