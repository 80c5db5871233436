/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/campaign/own_memory.h"

#include <stdbool.h>
#include <stdio.h>

#include "common/process_memory.h"

#define DEPTH_MAX 8

struct status_bytes { /* of /proc/PID/status */
	uint64_t anonymous, page_tables, shared;
};

static bool status_read(pid_t pid, struct status_bytes *s)
{
	char path[40], line[200];
	unsigned long long kib;
	*s = (struct status_bytes){0};
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	FILE *in = fopen(path, "re");
	if (!in)
		return false;
	while (fgets(line, sizeof line, in)) {
		if (sscanf(line, "RssAnon: %llu", &kib) == 1)
			s->anonymous = kib * 1024;
		else if (sscanf(line, "VmPTE: %llu", &kib) == 1)
			s->page_tables = kib * 1024;
		else if (sscanf(line, "RssShmem: %llu", &kib) == 1)
			s->shared = kib * 1024;
	}
	fclose(in);
	return true;
}

struct own_descendants {
	uint64_t sum, shared; /* bytes; of `shared` the largest */
	unsigned int n;
};

static void descendants_add(pid_t pid, struct own_descendants *d, int depth)
{
	char path[60];
	int child;
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	FILE *in = depth < DEPTH_MAX ? fopen(path, "re") : NULL;
	if (!in)
		return;
	while (fscanf(in, "%d", &child) == 1) {
		struct status_bytes s;
		if (!status_read(child, &s))
			continue;
		d->sum += process_anonymous_bytes(child) + s.page_tables;
		if (s.shared > d->shared)
			d->shared = s.shared;
		d->n++;
		descendants_add(child, d, depth + 1);
	}
	fclose(in);
}

uint64_t own_memory_bytes(pid_t pid)
{
	struct status_bytes s;
	struct own_descendants d = {0, 0, 0};
	if (!status_read(pid, &s))
		return 0;
	descendants_add(pid, &d, 0);
	/* looking at its share takes longer, and is the same where it has all for itself */
	uint64_t own = d.n ? process_anonymous_bytes(pid) : s.anonymous;
	return own + s.page_tables + d.sum + d.shared;
}
