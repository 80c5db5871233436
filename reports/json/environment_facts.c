/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/json/environment_facts.h"

#include <ctype.h>

#include "common/units.h"
#include "reports/json/json_value.h"

/* Facts whose member has no clear name or value. */
static const struct label {
	const char *path;  /* the names of the member and of outer members; their end is enough */
	const char *name;  /* NULL: omit the fact, because another fact states it */
	const char *least; /* shown for 0, false and negative numbers. "no": the others are "yes" */
	const char *null;  /* shown for null; "": omit. NULL: the fact is not available */
} labels[] = {
    {"replaced_or_skipped", "features that this campaign lacks"},
    {"left_behind", "could not be removed or restored"},
    {"mitigations", "CPU vulnerabilities"},
    {"program", "program file of validate"},
    {"replayers.program", "program"},
    {"timer_slack_ns", "time that the kernel may add to a sleep (timer slack)"},
    {"bytes", "size"},
    {"machine.cpu_model", "CPU model"},
    {"machine.n_cpus_online", "online CPUs"},
    {"machine.n_cpus_allowed", "usable CPUs"},
    {"machine.governor"}, /* processors.governors */
    {"machine.virtual", "virtual machine"},
    {"kernel.tainted", "taint flags (/proc/sys/kernel/tainted)", "none"},
    {"kernel.realtime", "real-time kernel (PREEMPT_RT)"},
    {"kernel.watchdog", "watchdog for CPUs that hang"},
    {"kernel.realtime_runtime_us",
     "CPU time limit of real-time threads (kernel.sched_rt_runtime_us; -1 us: no limit)"},
    {"kernel.address_randomisation", "address space randomisation (2: full)", "off"},
    {"clock.constant_tsc", "TSC has a constant rate"},
    {"clock.nonstop_tsc", "TSC also runs in idle states"},
    {"clock.source", "clock of the timestamps"},
    {"clock.read_cost_ns", "time that two readings of the clock take"},
    {"processors.isolated", "isolated CPUs (isolcpus)"},
    {"processors.tickless", "CPUs without timer tick (nohz_full)"},
    {"processors.smt", "SMT (several threads in a core) active"},
    {"processors.online", "numbers of the online CPUs"},
    {"processors.threads_of_first_core", "numbers of the CPUs in the first core"},
    {"processors.numa_nodes", "numbers of the NUMA nodes"},
    {"processors.numa_balancing", "NUMA balancing", "off"},
    {"processors.model"}, /* machine.cpu_model */
    {"processors.affinity", "numbers of the usable CPUs"},
    {"idle_states.disabled", "disabled", ""},
    {"memory.same_page_merging", "merging of equal pages (KSM)", "off"},
    {"memory.overcommit", "overcommit mode (vm.overcommit_memory)"},
    {"memory.zone_reclaim", "reclaim within a NUMA node (vm.zone_reclaim_mode)", "off"},
    {"memory.min_free_kb", "kept free by the kernel (vm.min_free_kbytes)"},
    {"memory.dirty_ratio", "dirty pages at which writers wait (vm.dirty_ratio)"},
    {"memory.dirty_background_ratio",
     "dirty pages at which write-back starts (vm.dirty_background_ratio)"},
    {"memory.dirty_bytes", "amount of dirty data at which writers wait (vm.dirty_bytes)",
     "not set"},
    {"memory.dirty_background_bytes",
     "amount of dirty data at which write-back starts (vm.dirty_background_bytes)", "not set"},
    {"memory.dirty_expire_centisecs", "age at which write-back writes a dirty page"},
    {"memory.dirty_writeback_centisecs", "interval of write-back", "no periodic write-back"},
    {"memory.total_bytes"}, /* machine.memory_bytes */
    {"memory.available_bytes", "available before runs"},
    {"memory.reclaimed_ahead", "DAMON evicts pages even when memory is free"},
    {"memory.swap_total_bytes", "swap", "none"},
    {"memory.swap_free_bytes", "free swap", "none"},
    {"memory.huge_pages", "reserved huge pages", "none"},
    {"limits.aio_requests", "maximum number of Linux AIO requests (fs.aio-max-nr)"},
    {"limits.aio_requests_in_use", "Linux AIO requests in use", "none"},
    {"limits.io_uring_disabled", "io_uring (1: restricted, 2: disabled)", "permitted"},
    {"cgroup.memory_high", "memory above which the kernel reclaims (memory.high)"},
    {"limits.realtime_priority", "real-time priority", "none"},
    {"cgroup.cpu_quota_us", "CPU time per period (quota)", "no limit"},
    {"cgroup.cpu_period_us", "period of the quota"},
    {"cgroup.cpu_quota_and_period_us", "CPU time per period (quota) and period, in us"},
    {"cgroup.cpuset", "numbers of the CPUs"},
    {"load", "load before runs"},
    {"stolen_share_since_boot", "CPU time that the hypervisor took (stolen), since boot"},
    {"stolen_share", "CPU time that the hypervisor took (stolen)"},
    {"dir", "directory"},
    {"source", "mounted from"},
    {"mount_options", "mount options; options of the file system"},
    {"free_bytes", "free space"},
    {"cache_budget_bytes", "limit of the page cache", "none"},
    {"memory_limit_bytes", "limit of the memory of a run", "none"},
    {"files_bytes", "files of the workloads", "none"},
    {"targets.cache", "page cache before a run"},
    {"targets.name"}, /* title */
    {"below", "block device"},
    {"below.device", ""},
    {"below.size", "size of the volume", ""},
    {"device.rotational", "rotational", "no"},
    {"device.nr_requests", "queue length (nr_requests)"},
    {"device.nomerges", "merging of requests (1: simple merges only, 2: off)", "on"},
    {"device.max_sectors_kb", "largest request"},
    {"device.writeback_throttling_us", "target latency of write-back throttling", "off"},
    {"device.affinity_of_completions", "CPU that handles a completion (1: in the group of the "
     "submitting CPU, 2: the submitting CPU)",
     "any"},
    {"device.sectors", "size"},
    {"mpi", "MPI"},
    {"mpi.processors", "usable CPUs"},
    {"costs", "costs of the kernel"},
    {"costs.minor_fault_ns", "page fault without I/O"},
    {"scratch", "scratch directory"},
    {"scratch.apart", "on a device separate from the targets"},
    {"privileges.uid", "user ID"},
    {"privileges.drop_caches", "may empty the page cache"},
    {"privileges.memory_cgroup", "may limit memory by a cgroup"},
    {"privileges.realtime_scheduling", "may use real-time scheduling"},
    {"memory_cgroup", "cgroup that limits the memory of runs"},
    {"memory_cgroup.why_none", "reason if none", NULL, ""},
    {"cache", "page cache"},
    {"cache.may_drop_caches"}, /* privileges.drop_caches */
    {"cache.residency_by", "cached bytes counted by"},
    {"scheduling.cpus", "CPUs of the protocol", NULL, "not given"},
    {"scheduling.scheduler", "scheduler of the protocol", NULL, "not given"},
    {"scheduling.policy", "scheduler that was set", NULL, "none"},
    {"scenarios", "calibration of the scenarios"},
    {"scenarios.requests", "requests"},
    {"scenarios.execution_s", "execution time"},
    {"anonymous_bytes", "anonymous memory"},
    {"scenarios.page_cache_bytes", "page cache", ""},
    {"cgroup_limit_bytes", "memory limit", ""},
    {"scenarios.calibration_failure", "failed", NULL, ""},
    {"pairing", "pairing of program and replays in each scenario"},
    {"session", "last session"},
    {"time", "time of all sessions"},
    {"time.neither_s", "time in which neither the program nor a replay makes requests"},
    {"time.program_s", "requests of the program"},
    {"time.replay_s", "requests of replays"},
    {"time.blank_s", "blank replays", "none"},
    {"time.start_s", "start and end of measured processes"},
    {"time.restore_s", "restoring files"},
    {"time.sync_s", "writing dirty pages back"},
    {"time.evict_s", "evicting caches"},
    {"time.settle_s", "pauses before runs"},
    {"time.summary_s", "evaluating the traces of runs"},
    {"time.journal_s", "writing the journal"},
    {"time.analysis_s", "testing which cases are decided", "none"},
};

/* The unit that the end of a member's name states. */
static const struct unit {
	const char *end;
	enum { UNIT_NONE, UNIT_SIZE, UNIT_DURATION, UNIT_PERCENT, UNIT_GHZ } kind;
	double factor;
	bool quantity; /* the end also names the quantity, so names of facts keep it */
} units[] = {
    {"bytes", UNIT_SIZE, 1, false},
    {"kb", UNIT_SIZE, 1024, false},
    {"sectors", UNIT_SIZE, 512, true},
    {"block_size", UNIT_SIZE, 1, true},
    {"below.size", UNIT_SIZE, 1, true},
    {"cgroup.memory_limit", UNIT_SIZE, 1, true},
    {"cgroup.memory_high", UNIT_SIZE, 1, true},
    {"ns", UNIT_DURATION, 1, false},
    {"us", UNIT_DURATION, 1e3, false},
    {"centisecs", UNIT_DURATION, 1e7, false},
    {"per_s", UNIT_NONE, 1, true},
    {"s", UNIT_DURATION, 1e9, false},
    {"ratio", UNIT_PERCENT, 1, true},
    {"share", UNIT_PERCENT, 100, true},
    {"since_boot", UNIT_PERCENT, 100, true},
    {"kHz", UNIT_GHZ, 1e-6, false},
    {"", UNIT_NONE, 1, true},
};

/* A fact, or an object or array of facts. */
struct item {
	const char *path, *key;
	json_t *value;
	const struct label *label;
	const struct unit *unit;
	bool inherits; /* label and unit from the outer item: bytes of each replayer */
	int depth;     /* number of outer objects */
};

/* A deeper object is shown as JSON. Paths of a hostile file would otherwise fill the memory. */
#define DEEPEST 8

struct environment {
	const struct facts_form *form;
	struct strbuf missing; /* names of the facts that are not available */
	const char *group;
	bool group_misses; /* `missing` has facts of the group */
};

/* Whether the path is `end`, or ends with a separator and `end`. */
static bool ends_in(const char *path, const char *end, const char *separators)
{
	const size_t len = strlen(path), n = strlen(end);
	return !n || (len >= n && !strcmp(path + len - n, end) &&
		      (len == n || strchr(separators, path[len - n - 1])));
}

/* `outer`: the object that has the item; NULL: none. Of several labels, the one with the longest
 * path is that of the item. */
static struct item item_of(const char *path, const char *key, json_t *value,
			   const struct item *outer)
{
	static const struct label none = {.path = ""};
	struct item it = {path, key, value, &none, units, outer && outer->unit->kind,
			  outer ? outer->depth + 1 : 0};
	if (it.inherits) {
		it.label = outer->label;
		it.unit = outer->unit;
		return it;
	}
	for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
		if (ends_in(path, labels[i].path, ".") &&
		    strlen(labels[i].path) > strlen(it.label->path))
			it.label = &labels[i];
	while (!ends_in(path, it.unit->end, "._"))
		it.unit++;
	return it;
}

static bool is_omitted(const struct item *it)
{
	return (*it->label->path && !it->label->name) ||
	       (json_is_null(it->value) && it->label->null && !*it->label->null);
}

/* The label; without one, the key without its unit. */
static void name_add(struct strbuf *out, const struct item *it)
{
	size_t len = strlen(it->key);
	if (it->inherits || it->label->name) {
		strbuf_addstr(out, it->inherits ? it->key : it->label->name);
		return;
	}
	if (!it->unit->quantity && len > strlen(it->unit->end))
		len -= strlen(it->unit->end) + 1;
	for (size_t i = 0; i < len; i++)
		strbuf_addch(out, it->key[i] == '_' ? ' ' : it->key[i]);
}

/* --- values -------------------------------------------------------------- */

/* A text counts as a number if its meaning is known: files below /sys are texts. */
static bool is_number(const struct item *it, double *x)
{
	const char *text = json_string_value(it->value);
	*x = json_is_true(it->value) ? 1 : json_number_value(it->value);
	return json_is_number(it->value) || json_is_boolean(it->value) ||
	       (text && (it->unit->kind || it->label->least) && !parse_double(text, x, NULL));
}

static void number_add_in_unit(struct strbuf *out, const struct item *it, double x)
{
	const char *least = it->label->least;
	const double scaled = x * it->unit->factor;
	if (least && x <= 0)
		strbuf_addstr(out, least);
	else if (json_is_boolean(it->value) || (least && !strcmp(least, "no")))
		strbuf_addstr(out, x > 0 ? "yes" : "no");
	else if (it->unit->kind == UNIT_SIZE && scaled >= 0 && scaled < 0x1p63)
		format_size(out, (uint64_t)scaled);
	else if (it->unit->kind == UNIT_DURATION)
		format_duration(out, scaled);
	else if (it->unit->kind == UNIT_PERCENT)
		strbuf_addf(out, "%.3g %%", scaled);
	else if (it->unit->kind == UNIT_GHZ)
		strbuf_addf(out, "%.3g GHz", scaled);
	else
		strbuf_addf(out, json_is_real(it->value) ? "%.3g" : "%.0f", x);
}

static void members_add(struct strbuf *out, const struct item *it, int depth);

static void value_add(struct strbuf *out, const struct item *it, int depth)
{
	double x;
	size_t i;
	json_t *v;
	if (is_number(it, &x)) {
		number_add_in_unit(out, it, x);
	} else if (json_is_object(it->value) && it->depth < DEEPEST) {
		members_add(out, it, depth);
	} else if (json_is_array(it->value)) {
		struct item element = *it;
		json_array_foreach(it->value, i, v)
		{
			element.value = v;
			strbuf_addstr(out, i ? ", " : "");
			value_add(out, &element, depth + 1);
		}
		strbuf_addstr(out, i ? "" : "none");
	} else {
		SCOPED_FREE char *text = json_shown(it->value, 3);
		strbuf_addstr(out, json_is_null(it->value) && it->label->null ? it->label->null
				   : *text ? text : "none");
	}
}

/* The member that names an object; NULL: none. */
static const char *name_of(const json_t *o)
{
	const char *name = json_string_value(json_object_get(o, "name"));
	return name ? name : json_string_value(json_object_get(o, "what"));
}

/* Appends the members of an object on one line, without its name. */
static void members_add(struct strbuf *out, const struct item *it, int depth)
{
	const char *key;
	json_t *v;
	const char *own = name_of(it->value);
	size_t n = 0;
	json_object_foreach(it->value, key, v)
	{
		SCOPED_FREE char *path = xasprintf("%s.%s", it->path, key);
		const struct item member = item_of(path, key, v, it);
		SCOPED_STRBUF text = STRBUF_INIT;
		if (is_omitted(&member) || (own && json_string_value(v) == own))
			continue;
		value_add(&text, &member, depth + 1);
		if (!text.len)
			continue;
		strbuf_addstr(out, !n++ ? "" : depth ? ", " : "; ");
		name_add(out, &member);
		strbuf_addf(out, "%s %s", depth ? "" : ":", text.s);
	}
}

/* --- rows ---------------------------------------------------------------- */

static void row_add(struct environment *e, const char *name, const char *value)
{
	e->form->row(e->form->to, name, value);
}

static void title_add(struct environment *e, const char *title)
{
	e->form->title(e->form->to, title);
}

static void missing_add(struct environment *e, const char *name)
{
	if (e->group_misses)
		strbuf_addf(&e->missing, ", %s", name);
	else
		strbuf_addf(&e->missing, "%s%s: %s", e->missing.len ? "; " : "", e->group, name);
	e->group_misses = true;
}

/* A row for each text among the values of the object, with the keys that have it. */
static void merged_rows_add(struct environment *e, const char *prefix, const json_t *object)
{
	json_auto_t *keys = json_object();
	const char *key, *text;
	json_t *v;
	json_object_foreach((json_t *)object, key, v)
	{
		SCOPED_FREE char *value = json_shown(v, 3);
		if (!json_object_get(keys, value))
			json_object_set_new(keys, value, json_array());
		json_array_append_new(json_object_get(keys, value), json_string(key));
	}
	const bool all = json_object_size(keys) == 1 && json_object_size(object) > 1;
	json_object_foreach(keys, text, v)
	{
		const struct item list = item_of("", "", v, NULL);
		SCOPED_FREE char *name = xasprintf("%s%s", prefix, text);
		SCOPED_STRBUF names = STRBUF_INIT;
		value_add(&names, &list, 0);
		row_add(e, name, all ? "all" : names.s);
	}
}

/* How the runs of each scenario are paired, and why. */
static json_t *pairing_of(const json_t *list)
{
	json_t *texts = json_object(), *v;
	size_t i;
	json_array_foreach(list, i, v)
	{
		const char *by = "", *why = "", *scenario = "", *replayer = NULL;
		json_unpack(v, "{s?s, s?s, s?s, s?s}", "by", &by, "why", &why, "scenario",
			    &scenario, "replayer", &replayer);
		why = !strcmp(why, "protocol") ? "set by the protocol"
		      : !strcmp(why, "possible")
			  ? "program and replayers can be paused between requests" : why;
		SCOPED_FREE char *text = xasprintf("%s: %s%s%s", by, replayer ? replayer : "",
						   replayer ? ": " : "", why);
		json_object_set_new(texts, scenario, json_string(text));
	}
	return texts;
}

static bool is_nested(const json_t *v)
{
	return (json_is_object(v) && json_object_size(v)) ||
	       json_is_object(json_array_get(v, 0));
}

static void object_add(struct environment *e, const struct item *o, const char *prefix);

/* A row for an element of an array of objects; for a target, a row for each member. */
static void element_add(struct environment *e, const struct item *array, const char *prefix,
			json_t *v)
{
	struct item it = *array;
	SCOPED_FREE char *name = xasprintf("%s%s", prefix, name_of(v) ? name_of(v) : "");
	SCOPED_STRBUF text = STRBUF_INIT;
	it.value = v;
	if (!strcmp(it.path, "targets")) {
		title_add(e, name);
		object_add(e, &it, "");
		return;
	}
	value_add(&text, &it, 0);
	row_add(e, name, text.s);
}

/* Rows for an item. `name`: empty, or ends in a blank, if the item has no name of its own. */
static void item_add(struct environment *e, const struct item *it, const char *name)
{
	const bool has_name = *name && name[strlen(name) - 1] != ' ';
	SCOPED_FREE char *prefix = xasprintf("%s%s", name, has_name ? ": " : "");
	SCOPED_STRBUF text = STRBUF_INIT;
	size_t i;
	json_t *v;
	if (!strcmp(it->path, "kernel.mitigations") && is_nested(it->value)) {
		merged_rows_add(e, prefix, it->value);
	} else if (!strcmp(it->path, "pairing")) {
		json_auto_t *texts = pairing_of(it->value);
		merged_rows_add(e, prefix, texts);
	} else if (json_is_array(it->value) && is_nested(it->value)) {
		json_array_foreach(it->value, i, v)
			element_add(e, it, prefix, v);
	} else if (is_nested(it->value) && it->depth < DEEPEST) {
		object_add(e, it, prefix);
	} else {
		value_add(&text, it, 0);
		row_add(e, name, text.len ? text.s : "none");
	}
}

/* Rows for the members of an object. `prefix`: before their names. */
static void object_add(struct environment *e, const struct item *o, const char *prefix)
{
	const char *key;
	json_t *v;
	json_object_foreach(o->value, key, v)
	{
		SCOPED_FREE char *path = xasprintf("%s.%s", o->path, key);
		const struct item it = item_of(path, key, v, o);
		SCOPED_STRBUF name = STRBUF_INIT;
		strbuf_addstr(&name, prefix);
		name_add(&name, &it);
		if (is_omitted(&it))
			continue;
		if (json_is_null(v) && !it.label->null)
			missing_add(e, name.s);
		else
			item_add(e, &it, name.s);
	}
}

static void group_add(struct environment *e, const char *key, json_t *value)
{
	const struct item it = item_of(key, key, value, NULL);
	SCOPED_STRBUF title = STRBUF_INIT;
	name_add(&title, &it);
	if (title.len)
		title.s[0] = (char)toupper((unsigned char)title.s[0]);
	e->group = title.s;
	e->group_misses = false;
	title_add(e, title.s);
	item_add(e, &it, "");
}

void facts_show(const json_t *environment, const struct facts_form *form)
{
	struct environment e = {.form = form, .missing = STRBUF_INIT};
	json_auto_t *single = json_object();
	const char *key;
	json_t *v;
	json_object_foreach((json_t *)environment, key, v)
		if (!is_nested(v) && strcmp(key, "version"))
			json_object_set(single, key, v);
	if (json_object_size(single))
		group_add(&e, "general", single);
	json_object_foreach((json_t *)environment, key, v)
		if (is_nested(v))
			group_add(&e, key, v);
	if (e.missing.len) {
		title_add(&e, "Not available");
		row_add(&e, "unknown, or does not apply", e.missing.s);
	}
	strbuf_release(&e.missing);
}
