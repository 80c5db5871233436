/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <linux/membarrier.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "commands/doctor.h"
#include "common/clock.h"
#include "common/companion.h"
#include "common/drop_caches.h"
#include "common/files.h"
#include "common/mpi_launch.h"
#include "common/processors.h"
#include "common/strbuf.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "validate/campaign/cgroup.h"
#include "validate/campaign/environment.h"
#include "validate/campaign/storage.h"
#include "validate/provenance/provenance.h"

void finding_say(struct doctor_finding *f, enum health health, const char *what, const char *advice)
{
	f->health = health;
	snprintf(f->what, sizeof f->what, "%.299s", what);
	snprintf(f->advice, sizeof f->advice, "%.299s", advice);
}

/* --- time ---------------------------------------------------------------- */

static void clock_look(struct doctor_finding *f)
{
	struct clock c;
	struct err e = ERR_INIT;
	char what[200];
	if (clock_init(&c, 5000000, &e) < 0) {
		finding_say(f, HEALTH_FAIL, e.msg,
			    "nothing can be measured with a clock that does not run");
		return;
	}
	snprintf(what, sizeof what, "%s, resolution %.0f ns, a pair of reads costs %.0f ns",
		 c.source == CLOCK_SOURCE_TSC ? "time-stamp counter" : "CLOCK_MONOTONIC",
		 c.resolution_ns, c.read_cost_ns);
	if (c.source != CLOCK_SOURCE_TSC)
		finding_say(f, HEALTH_WARN, what,
			    "the time-stamp counter is not invariant here, or not the kernel's "
			    "clock: short requests are measured less well");
	else if (c.read_cost_ns > 500)
		finding_say(
		    f, HEALTH_WARN, what,
		    "reading the clock is slow: requests of a few microseconds are distorted");
	else
		finding_say(f, HEALTH_OK, what, "");
}

static void slack_look(struct doctor_finding *f)
{
	long slack = prctl(PR_GET_TIMERSLACK);
	char what[100];
	snprintf(what, sizeof what, "%ld ns are added to sleeps", slack);
	finding_say(f, slack > 100000 ? HEALTH_WARN : HEALTH_OK, what,
	    slack > 100000 ? "pauses made by sleeping will be longer" : "");
}

/* --- company ------------------------------------------------------------- */

static void processors_look(struct doctor_finding *f)
{
	cpu_set_t allowed;
	char what[100];
	CPU_ZERO(&allowed);
	sched_getaffinity(0, sizeof allowed, &allowed);
	int n = CPU_COUNT(&allowed);
	snprintf(what, sizeof what, "%d may be used, %ld are online", n,
		 sysconf(_SC_NPROCESSORS_ONLN));
	finding_say(
	    f, n < 2 ? HEALTH_WARN : HEALTH_OK, what,
	    n < 2 ? "levels above 1 share one CPU, and so do a run and other programs"
		  : "");
}

static void load_look(struct doctor_finding *f)
{
	char *line = file_read_line("/proc/loadavg");
	double one = 0;
	char what[100];
	if (!line || sscanf(line, "%lf", &one) != 1)
		one = 0;
	free(line);
	snprintf(what, sizeof what, "%.2f in the last minute", one);
	bool busy = one > 0.3 * (double)sysconf(_SC_NPROCESSORS_ONLN);
	finding_say(f, busy ? HEALTH_WARN : HEALTH_OK, what,
	    busy ? "something else is running: wait for it, or expect wide intervals" : "");
}

static void stolen_look(struct doctor_finding *f)
{
	struct cpu_ticks a, b;
	char what[100];
	if (!cpu_ticks_read(&a)) {
		finding_say(f, HEALTH_OK, "not reported by the kernel", "");
		return;
	}
	usleep(300000);
	cpu_ticks_read(&b);
	double share = stolen_share(&a, &b),
	       ever = a.total ? (double)a.stolen / (double)a.total : 0;
	snprintf(what, sizeof what, "%.1f %% now, %.1f %% since boot",
		 100 * (share > 0 ? share : 0), 100 * ever);
	bool bad = share > 0.02 || ever > 0.02;
	finding_say(f, bad ? HEALTH_WARN : HEALTH_OK, what,
		    bad ? "the hypervisor gives this machine's time to others" : "");
}

static void scheduler_look(struct doctor_finding *f)
{
	struct rlimit limit = {0};
	getrlimit(RLIMIT_RTPRIO, &limit);
	bool may = geteuid() == 0 || limit.rlim_cur > 0;
	finding_say(f, HEALTH_OK,
		    may ? "fifo and rr may be used"
			: "fifo and rr may not be used (needed only where a protocol asks)",
		    "");
}

/* --- caches and memory --------------------------------------------------- */

static void drop_look(struct doctor_finding *f)
{
	if (may_drop_caches())
		finding_say(f, HEALTH_OK, "all caches may be dropped", "");
	else
		finding_say(f, HEALTH_WARN, "caches may not be dropped",
		    "posix_fadvise is used on each file, and what stays cached is "
		    "recorded; run as root to drop them");
}

static void cgroup_look(struct doctor_finding *f)
{
	struct cgroup_place p;
	char what[400];
	cgroup_find(&p, "");
	if (p.kind == CGROUP_NONE) {
		snprintf(what, sizeof what, "none: %s", p.why);
		finding_say(
		    f, HEALTH_WARN, what,
		    "the page cache of a run is not bounded: make files larger, or run as root");
	} else {
		snprintf(what, sizeof what, "%s in %.250s", cgroup_kind_names[p.kind], p.parent);
		finding_say(f, HEALTH_OK, what, "");
	}
	cgroup_place_release(&p);
}

static void cachestat_look(struct doctor_finding *f)
{
	uint64_t range[2] = {0, 0}, answer[5];
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	bool works = fd >= 0 && syscall(451, fd, range, answer, 0) == 0;
	if (fd >= 0)
		close(fd);
	finding_say(f, HEALTH_OK,
		    works ? "cachestat: cached and dirty pages are seen"
			  : "mincore: cached pages are seen, dirty ones not",
		    "");
}

static void memory_look(struct doctor_finding *f)
{
	struct strbuf text = STRBUF_INIT;
	uint64_t free_bytes = 0;
	unsigned long long kib;
	char line[200];
	FILE *in = fopen("/proc/meminfo", "re");
	while (in && fgets(line, sizeof line, in))
		if (sscanf(line, "MemAvailable: %llu", &kib) == 1)
			free_bytes = kib * 1024;
	if (in)
		fclose(in);
	strbuf_addf(&text, "%s available", size_text(free_bytes).s);
	bool little = free_bytes && free_bytes < (512ull << 20);
	finding_say(f, little ? HEALTH_WARN : HEALTH_OK, text.s,
	    little ? "traces on /dev/shm and large requests may not fit" : "");
	strbuf_release(&text);
}

/* --- storage ------------------------------------------------------------- */

static void target_look(const char *dir, struct doctor_finding *f)
{
	struct storage s;
	struct strbuf text = STRBUF_INIT;
	struct err e = ERR_INIT;
	if (storage_look(&s, dir, &e) < 0) {
		finding_say(f, HEALTH_FAIL, e.msg,
			    "name an existing directory: validate doctor DIR");
		return;
	}
	const char *device = s.queue_dir ? strrchr(s.queue_dir, '/') + 1 : "no block device";
	strbuf_addf(&text, "%s on %s, %s free", s.file_system, device, size_text(s.free_bytes).s);
	if (access(dir, W_OK | X_OK) < 0)
		finding_say(f, HEALTH_WARN, text.s,
			    "this user may not write there: choose another target directory");
	else if (s.in_memory)
		finding_say(
		    f, HEALTH_WARN, text.s,
		    "a file system in memory has no cold caches: use a directory on a disk");
	else if (s.free_bytes < (1ull << 30))
		finding_say(f, HEALTH_WARN, text.s,
			    "less than 1 GiB: the workloads' files may not fit");
	else
		finding_say(f, HEALTH_OK, text.s, "");
	strbuf_release(&text);
	storage_release(&s);
}

static void scratch_look(const char *dir, struct doctor_finding *f)
{
	struct storage target, s;
	bool apart;
	struct strbuf text = STRBUF_INIT;
	struct err e = ERR_INIT;
	if (storage_look(&target, dir, &e) < 0) {
		finding_say(f, HEALTH_WARN, "depends on the target directory", "");
		return;
	}
	if (scratch_choose(&s, &apart, &target.device, 1, dir, &e)) {
		finding_say(f, HEALTH_WARN, e.msg, "name one in the protocol: scratch = DIR");
	} else {
		strbuf_addf(&text, "%s (%s), %s free", s.path, s.file_system,
				   size_text(s.free_bytes).s);
		finding_say(f, apart ? HEALTH_OK : HEALTH_WARN, text.s,
			    apart ? ""
				  : "traces would be written to the target's device: name "
				    "another with scratch = DIR");
		storage_release(&s);
	}
	strbuf_release(&text);
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
	bool missing = fd < 0 && errno == ENOSYS;
	finding_say(f, missing ? HEALTH_FAIL : HEALTH_OK,
		    missing ? "missing" : "a replay cannot leave its directory",
		    missing
			? "a kernel of 5.6 or later is needed to confine replays to their directory"
			: "");
}

static void membarrier_look(struct doctor_finding *f)
{
	long known = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
	finding_say(f, HEALTH_OK,
		    known >= 0 ? "available" : "not available (nothing depends on it yet)", "");
}

static bool program_on_path(const char *name)
{
	const char *path = getenv("PATH");
	char *copy = xstrdup(path ? path : "/usr/bin:/bin"), *save = NULL;
	bool found = false;
	for (char *dir = strtok_r(copy, ":", &save); dir && !found;
	     dir = strtok_r(NULL, ":", &save)) {
		char *file = xasprintf("%s/%s", dir, name);
		found = access(file, X_OK) == 0;
		free(file);
	}
	free(copy);
	return found;
}

static void gnuplot_look(struct doctor_finding *f)
{
	bool found = program_on_path("gnuplot");
	finding_say(f, found ? HEALTH_OK : HEALTH_WARN, found ? "found" : "not found",
	    found ? "" : "reports come without plots: apt-get install gnuplot-nox");
}

/* Most parallel applications in the protocols have 8 ranks. On fewer CPUs they take turns. */
#define RANKS_USUAL 8

static void mpi_look(struct doctor_finding *f)
{
	struct words_list words = {0};
	char *version = provenance_mpi();
	char *rank = companion_find("validate-mpi-replay", "the program that replays a rank", NULL);
	const int n = processors_allowed();
	if (mpi_launch_words(&words, NULL, 2, NULL) < 0)
		finding_say(f, HEALTH_WARN,
			    "no mpirun: parallel applications cannot be replayed, and MPI "
			    "applications cannot be captured",
			    "apt-get install openmpi-bin");
	else if (!rank)
		finding_say(
		    f, HEALTH_WARN,
		    "this program was built without MPI: parallel applications cannot be replayed",
		    "apt-get install libopenmpi-dev, and build again");
	else
		finding_say(f, HEALTH_OK, version ? version : "found", "");
	if (f->health == HEALTH_OK && n < RANKS_USUAL) {
		char *what = xasprintf("%s; %d CPU%s: more ranks take turns, which "
				       "distorts execution times",
				       version ? version : "found", n, n == 1 ? "" : "s");
		finding_say(f, HEALTH_OK, what, "");
		free(what);
	}
	words_list_release(&words);
	free(rank);
	free(version);
}

const struct doctor_check doctor_checks[] = {
    {.name = "clock", .look = clock_look},
    {.name = "frequency governor", .judge = governor_judge},
    {.name = "turbo", .judge = turbo_judge},
    {.name = "idle states", .judge = idle_judge},
    {.name = "timer slack", .look = slack_look},
    {.name = "CPUs", .look = processors_look},
    {.name = "threads of a core", .judge = smt_judge},
    {.name = "CPU quota", .judge = quota_judge},
    {.name = "NUMA", .judge = numa_judge},
    {.name = "mitigations", .judge = mitigations_judge},
    {.name = "load", .look = load_look},
    {.name = "stolen time", .look = stolen_look},
    {.name = "real-time scheduling", .look = scheduler_look},
    {.name = "memory", .look = memory_look},
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
    {.name = "openat2", .look = openat2_look},
    {.name = "membarrier", .look = membarrier_look},
    {.name = "gnuplot", .look = gnuplot_look},
    {.name = "MPI", .look = mpi_look},
    {.name = NULL},
};
