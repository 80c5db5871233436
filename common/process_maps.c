/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/process_maps.h"

static bool file_is_open(const char *pid, const char *path)
{
	char name[300], file[PATH_MAX];
	const size_t len = strlen(path);
	bool found = false;
	snprintf(name, sizeof name, "/proc/%s/fd", pid);
	SCOPED_DIR DIR *d = opendir(name);
	for (struct dirent *entry; d && !found && (entry = readdir(d));) {
		const ssize_t got = readlinkat(dirfd(d), entry->d_name, file, sizeof file);
		found = got == (ssize_t)len && !memcmp(file, path, len);
	}
	return found;
}

static bool file_is_mapped(const char *pid, const char *path)
{
	char name[300], *line = NULL;
	size_t cap = 0;
	bool found = false;
	snprintf(name, sizeof name, "/proc/%s/maps", pid);
	SCOPED_FILE FILE *f = fopen(name, "re");
	while (f && !found && getline(&line, &cap, f) > 0) {
		/* the fields before the path contain no slash */
		const char *file = strchr(line, '/');
		found = file && !strncmp(file, path, strlen(path));
	}
	free(line);
	return found;
}

static size_t processes_find(bool (*has)(const char *pid, const char *path), const char *path,
			     pid_t *pid, size_t n_max)
{
	size_t n = 0;
	SCOPED_DIR DIR *d = opendir("/proc");
	for (struct dirent *entry; d && (entry = readdir(d));) {
		if (*entry->d_name < '1' || *entry->d_name > '9' || !has(entry->d_name, path))
			continue;
		if (n < n_max)
			pid[n] = (pid_t)strtol(entry->d_name, NULL, 10);
		n++;
	}
	return n;
}

size_t processes_mapping(const char *path, pid_t *pid, size_t n_max)
{
	return processes_find(file_is_mapped, path, pid, n_max);
}

size_t processes_opening(const char *path)
{
	return processes_find(file_is_open, path, NULL, 0);
}
