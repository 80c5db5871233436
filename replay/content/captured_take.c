/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/content/captured_take.h"

void captured_failed(struct captured_shared *s, const struct err *why)
{
	int none = 0;
	if (atomic_compare_exchange_strong(&s->failure, &none, why->code))
		snprintf(s->why, sizeof s->why, "%.255s", why->msg);
}

void captured_take(const struct captured_reader *r, uint64_t number, void *to, uint64_t n)
{
	struct captured_shared *s = r->shared;
	struct captured_item *i = &captured_items(s)[number];
	struct err why = ERR_INIT;
	uint32_t wanted = ITEM_WANTED;
	n = n < i->n_bytes ? n : i->n_bytes;
	if (atomic_compare_exchange_strong(&i->state, &wanted, ITEM_TAKEN)) {
		atomic_fetch_add_explicit(&s->n_late, 1, memory_order_relaxed);
		if (content_read(r->content, i->place, 0, to, n, &why))
			captured_failed(s, &why);
		return;
	}
	memcpy(to, captured_ring(s) + i->at, n);
	atomic_store_explicit(&i->state, ITEM_TAKEN, memory_order_release);
}

void captured_own(const struct captured_reader *r)
{
	if (r)
		vm_own(r->memory.base, r->memory.n_bytes);
}

static int memory_join(struct captured_reader *r, int fd, struct err *e)
{
	struct stat st;
	if (fstat(fd, &st) < 0 || (uint64_t)st.st_size < sizeof *r->shared)
		return err_set(e, EINVAL, "payload = captured: validate did not give this process "
			       "the content of the writes");
	int ret = vm_map_file(&r->memory, fd, 0, (size_t)st.st_size, "the content of writes", e);
	if (ret)
		return ret;
	r->shared = r->memory.base;
	return r->shared->n_bytes == (uint64_t)st.st_size
		   ? 0
		   : err_set(e, EINVAL,
			     "payload = captured: the shared memory was made by another version of "
			     "validate");
}

int captured_join(struct captured_reader **out, int content_fd, int memory_fd, struct err *e)
{
	struct captured_reader *r = xcalloc(1, sizeof *r);
	char path[32];
	snprintf(path, sizeof path, "/proc/self/fd/%d", content_fd);
	int ret = content_open(&r->content, path, e);
	ret = ret ? ret : memory_join(r, memory_fd, e);
	if (!ret)
		captured_own(r);
	close(content_fd);
	close(memory_fd);
	*out = r;
	return ret;
}
