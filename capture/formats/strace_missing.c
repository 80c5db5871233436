/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signs that the output of strace is incomplete:
 * - a clone returned a thread of which there is no line (no -f, one file of -ff, CLONE_UNTRACED);
 * - a process ended ("+++ exited") without a call of exit or exit_group (-e trace=, -z, -P);
 * - an open returned a descriptor that another open returned before and nothing closed (the same);
 * - a thread has no end, although strace did not detach (the file was cut). */
#include "capture/formats/blanks.h"
#include "capture/formats/strace_private.h"
#include "capture/unseen.h"

#define LISTED_MAX 4096u

void strace_exit_seen(struct traced_thread *th, const char *s, const char *end)
{
	const bool group = starts(s, end, "exit_group(");
	th->process->exits |= group || starts(s, end, "exit(");
	th->process->ended |= group;
}

void strace_thread_ended(struct strace *t, struct traced_thread *th, const char *s,
			 const char *end)
{
	struct traced_process *p = th->process;
	if (!starts(s, end, "+++ exited") || p->exits || t->missing.of_one_thread)
		return;
	t->missing.n_filtered++;
	p->exits = true;
}

void strace_descriptor_opened(struct strace *t, const struct traced_thread *th, int64_t fd)
{
	const struct open_file *f = descriptor_get(th, fd);
	t->missing.n_reopened += f && f->opened;
}

/* The numbers of the threads that have no line, for files of -ff that are imported together. */
static void list_untraced(const struct traced_system *s, json_t *capture)
{
	json_t *list = json_array();
	for (size_t i = 0; i < THREAD_SLOTS; i++)
		for (const struct traced_thread *th = s->slot[i]; th; th = th->next)
			if (!th->seen && json_array_size(list) < LISTED_MAX)
				json_array_append_new(list, json_integer(th->tid));
	json_object_set_new(capture, "untraced", list);
}

bool strace_missing_end(struct strace *t, json_t *capture)
{
	const struct traced_system *s = &t->system;
	struct trace_notes *n = &t->base.base.notes;
	uint64_t n_unseen = s->n_unseen, n_alive = 0;
	for (size_t i = 0; i < THREAD_SLOTS; i++)
		for (const struct traced_thread *th = s->slot[i]; th; th = th->next) {
			n_unseen += !th->seen;
			n_alive += th->seen && !th->process->ended;
		}
	/* In a PID namespace, clones return other numbers than those of the lines. */
	const uint64_t renumbered = s->n_unreturned + (s->n_orphans ? s->n_orphans - 1 : 0);
	n->n_untraced = n_unseen > renumbered ? n_unseen - renumbered : 0;
	n->n_filtered = t->missing.n_filtered;
	if (!n->n_untraced && !renumbered && !t->missing.of_one_thread && !t->n_rings)
		n->n_reopened = t->missing.n_reopened;
	n->n_cut_off = t->missing.detached ? 0 : n_alive;
	n->n_links_unknown = t->missing.n_links;
	n->n_targets_unknown = t->missing.n_targets;
	if (n->n_untraced)
		list_untraced(s, capture);
	return unseen_notes_add(capture, n);
}
