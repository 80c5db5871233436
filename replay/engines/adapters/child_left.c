/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/adapters/child.h"

#include <sys/wait.h>

#include "common/proc_text.h"

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

typedef void visit(int pid, const char *name, void *ctx);

static void children_visit(visit *one, void *ctx)
{
	SCOPED_DIR DIR *d = opendir("/proc");
	const struct dirent *entry;
	char name[64], state;
	while (d && (entry = readdir(d)))
		if (*entry->d_name >= '1' && *entry->d_name <= '9' &&
		    parent_of(entry->d_name, name, sizeof name, &state) == getpid() &&
		    state != 'Z' && state != 'X')
			one(atoi(entry->d_name), name, ctx);
}

struct naming {
	char *text;
	size_t size, len;
	uint32_t n;
};

static void name_one(int pid, const char *name, void *ctx)
{
	struct naming *x = ctx;
	int len =
	    snprintf(x->text + x->len, x->size - x->len, "%s%s (%d)", x->n ? ", " : "", name, pid);
	x->len = len > 0 && x->len + (size_t)len < x->size ? x->len + (size_t)len : x->len;
	x->text[x->len] = 0;
	x->n++;
}

uint32_t child_left_name(char *text, size_t size)
{
	struct naming x = {text, size, 0, 0};
	*text = 0;
	children_visit(name_one, &x);
	return x.n;
}

static void kill_one(int pid, const char *name, void *ctx)
{
	(void)name;
	(void)ctx;
	kill(pid, SIGKILL);
}

void child_left_kill(void)
{
	children_visit(kill_one, NULL);
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
