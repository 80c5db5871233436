/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/match/key_match.h"

#include "capture/op.h"

#define NONE UINT32_MAX
#define MAX_SEEN_BITS 25u /* 256 MiB; the table is at most three quarters full */

int key_match_init(struct key_match *m, const struct trace *reference, const struct trace *replay,
		   size_t kept_bytes, uint32_t most, struct err *e)
{
	memset(m, 0, sizeof *m);
	m->kept_bytes = kept_bytes;
	m->most =
	    most ? most : (uint32_t)(KEY_MATCH_MAX_KEPT_BYTES / (kept_bytes ? kept_bytes : 1));
	m->most = m->most < KEY_MATCH_MAX_WAITING ? m->most : KEY_MATCH_MAX_WAITING;
	m->trace[SIDE_REFERENCE] = reference;
	m->trace[SIDE_REPLAY] = replay;
	m->free = NONE;
	m->bits = 10;
	m->slot = xreallocarray(NULL, (size_t)1 << m->bits, sizeof *m->slot);
	for (size_t i = 0; i < (size_t)1 << m->bits; i++)
		m->slot[i].head = NONE;
	m->seen_bits = 10;
	m->seen_all = true;
	return vm_get(&m->seen, VM_RESERVED, sizeof(uint64_t) << m->seen_bits, "keys", e);
}

void key_match_release(struct key_match *m)
{
	sequences_release(&m->names);
	FREE_EACH(m->object[0], m->object[1], m->waiting, m->kept, m->slot);
	vm_free(&m->seen);
	memset(m, 0, sizeof *m);
}

/* --- keys ---------------------------------------------------------------- */

static uint64_t hash_mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * UINT64_C(0xff51afd7ed558ccd);
	h ^= h >> 32;
	h *= UINT64_C(0xc4ceb9fe1a85ec53);
	return h ^ h >> 29;
}

static uint64_t hash_text(uint64_t h, const char *s)
{
	for (; *s; s++)
		h = hash_mix(h, (unsigned char)*s);
	return h;
}

/* Numbers begin at 2: even numbers for devices by order of use, odd numbers for equal names. */
static uint64_t name_object(struct key_match *m, enum match_side side, uint32_t object)
{
	const struct trace_object *o = trace_object(m->trace[side], object);
	uint32_t k;
	if (!o)
		return UINT64_C(1) << 62 | object;
	uint64_t by_name = hash_text(hash_mix(o->kind, 0), o->name);
	if (o->kind == OBJECT_DEVICE) {
		for (uint32_t i = 0; i < m->n_objects[!side]; i++) {
			const struct trace_object *other = trace_object(m->trace[!side], i);
			bool same =
			    other && other->kind == OBJECT_DEVICE && !strcmp(other->name, o->name);
			if (m->object[!side][i] && same)
				return m->object[!side][i];
		}
		return 2 * (uint64_t)++m->n_devices[side];
	}
	return 2 * (uint64_t)sequences_place(&m->names, by_name, &k) + 3;
}

static uint64_t object_key(struct key_match *m, enum match_side side, const struct trace_record *r)
{
	if (r->object == OBJECT_NONE)
		return UINT64_C(1) << 63 | (uint32_t)r->fd;
	if (!m->trace[side])
		return r->object;
	if (r->object >= m->n_objects[side]) {
		uint32_t n = trace_n_objects(m->trace[side]);
		if (r->object >= n)
			return UINT64_C(1) << 62 | r->object;
		m->object[side] = xreallocarray(m->object[side], n, sizeof *m->object[side]);
		for (uint32_t i = m->n_objects[side]; i < n; i++)
			m->object[side][i] = 0;
		m->n_objects[side] = n;
	}
	uint64_t *known = &m->object[side][r->object];
	if (!*known)
		*known = name_object(m, side, r->object);
	return *known;
}

/* --- repeated keys ------------------------------------------------------ */

static size_t seen_place(uint64_t key, size_t mask)
{
	return (size_t)(key >> 1) & mask;
}

/* Doubles the table, if there is memory for that. */
static bool seen_grow(struct key_match *m)
{
	const size_t n_old = (size_t)1 << m->seen_bits, mask = 2 * n_old - 1;
	struct vm_region larger;
	if (m->seen_bits == MAX_SEEN_BITS ||
	    vm_get(&larger, VM_RESERVED, 2 * n_old * sizeof(uint64_t), "keys", NULL))
		return false;
	const uint64_t *from = m->seen.base;
	uint64_t *to = larger.base;
	for (size_t j = 0; j < n_old; j++) {
		if (!from[j])
			continue;
		size_t i = seen_place(from[j], mask);
		while (to[i])
			i = (i + 1) & mask;
		to[i] = from[j];
	}
	vm_free(&m->seen);
	m->seen = larger;
	m->seen_bits++;
	return true;
}

static void seen_count(struct key_match *m, uint64_t key)
{
	uint64_t *const seen = m->seen.base;
	if (!seen)
		return;
	const size_t mask = ((size_t)1 << m->seen_bits) - 1;
	size_t i = seen_place(key, mask);
	key &= ~UINT64_C(1); /* the lowest bit is a mark */
	while (seen[i] && (seen[i] & ~UINT64_C(1)) != key)
		i = (i + 1) & mask;
	if (seen[i]) {
		m->n_ambiguous_requests += seen[i] & 1 ? 1 : 2;
		m->n_ambiguous_keys += !(seen[i] & 1);
		seen[i] |= 1;
		return;
	}
	if (m->seen_all && m->n_seen >= mask / 4 * 3) {
		m->seen_all = seen_grow(m);
		seen_count(m, key);
	} else if (m->seen_all) {
		seen[i] = key;
		m->n_seen++;
	}
}

/* --- waiting requests ---------------------------------------------------- */

static void slots_grow(struct key_match *m)
{
	size_t n_old = (size_t)1 << m->bits, mask = 2 * n_old - 1;
	SCOPED_FREE struct key_slot *old = m->slot;
	m->slot = xreallocarray(NULL, 2 * n_old, sizeof *m->slot);
	m->bits++;
	for (size_t i = 0; i <= mask; i++)
		m->slot[i].head = NONE;
	for (size_t j = 0; j < n_old; j++) {
		if (old[j].head == NONE)
			continue;
		size_t i = (size_t)old[j].key & mask;
		while (m->slot[i].head != NONE)
			i = (i + 1) & mask;
		m->slot[i] = old[j];
	}
}

/* Frees a slot. Later entries of the probe sequence move into the hole if their home position
 * allows it. */
static void slot_free(struct key_match *m, size_t hole)
{
	size_t mask = ((size_t)1 << m->bits) - 1;
	m->n_slots_used--;
	for (size_t i = (hole + 1) & mask; m->slot[i].head != NONE; i = (i + 1) & mask) {
		if (((i - (size_t)m->slot[i].key) & mask) < ((i - hole) & mask))
			continue;
		m->slot[hole] = m->slot[i];
		hole = i;
	}
	m->slot[hole].head = NONE;
}

static uint32_t waiting_take(struct key_match *m)
{
	uint32_t at = m->free;
	if (at != NONE) {
		m->free = m->waiting[at].next;
		return at;
	}
	if (m->n_waiting >= m->waiting_cap) {
		GROW(m->waiting, m->n_waiting, m->waiting_cap);
		if (m->kept_bytes)
			m->kept = xreallocarray(m->kept, m->waiting_cap, m->kept_bytes);
	}
	return (uint32_t)m->n_waiting++;
}

static int wait_for(struct key_match *m, enum match_side side, size_t slot, uint64_t key,
		    const void *keep, uint64_t index, struct err *e)
{
	if (m->n_waits >= m->most)
		return err_set(e, E2BIG, "matching stopped, because %u requests wait for a partner "
			"(a request of the other trace with the same operation, object, offset and "
			"length): the traces do not belong together, or one trace has these "
			"requests much later", m->most);
	uint32_t at = waiting_take(m);
	m->waiting[at] = (struct key_waiting){index, NONE, (uint8_t)side, true};
	if (m->kept_bytes)
		memcpy(m->kept + at * m->kept_bytes, keep, m->kept_bytes);
	m->n_waits++;
	struct key_slot *s = &m->slot[slot];
	if (s->head != NONE) {
		m->waiting[s->tail].next = at;
		s->tail = at;
		return 0;
	}
	*s = (struct key_slot){key, at, at, (uint8_t)side};
	if (++m->n_slots_used > (size_t)1 << (m->bits - 1))
		slots_grow(m);
	return 0;
}

uint64_t key_match_key(struct key_match *m, enum match_side side, const struct trace_record *r)
{
	if (!(r->object != OBJECT_NONE || r->fd >= 0 ||
	      !(op_info(r->op)->uses & (OP_HAS_FD | OP_HAS_PATH))))
		return KEY_NONE;
	/* formats differ in the length that they give for other operations */
	const bool placed = op_info(r->op)->uses & (OP_HAS_OFFSET | OP_KNOWS_OFFSET);
	/* the length of fopen() is only the mode (if the umask is known), so it is not compared */
	const bool opens = r->op == OP_FOPEN || r->op == OP_FREOPEN;
	const uint64_t length = !op_makes_file(r->op, r->flags) ? r->length
				: opens                         ? 0
								: r->length & OP_MODE_BITS;
	const uint64_t key = hash_mix(
	    hash_mix(hash_mix(hash_mix(0, r->op), object_key(m, side, r)), placed ? r->offset : 0),
	    length);
	__builtin_prefetch(&m->slot[(size_t)key & (((size_t)1 << m->bits) - 1)], 1);
	if (side == SIDE_REFERENCE && m->seen.base)
		__builtin_prefetch(
		    (uint64_t *)m->seen.base + seen_place(key, ((size_t)1 << m->seen_bits) - 1), 1);
	/* 0 means "no key", and 1 (0 without its lowest bit) a free slot */
	return key < 2 ? 2 : key;
}

int key_match_put(struct key_match *m, enum match_side side, uint64_t key, uint64_t index,
		  const void *keep, bool last, const struct key_waiting **partner, struct err *e)
{
	size_t mask = ((size_t)1 << m->bits) - 1, i = (size_t)key & mask;
	if (side == SIDE_REFERENCE)
		seen_count(m, key);
	while (m->slot[i].head != NONE && m->slot[i].key != key)
		i = (i + 1) & mask;
	struct key_slot *s = &m->slot[i];
	if (s->head == NONE || s->side == side)
		return last ? 0 : wait_for(m, side, i, key, keep, index, e);
	uint32_t at = s->head;
	*partner = &m->waiting[at];
	m->waiting[at].waits = false;
	m->n_waits--;
	s->head = m->waiting[at].next;
	m->waiting[at].next = m->free;
	m->free = at;
	if (s->head == NONE)
		slot_free(m, i);
	return 1;
}

const struct key_waiting *key_match_left(const struct key_match *m, size_t *at)
{
	while (*at < m->n_waiting) {
		const struct key_waiting *w = &m->waiting[(*at)++];
		if (w->waits)
			return w;
	}
	return NULL;
}
