/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "replay/engines/compiled/image.h"

/* --- outcomes, whose size the program and its starter compute alike ------- */

uint64_t image_outcome_bytes(const struct replay_plan *p)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < p->n_lanes; i++)
		n += round_up(p->lane[i].n, IMAGE_LANE_ALIGN);
	return n * sizeof(struct outcome);
}

void image_outcomes_set(struct replay_plan *p, struct outcome *base)
{
	for (uint32_t i = 0; i < p->n_lanes; i++) {
		p->lane[i].outcome = base;
		base += round_up(p->lane[i].n, IMAGE_LANE_ALIGN);
	}
}

/* --- opening ------------------------------------------------------------- */

static void *part_at(struct image *m, enum image_part which)
{
	return (char *)m + m->at[which];
}

static void lanes_open(struct image *m, struct replay_plan *p)
{
	const struct image_lane *at = part_at(m, IMAGE_LANES);
	p->lane = xcalloc((size_t)p->n_lanes + 1, sizeof *p->lane);
	for (uint32_t i = 0; i < p->n_lanes; i++)
		p->lane[i] = (struct lane){
		    .request = (struct hot_request *)part_at(m, IMAGE_REQUESTS) + at[i].request,
		    .wait =
			p->pool ? NULL : (struct hot_wait *)part_at(m, IMAGE_WAITS) + at[i].wait,
		    .due = m->timed ? (int64_t *)part_at(m, IMAGE_DUE) + at[i].due : NULL,
		    .expected = (int64_t *)part_at(m, IMAGE_EXPECTED) + at[i].expected,
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
		   : (const char *)part_at(m, IMAGE_TEXTS) + (uintptr_t)offset;
}

static int calls_open(struct image *m, struct call_table *c, struct err *e)
{
	const char *bytes = part_at(m, IMAGE_BYTES);
	c->call = part_at(m, IMAGE_CALLS);
	c->path = part_at(m, IMAGE_PATHS);
	c->times = part_at(m, IMAGE_TIMES);
	c->place = part_at(m, IMAGE_DIRECTORIES);
	c->slot = part_at(m, IMAGE_SLOTS);
	c->next_ending = part_at(m, IMAGE_ENDING);
	c->part = part_at(m, IMAGE_PARTS);
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
	return call_table_revive(c, part_at(m, IMAGE_PROCESSES), part_at(m, IMAGE_MAPS), e);
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
		return err_set(e, EINVAL, "the tables of the compiled replay were made by "
					  "another version of validate: compile the replay again");
	if (m->opened)
		return err_set(e, EINVAL, "the tables of the compiled replay have already been "
					  "used: they can be replayed only once");
	pages_take(m);
	m->opened = true;
	const struct replay_plan given = *p;
	*p = m->plan;
	p->clock = given.clock;
	p->payload = given.payload;
	p->root = given.root;
	p->place = part_at(m, IMAGE_PLACE);
	p->process_of = m->by_process ? part_at(m, IMAGE_PROCESS_OF) : NULL;
	p->bytes = part_at(m, IMAGE_BYTES);
	p->open = part_at(m, IMAGE_OPEN);
	for (uint32_t i = 0; i < p->n_slots; i++)
		p->open[i].path = text_at(m, p->open[i].path, NULL);
	lanes_open(m, p);
	return calls_open(m, &p->calls, e);
}
