/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a protocol with expanded grids, for people; it can be read as a protocol again. */
#include "validate/protocol/protocol.h"

static void key_add(struct strbuf *out, const char *key, const char *value)
{
	if (value)
		strbuf_addf(out, "%s = %s\n", key, value);
}

static void ns_add(struct strbuf *out, const char *key, int64_t ns)
{
	strbuf_addf(out, "%s = %lld%s\n", key, (long long)ns, ns ? "ns" : "");
}

static void protocol_section(const struct protocol *p, struct strbuf *out)
{
	strbuf_addstr(out, "[protocol]\n");
	key_add(out, "title", p->title);
	key_add(out, "issuer", p->issuer);
	key_add(out, "place", p->place);
	key_add(out, "standard", p->standard);
	key_add(out, "claim", p->claimed);
	key_add(out, "replicates", p->replicates);
	if (p->allow_undecidable)
		key_add(out, "allow-undecidable", "yes");
	if (p->budget_ns)
		ns_add(out, "budget", p->budget_ns);
	strbuf_addf(out, "bank = %llu\n", (unsigned long long)protocol_n_bank(p));
	strbuf_addf(out, "seed = %llu\n", (unsigned long long)p->seed);
	ns_add(out, "min-duration", p->min_duration_ns);
	ns_add(out, "timeout", p->timeout_ns);
	ns_add(out, "settle", p->settle_ns);
	key_add(out, "keep", keep_names[p->keep]);
	key_add(out, "on-failure", on_failure_names[p->on_failure]);
	key_add(out, "reference", reference_names[p->reference]);
	if (p->covariate)
		key_add(out, "covariate", covariate_names[p->covariate]);
	key_add(out, "pairing", pairing_names[p->pairing]);
	ns_add(out, "slice", p->slice_ns);
	key_add(out, "pause", pause_by_names[p->pause]);
	if (p->n_sessions)
		strbuf_addf(out, "sessions = %llu\n", (unsigned long long)p->n_sessions);
	key_add(out, "published", p->published_file);
	key_add(out, "scratch", p->scratch);
	key_add(out, "cpus", p->cpus);
	key_add(out, "scheduler", p->scheduler);
}

static void target_section(const struct target *t, struct strbuf *out)
{
	strbuf_addf(out, "\n[target %s]\n", t->name);
	key_add(out, "dir", t->dir);
	key_add(out, "cache", cache_state_names[t->cache]);
	key_add(out, "evict", evict_names[t->evict]);
	strbuf_addf(out, "cache-budget = %llu\n", (unsigned long long)t->cache_budget_bytes);
	strbuf_addf(out, "memory-limit = %llu\n", (unsigned long long)t->memory_limit_bytes);
	key_add(out, "queue", t->queue);
	strbuf_addf(out, "precondition = %llu\n", (unsigned long long)t->precondition_passes);
	key_add(out, "device", t->device);
	if (t->destructive)
		key_add(out, "destructive", "yes");
	if (t->volume)
		strbuf_addf(out, "volume = %s\nsize = %llu\n", t->volume,
			    (unsigned long long)t->size_bytes);
	if (t->volume_file)
		key_add(out, "volume-file", "yes");
	if (t->volume)
		key_add(out, "responsiveness", responsiveness_names[t->responsiveness]);
}

static void settings_add(const struct setting *option, size_t n, struct strbuf *out)
{
	for (size_t i = 0; i < n; i++) {
		bool quote = strpbrk(option[i].value, ",\"") != NULL;
		strbuf_addf(out, quote ? "%s = \"%s\"\n" : "%s = %s\n", option[i].key,
			    option[i].value);
	}
}

/* Appends a key that lists the chosen scenarios, unless all are chosen. */
static void scenarios_add(const struct protocol *p, const char *key, const bool *chosen,
			  struct strbuf *out)
{
	bool all = true;
	for (size_t s = 0; s < p->n_scenarios; s++)
		all &= chosen[s];
	if (all)
		return;
	strbuf_addf(out, "%s = ", key);
	for (size_t s = 0, n = 0; s < p->n_scenarios; s++)
		if (chosen[s])
			strbuf_addf(out, "%sscenario-%zu", n++ ? ",\n  " : "", s);
	strbuf_addch(out, '\n');
}

static void replayer_section(const struct protocol *p, size_t i, struct strbuf *out)
{
	const struct replayer *r = &p->replayer[i];
	strbuf_addf(out, "\n; %s\n[replayer replayer-%zu]\nengine = %s\n", r->name, i, r->engine);
	if (r->optional)
		strbuf_addstr(out, "optional = yes\n");
	if (r->control)
		strbuf_addstr(out, "control = yes\n");
	if (r->comparison)
		strbuf_addstr(out, "comparison = yes\n");
	settings_add(r->option, r->n_options, out);
	scenarios_add(p, "workloads", r->applies, out);
	if (replayer_option(r, "mutant"))
		scenarios_add(p, "mutant-workloads", r->mutant_acts, out);
}

static void claim_section(const struct claim *c, struct strbuf *out)
{
	strbuf_addf(out, "\n[claim %s]\n", c->name);
	for (const struct option_spec *o = claim_keys; o->name; o++)
		if (o->type == OPT_CHOICE)
			key_add(out, o->name,
				o->choices[*(const int *)((const char *)c + o->offset)]);
		else
			key_add(out, o->name, *(char *const *)((const char *)c + o->offset));
}

/* Appends a text of [compare]. Replayers in it get the names that they have in this file. */
static void text_add(const struct protocol *p, const char *key, const char *value,
		     struct strbuf *out)
{
	size_t index;
	bool replayer = !strcmp(key, "old") || !strcmp(key, "new");
	if (value && replayer && protocol_replayer_find(p, value, &index, NULL) == 0)
		strbuf_addf(out, "%s = replayer-%zu\n", key, index);
	else
		key_add(out, key, value);
}

/* Appends each limit as a number or "none", in the order of the table of keys. */
static void limits_section(const char *kind, const struct option_spec *keys,
			   const struct protocol *p, struct strbuf *out)
{
	strbuf_addf(out, "\n[%s]\n", kind);
	for (const struct option_spec *o = keys; o->name; o++) {
		const void *field = (const char *)p + o->offset;
		if (o->type == OPT_STRING) {
			text_add(p, o->name, *(char *const *)field, out);
			continue;
		}
		strbuf_addf(out, "%s = ", o->name);
		if (o->type == OPT_CHOICE)
			strbuf_addf(out, "%s\n", o->choices[*(const int *)field]);
		else if (o->type == OPT_UINT && *(const uint64_t *)field != UINT64_MAX)
			strbuf_addf(out, "%llu\n", (unsigned long long)*(const uint64_t *)field);
		else if (o->type == OPT_DURATION && *(const int64_t *)field >= 0)
			strbuf_addf(out, "%lldns\n", (long long)*(const int64_t *)field);
		else if ((o->type == OPT_RATIO || o->type == OPT_DOUBLE) &&
			 !isnan(*(const double *)field))
			strbuf_addf(out, "%.17g\n", *(const double *)field);
		else
			strbuf_addstr(out, "none\n");
	}
}

void protocol_print_resolved(const struct protocol *p, struct strbuf *out)
{
	protocol_section(p, out);
	for (size_t i = 0; i < p->n_targets; i++)
		target_section(&p->target[i], out);
	for (size_t i = 0; i < p->n_scenarios; i++) {
		const struct scenario *s = &p->scenario[i];
		strbuf_addf(out, "\n; %s\n[workload scenario-%zu]\ntype = %s\ntarget = %s\n",
			    s->name, i, s->type, p->target[s->target].name);
		if (s->recorded_on != s->target)
			key_add(out, "recorded-on", p->target[s->recorded_on].name);
		key_add(out, "observe", observe_names[s->observe]);
		key_add(out, "observe-from", observe_from_names[s->observe_from]);
		settings_add(s->option, s->n_options, out);
	}
	for (size_t i = 0; i < p->n_replayers; i++)
		replayer_section(p, i, out);
	limits_section("accept", accept_keys, p, out);
	limits_section("compare", compare_keys, p, out);
	for (size_t i = 0; i < p->n_claims; i++)
		claim_section(&p->claim[i], out);
}
