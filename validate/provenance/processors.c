/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>

#include "validate/provenance/groups.h"
#include "validate/provenance/read.h"

/* --- CPU vulnerabilities and mitigations --------------------------------- */

void mitigation_facts_add(json_t *kernel, const char *root)
{
	const char *const where = "/sys/devices/system/cpu/vulnerabilities";
	SCOPED_FREE char *dir = xasprintf("%s%s", root, where);
	SCOPED_FREE struct dirent **entry = NULL;
	json_auto_t *all = json_object();
	const int n = scandir(dir, &entry, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		SCOPED_FREE char *path = xasprintf("%s/%s", where, entry[i]->d_name);
		/* a name that is not UTF-8 text is skipped */
		if (entry[i]->d_name[0] != '.')
			json_object_set_new(all, entry[i]->d_name,
					    fact_read(root, path, FACT_LINE));
		free(entry[i]);
	}
	json_object_set_new(kernel, "mitigations",
			    json_object_size(all) ? json_incref(all) : json_null());
}

/* --- frequencies --------------------------------------------------------- */

struct over { /* a file of each CPU */
	const char *file;
	json_t *found; /* list of the distinct values */
	json_int_t least, most;
};

static void value_add(const char *path, void *context)
{
	struct over *o = context;
	json_t *value = fact_read(path, o->file, FACT_NUMBER), *other;
	size_t i;
	bool known = json_is_null(value);
	json_array_foreach(o->found, i, other) known |= json_equal(other, value);
	if (json_is_integer(value)) {
		json_int_t v = json_integer_value(value);
		bool first = !o->least && !o->most;
		o->least = first || v < o->least ? v : o->least;
		o->most = v > o->most ? v : o->most;
	}
	if (!known)
		json_array_append(o->found, value);
	json_decref(value);
}

static struct over over_processors(const char *root, const char *file)
{
	struct over o = {.file = file, .found = json_array()};
	numbered_each(root, "/sys/devices/system/cpu", "cpu", value_add, &o);
	return o;
}

static json_t *governors_fact(const char *root)
{
	struct over o = over_processors(root, "/cpufreq/scaling_governor");
	if (json_array_size(o.found))
		return o.found;
	json_decref(o.found);
	return json_null();
}

static json_t *frequency_fact(const char *root, const char *file, bool most)
{
	struct over o = over_processors(root, file);
	json_decref(o.found);
	json_int_t v = most ? o.most : o.least;
	return v > 0 ? json_integer(v) : json_null();
}

/* Whether frequencies above the nominal frequency are permitted. */
static json_t *turbo_fact(const char *root)
{
	json_auto_t *o =
	    fact_read(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", FACT_SWITCH);
	if (json_is_boolean(o)) {
		bool off = json_is_true(o);
		return json_boolean(!off);
	}
	return fact_read(root, "/sys/devices/system/cpu/cpufreq/boost", FACT_SWITCH);
}

/* --- idle states --------------------------------------------------------- */

static void state_add(const char *path, void *list)
{
	json_t *o = json_object();
	json_object_set_new(o, "name", fact_read(path, "/name", FACT_LINE));
	json_object_set_new(o, "latency_us", fact_read(path, "/latency", FACT_NUMBER));
	json_object_set_new(o, "disabled", fact_read(path, "/disable", FACT_SWITCH));
	json_array_append_new(list, o);
}

static json_t *idle_states(const char *root)
{
	json_t *list = json_array();
	numbered_each(root, "/sys/devices/system/cpu/cpu0/cpuidle", "state", state_add, list);
	if (json_array_size(list))
		return list;
	json_decref(list);
	return json_null();
}

void processor_facts_add(json_t *processors, const char *root)
{
	json_object_set_new(processors, "model", fact_keyed(root, "/proc/cpuinfo", "model name"));
	json_object_set_new(processors, "microcode",
			    fact_keyed(root, "/proc/cpuinfo", "microcode"));
	json_object_set_new(processors, "affinity",
			    fact_keyed(root, "/proc/self/status", "Cpus_allowed_list"));
	json_object_set_new(processors, "governors", governors_fact(root));
	json_object_set_new(processors, "lowest_frequency_kHz",
			    frequency_fact(root, "/cpufreq/scaling_min_freq", false));
	json_object_set_new(processors, "highest_frequency_kHz",
			    frequency_fact(root, "/cpufreq/scaling_max_freq", true));
	json_object_set_new(processors, "turbo", turbo_fact(root));
	json_object_set_new(processors, "idle_states", idle_states(root));
}
