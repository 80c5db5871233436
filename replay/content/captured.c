/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/content/captured.h"

#include <jansson.h>
#include <pthread.h>

#include "common/unnamed_file.h"
#include "replay/content/captured_take.h"

#define PAUSE_NS 500000 /* pause of the reading thread while the ring is full */
#define MEMORY_LEAST (UINT64_C(1) << 20)

struct captured {
	struct captured_reader reader; /* for the workers */
	uint64_t *seq; /* seq[n_seq] of the trace's records; NULL: equal to their numbers */
	uint64_t n_seq;
	struct captured_item *item; /* item[n]; in shared memory once captured_start() was called */
	uint64_t n, cap;
	uint64_t n_bytes, n_missing; /* captured_summary */
	int memory_fd;
	/* The ring holds the fetched items [oldest, next), in order. They occupy the positions from
	 * `from` to `to`; after the end of the ring they continue at its start. */
	uint64_t n_locked_bytes;
	uint64_t oldest, next, from, to;
	bool full; /* the ring is full if from == to and this is set; otherwise it is empty */
	pthread_t id;
	bool runs;
	atomic_bool stop;
};

/* --- the trace and its content ------------------------------------------- */

/* Reads the sequence numbers of the records. In a slice they are those of the original trace. */
static int seqs_read(struct captured *c, const char *path, struct err *e)
{
	const struct trace_record *r;
	struct trace *t;
	uint64_t i = 0, cap = 0;
	size_t n;
	int ret = trace_open(&t, path, e);
	if (ret)
		return ret;
	while ((ret = trace_next_batch(t, &r, &n, e)) > 0)
		for (size_t k = 0; k < n; k++, i++) {
			if (!c->seq && r[k].seq == i)
				continue;
			while (c->n_seq <= i)
				APPEND(c->seq, c->n_seq, cap, c->n_seq);
			c->seq[i] = r[k].seq;
		}
	trace_close(t);
	return ret;
}

/* The name of the trace's content; "" if it has none. */
static void name_wanted(const struct trace *t, char hex[2 * CONTENT_NAME_BYTES + 1])
{
	const char *text = trace_meta(t)->extra_json;
	json_auto_t *extra = text ? json_loads(text, 0, NULL) : NULL;
	const char *name =
	    json_string_value(json_object_get(json_object_get(extra, "content"), "name"));
	snprintf(hex, 2 * CONTENT_NAME_BYTES + 1, "%s", name ? name : "");
}

static bool name_is(const struct content *c, const char *wanted)
{
	const uint8_t *name = content_facts(c)->name;
	char hex[2 * CONTENT_NAME_BYTES + 1];
	for (size_t i = 0; i < CONTENT_NAME_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", name[i]);
	return !strcmp(hex, wanted);
}

int captured_open(struct captured **out, const char *path, const struct trace *t, struct err *e)
{
	char wanted[2 * CONTENT_NAME_BYTES + 1];
	*out = NULL;
	name_wanted(t, wanted);
	if (!*wanted)
		return err_set(e, ENOENT, "%s: the trace has no captured content (\"validate "
			"capture app --content\" stores it)", path);
	struct captured *c = xcalloc(1, sizeof *c);
	c->memory_fd = -1;
	SCOPED_FREE char *beside = xasprintf("%s" CONTENT_SUFFIX, path);
	int ret = content_open(&c->reader.content, beside, e);
	if (ret)
		ret = err_context(e, "cannot use the captured content (payload = captured)");
	else if (!name_is(c->reader.content, wanted))
		ret = err_set(e, EINVAL, "%s: the captured content belongs to another trace",
			      beside);
	ret = ret ? ret : seqs_read(c, path, e);
	if (ret)
		captured_free(c);
	else
		*out = c;
	return ret;
}

bool captured_add(struct captured *c, uint64_t record, uint64_t *number)
{
	struct captured_item made = {.state = ITEM_WANTED};
	const uint64_t seq = record < c->n_seq ? c->seq[record] : record;
	if (!content_find(c->reader.content, seq, &made.place, &made.n_bytes)) {
		c->n_missing++;
		return false;
	}
	c->n_bytes += made.n_bytes;
	*number = c->n;
	APPEND(c->item, c->n, c->cap, made);
	return true;
}

/* --- fetching ------------------------------------------------------------ */

static uint32_t state_of(const struct captured_item *i)
{
	return atomic_load_explicit(&i->state, memory_order_acquire);
}

/* Frees the memory of items that workers have taken, oldest first. */
static void taken_forget(struct captured *c)
{
	while (c->oldest < c->next && state_of(&c->item[c->oldest]) == ITEM_TAKEN) {
		const struct captured_item *i = &c->item[c->oldest++];
		if (i->at == UINT64_MAX)
			continue;
		c->from = i->at + i->n_bytes;
		c->full = false;
	}
	if (c->oldest == c->next) {
		c->from = c->to = 0;
		c->full = false;
	}
}

/* Finds room for `n` contiguous bytes; false if there is none. */
static bool room_find(struct captured *c, uint64_t n, uint64_t *at)
{
	if (c->full)
		return false;
	const bool wrapped = c->to < c->from;
	if (n <= (wrapped ? c->from : c->reader.shared->ring_bytes) - c->to)
		*at = c->to;
	else if (!wrapped && n <= c->from)
		*at = 0;
	else
		return false;
	c->to = *at + n;
	c->full = c->to == c->from;
	return true;
}

/* Fetches items until the ring is full or all are fetched. */
static void items_fetch(struct captured *c)
{
	taken_forget(c);
	for (; c->next < c->n && !atomic_load(&c->stop); c->next++) {
		struct captured_item *i = &c->item[c->next];
		struct err why = ERR_INIT;
		uint32_t wanted = ITEM_WANTED;
		i->at = UINT64_MAX;
		if (i->n_bytes > c->reader.shared->ring_bytes || state_of(i) != ITEM_WANTED)
			continue; /* the worker of this request reads the content, or has read it */
		if (!room_find(c, i->n_bytes, &i->at))
			return;
		if (content_read(c->reader.content, i->place, 0,
				 captured_ring(c->reader.shared) + i->at, i->n_bytes, &why))
			captured_failed(c->reader.shared, &why);
		atomic_compare_exchange_strong(&i->state, &wanted, ITEM_THERE);
	}
}

static void *fetch_main(void *arg)
{
	struct captured *c = arg;
	const struct timespec pause = {0, PAUSE_NS};
	while (!atomic_load(&c->stop) && c->next < c->n) {
		items_fetch(c);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

#define PAGE UINT64_C(4096)

/* Uses a memory file, so that another program can map it. */
static int memory_get(struct captured *c, uint64_t ring_bytes, struct err *e)
{
	const uint64_t items_at = round_up(sizeof *c->reader.shared, PAGE),
		       ring_at = items_at + round_up(c->n * sizeof *c->item, PAGE);
	const uint64_t n_bytes = ring_at + round_up(ring_bytes, PAGE);
	struct err unlocked = ERR_INIT;
	c->memory_fd = memfd_create("validate-content", MFD_CLOEXEC);
	if (c->memory_fd < 0 || ftruncate(c->memory_fd, (off_t)n_bytes) < 0)
		return err_sys(e, errno, "not enough memory for the captured content");
	const int code = -file_reserve(c->memory_fd, n_bytes);
	if (code)
		return err_sys(e, code, "not enough memory for %llu KiB of captured content",
			       (unsigned long long)(n_bytes >> 10));
	int ret = vm_map_file(&c->reader.memory, c->memory_fd, 0, n_bytes, "the content of writes",
			      e);
	if (ret)
		return ret;
	captured_own(&c->reader);
	c->n_locked_bytes = vm_lock(&c->reader.memory, &unlocked) ? 0 : n_bytes;
	struct captured_shared *s = c->reader.shared = c->reader.memory.base;
	*s = (struct captured_shared){.n_bytes = n_bytes,
				      .n_items = c->n,
				      .items_at = items_at,
				      .ring_at = ring_at,
				      .ring_bytes = ring_bytes};
	memcpy(captured_items(s), c->item, c->n * sizeof *c->item);
	free(c->item);
	c->item = captured_items(s);
	return 0;
}

int captured_start(struct captured *c, uint64_t memory_bytes, struct err *e)
{
	if (!c->n)
		return 0;
	int ret = memory_get(c,
			     memory_bytes > c->n_bytes     ? c->n_bytes
			     : memory_bytes < MEMORY_LEAST ? MEMORY_LEAST
							   : memory_bytes,
			     e);
	if (ret)
		return ret;
	items_fetch(c);
	if (atomic_load(&c->reader.shared->failure))
		return captured_stop(c, NULL, e);
	const int code = c->next < c->n ? pthread_create(&c->id, NULL, fetch_main, c) : 0;
	c->runs = c->next < c->n && !code;
	return code ? err_sys(e, code, "cannot start the thread that reads captured content") : 0;
}

const struct captured_reader *captured_reader(const struct captured *c)
{
	return &c->reader;
}

void captured_descriptors(const struct captured *c, int *content_fd, int *memory_fd)
{
	*content_fd = c && c->memory_fd >= 0 ? content_descriptor(c->reader.content) : -1;
	*memory_fd = c ? c->memory_fd : -1;
}

/* --- the end ------------------------------------------------------------- */

static void reader_join(struct captured *c)
{
	atomic_store(&c->stop, true);
	if (c->runs)
		pthread_join(c->id, NULL);
	c->runs = false;
}

int captured_stop(struct captured *c, struct captured_summary *s, struct err *e)
{
	const struct captured_shared *shared = c->reader.shared;
	reader_join(c);
	if (s)
		*s = (struct captured_summary){.n_requests = c->n,
					       .n_bytes = c->n_bytes,
					       .n_missing = c->n_missing,
					       .n_late = shared ? atomic_load(&shared->n_late) : 0,
					       .n_locked_bytes = c->n_locked_bytes};
	const int failure = shared ? atomic_load(&shared->failure) : 0;
	return failure ? err_set(e, failure, "payload = captured: %s", shared->why) : 0;
}

void captured_free(struct captured *c)
{
	reader_join(c);
	content_close(c->reader.content);
	if (!c->reader.shared)
		free(c->item);
	vm_free(&c->reader.memory);
	fd_close(c->memory_fd);
	FREE_EACH(c->seq, c);
}
