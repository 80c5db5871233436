/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/run_facts.h"

#include <sys/resource.h>

#include "common/clock.h"
#include "common/json_members.h"
#include "common/proc_text.h"

/* Column "steal" of the first line of /proc/stat (proc(5)): the eighth number, in clock ticks. */
static int64_t steal_ns(void)
{
	char text[512];
	long ticks_per_second = sysconf(_SC_CLK_TCK);
	unsigned long long steal;
	if (ticks_per_second <= 0 || !proc_text_read("/proc/stat", text, sizeof text) ||
	    sscanf(text, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &steal) != 1)
		return -1;
	return (int64_t)(steal * (1000000000ull / (unsigned long long)ticks_per_second));
}

static int64_t timeval_ns(struct timeval t)
{
	return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

void run_facts_take(struct run_facts_snapshot *s)
{
	struct rusage usage;
	char text[1024];
	memset(s, 0, sizeof *s);
	s->steal_ns = steal_ns();
	/* the newline excludes "cancelled_write_bytes"; without I/O accounting, the kernel has no
	 * such file */
	if (proc_text_read("/proc/self/io", text, sizeof text)) {
		s->read_bytes = proc_text_number(text, "\nread_bytes: ", 10);
		s->write_bytes = proc_text_number(text, "\nwrite_bytes: ", 10);
	}
	if (getrusage(RUSAGE_SELF, &usage) == 0) {
		s->user_ns = timeval_ns(usage.ru_utime);
		s->system_ns = timeval_ns(usage.ru_stime);
		s->minor = (uint64_t)usage.ru_minflt;
		s->major = (uint64_t)usage.ru_majflt;
		s->voluntary = (uint64_t)usage.ru_nvcsw;
		s->involuntary = (uint64_t)usage.ru_nivcsw;
		s->peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
	}
	s->now_ns = clock_monotonic_ns();
}

void run_facts_between(const struct run_facts_snapshot *a, const struct run_facts_snapshot *b,
		       struct run_facts *f)
{
	*f = (struct run_facts){
	    .wall_ns = b->now_ns - a->now_ns,
	    .cpu_user_ns = b->user_ns - a->user_ns,
	    .cpu_system_ns = b->system_ns - a->system_ns,
	    .steal_ns =
		a->steal_ns < 0 || b->steal_ns < a->steal_ns ? -1 : b->steal_ns - a->steal_ns,
	    .runqueue_wait_ns = -1,
	    .n_minor_faults = b->minor - a->minor,
	    .n_major_faults = b->major - a->major,
	    .n_voluntary_switches = b->voluntary - a->voluntary,
	    .n_involuntary_switches = b->involuntary - a->involuntary,
	    .bytes_read_device = b->read_bytes - a->read_bytes,
	    .bytes_written_device = b->write_bytes - a->write_bytes,
	    .peak_memory_bytes = b->peak_bytes,
	};
}

void run_facts_add(struct run_facts *to, const struct run_facts *f)
{
	const bool known = to->runqueue_wait_ns >= 0 && f->runqueue_wait_ns >= 0;
	to->cpu_user_ns += f->cpu_user_ns;
	to->cpu_system_ns += f->cpu_system_ns;
	to->runqueue_wait_ns = known ? to->runqueue_wait_ns + f->runqueue_wait_ns : -1;
	to->n_minor_faults += f->n_minor_faults;
	to->n_major_faults += f->n_major_faults;
	to->n_voluntary_switches += f->n_voluntary_switches;
	to->n_involuntary_switches += f->n_involuntary_switches;
	to->bytes_read_device += f->bytes_read_device;
	to->bytes_written_device += f->bytes_written_device;
	to->peak_memory_bytes = f->peak_memory_bytes > to->peak_memory_bytes
				    ? f->peak_memory_bytes
				    : to->peak_memory_bytes;
}

/* --- JSON ---------------------------------------------------------------- */

/* All members have 64 bits. */
static const struct json_member facts[] = {
    MEMBER(run_facts, DURATION, wall_ns),
    MEMBER(run_facts, INTEGER, cpu_user_ns),
    MEMBER(run_facts, INTEGER, cpu_system_ns),
    MEMBER(run_facts, INTEGER, steal_ns),
    MEMBER(run_facts, INTEGER, runqueue_wait_ns),
    MEMBER(run_facts, COUNT, n_minor_faults),
    MEMBER(run_facts, COUNT, n_major_faults),
    MEMBER(run_facts, COUNT, n_voluntary_switches),
    MEMBER(run_facts, COUNT, n_involuntary_switches),
    MEMBER(run_facts, COUNT, bytes_read_device),
    MEMBER(run_facts, COUNT, bytes_written_device),
    MEMBER(run_facts, COUNT, peak_memory_bytes, .may_be_absent = true),
    {0}};

json_t *run_facts_to_json(const struct run_facts *f)
{
	json_t *o = json_object();
	for (const struct json_member *m = facts; m->name; m++) {
		int64_t value;
		memcpy(&value, (const char *)f + m->offset, sizeof value);
		json_object_set_new(o, m->name, json_integer(value));
	}
	return o;
}

int run_facts_from_json(struct run_facts *f, const json_t *o, struct err *e)
{
	struct run_facts read = {0};
	if (!json_is_object(o))
		return err_set(e, EINVAL, "the recorded facts of a run (CPU times, page faults and "
			"others) are not a JSON object");
	if (json_members_get(&read, facts, o, e))
		return err_context(e, "recorded facts of a run");
	if (read.steal_ns < -1 || read.runqueue_wait_ns < -1)
		return err_set(e, EINVAL, "recorded facts of a run: \"%s\" is less than -1",
			       read.steal_ns < -1 ? "steal_ns" : "runqueue_wait_ns");
	*f = read;
	return 0;
}
