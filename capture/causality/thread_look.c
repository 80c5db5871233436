/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/causality/thread_look.h"

#include <dirent.h>

#include "common/proc_text.h"

/* The fields of a stat file, beginning with the state. They follow the name, which may contain any
 * character. */
static const char *fields_of(const char *text)
{
	const char *end = strrchr(text, ')');
	return end && end[1] == ' ' ? end + 2 : NULL;
}

static const char *field_after(const char *s, int n)
{
	for (; s && n > 0; n--) {
		s = strchr(s, ' ');
		s = s ? s + 1 : NULL;
	}
	return s;
}

static void switches_read(uint32_t pid, uint32_t tid, uint64_t *n)
{
	char path[80], text[4096];
	snprintf(path, sizeof path, "/proc/%" PRIu32 "/task/%" PRIu32 "/status", pid, tid);
	*n = proc_text_read(path, text, sizeof text)
		 ? proc_text_number(text, "voluntary_ctxt_switches:", 10)
		 : 0;
}

char thread_look(uint32_t pid, uint32_t tid, struct thread_times *t)
{
	char path[80], text[1024];
	long long cpu;
	unsigned long long waited, slices;
	snprintf(path, sizeof path, "/proc/%" PRIu32 "/task/%" PRIu32 "/stat", pid, tid);
	const char *f = proc_text_read(path, text, sizeof text) ? fields_of(text) : NULL;
	if (!f)
		return 0;
	const char state = *f;
	const char *ticks = field_after(f, 11); /* points to utime and stime */
	const char *more = field_after(ticks, 1);
	*t = (struct thread_times){0};
	t->cpu_ns = more ? (int64_t)(strtoll(ticks, NULL, 10) + strtoll(more, NULL, 10)) *
			       (1000000000 / sysconf(_SC_CLK_TCK))
			 : 0;
	snprintf(path, sizeof path, "/proc/%" PRIu32 "/task/%" PRIu32 "/schedstat", pid, tid);
	if (proc_text_read(path, text, sizeof text) &&
	    sscanf(text, "%lld %llu %llu", &cpu, &waited, &slices) == 3 && slices) {
		*t = (struct thread_times){cpu, (int64_t)waited, slices};
	} else {
		switches_read(pid, tid, &t->n_slices);
	}
	return state;
}

bool threads_each(uint32_t pid, bool (*each)(void *ctx, uint32_t tid), void *ctx)
{
	char path[40];
	snprintf(path, sizeof path, "/proc/%" PRIu32 "/task", pid);
	DIR *d = opendir(path);
	bool on = true;
	for (struct dirent *entry; d && on && (entry = readdir(d));)
		if (*entry->d_name >= '1' && *entry->d_name <= '9')
			on = each(ctx, (uint32_t)strtoul(entry->d_name, NULL, 10));
	if (d)
		closedir(d);
	return on;
}

/* --- killing ------------------------------------------------------------- */

struct process_entry {
	pid_t pid, parent;
	bool ours;
};

static size_t processes_list(struct process_entry **list)
{
	size_t n = 0, cap = 0;
	DIR *d = opendir("/proc");
	*list = NULL;
	for (struct dirent *entry; d && (entry = readdir(d));) {
		char path[300], text[1024];
		if (*entry->d_name < '1' || *entry->d_name > '9')
			continue;
		snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
		const char *f = proc_text_read(path, text, sizeof text) ? fields_of(text) : NULL;
		if (!f || *f == 'Z')
			continue;
		GROW(*list, n, cap);
		(*list)[n++] = (struct process_entry){(pid_t)strtol(entry->d_name, NULL, 10),
					    (pid_t)strtol(f + 2, NULL, 10), false};
	}
	if (d)
		closedir(d);
	return n;
}

static bool is_ours(const struct process_entry *list, size_t n, pid_t pid)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].pid == pid)
			return list[i].ours;
	return false;
}

void descendants_kill(void)
{
	const pid_t self = getpid();
	struct process_entry *list;
	size_t n = processes_list(&list);
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < n; i++)
			if (!list[i].ours && list[i].pid != self &&
			    (list[i].parent == self || is_ours(list, n, list[i].parent)))
				list[i].ours = more = true;
	}
	for (size_t i = 0; i < n; i++)
		if (list[i].ours)
			kill(list[i].pid, SIGKILL);
	free(list);
}
