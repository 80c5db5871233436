/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of the machine (validate/provenance) that impair measurements, and how to improve them. */
#include <unistd.h>

#include "commands/doctor.h"
#include "common/strbuf.h"
#include "common/units.h"

static const json_t *fact(const json_t *facts, const char *group, const char *name)
{
	return json_object_get(json_object_get(facts, group), name);
}

static const char *text_of(const json_t *facts, const char *group, const char *name)
{
	return json_string_value(fact(facts, group, name));
}

static json_int_t number_of(const json_t *facts, const char *group, const char *name,
			    json_int_t otherwise)
{
	const json_t *v = fact(facts, group, name);
	return json_is_integer(v) ? json_integer_value(v) : otherwise;
}

/* --- the speed of processors --------------------------------------------- */

void governor_judge(const json_t *facts, struct doctor_finding *f)
{
	const json_t *all = fact(facts, "processors", "governors"), *one;
	char what[200] = "";
	bool varies = false;
	size_t i, at = 0;
	json_array_foreach(all, i, one)
	{
		const char *name = json_string_value(one);
		varies |= !name || strcmp(name, "performance");
		if (name && at < sizeof what)
			at += (size_t)snprintf(what + at, sizeof what - at, "%s%.30s",
					       at ? ", " : "", name);
	}
	finding_say(f, varies ? HEALTH_WARN : HEALTH_OK,
		    at ? what : "not available (a virtual machine, or a fixed frequency)",
		    varies ? "as root: cpupower frequency-set -g performance, so that the speed is "
			     "not part of the noise"
			   : "");
}

void turbo_judge(const json_t *facts, struct doctor_finding *f)
{
	const json_t *on = fact(facts, "processors", "turbo");
	const char *driver = text_of(facts, "processors", "frequency_driver");
	if (!json_is_boolean(on))
		finding_say(f, HEALTH_OK, "not available", "");
	else if (json_is_false(on))
		finding_say(f, HEALTH_OK, "off", "");
	else
		finding_say(f, HEALTH_WARN, "on: the speed depends on heat and on what else runs",
			    driver && !strcmp(driver, "intel_pstate")
				? "as root: echo 1 >/sys/devices/system/cpu/intel_pstate/no_turbo"
				: "as root: echo 0 >/sys/devices/system/cpu/cpufreq/boost");
}

#define LATE_US 50 /* usual overshoot of a high-resolution sleep */

void idle_judge(const json_t *facts, struct doctor_finding *f)
{
	const json_t *all = fact(facts, "processors", "idle_states"), *one;
	const char *deepest = "";
	json_int_t latency_us = -1;
	char what[200];
	size_t i;
	json_array_foreach(all, i, one)
	{
		const char *name = json_string_value(json_object_get(one, "name"));
		json_int_t us = json_integer_value(json_object_get(one, "latency_us"));
		if (json_is_true(json_object_get(one, "disabled")) || us <= latency_us)
			continue;
		latency_us = us;
		deepest = name ? name : "?";
	}
	if (latency_us < 0) {
		finding_say(f, HEALTH_OK, "not available (a virtual machine, or one that polls)",
			    "");
		return;
	}
	snprintf(what, sizeof what, "the deepest is %.40s, %lld us to wake from", deepest,
		 (long long)latency_us);
	bool late = latency_us > LATE_US;
	finding_say(
	    f, late ? HEALTH_WARN : HEALTH_OK, what,
	    late ? "as root: cpupower idle-set -D 10, so that threads that sleep are not late"
		 : "");
}

/* --- sharing ------------------------------------------------------------- */

void smt_judge(const json_t *facts, struct doctor_finding *f)
{
	const json_t *on = fact(facts, "processors", "smt");
	const char *siblings = text_of(facts, "processors", "threads_of_first_core");
	char what[200];
	if (!json_is_true(on)) {
		finding_say(f, HEALTH_OK, json_is_false(on) ? "one" : "not available", "");
		return;
	}
	snprintf(what, sizeof what, "several: CPUs %.60s are one core",
		 siblings ? siblings : "of a pair");
	finding_say(f, HEALTH_WARN, what,
		    "give runs one thread of each core: cpus = LIST in the protocol; or as root: "
		    "echo off >/sys/devices/system/cpu/smt/control");
}

void quota_judge(const json_t *facts, struct doctor_finding *f)
{
	const json_t *group = fact(facts, "limits", "cgroup"),
		     *v1 = json_object_get(group, "cpu_quota_us");
	const char *v2 = json_string_value(json_object_get(group, "cpu_quota_and_period_us"));
	char what[200];
	if (v2 && strncmp(v2, "max", 3))
		snprintf(what, sizeof what, "%.60s us (quota and period)", v2);
	else if (json_is_integer(v1) && json_integer_value(v1) > 0)
		snprintf(what, sizeof what, "%lld us of each period",
			 (long long)json_integer_value(v1));
	else {
		finding_say(f, HEALTH_OK, "none", "");
		return;
	}
	finding_say(f, HEALTH_WARN, what,
		    "runs are stopped for the rest of a period when it is used up: measure outside "
		    "this control group");
}

void numa_judge(const json_t *facts, struct doctor_finding *f)
{
	const char *nodes = text_of(facts, "processors", "numa_nodes");
	json_int_t balancing = number_of(facts, "processors", "numa_balancing", 0);
	char what[120];
	bool several = nodes && strpbrk(nodes, ",-");
	snprintf(what, sizeof what, "nodes %.60s%s", nodes ? nodes : "not available",
		 several && balancing ? ", pages are moved between them" : "");
	if (several && balancing)
		finding_say(f, HEALTH_WARN, what,
			    "as root: sysctl kernel.numa_balancing=0, and cpus = LIST of one node "
			    "in the protocol");
	else
		finding_say(
		    f, several ? HEALTH_WARN : HEALTH_OK, what,
		    several ? "give runs the CPUs of one node: cpus = LIST in the protocol"
			    : "");
}

void mitigations_judge(const json_t *facts, struct doctor_finding *f)
{
	const json_t *all = fact(facts, "kernel", "mitigations");
	const char *key;
	json_t *state;
	char what[200];
	size_t n = 0, n_mitigated = 0, n_open = 0;
	json_object_foreach((json_t *)all, key, state)
	{
		const char *text = json_string_value(state);
		n++;
		n_mitigated += text && !strncmp(text, "Mitigation", 10);
		n_open += text && !strncmp(text, "Vulnerable", 10);
	}
	snprintf(what, sizeof what, "%zu known faults of CPUs, %zu mitigated, %zu open", n,
		 n_mitigated, n_open);
	finding_say(f, HEALTH_OK, n ? what : "not available", "");
}

/* --- memory -------------------------------------------------------------- */

void swap_judge(const json_t *facts, struct doctor_finding *f)
{
	json_int_t total = number_of(facts, "memory", "swap_total_bytes", 0);
	json_int_t used = total - number_of(facts, "memory", "swap_free_bytes", total);
	struct strbuf what = STRBUF_INIT;
	if (total <= 0) {
		finding_say(f, HEALTH_OK, "none", "");
		return;
	}
	strbuf_addf(&what, "%s of %s in use", size_text((uint64_t)(used > 0 ? used : 0)).s,
			   size_text((uint64_t)total).s);
	finding_say(f, used > 0 ? HEALTH_WARN : HEALTH_OK, what.s,
		    used > 0 ? "pages that come back while a run is measured are noise: as root, "
			       "swapoff -a for the campaign"
			     : "");
	strbuf_release(&what);
}

void reclaim_judge(const json_t *facts, struct doctor_finding *f)
{
	if (json_is_true(fact(facts, "memory", "reclaimed_ahead")))
		finding_say(f, HEALTH_WARN, "pages leave the cache ahead of need (DAMON)",
			    "what a run expects in the page cache may be gone: as root, turn off "
			    "the schemes with action pageout in "
			    "/sys/kernel/mm/damon/admin/kdamonds, and damon_reclaim");
	else
		finding_say(f, HEALTH_OK, "when memory is needed", "");
}

void huge_pages_judge(const json_t *facts, struct doctor_finding *f)
{
	const char *when = text_of(facts, "memory", "transparent_huge_pages");
	bool always = when && !strcmp(when, "always");
	char what[100];
	snprintf(what, sizeof what, "%.40s", when ? when : "not available");
	finding_say(f, always ? HEALTH_WARN : HEALTH_OK, what,
		    always ? "the kernel merges memory of programs in the background: as root, "
			     "echo madvise >/sys/kernel/mm/transparent_hugepage/enabled"
			   : "");
}

#define LOCKED_LEAST_BYTES (64 << 20) /* default --memory of a replay */

void locked_judge(const json_t *facts, struct doctor_finding *f)
{
	const json_t *limit = fact(facts, "limits", "locked_memory_bytes");
	struct strbuf what = STRBUF_INIT;
	if (!json_is_integer(limit) || geteuid() == 0) {
		finding_say(f, HEALTH_OK, geteuid() ? "no limit" : "no limit for root", "");
		return;
	}
	strbuf_addf(&what, "%s may be locked", size_text((uint64_t)json_integer_value(limit)).s);
	bool little = json_integer_value(limit) < LOCKED_LEAST_BYTES;
	finding_say(f, little ? HEALTH_WARN : HEALTH_OK, what.s,
		    little ? "buffers of replays may be paged out: ulimit -l, or LimitMEMLOCK= of "
			     "the service, from 64 MiB up"
			   : "");
	strbuf_release(&what);
}

void write_back_judge(const json_t *facts, struct doctor_finding *f)
{
	json_int_t bytes = number_of(facts, "memory", "dirty_bytes", 0),
		   ratio = number_of(facts, "memory", "dirty_ratio", -1);
	json_int_t expire = number_of(facts, "memory", "dirty_expire_centisecs", -1);
	char what[200];
	if (bytes > 0)
		snprintf(what, sizeof what,
			 "writers wait at %lld dirty bytes; pages are written after %.10g s",
			 (long long)bytes, (double)expire / 100);
	else if (ratio >= 0)
		snprintf(what, sizeof what,
			 "writers wait when %lld %% of memory are dirty; pages are written after "
			 "%.10g s",
			 (long long)ratio, (double)expire / 100);
	else
		snprintf(what, sizeof what, "not available");
	finding_say(f, HEALTH_OK, what, "");
}
