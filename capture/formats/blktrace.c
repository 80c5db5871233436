/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads blktrace's binary files: one file for each CPU, merged here by time, or one file that
 * blkparse -d has merged.
 * Source: linux/blktrace_api.h; doc/formats/blktrace.md. */
#include <libgen.h>

#include "capture/formats/block_pairs.h"
#include "capture/kernel/block_requests.h"

/* --- missing sequence numbers -------------------------------------------- */

/* Each CPU numbers its events. Gaps in the numbers show missing events. */
#define SEQUENCE_ROWS 1024u

struct sequence_gaps {
	struct sequence_row {
		uint32_t device, cpu, last;
		bool used;
	} row[SEQUENCE_ROWS]; /* a hash table; if rows collide, only the last is followed */
	uint32_t min, max, before;
	uint64_t n, n_rows, n_missing, n_back;
};

/* Adds the next event in order of time. Number 0: the event has no number. */
static void sequence_gaps_see(struct sequence_gaps *g, uint32_t device, uint32_t cpu,
			      uint32_t number)
{
	struct sequence_row *w = &g->row[(cpu * 31 + device) % SEQUENCE_ROWS];
	if (!number)
		return;
	g->min = !g->n || number < g->min ? number : g->min;
	g->max = number > g->max ? number : g->max;
	g->n_back += g->n && number <= g->before;
	g->before = number;
	g->n++;
	if (w->used && w->device == device && w->cpu == cpu) {
		if (number > w->last)
			g->n_missing += number - w->last - 1;
		else if (number != 1 &&
			 g->n_missing) /* it was counted as missing; 1 begins a new run */
			g->n_missing--;
		if (number > w->last || number == 1)
			w->last = number;
		return;
	}
	g->n_rows++;
	*w = (struct sequence_row){.device = device, .cpu = cpu, .last = number, .used = true};
}

/* Number of missing events. Numbers that increase across CPUs are one common sequence. Events that
 * are missing before the first number or after the last number cannot be counted. */
static uint64_t sequence_gaps_missing(const struct sequence_gaps *g)
{
	const uint64_t span = g->n ? (uint64_t)g->max - g->min + 1 : 0;
	const bool together = g->n_rows > 1 && g->n_back * 100 <= g->n && span >= g->n;
	return together && span - g->n < g->n_missing ? span - g->n : g->n_missing;
}

#define MAGIC 0x65617400u /* the lowest byte is the version */
#define VERSION 7u
#define FILES_MAX 1024
#define ACTION_CGROUP 0x100u /* flag of an action: the number of a cgroup follows the event */

struct blktrace_event {
	uint32_t magic, sequence;
	uint64_t time, sector;
	uint32_t bytes, action, pid, device, cpu;
	uint16_t error, pdu_len;
};
_Static_assert(sizeof(struct blktrace_event) == 48, "as blktrace writes it");

struct blktrace_file {
	struct text_input *in, own; /* the first file is foreign.in; others have their own */
	struct blktrace_event next;
	bool has_next, over;
};

struct blktrace {
	struct foreign base;
	struct block_pairs pairs;
	struct blktrace_file *file; /* file[n_files] */
	size_t n_files;
	int64_t first_ns;
	bool has_first;
	uint32_t device, object;
	struct sequence_gaps gaps;
};

/* --- one file ------------------------------------------------------------ */

static void swap_event(struct blktrace_event *v)
{
	v->magic = __builtin_bswap32(v->magic);
	v->sequence = __builtin_bswap32(v->sequence);
	v->time = __builtin_bswap64(v->time);
	v->sector = __builtin_bswap64(v->sector);
	v->bytes = __builtin_bswap32(v->bytes);
	v->action = __builtin_bswap32(v->action);
	v->pid = __builtin_bswap32(v->pid);
	v->device = __builtin_bswap32(v->device);
	v->cpu = __builtin_bswap32(v->cpu);
	v->error = __builtin_bswap16(v->error);
	v->pdu_len = __builtin_bswap16(v->pdu_len);
}

/* Reads an event. Returns 1, or 0 at the end. After a bad record, it searches for the next magic
 * number. */
static int next_event(struct text_input *in, struct blktrace_event *v, struct err *e)
{
	const char *s;
	size_t len;
	int ret = text_input_peek(in, sizeof *v, &s, &len, e);
	if (ret || !len)
		return ret;
	if (len < sizeof *v) {
		text_input_take(in, len);
		return err_set(e, EILSEQ, "the file ends within a record");
	}
	memcpy(v, s, sizeof *v);
	uint32_t magic = v->magic;
	if ((v->magic & 0xffffff00u) != MAGIC)
		swap_event(v);
	if (v->magic != (MAGIC | VERSION)) {
		size_t n = 4;
		for (; n + 4 <= len && n < 65536; n += 4) /* search for the next record */
			if (!memcmp(s + n, "\x07tae", 4) || !memcmp(s + n, "eat\x07", 4))
				break;
		text_input_take(in, n);
		return err_set(e, EILSEQ, "not a record of blktrace: its magic number is %08x",
			       magic);
	}
	size_t want = sizeof *v + v->pdu_len;
	ret = text_input_peek(in, want, &s, &len, e);
	if (ret)
		return ret;
	text_input_take(in, len < want ? len : want);
	return len < want ? err_set(e, EILSEQ, "the file ends within a record") : 1;
}

/* --- events -------------------------------------------------------------- */

static enum pair_event_kind kind_of(uint32_t action)
{
	switch (action & 0xffff & ~ACTION_CGROUP) {
	case 1:
		return EVENT_QUEUE;
	case 2: /* back merge */
	case 3: /* front merge */
		return EVENT_MERGE;
	case 6:
		return EVENT_REQUEUE;
	case 7:
		return EVENT_ISSUE;
	case 8:
		return EVENT_COMPLETE;
	default:
		return EVENT_OTHER;
	}
}

static enum trace_op op_of(const struct blktrace_event *v)
{
	uint32_t category = v->action >> 16;
	if (category & (0x200 | 0x400)) /* SCSI commands, notes */
		return OP_INVALID;
	if (category & 0x2000)
		return OP_FALLOCATE;
	if (!v->bytes)
		return category & 4 ? OP_FDATASYNC : OP_INVALID;
	return category & 2 ? OP_PWRITE : category & 1 ? OP_PREAD : OP_INVALID;
}

static uint32_t flags_of(uint32_t category)
{
	return (category & 8 ? BLOCK_SYNC : 0) | (category & 0x1000 ? BLOCK_META : 0) |
	       (category & 0x800 ? BLOCK_AHEAD : 0) | (category & 0x8000 ? BLOCK_FUA : 0) |
	       (category & 4 ? BLOCK_PREFLUSH : 0);
}

static int device_object(struct blktrace *t, uint32_t device, uint32_t *object, struct err *e)
{
	char name[32];
	if (t->object == OBJECT_NONE || t->device != device) {
		int len = snprintf(name, sizeof name, "%u,%u", device >> 20, device & 0xfffff);
		int ret = foreign_object(&t->base, OBJECT_DEVICE, name, (size_t)len, &t->object, e);
		if (ret)
			return ret;
		t->device = device;
	}
	*object = t->object;
	return 0;
}

static int take_event(struct blktrace *t, const struct blktrace_event *v, struct err *e)
{
	struct pair_event b = {.kind = kind_of(v->action),
			       .op = op_of(v),
			       .sector = v->sector,
			       .bytes = v->bytes,
			       .device = v->device,
			       .pid = v->pid,
			       .error = (int16_t)v->error,
			       .flags = flags_of(v->action >> 16)};
	if (v->action >> 16 & 0x400) { /* a note: a time, a process name, or a message */
		t->base.base.notes.n_not_requests++;
		return 0;
	}
	sequence_gaps_see(&t->gaps, v->device, v->cpu, v->sequence);
	if (v->time > TRACE_TIME_MAX)
		return err_set(e, ERANGE, "a time exceeds the limit of the trace format (2^61 ns, "
			"73 years)");
	if (!t->has_first) {
		t->has_first = true;
		t->first_ns = (int64_t)v->time;
	}
	b.ns = (int64_t)v->time - t->first_ns;
	int ret = b.kind == EVENT_OTHER ? 0 : device_object(t, v->device, &b.object, e);
	return ret ? ret : block_pairs_take(&t->pairs, &t->base, &b, e);
}

/* --- all files, by time -------------------------------------------------- */

static int event_fetch(struct blktrace_file *m, struct err *e)
{
	if (m->has_next || m->over)
		return 0;
	int ret = next_event(m->in, &m->next, e);
	m->has_next = ret == 1;
	m->over = !ret;
	return ret < 0 ? ret : 0;
}

static int blktrace_piece(struct foreign *f, struct err *e)
{
	struct blktrace *t = (struct blktrace *)f;
	struct blktrace_file *first = NULL;
	for (struct blktrace_file *m = t->file; m < t->file + t->n_files; m++) {
		const uint64_t at = m->in->offset + m->in->at;
		int ret = event_fetch(m, e);
		if (ret && m == t->file)
			return ret;
		f->piece_at = ret ? at : f->piece_at;
		if (ret)
			return err_context(e, "%s", m->in->path);
		if (m->has_next && (!first || m->next.time < first->next.time))
			first = m;
	}
	if (!first)
		return 0;
	first->has_next = false;
	int ret = take_event(t, &first->next, e);
	return ret ? ret : 1;
}

static void blktrace_end(struct foreign *f)
{
	struct blktrace *t = (struct blktrace *)f;
	block_pairs_end(&t->pairs, f);
	foreign_lost(f, sequence_gaps_missing(&t->gaps));
}

static void blktrace_reset(struct foreign *f)
{
	struct blktrace *t = (struct blktrace *)f;
	block_pairs_reset(&t->pairs);
	t->has_first = false;
	t->object = OBJECT_NONE;
	memset(&t->gaps, 0, sizeof t->gaps);
	for (size_t i = 0; i < t->n_files; i++) {
		text_input_rewind(t->file[i].in, NULL);
		t->file[i].has_next = t->file[i].over = false;
	}
}

static void blktrace_release(struct foreign *f)
{
	struct blktrace *t = (struct blktrace *)f;
	block_pairs_release(&t->pairs);
	for (size_t i = 0; i < t->n_files; i++)
		text_input_close(&t->file[i].own);
	free(t->file);
}

/* Whether PATH is NAME.blktrace.CPU and the directory has the file of another CPU. */
static bool has_siblings(const char *path)
{
	char *copy = xstrdup(path), *copy2 = xstrdup(path), *base = basename(copy2);
	const char *mark = strstr(base, ".blktrace.");
	bool found = false;
	SCOPED_DIR DIR *d = mark ? opendir(dirname(copy)) : NULL;
	struct dirent *x;
	size_t len = mark ? (size_t)(mark - base) + strlen(".blktrace.") : 0;
	while (d && (x = readdir(d)))
		found |= !strncmp(x->d_name, base, len) && strcmp(x->d_name, base);
	FREE_EACH(copy, copy2);
	return found;
}

static void blktrace_setup(struct foreign *f, const struct trace_open_options *o)
{
	struct blktrace *t = (struct blktrace *)f;
	t->pairs.by_queue = o->pair_queue;
	t->object = OBJECT_NONE;
	t->n_files = o->n_more < FILES_MAX ? o->n_more + 1 : FILES_MAX + 1;
	t->file = xcalloc(t->n_files, sizeof *t->file);
	t->file[0].in = &f->in;
	f->base.meta.meta.clock_resolution_ns = 1;
	for (size_t i = 1; i < t->n_files; i++) {
		struct err e = ERR_INIT;
		t->file[i].in = &t->file[i].own;
		if (text_input_open(t->file[i].in, o->more[i - 1], &e))
			f->error = e; /* blktrace_open() checked the file before */
	}
}

static const struct foreign_reader reader = {.clock = "blktrace",
					     .captured_by = "blktrace",
					     .level = LEVEL_BLOCK,
					     .size = sizeof(struct blktrace),
					     .setup = blktrace_setup,
					     .piece = blktrace_piece,
					     .end = blktrace_end,
					     .reset = blktrace_reset,
					     .release = blktrace_release};

static int blktrace_open(struct trace **out, const char *path, const struct trace_open_options *o,
			 struct err *e)
{
	for (size_t i = 0; i < o->n_more; i++) { /* the setup cannot return an error */
		struct text_input in;
		int ret = text_input_open(&in, o->more[i], e);
		text_input_close(&in);
		if (ret)
			return ret;
	}
	int ret = foreign_open(out, &reader, path, o, e);
	if (!ret)
		(*out)->notes.one_cpu_of_many = !o->n_more && has_siblings(path);
	return ret;
}

static int blktrace_bid(const unsigned char *head, size_t len, const char *path)
{
	uint32_t magic;
	(void)path;
	if (len < sizeof(struct blktrace_event))
		return 0;
	memcpy(&magic, head, sizeof magic);
	return magic == (MAGIC | VERSION) || __builtin_bswap32(magic) == (MAGIC | VERSION) ? 90 : 0;
}

const struct trace_format format_blktrace = {
    .name = "blktrace",
    .help = "binary files of blktrace, one per CPU or merged by blkparse -d",
    .bid = blktrace_bid,
    .open = blktrace_open,
};
