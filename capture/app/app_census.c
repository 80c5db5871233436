/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/app/app_census.h"

#include "capture/op.h"
#include "common/fnv1a.h"
#include "common/sort.h"

static uint64_t key_of(uint64_t key, uint32_t image)
{
	key = (key ^ (uint64_t)image << 48) * 0x9e3779b97f4a7c15u;
	return key ^ key >> 29;
}

/* Adds a request to those of its key. The first request of a key gets the first result. */
static void async_ask(struct async *a, const struct merge_record *r)
{
	uint64_t key = 0;
	if (r->extra_len == sizeof key)
		memcpy(&key, r->extra, sizeof key);
	GROW(a->request, a->n, a->cap);
	key = key_of(key, r->image);
	a->request[a->n] = (struct census_request){.key = key};
	struct async_chain *c = &a->chain[key & (a->n_chains - 1)];
	*(c->last ? &a->request[c->last].next : &c->first) = (uint32_t)a->n;
	c->last = (uint32_t)a->n++;
}

static void async_done(struct async *a, const struct merge_record *r)
{
	uint64_t key = key_of(r->r->offset, r->image);
	struct async_chain *c = &a->chain[key & (a->n_chains - 1)];
	uint32_t *at = &c->first, before = 0;
	for (; *at && a->request[*at].key != key; at = &a->request[*at].next)
		before = *at;
	if (!*at)
		return; /* submitted before the capture began */
	struct census_request *q = &a->request[*at];
	q->end = r->r->end;
	q->result = (int64_t)r->r->length;
	if (c->last == *at)
		c->last = before;
	*at = q->next;
}

const struct census_request *async_take(struct async *a)
{
	static const struct census_request nothing;
	size_t i = ++a->n_replayed;
	return i < a->n ? &a->request[i] : &nothing;
}

/* The number of the file, which is scanned if it is new. 0: there are too many files. */
static uint32_t objects_number(struct objects *o, const char *path)
{
	const uint32_t *known;
	uint64_t key = fnv1a_text(path);
	for (; (known = u64_map_find(&o->by_path, key)) != NULL; key++)
		if (!strcmp(o->object[*known].path, path))
			return *known;
	if (o->n >= OBJECTS_MAX)
		return 0;
	GROW(o->object, o->n, o->cap);
	struct object *x = &o->object[o->n];
	*x = (struct object){.path = xstrdup(path)};
	if (!code_scan_is_known(x->path)) {
		struct stat st;
		code_scan_file(&o->scanner, x->path, &x->found);
		x->missing = stat(x->path, &st) < 0 || !strncmp(x->path, "/proc/", 6);
		if (!x->missing)
			x->changed_ns = st.st_ctim.tv_sec * INT64_C(1000000000) +
					st.st_ctim.tv_nsec;
	}
	return *u64_map_at(&o->by_path, key, (uint32_t)o->n++);
}

struct expected_program { /* a program that should appear in process `pid` after `begin` */
	uint32_t pid;
	uint64_t begin;
	char *name;
	bool failed;
};

struct expected_programs {
	struct expected_program *v;
	size_t n, cap;
};

static void program_expect(struct expected_programs *b, uint32_t pid, const struct merge_record *r)
{
	char *name = xstrndup(r->path, r->path_len);
	GROW(b->v, b->n, b->cap);
	b->v[b->n++] = (struct expected_program){pid, r->r->begin, name, false};
}

/* A call of exec that returned has failed: removes the last expected program of the process. */
static void program_withdraw(struct expected_programs *b, uint32_t pid)
{
	for (size_t i = b->n; i-- > 0;)
		if (b->v[i].pid == pid && !b->v[i].failed) {
			b->v[i].failed = true;
			return;
		}
}

ORDER_BY(compare_expected, struct expected_program, pid, begin)

static bool image_follows(const struct spool *s, const struct expected_program *b,
			  const struct expected_program *next)
{
	for (size_t i = 0; i < s->n_images; i++)
		if (s->image[i].pid == b->pid && s->image[i].start > b->begin &&
		    !(next && next->pid == b->pid && s->image[i].start > next->begin))
			return true;
	return false;
}

static void program_add(struct app_programs *p, const char *name)
{
	p->n++;
	for (int i = 0; i < APP_NAMES_SHOWN; i++) {
		if (p->name[i] && !strcmp(p->name[i], name))
			return;
		if (!p->name[i]) {
			p->name[i] = xstrdup(name);
			return;
		}
	}
}

/* Adds a program, with the library inside it that caused the message. */
static void program_with(struct app_programs *to, const struct objects *o, uint32_t program,
			 uint32_t object)
{
	const char *name = program ? objects_at(o, program)->path : "?";
	if (object == program) {
		program_add(to, name);
		return;
	}
	SCOPED_FREE char *both = xasprintf("%s (%s)", name, objects_at(o, object)->path);
	program_add(to, both);
}

static void programs_judge(const struct spool *s, struct expected_programs *b,
			   struct app_outcome *o)
{
	size_t n = 0;
	for (size_t i = 0; i < b->n; i++) {
		if (b->v[i].failed)
			free(b->v[i].name);
		else
			b->v[n++] = b->v[i];
	}
	if (n)
		qsort(b->v, n, sizeof *b->v, compare_expected);
	for (size_t i = 0; i < n; i++)
		if (!image_follows(s, &b->v[i], i + 1 < n ? &b->v[i + 1] : NULL))
			program_add(&o->unseen, b->v[i].name);
	for (size_t i = 0; i < n; i++)
		free(b->v[i].name);
	free(b->v);
}

/* Whether the file is missing for this process, so that it could not be scanned. A program that was
 * removed after its start (like the tests of a configure script) does not count. */
static bool is_hidden(const struct object *x, bool is_program)
{
	const size_t len = strlen(x->path);
	/* the suffix of a program that was deleted when it started */
	return x->missing && (!is_program || state_name_length(x->path, len) < len);
}

/* The first object of an image is its program. `ns`: wall-clock time of the record. */
static void object_see(struct census *c, struct census_image *i, const struct merge_record *r,
		       int64_t ns)
{
	i->made_code |= r->r->flags & LOG_OBJECT_MADE;
	if (!r->path_len)
		return;
	const bool past = r->r->flags & LOG_OBJECT_PAST;
	const bool is_name = past && !memchr(r->path, '/', r->path_len);
	path_join(&c->path, is_name ? "" : i->cwd ? i->cwd : "/", r->path, r->path_len);
	uint32_t number = objects_number(&c->objects, c->path.s);
	if (!number)
		return;
	const struct object *object = objects_at(&c->objects, number);
	const struct code_scan *found = &object->found;
	const bool is_program = !i->program;
	if (is_program)
		i->program = number;
	i->replaced |= object->changed_ns > ns || (is_program && object->missing);
	if (!i->suspect && (past || found->n_files + found->n_any || is_hidden(object, is_program)))
		i->suspect = number;
	if (!i->ringed && found->n_rings)
		i->ringed = number;
	const char *slash = strrchr(c->path.s, '/');
	c->has_ring |= found->n_setups || (slash && strstr(slash, "/liburing"));
}

/* Whether the library recorded the creation of a ring, or a program inherited a ring. */
static bool is_ring(const struct merge_record *r)
{
	static const char name[] = "[io_uring]";
	return (r->r->op == LOG_DESCRIPTOR || r->r->op == LOG_FD) && r->path_len &&
	       memmem(r->path, r->path_len, name, sizeof name - 1);
}

void census_take(struct census *c, const struct spool *s, struct merge *m,
	const struct clock *clock, uint64_t start, int64_t start_ns, struct app_outcome *o)
{
	const int64_t to_wall_ns = start_ns - clock_ns_of_ticks(clock, start);
	struct merge_record r;
	struct expected_programs expected_programs = {0};
	c->image = xcalloc(s->n_images + 1, sizeof *c->image);
	struct async *a = &c->async;
	*a = (struct async){.n = 1, .cap = 16, .n_chains = 4096};
	a->request = xcalloc(a->cap, sizeof *a->request);
	a->chain = xcalloc(a->n_chains, sizeof *a->chain);
	c->objects = (struct objects){.n = 1, .cap = 16};
	c->objects.object = xcalloc(c->objects.cap, sizeof *c->objects.object);
	code_scanner_open(&c->objects.scanner, NULL); /* app_capture() has loaded the library */
	c->path = (struct strbuf)STRBUF_INIT;
	c->n_images = s->n_images;
	c->has_ring = false;
	o->n_processes = s->n_images;
	while (merge_next(m, &r)) {
		struct census_image *i = &c->image[r.image];
		c->has_ring |= is_ring(&r);
		i->ended |= r.r->op == LOG_END;
		if (r.r->op == LOG_START && !i->announced) {
			i->announced = true;
			i->parent = spool_pid(s, r.image, (uint32_t)r.r->result);
			i->cwd = xstrndup(r.path, r.path_len);
		} else if (r.r->op == LOG_EXEC && r.r->result < 0) {
			program_withdraw(&expected_programs, r.pid);
		} else if (r.r->op == LOG_EXEC) {
			program_expect(&expected_programs, r.pid, &r);
		} else if (r.r->op == LOG_SPAWN && r.r->result > 0) {
			program_expect(&expected_programs,
				       spool_pid(s, r.image, (uint32_t)r.r->result), &r);
		} else if (r.r->op == LOG_AIO_SUBMIT) {
			async_ask(&c->async, &r);
		} else if (r.r->op == LOG_AIO_DONE) {
			async_done(&c->async, &r);
		} else if (r.r->op == LOG_OBJECT) {
			object_see(c, i, &r, clock_ns_of_ticks(clock, r.r->begin) + to_wall_ns);
		} else if (r.r->op == OP_IO_URING_ENTER && !(r.r->flags & LOG_BY_LIBURING)) {
			o->n_ring_entries++;
		}
	}
	programs_judge(s, &expected_programs, o);
	/* code that enters rings matters only if the program has a ring */
	for (size_t k = 0; k < c->n_images; k++) {
		const struct census_image *i = &c->image[k];
		if (i->suspect)
			program_with(&o->own_calls, &c->objects, i->program, i->suspect);
		else if (i->ringed && c->has_ring)
			program_with(&o->own_rings, &c->objects, i->program, i->ringed);
		if (i->suspect)
			continue;
		if (i->made_code)
			program_with(&o->made_code, &c->objects, i->program, i->program);
		if (i->replaced)
			program_with(&o->replaced, &c->objects, i->program, i->program);
	}
}

void census_release(struct census *c)
{
	FREE_EACH(c->async.request, c->async.chain);
	for (size_t i = 0; i < c->objects.n; i++)
		free(c->objects.object[i].path);
	free(c->objects.object);
	u64_map_release(&c->objects.by_path);
	code_scanner_close(&c->objects.scanner);
	strbuf_release(&c->path);
	for (size_t i = 0; i < c->n_images; i++)
		free(c->image[i].cwd);
	free(c->image);
}
