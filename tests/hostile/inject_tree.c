/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the files below a directory, with digests. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject_walk.h"

static uint64_t sum_bytes(uint64_t sum, const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum = (sum ^ p[i]) * 1099511628211u;
	return sum;
}

uint64_t file_sum(const char *path)
{
	unsigned char part[65536];
	uint64_t sum = 14695981039346656037u;
	ssize_t got;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return 0;
	while ((got = read(fd, part, sizeof part)) > 0)
		sum = sum_bytes(sum, part, (size_t)got);
	close(fd);
	return got < 0 ? 0 : sum;
}

static void tree_add(struct tree *t, const char *dir, const char *inside)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	while (d && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		char *path = text_make("%s/%s", dir, e->d_name),
		     *name = text_make("%s%s", inside, e->d_name), target[4096];
		struct stat st;
		uint64_t digest = 0;
		if (lstat(path, &st) < 0)
			st.st_mode = 0;
		if (S_ISREG(st.st_mode))
			digest = file_sum(path);
		ssize_t len = S_ISLNK(st.st_mode) ? readlink(path, target, sizeof target) : -1;
		if (len > 0)
			digest = sum_bytes(1, (unsigned char *)target, (size_t)len);
		t->entry = realloc(t->entry, (t->n + 1) * sizeof *t->entry);
		if (!t->entry)
			give_up("out of memory");
		t->entry[t->n++] = (struct tree_entry){.path = name, .mode = st.st_mode, .digest = digest};
		if (S_ISDIR(st.st_mode)) {
			char *below = text_make("%s/", name);
			tree_add(t, path, below);
			free(below);
		}
		free(path);
	}
	if (d)
		closedir(d);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct tree_entry *)a)->path, ((const struct tree_entry *)b)->path);
}

void tree_take(struct tree *t, const char *dir)
{
	memset(t, 0, sizeof *t);
	tree_add(t, dir, "");
	if (t->n)
		qsort(t->entry, t->n, sizeof *t->entry, by_path);
}

void tree_release(struct tree *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->entry[i].path);
	free(t->entry);
	memset(t, 0, sizeof *t);
}

const struct tree_entry *tree_find(const struct tree *t, const char *path)
{
	struct tree_entry key = {.path = (char *)path};
	return t->n ? bsearch(&key, t->entry, t->n, sizeof key, by_path) : NULL;
}
