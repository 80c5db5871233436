/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/mpi_leftovers.h"

#include "common/process_maps.h"
#include "common/sort.h"

#define DIR_OF "/dev/shm"
#define PREFIX "vader_segment." /* followed by host, user, job and rank */

/* Containers with other host names may share the directory, and their processes are not visible
 * here. OpenMPI writes the host name with or without the domain. */
static bool is_of_this_host(const char *name)
{
	char host[HOST_NAME_MAX + 1] = "";
	(void)!gethostname(host, sizeof host - 1);
	const size_t len = strcspn(host, ".");
	return !strncmp(name, PREFIX, strlen(PREFIX)) &&
	       !strncmp(name + strlen(PREFIX), host, len) && name[strlen(PREFIX) + len] == '.';
}

static void names_list(struct mpi_leftovers *m)
{
	SCOPED_DIR DIR *d = opendir(DIR_OF);
	*m = (struct mpi_leftovers){0};
	for (struct dirent *entry; d && (entry = readdir(d));) {
		if (!is_of_this_host(entry->d_name))
			continue;
		APPEND(m->name, m->n, m->cap, xstrdup(entry->d_name));
	}
	SORT(m->name, m->n, order_text);
}

static void names_release(struct mpi_leftovers *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->name[i]);
	free(m->name);
	*m = (struct mpi_leftovers){0};
}

void mpi_leftovers_note(struct mpi_leftovers *m)
{
	names_list(m);
}

size_t mpi_leftovers_remove(struct mpi_leftovers *m)
{
	struct mpi_leftovers now;
	struct stat st;
	size_t n = 0;
	names_list(&now);
	for (size_t i = 0; i < now.n; i++) {
		if (m->n && bsearch(&now.name[i], m->name, m->n, sizeof *m->name, order_text))
			continue;
		SCOPED_FREE char *path = xasprintf(DIR_OF "/%s", now.name[i]);
		if (!lstat(path, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
		    !processes_opening(path) && !processes_mapping(path, NULL, 0))
			n += !unlink(path);
	}
	names_release(&now);
	names_release(m);
	return n;
}
