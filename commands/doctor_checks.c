/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <linux/capability.h>
#include <linux/membarrier.h>
#include <linux/openat2.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "commands/doctor.h"
#include "common/companion.h"
#include "common/drop_caches.h"
#include "common/files.h"
#include "common/mpi_launch.h"
#include "common/processors.h"
#include "common/units.h"
#include "reports/figures/figure.h"
#include "validate/campaign/cgroup.h"
#include "validate/campaign/environment.h"
#include "validate/campaign/storage.h"
#include "validate/provenance/provenance.h"

/* Sets the text of a finding. With `warn`, it is a warning with advice; otherwise, the check has
 * passed. */
__attribute__((format(printf, 4, 5))) static void
warn_if(struct doctor_finding *f, bool warn, const char *advice, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(f->what, sizeof f->what, fmt, ap);
	va_end(ap);
	snprintf(f->advice, sizeof f->advice, "%s", warn ? advice : "");
	f->health = warn ? HEALTH_WARN : HEALTH_OK;
}
#define finding_ok(f, ...) warn_if(f, false, "", __VA_ARGS__)

static void finding_fail(struct doctor_finding *f, const char *what, const char *advice)
{
	warn_if(f, true, advice, "%s", what);
	f->health = HEALTH_FAIL;
}

/* Whether the process has a capability: root in a container has only few. */
static bool has_capability(int capability)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	return !syscall(SYS_capget, &header, data) &&
	       data[capability / 32].effective >> capability % 32 & 1;
}

/* --- time ---------------------------------------------------------------- */

static void clock_judge(const json_t *facts, struct doctor_finding *f)
{
	const json_t *clock = json_object_get(facts, "clock");
	const char *error = json_string_value(json_object_get(clock, "error"));
	if (error) {
		finding_fail(f, error, "validate cannot measure with this clock: select another "
			     "clock source of the kernel, or use another machine");
		return;
	}
	const bool kernel = strcmp(json_string_value(json_object_get(clock, "source")), "tsc") != 0;
	const double cost_ns = json_number_value(json_object_get(clock, "read_cost_ns"));
	warn_if(f, kernel || cost_ns > 500,
		kernel ? "the time-stamp counter is not invariant here, or not the kernel's clock "
			 "source: times of short requests are less accurate"
		       : "reading the clock is slow: requests of a few microseconds are distorted",
		"%s, resolution %s, two readings together take %s",
		kernel ? "CLOCK_MONOTONIC" : "time-stamp counter",
		duration_text(json_number_value(json_object_get(clock, "resolution_ns"))).s,
		duration_text(cost_ns).s);
}

static void slack_look(struct doctor_finding *f)
{
	long slack = prctl(PR_GET_TIMERSLACK);
	warn_if(f, slack > 100000,
		"threads wake up late: in the shell that starts validate, run "
		"echo 50000 >/proc/$$/timerslack_ns",
		"a sleep can last up to %s too long", duration_text((double)slack).s);
}

/* --- other programs ----------------------------------------------------- */

static void processors_look(struct doctor_finding *f)
{
	const int n = processors_allowed();
	warn_if(f, n < 2, "the threads of all programs share one CPU: use a machine with more "
		"CPUs",
		"%d may be used, %ld are online", n, sysconf(_SC_NPROCESSORS_ONLN));
}

static void stolen_look(struct doctor_finding *f)
{
	struct cpu_ticks a, b;
	if (!cpu_ticks_read(&a)) {
		finding_ok(f, "not reported by the kernel");
		return;
	}
	usleep(300000);
	cpu_ticks_read(&b);
	double share = stolen_share(&a, &b),
	       ever = a.total ? (double)a.stolen / (double)a.total : 0;
	warn_if(f, share > 0.02 || ever > 0.02,
		"the hypervisor gives CPU time of this machine to other virtual machines: measure "
		"on another machine, or expect wide intervals",
		"%.1f %% now, %.1f %% since boot", 100 * (share > 0 ? share : 0), 100 * ever);
}

static void scheduler_look(struct doctor_finding *f)
{
	struct rlimit limit = {0};
	getrlimit(RLIMIT_RTPRIO, &limit);
	finding_ok(f, "fifo and rr can%s", has_capability(CAP_SYS_NICE) || limit.rlim_cur > 0
		? " be used" : "not be used (needed only by protocols with such a scheduler)");
}

/* --- caches and memory --------------------------------------------------- */

static void drop_look(struct doctor_finding *f)
{
	const bool may = may_drop_caches();
	warn_if(f, !may,
		"posix_fadvise evicts each file instead, and the results state how many bytes stay "
		"cached; run as root to drop all caches",
		"%s", may ? "all caches can be dropped" : "caches cannot be dropped");
}

static void cgroup_look(struct doctor_finding *f)
{
	SCOPED(cgroup_place_release) struct cgroup_place p;
	cgroup_find(&p, "");
	if (p.kind == CGROUP_NONE)
		warn_if(f, true,
			"the page cache of a run is not limited: use files that are larger than "
			"memory, or run as root",
			"none: %s", p.why);
	else
		finding_ok(f, "%s in %.250s", cgroup_kind_names[p.kind], p.parent);
}

static void cachestat_look(struct doctor_finding *f)
{
	uint64_t range[2] = {0, 0}, answer[5];
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	bool works = fd >= 0 && syscall(451, fd, range, answer, 0) == 0;
	fd_close(fd);
	finding_ok(f, "%s", works ? "cachestat: shows cached pages and dirty pages"
				  : "mincore: shows cached pages, but not dirty pages");
}

/* --- storage ------------------------------------------------------------- */

static void target_look(const char *dir, struct doctor_finding *f)
{
	SCOPED(storage_release) struct storage s = {0};
	struct err e = ERR_INIT;
	if (storage_look(&s, dir, &e) < 0) {
		finding_fail(f, e.msg, "name an existing directory: validate doctor DIR");
		return;
	}
	const char *device = s.queue_dir ? strrchr(s.queue_dir, '/') + 1 : "no block device",
		   *advice =
		       access(dir, W_OK | X_OK) < 0
			   ? "this user cannot write there: choose another target directory"
		       : s.in_memory
			   ? "a file system in memory has no cold cache: use a directory on a disk"
		       : s.free_bytes < (1ull << 30)
			   ? "less than 1 GiB: the workloads' files may not fit; choose another "
			     "target directory"
			   : NULL;
	warn_if(f, advice, advice, "%s on %s, %s free", s.file_system, device,
		size_text(s.free_bytes).s);
}

static void scratch_look(const char *dir, struct doctor_finding *f)
{
	struct storage target, s;
	bool apart;
	struct err e = ERR_INIT;
	if (storage_look(&target, dir, &e) < 0) {
		warn_if(f, true, "name an existing directory: validate doctor DIR",
			"not checked, because the target directory cannot be examined");
		return;
	}
	if (scratch_choose(&s, &apart, &target.device, 1, dir, &e)) {
		warn_if(f, true, "name one in the protocol: scratch = DIR", "%s", e.msg);
	} else {
		warn_if(f, !apart, "traces would be written to the target's device: name a "
			"directory on another device with scratch = DIR", "%s (%s), %s free",
			s.path, s.file_system, size_text(s.free_bytes).s);
		storage_release(&s);
	}
	storage_release(&target);
}

/* --- kernel and tools ---------------------------------------------------- */

static void openat2_look(struct doctor_finding *f)
{
	struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
	    .resolve = RESOLVE_BENEATH};
	long fd = syscall(SYS_openat2, AT_FDCWD, ".", &how, sizeof how);
	if (fd >= 0)
		close((int)fd);
	if (fd < 0 && errno == ENOSYS)
		finding_fail(f, "missing", "kernel 5.6 or later is needed to confine replays to "
					   "their directory");
	else
		finding_ok(f, "a replay cannot leave its directory");
}

static void membarrier_look(struct doctor_finding *f)
{
	long known = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
	finding_ok(f, "%s",
		   known >= 0 ? "available"
			      : "not available: each worker of a replay publishes its progress "
				"by an atomic operation instead, which takes longer");
}

static void gnuplot_look(struct doctor_finding *f)
{
	bool found = figure_gnuplot_found();
	warn_if(f, !found, "reports come without plots: apt-get install gnuplot-nox", "%s",
		found ? "found" : "not found");
}

/* Most parallel applications in the protocols have 8 ranks. With fewer CPUs, ranks share CPUs. */
#define RANKS_USUAL 8

static void mpi_look(struct doctor_finding *f)
{
	SCOPED(words_list_release) struct words_list words = {0};
	SCOPED_FREE char *version = provenance_mpi();
	SCOPED_FREE char *rank =
	    companion_find("validate-mpi-replay", "the program that replays a rank", NULL);
	const int n = processors_allowed();
	if (mpi_launch_words(&words, NULL, 2, NULL) < 0)
		warn_if(f, true, "apt-get install openmpi-bin", "no mpirun: parallel applications "
			"cannot be replayed, and MPI applications cannot be captured");
	else if (!rank)
		warn_if(f, true, "apt-get install libopenmpi-dev, and build again", "this program "
			"was built without MPI: parallel applications cannot be replayed");
	else if (n < RANKS_USUAL)
		finding_ok(f, "%s; %d CPU%s: if there are more ranks than CPUs, ranks share "
			      "CPUs, which distorts execution times",
			   version ? version : "found", n, n == 1 ? "" : "s");
	else
		finding_ok(f, "%s", version ? version : "found");
}

/* Checks facts of the machine (validate/provenance) that impair measurements. The advice states how
 * to improve them. */

static const json_t *fact_of(const json_t *facts, const char *group, const char *name)
{
	return json_object_get(json_object_get(facts, group), name);
}

static const char *text_of(const json_t *facts, const char *group, const char *name)
{
	return json_string_value(fact_of(facts, group, name));
}

static json_int_t number_of(const json_t *facts, const char *group, const char *name,
			    json_int_t otherwise)
{
	const json_t *v = fact_of(facts, group, name);
	return json_is_integer(v) ? json_integer_value(v) : otherwise;
}

static void load_judge(const json_t *facts, struct doctor_finding *f)
{
	const double load = json_number_value(fact_of(facts, "load", "average_1min"));
	warn_if(f, load > 0.3 * (double)sysconf(_SC_NPROCESSORS_ONLN),
		"other programs are running: wait until they end, or expect wide intervals",
		"%.2f in the last minute", load);
}

/* --- speed of CPUs ------------------------------------------------------ */

static void governor_judge(const json_t *facts, struct doctor_finding *f)
{
	const json_t *all = fact_of(facts, "processors", "governors"), *one;
	SCOPED_STRBUF what = STRBUF_INIT;
	bool varies = false;
	size_t i;
	json_array_foreach(all, i, one)
	{
		const char *name = json_string_value(one);
		varies |= !name || strcmp(name, "performance");
		strbuf_addf(&what, "%s%.30s", what.len ? ", " : "", name ? name : "?");
	}
	warn_if(f, varies,
		"as root: cpupower frequency-set -g performance, so that changes of speed do not "
		"add noise",
		"%s",
		what.len ? what.s : "not available (a virtual machine, or a fixed frequency)");
}

static void turbo_judge(const json_t *facts, struct doctor_finding *f)
{
	const json_t *on = fact_of(facts, "processors", "turbo");
	const char *driver = text_of(facts, "processors", "frequency_driver");
	warn_if(f, json_is_true(on),
		driver && !strcmp(driver, "intel_pstate")
		    ? "as root: echo 1 >/sys/devices/system/cpu/intel_pstate/no_turbo"
		    : "as root: echo 0 >/sys/devices/system/cpu/cpufreq/boost",
		"%s", json_is_true(on)    ? "on: the speed depends on temperature and on other load"
		      : json_is_false(on) ? "off"
					  : "not available");
}

#define LATE_US 50 /* usual overshoot of a high-resolution sleep */

static void idle_judge(const json_t *facts, struct doctor_finding *f)
{
	const json_t *all = fact_of(facts, "processors", "idle_states"), *one;
	const char *deepest = "";
	json_int_t latency_us = -1;
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
	if (latency_us < 0)
		finding_ok(f, "not available (this is a virtual machine, or idle CPUs poll "
			"instead of sleeping)");
	else
		warn_if(f, latency_us > LATE_US,
			"as root: cpupower idle-set -D 10, so that sleeping threads do not wake up "
			"late",
			"the deepest is %.40s, with a wake-up time of %lld us", deepest,
			(long long)latency_us);
}

/* --- shared CPUs -------------------------------------------------------- */

static void smt_judge(const json_t *facts, struct doctor_finding *f)
{
	const json_t *on = fact_of(facts, "processors", "smt");
	const char *siblings = text_of(facts, "processors", "threads_of_first_core");
	if (json_is_true(on))
		warn_if(f, true,
			"let runs use one thread of each core: cpus = LIST in the protocol; or as "
			"root: echo off >/sys/devices/system/cpu/smt/control",
			"several: CPUs %.60s share a core",
			siblings ? siblings : "of a pair");
	else
		finding_ok(f, "%s", json_is_false(on) ? "one" : "not available");
}

static void quota_judge(const json_t *facts, struct doctor_finding *f)
{
	static const char advice[] = "a run that uses up its CPU time is stopped for the rest of "
				     "the period: measure outside this control group";
	const json_t *group = fact_of(facts, "limits", "cgroup"),
		     *v1 = json_object_get(group, "cpu_quota_us");
	const char *v2 = json_string_value(json_object_get(group, "cpu_quota_and_period_us"));
	if (v2 && strncmp(v2, "max", 3))
		warn_if(f, true, advice, "%.60s us (quota and period)", v2);
	else if (json_is_integer(v1) && json_integer_value(v1) > 0)
		warn_if(f, true, advice, "%lld us of each period",
			(long long)json_integer_value(v1));
	else
		finding_ok(f, "none");
}

static void numa_judge(const json_t *facts, struct doctor_finding *f)
{
	const char *nodes = text_of(facts, "processors", "numa_nodes");
	const bool several = nodes && strpbrk(nodes, ",-"),
		   balancing = number_of(facts, "processors", "numa_balancing", 0);
	warn_if(f, several,
		balancing ? "as root: sysctl kernel.numa_balancing=0; and in the protocol, set "
			    "cpus = LIST to CPUs of one node"
			  : "in the protocol, set cpus = LIST to CPUs of one node",
		"%s%.60s%s", several ? "nodes " : "",
		!nodes ? "not available" : several ? nodes : "one node",
		several && balancing ? ", pages are moved between them" : "");
}

static void mitigations_judge(const json_t *facts, struct doctor_finding *f)
{
	const json_t *all = fact_of(facts, "kernel", "mitigations");
	const char *key;
	json_t *state;
	size_t n = 0, n_mitigated = 0, n_open = 0, n_none = 0;
	json_object_foreach((json_t *)all, key, state)
	{
		const char *text = json_string_value(state);
		n++;
		n_mitigated += text && !strncmp(text, "Mitigation", 10);
		n_open += text && !strncmp(text, "Vulnerable", 10);
		n_none += text && !strcmp(text, "Not affected");
	}
	if (n)
		finding_ok(f, "of %zu known CPU vulnerabilities, %zu are mitigated, %zu are open "
			      "and %zu do not affect this CPU", n, n_mitigated, n_open, n_none);
	else
		finding_ok(f, "not available");
}

/* --- memory -------------------------------------------------------------- */

static void memory_judge(const json_t *facts, struct doctor_finding *f)
{
	const json_int_t bytes = number_of(facts, "memory", "available_bytes", 0);
	warn_if(f, bytes && bytes < (512 << 20),
		"less than 512 MiB: traces on /dev/shm and large requests may not fit; end other "
		"programs, or set scratch = DIR in the protocol",
		"%s available",
		size_text((uint64_t)bytes).s);
}

static void swap_judge(const json_t *facts, struct doctor_finding *f)
{
	json_int_t total = number_of(facts, "memory", "swap_total_bytes", 0);
	json_int_t used = total - number_of(facts, "memory", "swap_free_bytes", total);
	if (total <= 0)
		finding_ok(f, "none");
	else
		warn_if(f, used > 0, "pages that are swapped in during a run add noise: as root, "
			"swapoff -a for the campaign", "%s of %s in use",
			size_text((uint64_t)(used > 0 ? used : 0)).s, size_text((uint64_t)total).s);
}

static void reclaim_judge(const json_t *facts, struct doctor_finding *f)
{
	const bool ahead = json_is_true(fact_of(facts, "memory", "reclaimed_ahead"));
	warn_if(f, ahead,
		"pages that a run expects in the cache may be gone: as root, turn off the schemes "
		"with action pageout in /sys/kernel/mm/damon/admin/kdamonds, and damon_reclaim",
		"%s",
		ahead ? "DAMON evicts pages even when memory is free" : "when memory is needed");
}

static void huge_pages_judge(const json_t *facts, struct doctor_finding *f)
{
	const char *when = text_of(facts, "memory", "transparent_huge_pages");
	warn_if(f, when && !strcmp(when, "always"),
		"the kernel combines pages of programs into huge pages in the background, which "
		"takes CPU time from runs: as root, echo madvise "
		">/sys/kernel/mm/transparent_hugepage/enabled",
		"%.40s", when ? when : "not available");
}

#define LOCKED_LEAST_BYTES (64 << 20) /* default --memory of a replay */

static void locked_judge(const json_t *facts, struct doctor_finding *f)
{
	const json_t *limit = fact_of(facts, "limits", "locked_memory_bytes");
	if (!json_is_integer(limit))
		finding_ok(f, "no limit");
	else if (has_capability(CAP_IPC_LOCK))
		finding_ok(f, "no limit (capability CAP_IPC_LOCK)");
	else
		warn_if(f, json_integer_value(limit) < LOCKED_LEAST_BYTES, "buffers of replays may "
			"be paged out: set ulimit -l to at least 65536 (KiB), or LimitMEMLOCK= of "
			"the service to at least 64M",
			"%s may be locked", size_text((uint64_t)json_integer_value(limit)).s);
}

static void write_back_judge(const json_t *facts, struct doctor_finding *f)
{
	json_int_t bytes = number_of(facts, "memory", "dirty_bytes", 0),
		   ratio = number_of(facts, "memory", "dirty_ratio", -1);
	const double expire_s =
	    (double)number_of(facts, "memory", "dirty_expire_centisecs", -1) / 100;
	if (bytes > 0)
		finding_ok(f, "writers wait at %lld dirty bytes; pages are written after %.10g s",
			   (long long)bytes, expire_s);
	else if (ratio >= 0)
		finding_ok(f, "writers wait when %lld %% of memory is dirty; pages are written "
			      "after %.10g s", (long long)ratio, expire_s);
	else
		finding_ok(f, "not available");
}

/* --- functions that need root ------------------------------------------- */

static void tracepoints_look(struct doctor_finding *f)
{
	const bool may = !access("/sys/kernel/tracing/instances", W_OK) ||
			 !access("/sys/kernel/debug/tracing/instances", W_OK);
	warn_if(f, !may,
		"requests to a device cannot be observed, and \"validate capture block\" and "
		"\"validate capture vfs\" do not work: as root, mount -t tracefs nodev "
		"/sys/kernel/tracing (a container without privileges cannot)",
		"%s", may ? "can be recorded" : "cannot be recorded");
}

static void volumes_look(struct doctor_finding *f)
{
	const bool fuse = !access("/dev/fuse", W_OK),
		   loop = fuse && has_capability(CAP_SYS_ADMIN) &&
			  !access("/dev/loop-control", W_OK);
	/* libfuse mounts for other users with this program */
	SCOPED_FREE char *mounter = fuse && geteuid() ? command_path("fusermount3") : NULL;
	warn_if(f, !loop,
		mounter ? "requests go to the volume's file: run as root to use a loop device"
			: "protocols with a volume do not run: run as root outside a container, or "
			  "install the package fuse3 and run as a user other than root",
		"%s", loop      ? "can be created (loop devices, FUSE)"
		      : mounter ? "can be created without loop devices (FUSE)"
				: "cannot be created");
}

const struct doctor_check doctor_checks[] = {
    {.name = "clock", .judge = clock_judge},
    {.name = "frequency governor", .judge = governor_judge},
    {.name = "turbo", .judge = turbo_judge},
    {.name = "idle states", .judge = idle_judge},
    {.name = "timer slack", .look = slack_look},
    {.name = "CPUs", .look = processors_look},
    {.name = "threads of a core", .judge = smt_judge},
    {.name = "CPU quota", .judge = quota_judge},
    {.name = "NUMA", .judge = numa_judge},
    {.name = "mitigations", .judge = mitigations_judge},
    {.name = "load", .judge = load_judge},
    {.name = "stolen time", .look = stolen_look},
    {.name = "real-time scheduling", .look = scheduler_look},
    {.name = "memory", .judge = memory_judge},
    {.name = "swap", .judge = swap_judge},
    {.name = "reclaim", .judge = reclaim_judge},
    {.name = "huge pages", .judge = huge_pages_judge},
    {.name = "locked memory", .judge = locked_judge},
    {.name = "memory cgroup", .look = cgroup_look},
    {.name = "cache dropping", .look = drop_look},
    {.name = "write-back", .judge = write_back_judge},
    {.name = "residency", .look = cachestat_look},
    {.name = "target directory", .look_at = target_look},
    {.name = "scratch directory", .look_at = scratch_look},
    {.name = "tracepoints", .look = tracepoints_look},
    {.name = "volumes", .look = volumes_look},
    {.name = "openat2", .look = openat2_look},
    {.name = "membarrier", .look = membarrier_look},
    {.name = "gnuplot", .look = gnuplot_look},
    {.name = "MPI", .look = mpi_look},
    {.name = NULL},
};
