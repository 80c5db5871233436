/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/run_facts.h"

#include <jansson.h>

#include <sys/resource.h>

#include "common/clock.h"
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

static uint64_t named_number(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
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
		s->read_bytes = named_number(text, "\nread_bytes: ");
		s->write_bytes = named_number(text, "\nwrite_bytes: ");
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

/* A row for each member. All members have 64 bits; `lowest` distinguishes counts from signed
 * times. */
static const struct json_fact {
	const char *name;
	size_t offset;
	int64_t lowest;
	bool may_miss; /* 0 if facts of earlier versions lack the member */
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
		return err_set(e, EINVAL, "the recorded facts of a run (CPU times, page faults and "
			"others) are not a JSON object");
	for (size_t i = 0; i < N_FACTS; i++) {
		const json_t *member = json_object_get(o, facts[i].name);
		if (!member && facts[i].may_miss)
			continue;
		if (!json_is_integer(member))
			return err_set(e, EINVAL, "recorded facts of a run: \"%s\" %s",
				       facts[i].name,
				       member ? "is not an integer" : "is missing");
		int64_t value = json_integer_value(member);
		if (value < facts[i].lowest)
			return err_set(e, EINVAL,
				       "recorded facts of a run: \"%s\" is %lld: too small",
				       facts[i].name, (long long)value);
		memcpy((char *)&read + facts[i].offset, &value, sizeof value);
	}
	*f = read;
	return 0;
}
