/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/process_maps.h"

#include <dirent.h>

static bool maps(const char *pid, const char *path)
{
	char name[300], *line = NULL;
	size_t cap = 0;
	bool found = false;
	snprintf(name, sizeof name, "/proc/%s/maps", pid);
	FILE *f = fopen(name, "re");
	while (f && !found && getline(&line, &cap, f) > 0) {
		const char *file = strchr(line, '/'); /* what is before it are numbers */
		found = file && !strncmp(file, path, strlen(path));
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

size_t processes_mapping(const char *path, pid_t *pid, size_t n_max)
{
	size_t n = 0;
	DIR *d = opendir("/proc");
	for (struct dirent *entry; d && (entry = readdir(d));) {
		if (*entry->d_name < '1' || *entry->d_name > '9' || !maps(entry->d_name, path))
			continue;
		if (n < n_max)
			pid[n] = (pid_t)strtol(entry->d_name, NULL, 10);
		n++;
	}
	if (d)
		closedir(d);
	return n;
}
