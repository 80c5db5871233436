/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/formats/kernel_text.h"

#include "common/hex.h"

#define PAGE_BYTES 4096
#define FALLEN_SHARE 16

static void calls_make(struct kernel_text *k)
{
	const struct syscalls_sink sink = {.context = &k->base,
					   .object = foreign_object_sink,
					   .heap = foreign_heap_sink,
					   .keep_unfinished = true,
					   .page_bytes = PAGE_BYTES};
	k->calls = syscalls_open(&sink, &k->base.queue);
}

void kernel_text_setup(struct foreign *f, const struct trace_open_options *o)
{
	struct kernel_text *k = (struct kernel_text *)f;
	k->pairs.by_queue = o->pair_queue;
	name_table_add_constants(&k->names);
	calls_make(k);
	f->base.meta.meta.root = "/";
}

void kernel_text_end(struct foreign *f)
{
	struct kernel_text *k = (struct kernel_text *)f;
	syscalls_finish(k->calls);
	if (f->base.meta.meta.level == LEVEL_SYSCALL) {
		const struct syscalls_counts *n = syscalls_counts(k->calls);
		struct trace_notes *to = &k->base.base.notes;
		to->n_without_end = n->n_unfinished;
		to->n_without_begin = n->n_without_begin;
		to->n_unknown_fd = n->n_unknown;
		to->n_unnamed = n->n_unnamed;
	}
	block_pairs_end(&k->pairs, f);
}

/* Detects the times of perf script --deltatime, which are times since the previous event, without a
 * mark. A difference is often below half of the previous difference. A clock decreases so much only
 * at the start of another file or boot. In a short trace whose first time is 0, any decrease shows
 * that the times are differences. */
static bool are_differences(const struct kernel_text *k)
{
	if (k->times.n < FALLEN_SHARE && k->first_ns == 0 && k->times.any_back)
		return true;
	return k->times.n_fallen > k->times.n / FALLEN_SHARE;
}

void kernel_text_reset(struct foreign *f)
{
	struct kernel_text *k = (struct kernel_text *)f;
	if (k->has_first && !k->decided) { /* the beginning of the trace decides the level */
		f->base.meta.meta.level =
		    k->has_block && !k->has_calls ? LEVEL_BLOCK : LEVEL_SYSCALL;
		k->times.differences = are_differences(k);
		k->decided = true;
	}
	k->times.last_ns = 0;
	syscalls_close(k->calls);
	calls_make(k);
	block_pairs_reset(&k->pairs);
	k->has_first = k->raw = k->has_tasks = false;
	k->has_block = k->has_calls = k->over = false;
	k->n_lines = 0;
}

void kernel_text_release(struct foreign *f)
{
	struct kernel_text *k = (struct kernel_text *)f;
	syscalls_close(k->calls);
	block_pairs_release(&k->pairs);
}

int kernel_text_time(struct kernel_text *k, const char *where, unsigned int digits, int64_t *ns,
		     struct err *e)
{
	const bool differ = k->times.differences;
	if (*ns > TRACE_TIME_MAX || *ns < 0 || (differ && *ns > TRACE_TIME_MAX - k->times.last_ns))
		return foreign_at(&k->base, where, e,
				  "a time exceeds the limit of the trace format (2^61 ns, 73 "
				  "years)");
	if (differ) {
		*ns += k->times.last_ns;
		k->base.base.notes.differences_cut = digits < 9;
	} else if (!k->decided && k->has_first) {
		k->times.n++;
		k->times.n_fallen += *ns < k->times.last_ns / 2;
		k->times.any_back |= *ns < k->times.last_ns;
	}
	k->times.last_ns = *ns;
	if (!k->has_first) {
		k->first_ns = *ns;
		k->has_first = true;
	}
	*ns -= k->first_ns;
	return 0;
}

/* --- words --------------------------------------------------------------- */

bool text_starts(struct text t, const char *with)
{
	size_t len = strlen(with);
	return (size_t)(t.end - t.s) >= len && !memcmp(t.s, with, len);
}

struct text text_after(struct text t, const char *name)
{
	const size_t len = strlen(name);
	for (const char *s = t.s; (s = memmem(s, (size_t)(t.end - s), name, len)); s++) {
		bool first = s == t.s || s[-1] == ' ' || s[-1] == '(' || s[-1] == '\t';
		const char *v = s + len;
		if (!first || v == t.end || (*v != '=' && *v != ':' && *v != ' '))
			continue;
		for (v++; v < t.end && *v == ' '; v++)
			;
		return (struct text){v, t.end};
	}
	return (struct text){t.end, t.end};
}

uint64_t text_number(struct text t, unsigned int base)
{
	uint64_t v = 0;
	bool negative = t.s < t.end && *t.s == '-', over = false;
	t.s += negative;
	if (text_starts(t, "0x")) {
		base = 16;
		t.s += 2;
	}
	for (; t.s < t.end; t.s++) {
		const unsigned int digit = hex_digit(*t.s);
		if (digit >= base)
			break;
		over |= __builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, digit, &v);
	}
	if (over)
		return negative ? (uint64_t)INT64_MIN : UINT64_MAX;
	return negative ? 0 - v : v;
}

/* --- calls --------------------------------------------------------------- */

int kernel_text_enter(struct kernel_text *k, uint32_t tid, int64_t ns,
		      const struct syscall_row *row, const uint64_t *arg, struct err *e)
{
	k->has_calls = true;
	return syscalls_enter(k->calls, tid, ns, row, arg, e);
}

/* Stores the i-th quoted string as the value of the i-th text pointer. */
static void strings_take(const struct syscall_row *row, struct text args,
			 struct syscall_memory memory[SYSCALL_MEMORIES])
{
	struct syscall_pointee p;
	for (unsigned int i = 0; i < SYSCALL_MEMORIES && syscall_pointee(row, i, &p); i++) {
		if (p.what != POINTER_TEXT)
			continue;
		const char *open =
		    args.s < args.end ? memchr(args.s, '"', (size_t)(args.end - args.s)) : NULL;
		const char *close =
		    open ? memchr(open + 1, '"', (size_t)(args.end - open - 1)) : NULL;
		if (!close)
			return;
		memory[i] = (struct syscall_memory){open + 1, (size_t)(close - open - 1)};
		args.s = close + 1;
	}
}

int kernel_text_exit(struct kernel_text *k, uint32_t tid, int64_t ns, const struct syscall_row *row,
		     int64_t result, struct text args, struct err *e)
{
	struct syscall_memory memory[SYSCALL_MEMORIES] = {{NULL, 0}};
	strings_take(row, args, memory);
	for (int i = 0; i < SYSCALL_MEMORIES; i++)
		if (memory[i].data && memchr(memory[i].data, 0, memory[i].len))
			memory[i].data = NULL;
	k->has_calls = true;
	return syscalls_exit(k->calls, tid, ns, row, result, memory, e);
}
