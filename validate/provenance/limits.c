/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about memory, and the limits of this process. */
#include <sys/resource.h>

#include "common/cgroup_where.h"
#include "validate/provenance/groups.h"
#include "validate/provenance/read.h"

/* Converts "1234 kB" to bytes. */
static json_t *kilobytes_fact(const char *root, const char *key)
{
	json_auto_t *text = fact_keyed(root, "/proc/meminfo", key);
	const char *s = json_string_value(text);
	char *end = NULL;
	unsigned long long kb = s ? strtoull(s, &end, 10) : 0;
	return s && end != s && kb < INT64_MAX / 1024 ? json_integer((json_int_t)kb * 1024)
						      : json_null();
}

/* --- memory reclaimed in advance ----------------------------------------- */

static bool fact_is(const char *root, const char *path, const char *text)
{
	json_auto_t *o = fact_read(root, path, FACT_LINE);
	const bool is = json_is_string(o) && !strcmp(json_string_value(o), text);
	return is;
}

static void scheme_look(const char *path, void *pages_out)
{
	*(bool *)pages_out |= fact_is(path, "/action", "pageout");
}

static void context_look(const char *path, void *pages_out)
{
	numbered_each(path, "/schemes", "", scheme_look, pages_out);
}

static void monitor_look(const char *path, void *pages_out)
{
	if (fact_is(path, "/state", "on"))
		numbered_each(path, "/contexts", "", context_look, pages_out);
}

/* Whether DAMON, by its module or by any scheme, removes unused pages from the cache although
 * memory is free. Null if unreadable. */
static json_t *reclaimed_ahead(const char *root)
{
	static const char module[] = "/sys/module/damon_reclaim/parameters/enabled";
	json_auto_t *by_module = fact_read(root, module, FACT_LINE),
		    *n = fact_read(root, "/sys/kernel/mm/damon/admin/kdamonds/nr_kdamonds",
				   FACT_LINE);
	bool pages_out = fact_is(root, module, "Y");
	const bool known = !json_is_null(by_module) || !json_is_null(n);
	numbered_each(root, "/sys/kernel/mm/damon/admin/kdamonds", "", monitor_look, &pages_out);
	return known ? json_boolean(pages_out) : json_null();
}

void memory_facts_add(json_t *memory, const char *root)
{
	json_object_set_new(memory, "total_bytes", kilobytes_fact(root, "MemTotal"));
	json_object_set_new(memory, "available_bytes", kilobytes_fact(root, "MemAvailable"));
	json_object_set_new(memory, "reclaimed_ahead", reclaimed_ahead(root));
	json_object_set_new(memory, "swap_total_bytes", kilobytes_fact(root, "SwapTotal"));
	json_object_set_new(memory, "swap_free_bytes", kilobytes_fact(root, "SwapFree"));
	json_auto_t *text = fact_keyed(root, "/proc/meminfo", "HugePages_Total");
	json_object_set_new(memory, "huge_pages",
			    fact_of_text(json_string_value(text), FACT_NUMBER));
}

/* version 1 of cgroups stores "unlimited" as a number near 2^63 */
#define UNLIMITED (INT64_C(1) << 62)

/* --- limits -------------------------------------------------------------- */

static const struct group_file {
	enum cgroup_kind kind;
	const char *controller, *file, *name;
} group_files[] = {
    {CGROUP_V1, "memory", "/memory.limit_in_bytes", "memory_limit"},
    {CGROUP_V1, "cpu", "/cpu.cfs_quota_us", "cpu_quota_us"},
    {CGROUP_V1, "cpu", "/cpu.cfs_period_us", "cpu_period_us"},
    {CGROUP_V1, "cpu", "/cpu.shares", "cpu_shares"},
    {CGROUP_V1, "cpuset", "/cpuset.cpus", "cpuset"},
    {CGROUP_V1, "blkio", "/blkio.throttle.read_bps_device", "io_read_bytes_per_s"},
    {CGROUP_V1, "blkio", "/blkio.throttle.write_bps_device", "io_write_bytes_per_s"},
    {CGROUP_V1, "blkio", "/blkio.throttle.read_iops_device", "io_reads_per_s"},
    {CGROUP_V1, "blkio", "/blkio.throttle.write_iops_device", "io_writes_per_s"},
    {CGROUP_V2, "memory", "/memory.max", "memory_limit"},
    {CGROUP_V2, "memory", "/memory.high", "memory_high"},
    {CGROUP_V2, "cpu", "/cpu.max", "cpu_quota_and_period_us"},
    {CGROUP_V2, "cpu", "/cpu.weight", "cpu_weight"},
    {CGROUP_V2, "cpuset", "/cpuset.cpus.effective", "cpuset"},
    {CGROUP_V2, "io", "/io.max", "io_max"},
};

static json_t *group_limits(const char *root)
{
	json_t *o = json_object();
	struct cgroup_room room = cgroup_room(root);
	for (size_t i = 0; i < sizeof group_files / sizeof *group_files; i++) {
		const struct group_file *f = &group_files[i];
		SCOPED(cgroup_where_release) struct cgroup_where w = {0};
		if (!cgroup_where_of(root, f->kind, f->controller, &w))
			continue;
		json_auto_t *value = fact_read(w.own, f->file, FACT_NUMBER);
		if (json_integer_value(value) >= UNLIMITED)
			json_object_set_new(o, f->name, json_string("unlimited"));
		else if (!json_is_null(value))
			json_object_set(o, f->name, value);
	}
	if (room.limit_bytes < (uint64_t)UNLIMITED)
		json_object_set_new(o, "memory_limit_in_force_bytes",
				    json_integer((json_int_t)room.limit_bytes));
	if (json_object_size(o))
		return o;
	json_decref(o);
	return json_null();
}

static json_t *own_limit(int which)
{
	struct rlimit r;
	if (getrlimit((__rlimit_resource_t)which, &r) < 0)
		return json_null();
	return r.rlim_cur == RLIM_INFINITY || r.rlim_cur > INT64_MAX
		   ? json_string("unlimited")
		   : json_integer((json_int_t)r.rlim_cur);
}

void limit_facts_add(json_t *limits, const char *root)
{
	json_object_set_new(limits, "cgroup", group_limits(root));
	json_object_set_new(limits, "locked_memory_bytes", own_limit(RLIMIT_MEMLOCK));
	json_object_set_new(limits, "open_files", own_limit(RLIMIT_NOFILE));
	json_object_set_new(limits, "realtime_priority", own_limit(RLIMIT_RTPRIO));
}
