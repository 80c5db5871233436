/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signs that the output of strace is incomplete:
 * - a clone returned a thread that has no line (no -f, one file of -ff, CLONE_UNTRACED);
 * - a process ended ("+++ exited") without a call to exit or exit_group (-e trace=, -z, -P);
 * - an open returned a descriptor that an earlier open returned and no call closed (same reasons);
 * - a descriptor is used after its close, and no call opened it again (same reasons);
 * - a thread has no end, although strace did not detach (the file was cut);
 * - the position that lseek returns contradicts the calls before it (lines were removed, -e);
 * - the loader of glibc maps a file that it neither read nor examined by fstat (same reasons).
 *
 * A process that executes a program and shows only calls on files was traced with a filter. That is
 * no sign that calls on files are missing, but they may be. */
#include "capture/formats/blanks.h"
#include "capture/formats/strace_parsed.h"
#include "capture/unseen.h"

#include <sys/mman.h>

#define LISTED_MAX 4096u

void strace_passing_seen(struct strace *t, const char *s, const char *end)
{
	t->missing.passed |= begins_with(s, end, "recvm") || begins_with(s, end, "pidfd_getfd(");
}

/* Finds the word and the bit of a descriptor. NULL: it is not recorded. */
static uint64_t *closed_word(struct strace *t, uint32_t tid, int64_t fd, uint64_t *bit)
{
	const uint32_t *i = u64_map_find(&t->thread_of, syscalls_process(t->calls_made, tid));
	*bit = UINT64_C(1) << (fd & 63);
	return i && fd >= 0 && fd < 256 ? &t->thread[*i].closed[fd / 64] : NULL;
}

void strace_closed(struct strace *t, uint32_t tid, int64_t fd)
{
	uint64_t bit, *word = closed_word(t, tid, fd, &bit);
	if (word)
		*word |= bit;
}

void strace_unopened(struct strace *t, uint32_t tid, int64_t fd, const struct part *name)
{
	static const char memory[] = "/memfd:";
	uint64_t bit, *word = closed_word(t, tid, fd, &bit);
	if (!word || !(*word & bit) || *name->s != '/' ||
	    (name->len >= sizeof memory - 1 && !memcmp(name->s, memory, sizeof memory - 1)))
		return;
	t->missing.n_unopened++;
	*word &= ~bit;
}

/* The open file of the descriptor in argument `letter` of the call, or NULL. */
static struct app_open_file *file_of(const struct strace_parsed *p, char letter)
{
	const char *at = strchr(p->call->args, letter);
	const size_t i = at ? (size_t)(at - p->call->args) : p->n;
	if (i >= p->n || i >= PARTS_MAX)
		return NULL;
	const struct part *a = &p->arg[i];
	return syscalls_file(p->t->calls_made, p->tid, strace_first_fd(a->s, a->s + a->len));
}

static bool is_file(const struct app_open_file *f)
{
	return f->is_path && strncmp(f->path, "/dev/", 5) && strncmp(f->path, "/proc/", 6) &&
	       strncmp(f->path, "/sys/", 5);
}

void strace_use_seen(struct strace_parsed *p)
{
	struct strace *t = p->t;
	struct app_open_file *f = file_of(p, strchr(p->call->args, 'f') ? 'f' : 'D'),
			     *to = file_of(p, 'X');
	const enum op_family family = op_info(p->r.op)->family;
	if (to)
		to->is_shared = true;
	if (!f || p->r.rvalue < 0)
		return;
	f->is_shared |= (f->used_by && f->used_by != p->tid) || family == FAMILY_COPY ||
			p->r.op == OP_GETDENTS;
	f->used_by = p->tid;
	f->was_read |= p->r.op == OP_READ; /* other reads of the loader come later */
	f->was_examined |= p->r.op == OP_FSTAT || p->r.op == OP_STAT || p->r.op == OP_STATX;
	if (p->r.op == OP_MMAP && f->opened && p->value[3] & MAP_DENYWRITE) {
		t->missing.n_contradictions += !f->was_read || !f->was_examined;
		f->was_read = f->was_examined = true; /* so that it is counted once */
	}
	if (p->r.op == OP_LSEEK && p->value[2] == SEEK_CUR && f->opened && f->position_known &&
	    !f->append && !f->is_shared && is_file(f))
		t->missing.n_contradictions += (uint64_t)p->r.rvalue != f->position + p->value[1];
}

void strace_exit_seen(struct strace *t, struct strace_thread *th, const char *s, const char *end)
{
	const bool group = begins_with(s, end, "exit_group(");
	struct strace_thread *p = strace_first_thread(t, th);
	const bool exits = group || begins_with(s, end, "exit(");
	p->exits |= exits;
	p->ended |= group;
	p->other |= !exits;
	if (group && p->executed && !p->other)
		t->missing.n_file_calls++;
}

void strace_thread_ended(struct strace *t, struct strace_thread *th, const char *s, const char *end)
{
	struct strace_thread *p = strace_first_thread(t, th);
	if (!begins_with(s, end, "+++ exited") || p->exits || t->missing.of_one_thread)
		return;
	t->missing.n_filtered++;
	p->exits = true;
}

/* Lists the threads that have no line, for files of -ff that are imported together. */
static void list_untraced(const struct strace *t, json_t *capture)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < t->n_threads; i++)
		if (t->thread[i].alive && !t->thread[i].seen && json_array_size(list) < LISTED_MAX)
			json_array_append_new(list, json_integer(t->thread[i].tid));
	json_object_set_new(capture, "untraced", list);
}

bool strace_missing_end(struct strace *t, json_t *capture)
{
	struct trace_notes *n = &t->base.base.notes;
	uint64_t n_unseen = t->n_unseen, n_alive = 0;
	for (uint32_t i = 0; i < t->n_threads; i++) {
		struct strace_thread *th = &t->thread[i];
		n_unseen += th->alive && !th->seen;
		n_alive += th->alive && th->seen && !strace_first_thread(t, th)->ended;
	}
	/* in a PID namespace, the numbers that clone() returns differ from those of the lines */
	const uint64_t renumbered = t->n_unreturned + (t->n_orphans ? t->n_orphans - 1 : 0);
	n->n_untraced = n_unseen > renumbered ? n_unseen - renumbered : 0;
	n->n_filtered = t->missing.n_filtered;
	if (!n->n_untraced && !renumbered && !t->missing.of_one_thread &&
	    !syscalls_counts(t->calls_made)->n_rings)
		n->n_reopened =
		    t->missing.n_reopened + (t->missing.passed ? 0 : t->missing.n_unopened);
	n->n_contradictions = t->missing.n_contradictions;
	n->n_file_calls = t->missing.n_file_calls;
	n->n_cut_off = t->missing.detached ? 0 : n_alive;
	n->n_mounts = syscalls_counts(t->calls_made)->n_mounts;
	n->n_unshared = syscalls_counts(t->calls_made)->n_unshared;
	n->n_links_unknown = t->missing.n_links;
	n->n_targets_unknown = t->missing.n_targets;
	n->n_parents_unknown = t->missing.n_parents;
	n->n_sizes_unknown = t->missing.n_sizes;
	if (n->n_untraced)
		list_untraced(t, capture);
	return unseen_notes_add(capture, n);
}
