/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/campaign/descendants.h"

#include <ctype.h>
#include <dirent.h>

#include "common/proc_text.h"
#include "validate/campaign/others.h"

struct descendants_process {
	pid_t pid, parent, group;
};

/* Parses PID (NAME) STATE PARENT GROUP ...; NAME may contain brackets, so it ends at the last
 * bracket. */
static bool stat_read(const char *path, char *state, struct descendants_process *p)
{
	char text[600];
	int parent, group;
	const char *end = proc_text_read(path, text, sizeof text) ? strrchr(text, ')') : NULL;
	if (!end || sscanf(end + 1, " %c %d %d", state, &parent, &group) != 3)
		return false;
	p->parent = parent;
	p->group = group;
	return true;
}

static bool is_ended(char state)
{
	return state == 'Z' || state == 'X';
}

/* Lists all processes of the machine. The caller frees. */
static struct descendants_process *processes_read(size_t *n)
{
	struct descendants_process *all = NULL;
	size_t cap = 0;
	SCOPED_DIR DIR *d = opendir("/proc");
	const struct dirent *entry;
	char path[64], state;
	*n = 0;
	while (d && (entry = readdir(d))) {
		struct descendants_process p = {.pid = (pid_t)strtol(entry->d_name, NULL, 10)};
		snprintf(path, sizeof path, "/proc/%.20s/stat", entry->d_name);
		if (!isdigit((unsigned char)*entry->d_name) || !stat_read(path, &state, &p) ||
		    is_ended(state))
			continue;
		APPEND(all, *n, cap, p);
	}
	return all;
}

static bool descendants_has(const pid_t *pid, size_t n, pid_t which)
{
	for (size_t i = 0; i < n; i++)
		if (pid[i] == which)
			return true;
	return false;
}

static void process_add(struct descendants *d, const struct descendants_process *p, pid_t own_group)
{
	APPEND(d->pid, d->n, d->cap, p->pid);
	if (p->group <= 1 || p->group == own_group ||
	    descendants_has(d->group, d->n_groups, p->group))
		return;
	APPEND(d->group, d->n_groups, d->cap_groups, p->group);
}

void descendants_find(struct descendants *d, pid_t root)
{
	size_t n, before;
	SCOPED_FREE struct descendants_process *all = processes_read(&n);
	const pid_t own_group = getpgid(root);
	d->n = d->n_groups = 0;
	/* repeated, because a child may precede its parent in /proc */
	do {
		before = d->n;
		for (size_t i = 0; i < n; i++)
			if ((all[i].parent == root ||
			     descendants_has(d->pid, d->n, all[i].parent)) &&
			    !descendants_has(d->pid, d->n, all[i].pid))
				process_add(d, &all[i], own_group);
	} while (d->n > before);
}

void descendants_release(struct descendants *d)
{
	FREE_EACH(d->pid, d->group);
	*d = (struct descendants){0};
}

static bool process_uses(pid_t pid, const char *dir)
{
	char path[64], file[PATH_MAX];
	const size_t len = strlen(dir);
	bool found = false;
	snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
	SCOPED_DIR DIR *d = opendir(path);
	const struct dirent *entry;
	while (!found && d && (entry = readdir(d))) {
		const ssize_t got = readlinkat(dirfd(d), entry->d_name, file, sizeof file);
		found = got > (ssize_t)len && !memcmp(file, dir, len) && file[len] == '/';
	}
	return found;
}

bool descendants_use(const struct descendants *d, const char *dir)
{
	for (size_t i = 0; i < d->n; i++)
		if (process_uses(d->pid[i], dir))
			return true;
	return false;
}

void descendants_signal(const struct descendants *d, int signal)
{
	for (size_t i = 0; i < d->n_groups; i++)
		kill(-d->group[i], signal);
}

/* Checks each thread: a thread stops only when it leaves its system call. */
static bool process_is_stopped(pid_t pid)
{
	char path[96], state;
	struct descendants_process p;
	bool stopped = true;
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	SCOPED_DIR DIR *d = opendir(path);
	const struct dirent *entry;
	while (stopped && d && (entry = readdir(d))) {
		snprintf(path, sizeof path, "/proc/%d/task/%.20s/stat", (int)pid, entry->d_name);
		if (*entry->d_name != '.' && stat_read(path, &state, &p))
			stopped = state == 'T' || state == 't' || is_ended(state);
	}
	return stopped;
}

bool descendants_are_stopped(const struct descendants *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (!process_is_stopped(d->pid[i]))
			return false;
	return true;
}

double descendants_cpu_s(const struct descendants *d)
{
	double sum = 0;
	for (size_t i = 0; i < d->n; i++) {
		const double own_s = process_cpu_s(d->pid[i]);
		sum += isnan(own_s) ? 0 : own_s;
	}
	return sum;
}
