/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/object_table.h"

#include "common/fnv1a.h"

#define NAME_CHUNK 65536u
#define RUN_MIN 4u
#define RUN_MAX 4096u
#define N_RECENT 256u

struct object_recent {
	const char *name; /* of the table, or NULL */
	size_t len;
	enum object_kind kind;
	uint32_t id;
};

struct name_chunk {
	struct name_chunk *next;
	size_t used, cap;
	char s[];
};

void object_table_release(struct object_table *t)
{
	for (size_t i = 0; i < t->n_runs; i++)
		free(t->run[i].v);
	FREE_EACH(t->run, t->slot, t->recent);
	while (t->names) {
		struct name_chunk *next = t->names->next;
		free(t->names);
		t->names = next;
	}
	memset(t, 0, sizeof *t);
}

static char *name_store(struct object_table *t, const char *name, size_t len)
{
	struct name_chunk *c = t->names;
	if (!c || c->cap - c->used < len + 1) {
		/* twice the previous chunk, up to a limit: a table with one name stays small */
		size_t cap = c && c->cap * 2 > NAME_CHUNK ? NAME_CHUNK : c ? c->cap * 2 : 256;
		if (cap < len + 1)
			cap = len + 1;
		c = malloc(sizeof *c + cap);
		if (!c)
			return NULL;
		*c = (struct name_chunk){.next = t->names, .cap = cap};
		t->names = c;
	}
	char *s = c->s + c->used;
	if (len)
		memcpy(s, name, len);
	s[len] = 0;
	c->used += len + 1;
	return s;
}

/* The run with room for `id`: the last one if `id` continues it, otherwise a new one. */
static struct object_run *run_for(struct object_table *t, uint32_t id)
{
	struct object_run *last = t->n_runs ? &t->run[t->n_runs - 1] : NULL;
	uint32_t cap = RUN_MIN;
	if (last && id == last->first + last->n) {
		if (last->n < last->cap)
			return last;
		cap = last->cap < RUN_MAX ? last->cap * 2 : RUN_MAX;
	}
	if (t->n_runs == t->cap_runs) {
		size_t more = t->cap_runs ? t->cap_runs * 2 : 8;
		struct object_run *v = reallocarray(t->run, more, sizeof *v);
		if (!v)
			return NULL;
		t->run = v;
		t->cap_runs = more;
	}
	struct trace_object *v = malloc(cap * sizeof *v);
	if (!v)
		return NULL;
	t->run[t->n_runs] = (struct object_run){.first = id, .cap = cap, .v = v};
	return &t->run[t->n_runs++];
}

int object_table_add(struct object_table *t, uint32_t id, enum object_kind kind, const char *name,
		     size_t len, struct err *e)
{
	if (id == OBJECT_NONE)
		return err_set(e, EOVERFLOW, "too many objects: %u is the last number",
			       OBJECT_NONE - 1);
	if (id < t->n)
		return err_set(e, EINVAL, "object %u comes after object %u", id, t->n - 1);
	struct object_run *r = run_for(t, id);
	char *s = r ? name_store(t, name, len) : NULL;
	if (!s)
		return err_set(e, ENOMEM, "no memory for object %u", id);
	r->v[r->n++] = (struct trace_object){.kind = kind, .name = s};
	t->n = id + 1;
	return 0;
}

const struct trace_object *object_table_get(const struct object_table *t, uint32_t id)
{
	size_t low = 0, high = t->n_runs;
	while (low < high) { /* the first run that begins after id */
		size_t mid = low + (high - low) / 2;
		if (t->run[mid].first <= id)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || id - t->run[low - 1].first >= t->run[low - 1].n)
		return NULL;
	return &t->run[low - 1].v[id - t->run[low - 1].first];
}

static uint64_t hash_of(enum object_kind kind, const char *name, size_t len)
{
	/* FNV-1a mixes the low bits badly */
	const uint64_t h = fnv1a(FNV1A_START ^ (uint64_t)kind, name, len);
	return (h ^ h >> 32) * 0x9e3779b97f4a7c15u;
}

static size_t slot_of(const struct object_table *t, enum object_kind kind, const char *name,
		      size_t len)
{
	size_t i = (size_t)(hash_of(kind, name, len) >> 16) & (t->n_slots - 1);
	for (; t->slot[i]; i = (i + 1) & (t->n_slots - 1)) {
		const struct trace_object *o = object_table_get(t, t->slot[i] - 1);
		if (o->kind == kind && !strncmp(o->name, name, len) && !o->name[len])
			break;
	}
	return i;
}

static int slots_grow(struct object_table *t, struct err *e)
{
	size_t n = t->n_slots ? t->n_slots * 2 : 64;
	uint32_t *v = calloc(n, sizeof *v);
	if (!t->recent)
		t->recent = calloc(N_RECENT, sizeof *t->recent);
	if (!v || !t->recent) {
		free(v);
		return err_set(e, ENOMEM, "no memory to find %zu objects by name", n);
	}
	free(t->slot);
	t->slot = v;
	t->n_slots = n;
	for (uint32_t id = 0; id < t->n; id++) {
		const struct trace_object *o = object_table_get(t, id);
		t->slot[slot_of(t, o->kind, o->name, strlen(o->name))] = id + 1;
	}
	return 0;
}

int object_table_intern_bytes(struct object_table *t, enum object_kind kind, const char *name,
			      size_t len, uint32_t *id, struct err *e)
{
	int rc = t->n >= t->n_slots / 2 ? slots_grow(t, e) : 0;
	if (rc)
		return rc;
	/* The cache entry, by the last eight bytes: names differ there most often. */
	uint64_t h = 0;
	size_t n = len < sizeof h ? len : sizeof h;
	memcpy(&h, name + len - n, n);
	h = (h ^ len << 3 ^ (uint64_t)kind) * 0x9e3779b97f4a7c15u;
	struct object_recent *recent = &t->recent[h >> 56];
	if (recent->name && recent->len == len && recent->kind == kind &&
	    !memcmp(recent->name, name, len)) {
		*id = recent->id;
		return 0;
	}
	size_t i = slot_of(t, kind, name, len);
	if (!t->slot[i]) {
		rc = object_table_add(t, t->n, kind, name, len, e);
		if (rc)
			return rc;
		t->slot[i] = t->n;
	}
	*id = t->slot[i] - 1;
	*recent = (struct object_recent){object_table_get(t, *id)->name, len, kind, *id};
	return 0;
}

int object_table_intern(struct object_table *t, enum object_kind kind, const char *name,
			uint32_t *id, struct err *e)
{
	return object_table_intern_bytes(t, kind, name, strlen(name), id, e);
}
