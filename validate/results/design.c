/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/results/design.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "common/json_count.h"
#include "common/splitmix.h"
#include "common/text.h"
#include "validate/results/results.h"

#define PLAN_VERSION 1

/* Maps neighbouring numbers to unrelated seeds. */
static uint64_t seed_mix(uint64_t x)
{
	return splitmix_next(&x);
}

uint64_t design_workload_seed(const struct protocol *p, uint32_t bank)
{
	/* positive, and exactly representable as a double in JSON */
	return (seed_mix(seed_mix(p->seed) + bank) >> 12) + 1;
}

bool design_block_is_slow(const struct protocol *p, uint32_t block)
{
	/* which block of each pair of blocks is slow */
	const uint64_t first = seed_mix(seed_mix(p->seed ^ 0x736c6f77u) + (block + 1) / 2) >> 63;
	return block && block % 2 == first;
}

static void run_add(struct design *plan, uint64_t block, size_t first, size_t scenario,
		    int32_t role, uint64_t bank)
{
	plan->run[plan->n_runs] = (struct design_run){
	    .block = (uint32_t)block, .position = (uint32_t)(plan->n_runs - first),
	    .scenario = (uint32_t)scenario, .role = role, .bank = (uint32_t)bank,
	};
	plan->n_runs++;
}

struct order { /* scratch space for shuffling */
	gsl_rng *rng;
	size_t *scenario;
	int *role;
};

/* Gives the block a separate random stream, and shuffles its scenarios. */
static void block_shuffle(struct order *o, const struct protocol *p, uint64_t stream)
{
	gsl_rng_set(o->rng, seed_mix(seed_mix(p->seed ^ 0x706c616eu) + stream));
	for (size_t s = 0; s < p->n_scenarios; s++)
		o->scenario[s] = s;
	gsl_ran_shuffle(o->rng, o->scenario, p->n_scenarios, sizeof *o->scenario);
}

static void bank_add(struct design *plan, const struct protocol *p, struct order *o)
{
	for (uint64_t k = 0; k < protocol_n_bank(p); k++) {
		block_shuffle(o, p, (1ull << 32) + k);
		for (size_t i = 0; i < p->n_scenarios; i++)
			if (scenario_recording(p, o->scenario[i]) == o->scenario[i])
				run_add(plan, 0, 0, o->scenario[i], ROLE_RECORD, k);
	}
	plan->n_bank_runs = plan->n_runs;
}

static void block_add(struct design *plan, const struct protocol *p, struct order *o,
		      uint64_t block)
{
	size_t first = plan->n_runs;
	block_shuffle(o, p, block);
	for (size_t i = 0; i < p->n_scenarios; i++) {
		size_t scenario = o->scenario[i], n = 0;
		if (p->reference == REFERENCE_RERUN)
			o->role[n++] = ROLE_PROGRAM;
		for (size_t r = 0; r < p->n_replayers; r++)
			if (p->replayer[r].applies[scenario])
				o->role[n++] = (int)r;
		gsl_ran_shuffle(o->rng, o->role, n, sizeof *o->role);
		for (size_t r = 0; r < n; r++)
			run_add(plan, block, first, scenario, o->role[r],
				block % protocol_n_bank(p));
	}
}

void design_make(struct design *plan, const struct protocol *p)
{
	*plan = (struct design){0};
	plan->run = xcalloc(protocol_n_runs(p), sizeof *plan->run);
	struct order o = {
	    .rng = gsl_rng_alloc(gsl_rng_mt19937),
	    .scenario = xcalloc(p->n_scenarios, sizeof *o.scenario),
	    .role = xcalloc(p->n_replayers + 1, sizeof *o.role),
	};
	bank_add(plan, p, &o);
	for (uint64_t b = 0; b < protocol_n_blocks(p); b++)
		block_add(plan, p, &o, b);
	gsl_rng_free(o.rng);
	FREE_EACH(o.scenario, o.role);
}

void design_release(struct design *plan)
{
	free(plan->run);
	*plan = (struct design){0};
}

size_t design_n_runs_until(const struct design *plan, uint64_t n_replicates)
{
	size_t n = plan->n_bank_runs;
	while (n < plan->n_runs && plan->run[n].block <= n_replicates)
		n++;
	return n;
}

/* Sets *scenarios and *replayers to the names of the protocol. */
static void names_list(const struct protocol *p, json_t **scenarios, json_t **replayers)
{
	*scenarios = json_array();
	*replayers = json_array();
	for (size_t i = 0; i < p->n_scenarios; i++)
		json_array_append_new(*scenarios, json_string(p->scenario[i].name));
	for (size_t i = 0; i < p->n_replayers; i++)
		json_array_append_new(*replayers, json_string(p->replayer[i].name));
}

json_t *design_to_json(const struct design *plan, const struct protocol *p)
{
	json_t *scenarios, *replayers, *runs = json_array();
	names_list(p, &scenarios, &replayers);
	for (size_t i = 0; i < plan->n_runs; i++) {
		const struct design_run *r = &plan->run[i];
		json_array_append_new(
		    runs, json_pack("[I,I,I,i,I]", (json_int_t)r->block, (json_int_t)r->position,
				    (json_int_t)r->scenario, r->role, (json_int_t)r->bank));
	}
	json_t *absent = json_object();
	for (size_t i = 0; i < p->n_replayers; i++)
		if (p->replayer[i].absent)
			json_object_set_new(absent, p->replayer[i].name,
					    text_to_json(p->replayer[i].absent));
	return json_pack("{s:i, s:o, s:I, s:o, s:o, s:o, s:o}", "version", PLAN_VERSION, "seed",
		json_of_count(p->seed), "bank_runs", (json_int_t)plan->n_bank_runs, "scenarios",
		scenarios, "replayers", replayers, "absent", absent, "runs", runs);
}

int design_leave_out(struct protocol *p, const json_t *plan, struct err *e)
{
	const char *name;
	json_t *why;
	json_object_foreach(json_object_get(plan, "absent"), name, why)
	{
		size_t i = 0;
		while (i < p->n_replayers && strcmp(p->replayer[i].name, name))
			i++;
		if (i == p->n_replayers || !json_is_string(why))
			return err_set(e, EINVAL,
				"plan.json leaves out replayer \"%s\", %s", name,
				i == p->n_replayers ? "which the protocol does not have"
						    : "but gives no reason");
		replayer_leave_out(p, i, json_string_value(why));
	}
	return 0;
}

static bool names_match(const json_t *plan, const struct protocol *p)
{
	json_t *scenarios, *replayers;
	names_list(p, &scenarios, &replayers);
	const bool match = json_equal(json_object_get(plan, "scenarios"), scenarios) &&
			   json_equal(json_object_get(plan, "replayers"), replayers);
	json_decref(scenarios);
	json_decref(replayers);
	return match;
}

static int run_from_json(struct design_run *r, const struct protocol *p, json_t *o, size_t index,
			 struct err *e)
{
	json_int_t block, position, scenario, role, bank;
	json_error_t why;
	if (json_unpack_ex(o, &why, JSON_STRICT, "[I,I,I,I,I]", &block, &position, &scenario, &role,
			   &bank) < 0 ||
	    block < 0 || block > (json_int_t)p->n_replicates_max || position < 0 ||
	    position > UINT32_MAX || scenario < 0 || scenario >= (json_int_t)p->n_scenarios ||
	    role < ROLE_RECORD || role >= (json_int_t)p->n_replayers || bank < 0 ||
	    bank >= (json_int_t)protocol_n_bank(p))
		return err_set(e, EINVAL, "run %zu of the plan is damaged, or belongs to another "
			"protocol",
			       index);
	*r = (struct design_run){(uint32_t)block, (uint32_t)position, (uint32_t)scenario,
				 (int32_t)role, (uint32_t)bank};
	return 0;
}

int design_from_json(struct design *plan, const struct protocol *p, const json_t *o, struct err *e)
{
	*plan = (struct design){0};
	json_t *runs = json_object_get(o, "runs"), *version = json_object_get(o, "version");
	if (!json_is_integer(version) || !json_is_array(runs))
		return err_set(e, EINVAL, "the file is not the plan of a campaign");
	if (json_integer_value(version) != PLAN_VERSION)
		return err_set(e, EINVAL, ERR_OTHER_VERSION,
			       (long long)json_integer_value(version), PLAN_VERSION);
	if (!names_match(o, p))
		return err_set(e, EINVAL,
			       "the scenarios or replayers of the plan differ from those of the "
			       "protocol");
	if (json_array_size(runs) > protocol_n_runs(p))
		return err_set(e, EINVAL, "the plan has more runs (%zu) than the protocol",
			       json_array_size(runs));
	plan->n_runs = json_array_size(runs);
	plan->run = xcalloc(plan->n_runs + 1, sizeof *plan->run);
	int ret = 0;
	for (size_t i = 0; !ret && i < plan->n_runs; i++) {
		ret = run_from_json(&plan->run[i], p, json_array_get(runs, i), i, e);
		if (plan->run[i].role == ROLE_RECORD)
			plan->n_bank_runs = i + 1;
	}
	if (ret)
		design_release(plan);
	return ret;
}
