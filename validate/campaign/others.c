/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/campaign/others.h"

#include "common/clock.h"
#include "validate/campaign/environment.h"

#define USAGE "/sys/fs/cgroup/cpuacct/cpuacct.usage"
/* Smallest credible ratio of this file to /proc/stat: in a container the file may cover only a part
 * of the machine. */
#define USAGE_LEAST 0.8

static double usage_s(void)
{
	char text[40];
	int fd = open(USAGE, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	fd_close(fd);
	if (n <= 0)
		return NAN;
	text[n] = 0;
	return strtod(text, NULL) * 1e-9;
}

void others_read(struct others_reading *r)
{
	struct cpu_ticks t;
	const double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
	*r = (struct others_reading){clock_monotonic_ns(), NAN, NAN};
	if (!cpu_ticks_read(&t))
		return;
	r->stolen_s = (double)t.stolen * tick_s;
	r->busy_s = (double)(t.total - t.stolen - t.idle) * tick_s;
	const double precise_s = usage_s();
	if (precise_s >= USAGE_LEAST * r->busy_s)
		r->busy_s = precise_s;
}

void others_add(struct others_use *u, const struct others_reading *from,
		const struct others_reading *to)
{
	u->processor_s +=
	    (double)(to->ns - from->ns) * 1e-9 * (double)sysconf(_SC_NPROCESSORS_ONLN);
	u->busy_s += to->busy_s - from->busy_s;
	u->stolen_s += to->stolen_s - from->stolen_s;
}

/* NaN stays NaN. */
static double share_of(double part_s, double whole_s)
{
	const double x = whole_s > 0 ? part_s / whole_s : NAN;
	return x < 0 ? 0 : x > 1 ? 1 : x;
}

void others_shares(const struct others_use *u, double own_s, double *others, double *stolen)
{
	*others = share_of(u->busy_s - own_s, u->processor_s);
	*stolen = share_of(u->stolen_s, u->processor_s);
}

double process_cpu_s(pid_t pid)
{
	clockid_t clock;
	struct timespec t;
	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t) < 0)
		return NAN;
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
