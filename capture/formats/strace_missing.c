/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signs that the output of strace is incomplete:
 * - a clone returned a thread of which there is no line (no -f, one file of -ff, CLONE_UNTRACED);
 * - a process ended ("+++ exited") without a call of exit or exit_group (-e trace=, -z, -P);
 * - an open returned a descriptor that another open returned before and nothing closed (the same);
 * - a descriptor is used after its close, and no call opened it again (the same);
 * - a thread has no end, although strace did not detach (the file was cut). */
#include "capture/formats/blanks.h"
#include "capture/formats/strace_parsed.h"
#include "capture/formats/strace_private.h"
#include "capture/unseen.h"

#define LISTED_MAX 4096u

void strace_passing_seen(struct strace *t, const char *s, const char *end)
{
	t->missing.passed |= starts(s, end, "recvm") || starts(s, end, "pidfd_getfd(");
}

/* The word and bit of a descriptor; NULL: it is not noted. */
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

void strace_exit_seen(struct strace *t, struct strace_thread *th, const char *s, const char *end)
{
	const bool group = starts(s, end, "exit_group(");
	struct strace_thread *p = strace_first_thread(t, th);
	p->exits |= group || starts(s, end, "exit(");
	p->ended |= group;
}

void strace_thread_ended(struct strace *t, struct strace_thread *th, const char *s,
			 const char *end)
{
	struct strace_thread *p = strace_first_thread(t, th);
	if (!starts(s, end, "+++ exited") || p->exits || t->missing.of_one_thread)
		return;
	t->missing.n_filtered++;
	p->exits = true;
}

/* The numbers of the threads that have no line, for files of -ff that are imported together. */
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
	/* In a PID namespace, clones return other numbers than those of the lines. */
	const uint64_t renumbered = t->n_unreturned + (t->n_orphans ? t->n_orphans - 1 : 0);
	n->n_untraced = n_unseen > renumbered ? n_unseen - renumbered : 0;
	n->n_filtered = t->missing.n_filtered;
	if (!n->n_untraced && !renumbered && !t->missing.of_one_thread &&
	    !syscalls_counts(t->calls_made)->n_rings)
		n->n_reopened =
		    t->missing.n_reopened + (t->missing.passed ? 0 : t->missing.n_unopened);
	n->n_cut_off = t->missing.detached ? 0 : n_alive;
	n->n_links_unknown = t->missing.n_links;
	n->n_targets_unknown = t->missing.n_targets;
	if (n->n_untraced)
		list_untraced(t, capture);
	return unseen_notes_add(capture, n);
}
