/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The observer of the runs of a scenario: keys observe and observe-from of [workload NAME]. */
#include "validate/protocol/protocol_programs.h"

const char *const observe_names[] = {"auto", "own", "preload", "block", NULL};
const char *const observe_from_names[] = {"dispatch", "queue", NULL};

#define FIELD(field) offsetof(struct scenario, field)
static const struct option_spec observe_keys[] = {
    OPTION(CHOICE, "observe", FIELD(observe), .arg = "HOW", .choices = observe_names,
           .help = "source of the times of program and replayers. own: their own stamps; "
	       "preload: the preloaded library; block: the kernel's tracepoints at the device; "
	       "auto: own for parallel applications, and for built-in workloads and traces if "
	       "all replayers are engines of validate; else preload for files and block for "
	       "devices (default auto)"),
    OPTION(CHOICE, "observe-from", FIELD(observe_from), .arg = "POINT",
           .choices = observe_from_names, .help = "observe = block: whether a request begins "
	       "when the device gets it, or when it is queued (default dispatch)"),
    {.name = NULL},
};
#undef FIELD

int observe_check(const struct protocol_file *f, const struct key_grid *g, struct err *e)
{
	struct scenario scratch = {0};
	for (const struct option_spec *o = observe_keys; o->name; o++) {
		const struct grid_key *k = grid_find(g, o->name);
		for (size_t i = 0; k && i < k->item.n; i++)
			if (options_set(observe_keys, &scratch, o->name, k->item.v[i], e) < 0)
				return err_context(e, "%s:%u", f->path, k->key->line);
	}
	return 0;
}

void observe_take(struct scenario *s, const struct key_grid *g)
{
	for (const struct option_spec *o = observe_keys; o->name; o++)
		if (grid_find(g, o->name))
			options_set(observe_keys, s, o->name, item_now(g, o->name, ""),
				    NULL); /* checked before */
}

/* --- choice of the observer ---------------------------------------------- */

/* Returns the first replayer of another project, whose stamps differ from the program's; NULL:
 * none. */
static const struct replayer *foreign_find(const struct protocol *p, size_t scenario)
{
	for (size_t i = 0; i < p->n_replayers; i++)
		if (p->replayer[i].applies[scenario] && replayer_adapter(&p->replayer[i]))
			return &p->replayer[i];
	return NULL;
}

static void observe_choose(struct scenario *s, const struct replayer *foreign, bool below)
{
	s->observe_why = s->parallel.is ? OBSERVE_RANKS
			 : s->script	? OBSERVE_CAPTURED
			 : foreign	? OBSERVE_FOREIGN
					: OBSERVE_ALIKE;
	s->observe = s->parallel.is || !(s->script || foreign) ? OBSERVE_OWN
		     : below				       ? OBSERVE_BLOCK
							       : OBSERVE_PRELOAD;
}

/* Returns the first replayer that measures no times and so needs the observation of the device;
 * NULL: none. */
static const struct replayer *untimed_find(const struct protocol *p, size_t scenario)
{
	for (size_t i = 0; i < p->n_replayers; i++) {
		const char *times = replayer_option(&p->replayer[i], "times");
		if (p->replayer[i].applies[scenario] && times && !strcmp(times, "none"))
			return &p->replayer[i];
	}
	return NULL;
}

static int observe_refuse(const struct protocol *p, const struct scenario *s, const char *why,
			  struct err *e)
{
	return err_set(e, EINVAL, "%s: [workload %s]: observe = %s: %s", p->path, s->workload,
		       observe_names[s->observe], why);
}

int observe_resolve(struct protocol *p, struct err *e)
{
	for (size_t i = 0; i < p->n_scenarios; i++) {
		struct scenario *s = &p->scenario[i];
		const struct target *t = &p->target[s->target];
		const bool below = t->device || t->volume;
		const struct replayer *foreign = foreign_find(p, i);
		if (s->parallel.is && s->observe != OBSERVE_AUTO && s->observe != OBSERVE_OWN)
			return observe_refuse(p, s, "the nodes of a parallel application are timed "
				"by stamps around their calls: set observe = own", e);
		if (s->observe == OBSERVE_AUTO)
			observe_choose(s, foreign, below);
		else
			s->observe_why = OBSERVE_SET;
		if (s->observe == OBSERVE_PRELOAD && below)
			return observe_refuse(p, s, "the preloaded library does not time requests "
				"on a device: set observe = block (times of the kernel) or own "
				"(stamps of program and replayer)", e);
		if (s->observe != OBSERVE_BLOCK && untimed_find(p, i))
			return err_set(e, EINVAL, "%s: [replayer %s]: times = none needs "
				"observation at the device, but [workload %s] does not have "
				"observe = block",
				p->path, untimed_find(p, i)->name, s->workload);
		if (s->observe == OBSERVE_OWN && s->script && foreign && !below)
			return observe_refuse(p, s, "the library times a captured program, so it "
				"must also time the replays: set observe = preload", e);
	}
	return 0;
}
