/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON form of run_facts.h, in its own file so that other users need no JSON library. */
#include <jansson.h>

#include "capture/run_facts.h"

/* One row per member. All are 64 bits wide; `lowest` distinguishes counts from signed times. */
static const struct json_fact {
	const char *name;
	size_t offset;
	int64_t lowest;
	bool may_miss; /* missing in facts of earlier versions: 0 */
} facts[] = {
    {"wall_ns", offsetof(struct run_facts, wall_ns), 0, false},
    {"cpu_user_ns", offsetof(struct run_facts, cpu_user_ns), INT64_MIN, false},
    {"cpu_system_ns", offsetof(struct run_facts, cpu_system_ns), INT64_MIN, false},
    {"steal_ns", offsetof(struct run_facts, steal_ns), -1, false},
    {"runqueue_wait_ns", offsetof(struct run_facts, runqueue_wait_ns), -1, false},
    {"n_minor_faults", offsetof(struct run_facts, n_minor_faults), 0, false},
    {"n_major_faults", offsetof(struct run_facts, n_major_faults), 0, false},
    {"n_voluntary_switches", offsetof(struct run_facts, n_voluntary_switches), 0, false},
    {"n_involuntary_switches", offsetof(struct run_facts, n_involuntary_switches), 0, false},
    {"bytes_read_device", offsetof(struct run_facts, bytes_read_device), 0, false},
    {"bytes_written_device", offsetof(struct run_facts, bytes_written_device), 0, false},
    {"peak_memory_bytes", offsetof(struct run_facts, peak_memory_bytes), 0, true},
};
enum { N_FACTS = sizeof facts / sizeof *facts };

json_t *run_facts_to_json(const struct run_facts *f)
{
	json_t *o = json_object();
	for (size_t i = 0; o && i < N_FACTS; i++) {
		int64_t value;
		memcpy(&value, (const char *)f + facts[i].offset, sizeof value);
		if (json_object_set_new(o, facts[i].name, json_integer(value)) < 0) {
			json_decref(o);
			return NULL;
		}
	}
	return o;
}

int run_facts_from_json(struct run_facts *f, const json_t *o, struct err *e)
{
	struct run_facts read = {0};
	if (!json_is_object(o))
		return err_set(e, EINVAL, "the facts of a run are not a JSON object");
	for (size_t i = 0; i < N_FACTS; i++) {
		const json_t *member = json_object_get(o, facts[i].name);
		if (!member && facts[i].may_miss)
			continue;
		if (!json_is_integer(member))
			return err_set(e, EINVAL, "the facts of a run: \"%s\" %s", facts[i].name,
				       member ? "is not an integer" : "is missing");
		int64_t value = json_integer_value(member);
		if (value < facts[i].lowest)
			return err_set(e, EINVAL,
				       "the facts of a run: \"%s\" is %lld, which is too small",
				       facts[i].name, (long long)value);
		memcpy((char *)&read + facts[i].offset, &value, sizeof value);
	}
	*f = read;
	return 0;
}
