/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/provenance/provenance.h"

#include "validate/provenance/groups.h"
#include "validate/provenance/read.h"

/* Facts with a small file each. */
static const struct provenance_fact {
	const char *group, *name, *path;
	enum fact_kind kind;
} facts[] = {
    {"kernel", "command_line", "/proc/cmdline", FACT_LINE},
    {"kernel", "tainted", "/proc/sys/kernel/tainted", FACT_NUMBER},
    {"kernel", "preemption", "/sys/kernel/debug/sched/preempt", FACT_CHOSEN},
    {"kernel", "realtime", "/sys/kernel/realtime", FACT_SWITCH},
    {"kernel", "lockdown", "/sys/kernel/security/lockdown", FACT_CHOSEN},
    {"kernel", "watchdog", "/proc/sys/kernel/watchdog", FACT_SWITCH},
    {"kernel", "realtime_runtime_us", "/proc/sys/kernel/sched_rt_runtime_us", FACT_NUMBER},
    {"kernel", "address_randomisation", "/proc/sys/kernel/randomize_va_space", FACT_NUMBER},

    {"processors", "online", "/sys/devices/system/cpu/online", FACT_LINE},
    {"processors", "isolated", "/sys/devices/system/cpu/isolated", FACT_LINE},
    {"processors", "tickless", "/sys/devices/system/cpu/nohz_full", FACT_LINE},
    {"processors", "frequency_driver", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver",
     FACT_LINE},
    {"processors", "smt", "/sys/devices/system/cpu/smt/active", FACT_SWITCH},
    {"processors", "smt_control", "/sys/devices/system/cpu/smt/control", FACT_LINE},
    {"processors", "threads_of_first_core",
     "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", FACT_LINE},
    {"processors", "idle_driver", "/sys/devices/system/cpu/cpuidle/current_driver", FACT_LINE},
    {"processors", "idle_governor", "/sys/devices/system/cpu/cpuidle/current_governor", FACT_LINE},
    {"processors", "numa_nodes", "/sys/devices/system/node/online", FACT_LINE},
    {"processors", "numa_balancing", "/proc/sys/kernel/numa_balancing", FACT_NUMBER},

    {"clock", "available_clocksources",
     "/sys/devices/system/clocksource/clocksource0/available_clocksource", FACT_LINE},

    {"memory", "transparent_huge_pages", "/sys/kernel/mm/transparent_hugepage/enabled",
     FACT_CHOSEN},
    {"memory", "huge_page_defragmentation", "/sys/kernel/mm/transparent_hugepage/defrag",
     FACT_CHOSEN},
    {"memory", "huge_pages_in_shared_memory", "/sys/kernel/mm/transparent_hugepage/shmem_enabled",
     FACT_CHOSEN},
    {"memory", "same_page_merging", "/sys/kernel/mm/ksm/run", FACT_NUMBER},
    {"memory", "swappiness", "/proc/sys/vm/swappiness", FACT_NUMBER},
    {"memory", "overcommit", "/proc/sys/vm/overcommit_memory", FACT_NUMBER},
    {"memory", "zone_reclaim", "/proc/sys/vm/zone_reclaim_mode", FACT_NUMBER},
    {"memory", "min_free_kb", "/proc/sys/vm/min_free_kbytes", FACT_NUMBER},
    {"memory", "dirty_ratio", "/proc/sys/vm/dirty_ratio", FACT_NUMBER},
    {"memory", "dirty_background_ratio", "/proc/sys/vm/dirty_background_ratio", FACT_NUMBER},
    {"memory", "dirty_bytes", "/proc/sys/vm/dirty_bytes", FACT_NUMBER},
    {"memory", "dirty_background_bytes", "/proc/sys/vm/dirty_background_bytes", FACT_NUMBER},
    {"memory", "dirty_expire_centisecs", "/proc/sys/vm/dirty_expire_centisecs", FACT_NUMBER},
    {"memory", "dirty_writeback_centisecs", "/proc/sys/vm/dirty_writeback_centisecs", FACT_NUMBER},
    {"memory", "vfs_cache_pressure", "/proc/sys/vm/vfs_cache_pressure", FACT_NUMBER},

    {"limits", "aio_requests", "/proc/sys/fs/aio-max-nr", FACT_NUMBER},
    {"limits", "aio_requests_in_use", "/proc/sys/fs/aio-nr", FACT_NUMBER},
    {"limits", "io_uring_disabled", "/proc/sys/kernel/io_uring_disabled", FACT_NUMBER},
};

json_t *provenance_make(const char *root)
{
	json_t *all = json_object();
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		json_t *group = json_object_get(all, facts[i].group);
		if (!group) {
			group = json_object();
			json_object_set_new(all, facts[i].group, group);
		}
		json_object_set_new(group, facts[i].name,
				    fact_read(root, facts[i].path, facts[i].kind));
	}
	mitigation_facts_add(json_object_get(all, "kernel"), root);
	processor_facts_add(json_object_get(all, "processors"), root);
	memory_facts_add(json_object_get(all, "memory"), root);
	limit_facts_add(json_object_get(all, "limits"), root);
	return all;
}

/* --- MPI ----------------------------------------------------------------- */

/* Version of the installed MPI, from its launcher. */

char *provenance_mpi(void)
{
	char line[200] = "";
	FILE *in = popen("exec mpirun --version 2>/dev/null </dev/null", "re");
	if (!in)
		return NULL;
	bool read = fgets(line, sizeof line, in) != NULL;
	/* read the rest, so that mpirun does not get SIGPIPE */
	while (fgetc(in) != EOF)
		;
	bool ended_well = pclose(in) == 0;
	line[strcspn(line, "\n")] = 0;
	return read && ended_well && line[0] ? xstrdup(line) : NULL;
}
