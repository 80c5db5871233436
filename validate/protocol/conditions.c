/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/protocol/conditions.h"

#include <gcrypt.h>

#include "common/digest.h"

static void line_add(struct strbuf *out, const char *key, const char *value)
{
	if (value)
		strbuf_addf(out, "%s = %s\n", key, value);
}

static void number_add(struct strbuf *out, const char *key, uint64_t value, const char *unit)
{
	strbuf_addf(out, "%s = %llu%s\n", key, (unsigned long long)value, unit);
}

static void target_add(const struct target *t, struct strbuf *out)
{
	strbuf_addf(out, "target = %s\n", t->name);
	line_add(out, "cache", cache_state_names[t->cache]);
	line_add(out, "evict", evict_names[t->evict]);
	number_add(out, "cache-budget", t->cache_budget_bytes, "");
	number_add(out, "memory-limit", t->memory_limit_bytes, "");
	line_add(out, "queue", t->queue);
	number_add(out, "precondition", t->precondition_passes, "");
	line_add(out, "volume", t->volume);
	if (t->volume)
		number_add(out, "size", t->size_bytes, "");
	/* baselines of earlier versions do not have these lines */
	if (t->volume_file)
		line_add(out, "volume-file", "yes");
	if (t->responsiveness != RESPONSIVENESS_AUTO)
		line_add(out, "responsiveness", responsiveness_names[t->responsiveness]);
}

void conditions_add(const struct protocol *p, struct strbuf *out)
{
	number_add(out, "seed", p->seed, "");
	number_add(out, "min-duration", (uint64_t)p->min_duration_ns, "ns");
	number_add(out, "settle", (uint64_t)p->settle_ns, "ns");
	line_add(out, "reference", reference_names[p->reference]);
	line_add(out, "cpus", p->cpus);
	line_add(out, "scheduler", p->scheduler);
	for (size_t i = 0; i < p->n_targets; i++)
		target_add(&p->target[i], out);
}

void conditions_add_scenario(const struct protocol *p, size_t scenario, struct strbuf *out)
{
	const struct scenario *s = &p->scenario[scenario];
	line_add(out, "type", s->type);
	line_add(out, "target", s->target < p->n_targets ? p->target[s->target].name : NULL);
	for (size_t i = 0; i < s->n_options; i++)
		line_add(out, s->option[i].key, s->option[i].value);
}

int conditions_hash(const struct protocol *p, char hash[CONDITIONS_HASH_SIZE], struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	unsigned char digest[32];
	conditions_add(p, &text);
	for (size_t i = 0; i < p->n_scenarios; i++) {
		strbuf_addf(&text, "scenario = %s\n", p->scenario[i].name);
		conditions_add_scenario(p, i, &text);
	}
	int ret = digest_ready(e);
	if (!ret)
		gcry_md_hash_buffer(GCRY_MD_SHA256, digest, text.s, text.len);
	if (ret)
		return ret;
	for (size_t i = 0; i < sizeof digest; i++)
		sprintf(hash + 2 * i, "%02x", digest[i]);
	return 0;
}
