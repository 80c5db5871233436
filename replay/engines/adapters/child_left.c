/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/adapters/child.h"

#include <sys/wait.h>

#include "common/proc_text.h"

#define NAME_BYTES 64

/* Returns the parent's pid from /proc/PID/stat: number (name) state parent ... The name may contain
 * any characters, so it ends at the last bracket. */
static int parent_of(const char *pid, char *name, size_t size, char *state)
{
	char path[64], text[600];
	int parent = -1;
	snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
	if (!proc_text_read(path, text, sizeof text))
		return -1;
	char *from = strchr(text, '('), *to = strrchr(text, ')');
	if (!from || !to || sscanf(to + 1, " %c %d", state, &parent) != 2)
		return -1;
	*to = 0;
	snprintf(name, size, "%s", from + 1);
	return parent;
}

/* Returns the number of the next child of this process that has not ended; 0: none. */
static int child_next(DIR *proc, char name[NAME_BYTES])
{
	const struct dirent *entry;
	char state;
	while (proc && (entry = readdir(proc)))
		if (*entry->d_name >= '1' && *entry->d_name <= '9' &&
		    parent_of(entry->d_name, name, NAME_BYTES, &state) == getpid() &&
		    state != 'Z' && state != 'X')
			return atoi(entry->d_name);
	return 0;
}

uint32_t child_left_name(char *text, size_t size)
{
	SCOPED_DIR DIR *proc = opendir("/proc");
	char name[NAME_BYTES];
	size_t len = 0;
	uint32_t n = 0;
	*text = 0;
	for (int pid; (pid = child_next(proc, name)); n++) {
		int more =
		    snprintf(text + len, size - len, "%s%s (%d)", n ? ", " : "", name, pid);
		len += more > 0 && len + (size_t)more < size ? (size_t)more : 0;
		text[len] = 0;
	}
	return n;
}

void child_left_kill(void)
{
	SCOPED_DIR DIR *proc = opendir("/proc");
	char name[NAME_BYTES];
	for (int pid; (pid = child_next(proc, name));)
		kill(pid, SIGKILL);
}

void child_left_end(void)
{
	pid_t pid;
	do {
		child_left_kill();
		nanosleep(&(struct timespec){0, 1000000}, NULL);
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
	} while (pid == 0);
}
