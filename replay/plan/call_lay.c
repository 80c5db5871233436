/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds a call table before the run. */
#include <linux/fs.h>

#include "common/fnv1a.h"
#include "replay/load/reads.h"
#include "replay/plan/call_table_private.h"
#include "replay/content/captured.h"
#include "replay/plan/plan.h"

/* --- paths: a directory, which the run looks up in the target, and a name -- */

/* While the table is built. */
struct call_places {
	uint32_t *path_of; /* path_of[n_files]: index into call_table.path, 0 none yet */
	struct u64_map of_hash; /* hash of a path -> place */
	struct u64_map shared; /* hash of a call -> call, for calls that may be shared */
};

static uint32_t place_find(struct call_table *c, struct call_places *t, const char *path,
			   size_t len)
{
	for (uint64_t hash = fnv1a(FNV1A_START, path, len);; hash++) {
		uint32_t *known = u64_map_at(&t->of_hash, hash, c->n_places);
		if (*known < c->n_places) {
			if (strlen(c->place[*known]) == len && !memcmp(c->place[*known], path, len))
				return *known;
			continue;
		}
		char *copy = xcalloc(1, len + 1);
		memcpy(copy, path, len);
		APPEND(c->place, c->n_places, c->places_cap, copy);
		return c->n_places - 1;
	}
}

/* Splits a path into its directory and its last component. Trailing slash: the name must be a
 * directory unless `on_name` is set; then the slash stays in the name and the kernel decides,
 * without following a link. */
static struct call_path path_split(struct call_table *c, const char *whole, bool on_name)
{
	size_t end = strlen(whole);
	while (on_name && end > 1 && whole[end - 1] == '/')
		end--;
	const char *slash = memrchr(whole, '/', end), *last = slash ? slash + 1 : whole;
	const size_t len = (size_t)(whole + end - last);
	const bool is_place =
	    !len || (len == 1 && *last == '.') || (len == 2 && !memcmp(last, "..", 2));
	struct call_path p = {.whole = whole, .last = is_place ? "." : last};
	if (is_place)
		p.place = place_find(c, c->places_laid, whole, strlen(whole));
	else if (slash)
		p.place = place_find(c, c->places_laid, whole,
				     slash == whole ? 1 : (size_t)(slash - whole));
	return p;
}

/* Returns the index in c->path of a name's path, 0 for NONE32. `on_name`: for a call that creates,
 * changes or removes the name. */
static uint32_t call_path_lay(struct call_table *c, const struct slots *s, uint32_t name,
			      bool on_name)
{
	if (name == NONE32)
		return 0;
	const char *whole = s->file[name].name;
	const size_t len = strlen(whole);
	uint32_t *known = &c->places_laid->path_of[name], own = 0;
	if (on_name && len && whole[len - 1] == '/')
		known = &own; /* own path: it differs from the path that look-ups use */
	if (!*known) {
		*known = c->n_paths;
		APPEND(c->path, c->n_paths, c->paths_cap, path_split(c, whole, on_name));
	}
	return *known;
}

/* As call_path_lay, for "." in the directory of that name. */
static uint32_t call_path_lay_inside(struct call_table *c, const struct slots *s, uint32_t name)
{
	if (name == NONE32)
		return 0;
	const char *whole = s->file[name].name;
	const struct call_path p = {
		.whole = whole,
		.last = ".",
		.place = place_find(c, c->places_laid, whole, strlen(whole)),
	};
	APPEND(c->path, c->n_paths, c->paths_cap, p);
	return c->n_paths - 1;
}

static void call_paths_begin(struct call_table *c, const struct slots *s)
{
	c->places_laid = xcalloc(1, sizeof *c->places_laid);
	c->places_laid->path_of = xcalloc((size_t)s->n_files + 1, sizeof *c->places_laid->path_of);
	place_find(c, c->places_laid, "", 0);
	APPEND(c->path, c->n_paths, c->paths_cap, (struct call_path){.whole = "", .last = ""});
}

/* --- one request --------------------------------------------------------- */

/* Whether the call creates, changes or removes the name itself. */
static bool is_on_name(uint16_t op)
{
	return op == OP_RENAME || op == OP_SYMLINK || op == OP_UNLINK || op == OP_MKDIR ||
	       op == OP_RMDIR || op == OP_MKNOD;
}

static bool may_change_paths(const struct slots *s, const struct load_request *r,
			     const struct load_more *m)
{
	bool names =
	    r->op == OP_RENAME || r->op == OP_RMDIR || r->op == OP_UNLINK || r->op == OP_SYMLINK;
	if (!names || r->name == NONE32)
		return false;
	const bool file = r->op == OP_UNLINK && !(r->flags & AT_REMOVEDIR);
	if (s->any_links && !file)
		return true; /* files below a link have other paths as well */
	if (file)
		return s->file[r->name].maybe_link;
	return s->file[r->name].leads || (m && m->name != NONE32 && s->file[m->name].leads);
}

static void vector_lay(struct call *c, const struct load *l, const struct load_request *r)
{
	uint32_t len;
	const char *item = load_heap(l, r, &len);
	c->vector = (const uint64_t *)(const void *)item;
	c->n_vector = item ? len / 8 : 0;
	uint64_t total = 0;
	/* the trace is untrusted: the vector must not exceed the buffer */
	for (uint32_t i = 0; i < c->n_vector; i++)
		if (c->vector[i] > r->length || (total += c->vector[i]) > r->length)
			c->n_vector = i;
	if (c->n_vector)
		return;
	c->n_vector = 1;
	c->vector = NULL; /* one buffer of the whole length */
}

static void times_lay(struct call_table *c, struct call *call, const struct load *l,
		      const struct load_request *r)
{
	uint32_t len;
	int64_t t[4] = {0, UTIME_NOW, 0, UTIME_NOW};
	const char *item = load_heap(l, r, &len);
	if (item && len == sizeof t)
		memcpy(t, item, sizeof t);
	call->times = c->n_times;
	for (int i = 0; i < 2; i++)
		APPEND(c->times, c->n_times, c->times_cap,
		       (struct timespec){(time_t)t[2 * i], (long)t[2 * i + 1]});
}

static uint16_t bits_of(const struct slots *s, const struct load_request *r,
			const struct load_more *m)
{
	uint16_t bits = 0;
	if (op_info(r->op)->uses & OP_HAS_PATH && r->name != NONE32 && r->rvalue != -EFAULT &&
	    load_follows_link(r) && s->file[r->name].maybe_link)
		bits |= CALL_FOLLOW;
	if (r->op == OP_LINK && r->slot)
		bits |= CALL_OF_DESCRIPTOR;
	if (r->rvalue == -EFAULT)
		bits |= CALL_BAD_ADDRESS;
	if (may_change_paths(s, r, m))
		bits |= CALL_TURNS;
	/* a copy that failed with EBADF may have had no descriptor, or one that cannot be read */
	if (op_info(r->op)->family == FAMILY_COPY && m && r->rvalue != -EBADF) {
		bits |= !r->slot || s->slot[r->slot].skipped ? CALL_FROM_NULL : 0;
		bits |= !m->slot || s->slot[m->slot].skipped ? CALL_TO_NULL : 0;
	}
	return bits;
}

/* --- reads by pages (--reads original) ----------------------------------- */

#define PAGE_BYTES 4096u

static void part_add(struct call_table *c, struct call *to, uint64_t begin, uint64_t from,
		     uint64_t end, enum call_part_kind kind)
{
	while (from < end) {
		const uint64_t n =
		    end - from < CALL_BUFFER_MAX * 512 ? end - from : CALL_BUFFER_MAX * 512;
		if (to->n_parts >= PARTS_MAX)
			return;
		const uint32_t at = kind == PART_AHEAD ? 0 : (uint32_t)(from - begin);
		APPEND(c->part, c->n_parts, c->parts_cap,
		       (struct call_part){from, (uint32_t)n, at, kind});
		to->n_parts++;
		from += n;
	}
}

/* Adds the bytes [begin, end) that a read returned, and the pages that it added to the cache. */
static void parts_lay(struct call_table *c, struct call *to, const struct load *l,
		      const struct load_request *r)
{
	uint32_t n;
	const struct miss *miss = misses_of(&l->reads->misses, (uint32_t)(r - l->request), &n);
	const bool reads = op_info(r->op)->family == FAMILY_READ, touch = load_is_touch(r);
	/* the trace is untrusted: the result must not exceed the requested length */
	const uint64_t begin = reads ? r->offset : 0,
		       end = reads ? begin + ((uint64_t)r->rvalue < r->length ? (uint64_t)r->rvalue
									      : r->length)
				   : 0;
	uint64_t at = begin;
	to->first_part = c->n_parts;
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t from = miss[i].offset, till = from + miss[i].length;
		const uint64_t first = from > at ? from : at, last = till < end ? till : end;
		if (reads && first < last) {
			part_add(c, to, begin, at, first, PART_FOUND);
			part_add(c, to, begin, first,
				 to->n_parts + 2 * (n - i) > PARTS_MAX ? end : last, PART_MISSED);
			at = to->n_parts + 2 * (n - i) > PARTS_MAX ? end : last;
		} else if (touch && r->offset >= from && r->offset < till) {
			part_add(c, to, from, from, till, PART_MISSED);
		}
	}
	part_add(c, to, begin, at, end, PART_FOUND);
	for (uint32_t i = 0; i < n; i++) { /* also the pages after and before the requested bytes */
		const uint64_t from = miss[i].offset, till = from + miss[i].length;
		if (touch && r->offset >= from && r->offset < till)
			continue;
		const uint64_t before = begin / PAGE_BYTES * PAGE_BYTES,
			       behind = (end + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
		part_add(c, to, begin, from, till < before ? till : before, PART_AHEAD);
		part_add(c, to, begin, from > behind ? from : behind, till, PART_AHEAD);
	}
}

static void action_lay(struct call_table *c, struct call *to, const struct load *l,
		       const struct slots *s, const struct load_request *r)
{
	switch (l->reads ? reads_action(l->reads, s, r) : READ_AS_IS) {
	case READ_BY_PAGES:
		to->bits |= CALL_BY_PAGES;
		parts_lay(c, to, l, r);
		break;
	case READ_SKIPPED:
		to->bits |= CALL_SKIPPED;
		break;
	default:
		break;
	}
}

static uint64_t call_hash(const struct call *x)
{
	const uint64_t of[] = {(uint64_t)x->op << 32 | x->path,
			       (uint64_t)x->process << 32 | x->flags,
			       (uint64_t)x->traced,
			       x->length,
			       x->offset,
			       x->slot};
	uint64_t hash = 0xcbf29ce484222325u;
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		hash = (hash ^ of[i]) * 0x9e3779b97f4a7c15u ^ hash >> 29;
	return hash;
}

/* Returns the entry of a call. Equal calls share one entry: calls on names repeat, and so do calls
 * on slots that are used again (slots_reuse). */
static uint32_t call_shared(struct call_table *c, const struct call *call)
{
	const bool own = (call->slot && call->op != OP_FSTAT) || call->other || call->second ||
			 call->n_vector || call->n_parts || call->times || *call->text ||
			 call->map != NONE32;
	uint32_t *known = own ? NULL : u64_map_at(&c->places_laid->shared, call_hash(call), c->n);
	if (known && *known < c->n && !memcmp(&c->call[*known], call, sizeof *call))
		return *known;
	APPEND(c->call, c->n, c->cap, *call);
	return c->n - 1;
}

static uint32_t call_add(struct call_table *c, const struct load *l, const struct slots *s,
			 const struct load_request *r)
{
	const struct op_info *o = op_info(r->op);
	const struct load_more *m = load_more(l, r);
	uint32_t len;
	struct call call = {
	    /* the removal of a directory fails with EINVAL only if its path ends in ".", which
	     * traces omit */
	    .path = (r->rvalue == -EINVAL &&
		     (r->op == OP_RMDIR || (r->op == OP_UNLINK && r->flags == AT_REMOVEDIR)))
			? call_path_lay_inside(c, s, r->name)
			: call_path_lay(c, s, r->name, is_on_name(r->op)),
	    .offset = r->offset,
	    .length = r->length,
	    .traced = r->rvalue,
	    .slot = r->slot,
	    .flags = r->flags,
	    .map = NONE32,
	    .process = c->process_of_thread[r->thread],
	    .op = r->op,
	    .bits = bits_of(s, r, m),
	};
	if (m) {
		call.second = call_path_lay(c, s, m->name, true);
		call.other = m->slot;
		call.to = m->from;
		call.map = m->map;
		if (m->at_position)
			call.offset = OFFSET_NONE;
		if (m->to_position)
			call.to = OFFSET_NONE;
	}
	if (o->uses & OP_HEAP_IOVEC)
		vector_lay(&call, l, r);
	if (o->uses & OP_HEAP_TIMES)
		times_lay(c, &call, l, r);
	if (o->uses & OP_HEAP_NAME || r->op == OP_SYMLINK || r->op == OP_FCNTL)
		call.text = load_heap(l, r, &len);
	if (!call.text)
		call.text = "";
	action_lay(c, &call, l, s, r);
	return call_shared(c, &call);
}

static bool is_plain(const struct slots *s, const struct load_request *r)
{
	const struct slot *b = &s->slot[r->slot];
	switch (r->op) {
	case OP_READ:
	case OP_WRITE:
	case OP_PREAD:
	case OP_PWRITE:
		return r->rvalue != -EFAULT;
	case OP_LSEEK:
	case OP_FSYNC:
	case OP_FDATASYNC:
		return true;
	case OP_CLOSE:
		return !b->stream && !b->directory && !s->process[b->process].locks;
	case OP_OPEN:
		return r->rvalue != -EFAULT && r->rvalue != -ENXIO && !b->heir && !b->replaces &&
		       !(b->flags & O_NOFOLLOW);
	default:
		return false;
	}
}

/* Whether the request writes generated or captured content. Such a request is not a plain call. */
static bool writes_payload(const struct call_table *c, const struct load_request *r,
			   uint64_t *number)
{
	const bool stream =
	    r->op == OP_FWRITE || r->op == OP_FPUTS || r->op == OP_FPRINTF || r->op == OP_FPUTC;
	const bool writes = op_info(r->op)->family == FAMILY_WRITE || stream;
	if (c->captured)
		return writes && r->rvalue > 0 && captured_add(c->captured, r->record, number);
	return c->payload && writes && r->rvalue != -EFAULT;
}

/* Returns the number of bytes that a copy takes from the buffer: if its source is skipped, its
 * bytes come from there. */
static uint64_t copied_bytes(const struct load_request *r)
{
	return r->rvalue >= 0 ? (uint64_t)r->rvalue : r->length;
}

static uint64_t stream_bytes(const struct load *l, const struct load_request *r)
{
	const struct load_more *m = load_more(l, r);
	const uint64_t got = r->rvalue > 0 ? (uint64_t)r->rvalue : 1;
	switch (r->op) {
	case OP_FGETS:
	case OP_GETDELIM:
	case OP_FPRINTF:
		return got;
	case OP_FREAD:
	case OP_FWRITE:
	case OP_FPUTS:
	case OP_FPUTC:
		return r->length;
	case OP_FSCANF:
		return m && m->from != OFFSET_NONE ? m->from : 0;
	default:
		return 0;
	}
}

static uint64_t buffer_bytes(const struct load *l, const struct slots *s,
			     const struct load_request *r)
{
	const struct op_info *o = op_info(r->op);
	uint64_t n = 0;
	if (r->skipped)
		return 0;
	if (o->family == FAMILY_READ || o->family == FAMILY_WRITE)
		n = r->length;
	else if (o->family == FAMILY_STREAM)
		n = stream_bytes(l, r);
	else if (o->family == FAMILY_COPY)
		n = !r->slot || s->slot[r->slot].skipped ? copied_bytes(r) : 0;
	else if (o->uses & OP_HAS_LENGTH && (o->family == FAMILY_ATTRIBUTE ||
					     o->family == FAMILY_DIRECTORY || r->op == OP_READLINK))
		n = r->length < CALL_BUFFER_MAX ? r->length : CALL_BUFFER_MAX;
	return n < REPLAY_MAX_REQUEST_BYTES ? n : REPLAY_MAX_REQUEST_BYTES;
}

struct hot_request call_hot(struct call_table *c, const struct load *l, const struct slots *s,
			    const struct load_request *r, uint64_t *n_bytes)
{
	struct hot_request h = {.offset = r->offset,
				.length = (uint32_t)r->length,
				.slot = r->slot,
				.op = (uint8_t)r->op};
	uint64_t number = 0;
	const bool payload = !r->skipped && writes_payload(c, r, &number);
	c->n_skipped[r->skipped]++;
	*n_bytes = buffer_bytes(l, s, r);
	/* for computing, the length is an enum compute_kind */
	if (op_info(r->op)->family == FAMILY_CAUSE)
		return (struct hot_request){
		    .op = (uint8_t)r->op, .offset = r->length, .length = r->flags};
	if (r->skipped) {
		h.op = HOT_SKIPPED;
	} else if (is_plain(s, r) && !payload &&
		   (!l->reads || reads_action(l->reads, s, r) == READ_AS_IS)) {
		h.length = r->op == OP_LSEEK ? r->flags : h.length;
	} else {
		h.op = HOT_CALL;
		h.length = call_add(c, l, s, r);
		if (payload) {
			c->call[h.length].bits |= CALL_PAYLOAD;
			c->call[h.length].to = number;
		}
	}
	return h;
}

/* --- the table ----------------------------------------------------------- */

static void processes_lay(struct call_table *c, const struct load *l, const struct slots *s)
{
	SCOPED(u64_map_release) struct u64_map of_pid = {.cell = NULL};
	c->n_processes = s->n_processes;
	c->process = xcalloc((size_t)s->n_processes + 1, sizeof *c->process);
	c->process_of_thread = xcalloc((size_t)l->n_threads + 1, sizeof *c->process_of_thread);
	for (uint32_t i = 0; i < s->n_processes; i++) {
		u64_map_at(&of_pid, s->process[i].pid, i);
		c->process[i].pid = s->process[i].pid;
		atomic_init(&c->process[i].n_threads, s->process[i].n_threads);
		c->process[i].first_map = NONE32;
		pthread_mutex_init(&c->process[i].lock, NULL);
	}
	for (uint32_t i = 0; i < l->n_threads; i++) {
		const uint32_t *known = u64_map_find(&of_pid, l->thread[i].pid);
		c->process_of_thread[i] = known ? *known : s->n_processes;
	}
	for (uint32_t i = s->n_maps; i-- > 0;) {
		struct call_process *p = &c->process[s->map[i].process];
		c->map[i].next_ending = p->first_map;
		p->first_map = s->n_processes < 2 ? NONE32 : i;
	}
	for (uint32_t i = s->n; i-- > 1;) {
		struct slot *b = &c->slot[i];
		struct call_process *p = &c->process[b->process];
		if (b->ends || b->skipped || s->n_processes < 2)
			continue;
		c->next_ending[i] = p->first_ending;
		p->first_ending = i;
	}
}

void call_table_init(struct call_table *c, const struct load *l, const struct slots *s)
{
	*c = (struct call_table){
		.n_slots = s->n, .n_maps = s->n_maps, .null_fd = -1, .captured = l->captured};
	if (vm_get(&c->memory, VM_SHARED, sizeof *c->common, "the calls", NULL))
		out_of_memory(sizeof *c->common);
	c->common = c->memory.base;
	c->slot = xmalloc(((size_t)s->n + 1) * sizeof *c->slot);
	memcpy(c->slot, s->slot, s->n * sizeof *c->slot);
	c->stream = xcalloc((size_t)s->n + 1, sizeof *c->stream);
	c->next_ending = xcalloc((size_t)s->n + 1, sizeof *c->next_ending);
	c->map = xcalloc((size_t)s->n_maps + 1, sizeof *c->map);
	c->reads = l->reads ? (int)l->reads->mode : READS_CURRENT;
	for (uint32_t i = 0; i < s->n_maps; i++) {
		pthread_rwlock_init(&c->map[i].lock, NULL);
		c->map[i].fd = -1;
	}
	call_paths_begin(c, s);
	processes_lay(c, l, s);
}

void call_table_laid(struct call_table *c)
{
	bool copies = false;
	for (uint32_t i = 0; i < c->n; i++)
		copies |= c->call[i].bits & CALL_TO_NULL;
	if (copies)
		c->null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	free(c->places_laid->path_of);
	U64_MAPS_RELEASE(&c->places_laid->of_hash, &c->places_laid->shared);
	free(c->places_laid);
	c->places_laid = NULL;
}
