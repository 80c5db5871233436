/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/cgroup_where.h"

#include "common/files.h"

/* --- place of the group ------------------------------------------------- */

/* Is `word` an item of a comma-separated list? */
static bool list_has(const char *list, const char *word)
{
	size_t len = strlen(word);
	for (const char *p = list; *p; p += strcspn(p, ",\n"), p += *p != 0)
		if (!strncmp(p, word, len) && (!p[len] || strchr(",\n", p[len])))
			return true;
	return false;
}

struct mount_found {
	char point[500], root[500];
};

/* Finds the mount of a controller (v1) or of the unified hierarchy (v2) in mountinfo. */
static bool mount_find(const char *root, enum cgroup_kind kind, const char *controller,
		       struct mount_found *m)
{
	SCOPED_FREE char *path = xasprintf("%s/proc/self/mountinfo", root);
	SCOPED_FILE FILE *in = fopen(path, "re");
	char line[2000];
	bool found = false;
	while (in && !found && fgets(line, sizeof line, in)) {
		char type[50], options[500];
		char *tail = strstr(line, " - ");
		if (!tail || sscanf(tail, " - %49s %*s %499s", type, options) != 2 ||
		    sscanf(line, "%*s %*s %*s %499s %499s", m->root, m->point) != 2)
			continue;
		found = kind == CGROUP_V1 ? !strcmp(type, "cgroup") && list_has(options, controller)
					  : !strcmp(type, "cgroup2");
	}
	return found;
}

/* Finds the group of this process: the path after "N:CONTROLLER:" or "0::". */
static bool own_group(const char *root, enum cgroup_kind kind, const char *controller, char *out,
		      size_t size)
{
	SCOPED_FREE char *path = xasprintf("%s/proc/self/cgroup", root);
	SCOPED_FILE FILE *in = fopen(path, "re");
	char line[1000];
	bool found = false;
	while (in && !found && fgets(line, sizeof line, in)) {
		char *controllers = strchr(line, ':'),
		     *group = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!group)
			continue;
		*group++ = 0;
		found = kind == CGROUP_V1 ? list_has(controllers + 1, controller)
					  : !controllers[1] && !strncmp(line, "0:", 2);
		group[strcspn(group, "\n")] = 0;
		snprintf(out, size, "%s", group);
	}
	return found;
}

bool cgroup_where_of(const char *root, enum cgroup_kind kind, const char *controller,
		     struct cgroup_where *w)
{
	struct mount_found m;
	char group[1000];
	if (!mount_find(root, kind, controller, &m) ||
	    !own_group(root, kind, controller, group, sizeof group))
		return false;
	/* in a container, the mount shows only a part of the hierarchy */
	/* Length of the prefix of the group's name that the mount point stands for. 0: the group is
	 * not below the mount point. */
	const char *directory = m.root;
	const size_t len = strlen(directory);
	size_t skip = strcmp(directory, "/") && !strncmp(group, directory, len) &&
			      (!group[len] || group[len] == '/')
			  ? len
			  : 0;
	w->top = xasprintf("%s%s", root, m.point);
	w->own = xasprintf("%s%s", w->top, strcmp(group + skip, "/") ? group + skip : "");
	if (!path_exists(w->own)) {
		free(w->own);
		w->own = xstrdup(w->top);
	}
	return true;
}

bool cgroup_where(const char *root, enum cgroup_kind kind, struct cgroup_where *w)
{
	return cgroup_where_of(root, kind, "memory", w);
}

void cgroup_where_release(struct cgroup_where *w)
{
	FREE_EACH(w->top, w->own);
	*w = (struct cgroup_where){NULL, NULL};
}

/* --- room for memory ---------------------------------------------------- */

/* Reads a number from a file: the whole file if `key` is NULL, otherwise the number after `key`.
 * False: there is no number, as in "max". */
static bool number_get(const char *dir, const char *name, const char *key, uint64_t *value)
{
	SCOPED_FREE char *path = xasprintf("%s/%s", dir, name);
	SCOPED_FILE FILE *in = fopen(path, "re");
	char line[200];
	size_t len = key ? strlen(key) : 0;
	unsigned long long v;
	bool found = false;
	while (in && !found && fgets(line, sizeof line, in)) {
		if (key && (strncmp(line, key, len) || line[len] != ' '))
			continue;
		found = sscanf(line + len, "%llu", &v) == 1;
		if (!found && !key)
			break;
	}
	if (found)
		*value = v;
	return found;
}

static void room_of(const char *dir, enum cgroup_kind kind, struct cgroup_room *room)
{
	bool v1 = kind == CGROUP_V1;
	uint64_t limit, anonymous = 0;
	if (!number_get(dir, v1 ? "memory.limit_in_bytes" : "memory.max", NULL, &limit))
		return;
	number_get(dir, "memory.stat", v1 ? "total_rss" : "anon", &anonymous);
	uint64_t left = limit > anonymous ? limit - anonymous : 0;
	if (room->limit_bytes == UINT64_MAX || left < room->limit_bytes - room->anonymous_bytes)
		*room = (struct cgroup_room){limit, anonymous < limit ? anonymous : limit};
}

static void room_upwards(const char *root, enum cgroup_kind kind, struct cgroup_room *room)
{
	struct cgroup_where w;
	if (!cgroup_where(root, kind, &w))
		return;
	for (size_t top = strlen(w.top); strlen(w.own) >= top;) {
		room_of(w.own, kind, room);
		char *slash = strrchr(w.own, '/');
		if (!slash || strlen(w.own) == top)
			break;
		*slash = 0;
	}
	cgroup_where_release(&w);
}

struct cgroup_room cgroup_room(const char *root)
{
	struct cgroup_room room = {UINT64_MAX, 0};
	room_upwards(root, CGROUP_V1, &room);
	room_upwards(root, CGROUP_V2, &room);
	return room;
}
