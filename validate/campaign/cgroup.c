/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/campaign/cgroup.h"

#include <dirent.h>
#include <sys/wait.h>

#include "common/files.h"

#define TRY_NAME "validate-try-"

const char *const cgroup_kind_names[] = {"none", "v1", "v2", NULL};

static int file_put(const char *dir, const char *name, const char *text, struct err *e)
{
	SCOPED_FREE char *path = xasprintf("%s/%s", dir, name);
	const int code = file_put_text(path, text);
	return code ? err_sys(e, code, "cannot write \"%s\" to %s", text, path) : 0;
}

/* --- search for a place -------------------------------------------------- */

/* Tries whether a child process can enter the group: permission to create a group does not imply
 * permission to enter it. */
static int enter_try(const struct cgroup *g)
{
	pid_t pid = fork();
	if (pid == 0) {
		int fd = open(g->procs, O_WRONLY | O_CLOEXEC);
		_exit(fd >= 0 && write(fd, "0\n", 2) == 2 ? 0 : errno & 0x7f);
	}
	int status;
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -EAGAIN;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}

/* Removes the groups that killed processes made for such a trial. */
static void tries_sweep(const char *parent)
{
	SCOPED_DIR DIR *d = opendir(parent);
	const struct dirent *entry;
	int pid;
	while (d && (entry = readdir(d))) {
		if (sscanf(entry->d_name, TRY_NAME "%d", &pid) != 1 || kill(pid, 0) == 0 ||
		    errno != ESRCH)
			continue;
		SCOPED_FREE char *path = xasprintf("%s/%s", parent, entry->d_name);
		rmdir(path);
	}
}

/* Makes a group in `parent`, enters it and removes it. */
static bool place_try(struct cgroup_place *p, enum cgroup_kind kind, const char *parent)
{
	struct err e = ERR_INIT;
	struct cgroup g;
	char name[40];
	struct cgroup_place place = {.kind = kind, .parent = (char *)parent};
	snprintf(name, sizeof name, TRY_NAME "%d", (int)getpid());
	tries_sweep(parent);
	int ret = cgroup_make(&g, &place, name, 64 << 20, &e);
	if (!ret) {
		ret = enter_try(&g);
		if (ret)
			err_sys(&e, -ret, "cannot move a process into a new cgroup below %s",
				parent);
		cgroup_remove(&g, NULL);
	}
	if (ret) {
		snprintf(p->why, sizeof p->why, "%.290s", e.msg);
		return false;
	}
	p->kind = kind;
	p->parent = xstrdup(parent);
	p->why[0] = 0;
	return true;
}

static bool kind_try(struct cgroup_place *p, const char *root, enum cgroup_kind kind)
{
	struct cgroup_where w;
	bool found = false;
	if (!cgroup_where(root, kind, &w))
		return false;
	if (kind == CGROUP_V1) {
		found = place_try(p, kind, w.own);
	} else {
		/* in version 2 a group with processes cannot have children with controllers: try
		 * beside it, then in each parent */
		size_t top = strlen(w.top);
		do {
			char *slash = strrchr(w.own, '/');
			if (strlen(w.own) > top && slash)
				*slash = 0;
			found = place_try(p, kind, w.own);
		} while (!found && strlen(w.own) > top);
	}
	cgroup_where_release(&w);
	return found;
}

void cgroup_find(struct cgroup_place *p, const char *root)
{
	*p = (struct cgroup_place){.why = "no memory controller is mounted"};
	if (!kind_try(p, root, CGROUP_V1))
		kind_try(p, root, CGROUP_V2);
}

void cgroup_place_release(struct cgroup_place *p)
{
	free(p->parent);
	*p = (struct cgroup_place){0};
}

/* --- groups -------------------------------------------------------------- */

int cgroup_make(struct cgroup *g, const struct cgroup_place *p, const char *name,
		uint64_t limit_bytes, struct err *e)
{
	char limit[30];
	*g = (struct cgroup){.kind = p->kind};
	g->dir = xasprintf("%s/%s", p->parent, name);
	g->procs = xasprintf("%s/cgroup.procs", g->dir);
	int ret = mkdir(g->dir, 0755) < 0 && errno != EEXIST
		      ? err_sys(e, errno, "cannot create the memory cgroup %s", g->dir)
		      : 0;
	const bool made = !ret;
	snprintf(limit, sizeof limit, "%llu", (unsigned long long)limit_bytes);
	if (!ret && limit_bytes)
		ret =
		    file_put(g->dir, p->kind == CGROUP_V1 ? "memory.limit_in_bytes" : "memory.max",
			     limit, e);
	/* a measured run must not swap; without swap accounting this file is missing */
	if (!ret)
		file_put(g->dir, p->kind == CGROUP_V1 ? "memory.swappiness" : "memory.swap.max",
			 "0", NULL);
	if (ret && made)
		rmdir(g->dir);
	if (ret) {
		FREE_EACH(g->dir, g->procs);
		*g = (struct cgroup){0};
	}
	return ret;
}

/* Returns a number in a file of the group: the only number (key NULL), or the number after `key`; 0
 * if missing. */
static uint64_t number_get(const struct cgroup *g, const char *name, const char *key)
{
	char *path = xasprintf("%s/%s", g->dir, name), line[200];
	SCOPED_FILE FILE *in = fopen(path, "re");
	unsigned long long value = 0, v;
	free(path);
	while (in && fgets(line, sizeof line, in)) {
		size_t len = key ? strlen(key) : 0;
		if (key && (strncmp(line, key, len) || line[len] != ' '))
			continue;
		if (sscanf(line + len, "%llu", &v) == 1)
			value = v;
		break;
	}
	return value;
}

void cgroup_use(const struct cgroup *g, uint64_t *peak_bytes, uint64_t *n_killed)
{
	*peak_bytes = *n_killed = 0;
	if (!g->dir)
		return;
	bool v1 = g->kind == CGROUP_V1;
	*peak_bytes = number_get(g, v1 ? "memory.max_usage_in_bytes" : "memory.peak", NULL);
	*n_killed = number_get(g, v1 ? "memory.oom_control" : "memory.events", "oom_kill");
}

/* Killed processes need some time to leave the group, so this is repeated. */
int cgroup_remove_left(const char *dir)
{
	for (int i = 0; rmdir(dir) < 0; i++) {
		if (errno == ENOENT)
			return 0;
		if (errno != EBUSY || i == 200)
			return -errno;
		nanosleep(&(struct timespec){0, 1000000L * (i < 10 ? 1 : 10)}, NULL);
	}
	return 0;
}

int cgroup_remove(struct cgroup *g, struct err *e)
{
	int ret = 0;
	if (g->dir) {
		ret = cgroup_remove_left(g->dir);
		if (ret)
			ret = err_sys(e, -ret, "cannot remove the memory cgroup %s", g->dir);
	}
	FREE_EACH(g->dir, g->procs);
	*g = (struct cgroup){0};
	return ret;
}
