/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules `data` and `size`. */
#include "replay/order/order_fs_private.h"

/* a read that overlaps more extents waits for the last write of every thread instead */
#define MAX_EXTENTS 1024

static bool owner_wait(void *arg, uint32_t owner)
{
	struct fs *f = arg;
	fs_wait_for(f, owner);
	return ++f->n_met < MAX_EXTENTS;
}

/* Waits for the last writer of each byte. start: OFFSET_NONE if unknown. */
static void writers_wait(struct fs *f, const struct file_state *file, uint64_t start, uint64_t end)
{
	f->n_met = 0;
	if (!extent_visit(&f->extents, file->extents, start == OFFSET_NONE ? 0 : start, end,
			  owner_wait, f))
		fs_wait_for_all(f, &file->writers);
	fs_wait_for_all(f, &file->vague_writers);
}

void fs_read_rules(struct fs *f, struct file_state *file, uint64_t start, uint64_t end, uint64_t n)
{
	bool known = start != OFFSET_NONE;
	if (fs_rule(f, RULE_DATA))
		writers_wait(f, file, start, end);
	if (!fs_rule(f, RULE_SIZE))
		return;
	fs_wait_for(f, file->resizer);
	fs_note(f, &file->movers, 0);
	if (!known || start + n < end)
		fs_note(f, &file->enders, known ? start + n : 0);
}

void fs_write_rules(struct fs *f, struct file_state *file, uint64_t start, uint64_t end,
		    bool appends)
{
	bool known = start != OFFSET_NONE;
	if (fs_rule(f, RULE_SIZE)) {
		fs_wait_for(f, file->resizer);
		for (uint32_t u = file->enders.first; u; u = f->uses.use[u].next)
			if (end > f->uses.use[u].least)
				fs_wait_until(f, f->uses.use[u].thread, f->uses.use[u].request);
		if (appends) {
			fs_wait_for(f, file->appender);
			/* an append: earlier writes determine its offset */
			fs_wait_for_all(f, &file->writers);
			file->appender = f->request;
			fs_note(f, &file->enders, known ? start : 0);
		}
		fs_note(f, &file->movers, 0);
	}
	/* with captured content, the last write determines the final content of each byte */
	if (fs_rule(f, RULE_DATA) && f->l->captured) {
		writers_wait(f, file, start, end);
		if (!known)
			fs_wait_for_all(f, &file->writers);
	}
	fs_note(f, &file->writers, 0);
	if (!known) {
		fs_note(f, &file->vague_writers, 0);
		return;
	}
	file->extents = extent_put(&f->extents, file->extents, start, end, f->request);
}

void fs_resize_rules(struct fs *f, struct file_state *file)
{
	fs_wait_for(f, file->resizer);
	fs_wait_for_all(f, &file->movers);
	fs_wait_for_all(f, &file->enders);
	extent_clear(&f->extents, file->extents);
	file->extents = EXTENT_NONE;
	struct use_set *const sets[] = {&file->movers, &file->writers, &file->vague_writers,
					&file->enders};
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		use_drop(&f->uses, sets[i]);
	file->resizer = f->request;
	file->appender = NONE32;
}

void fs_size_rules(struct fs *f, struct file_state *file, uint64_t size)
{
	fs_wait_for(f, file->resizer);
	fs_wait_for_all(f, &file->writers);
	fs_note(f, &file->movers, 0);
	fs_note(f, &file->enders, size == UINT64_MAX ? 0 : size);
}
