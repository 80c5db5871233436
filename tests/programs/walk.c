/* SPDX-License-Identifier: GPL-3.0-or-later */
/* walk DIR: walks through a tree with functions of the C library: nftw with and without changing
 * directories, ftw, fts in both ways, glob. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int n;

static void need(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "walk: %s\n", what);
		exit(9);
	}
}

static int count(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)path, (void)st, (void)type, (void)where;
	n++;
	return 0;
}

/* Called in the directory of the entry, where the path is only the name. */
static int touch(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	return type == FTW_F ? access(path + where->base, F_OK) : 0;
}

static int count_simply(const char *path, const struct stat *st, int type)
{
	return count(path, st, type, NULL);
}

static int walk_by_fts(char *top, int options)
{
	char *const tops[] = {top, (char *)"none/such", NULL};
	FTS *f = fts_open(tops, options, NULL);
	int seen = 0;
	need(f != NULL, "fts_open");
	for (FTSENT *x; (x = fts_read(f)); seen++)
		if (x->fts_info == FTS_F)
			need(access(x->fts_accpath, R_OK) == 0, "access");
	need(fts_close(f) == 0, "fts_close");
	return seen;
}

int main(int argc, char **argv)
{
	char *top = argv[argc - 1], pattern[4096];
	glob_t found;
	need(nftw(top, count, 5, FTW_PHYS) == 0 && nftw(top, touch, 5, FTW_PHYS | FTW_CHDIR) == 0 &&
		 ftw(top, count_simply, 5) == 0,
	     "nftw");
	need(walk_by_fts(top, FTS_PHYSICAL | FTS_NOCHDIR) == walk_by_fts(top, FTS_PHYSICAL), "fts");
	need(access(top, F_OK) == 0, "the working directory is as before");
	snprintf(pattern, sizeof pattern, "%s/*.c", top);
	need(glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 2, "glob of one directory");
	snprintf(pattern, sizeof pattern, "%s/*/?", top);
	need(glob(pattern, 0, NULL, &found) == 0, "glob of several");
	need(glob("none/such", 0, NULL, &found) == GLOB_NOMATCH, "glob of nothing");
	need(glob("none/such", GLOB_NOCHECK, NULL, &found) == 0, "glob that does not look");
	need(glob("none/such", GLOB_NOMAGIC, NULL, &found) == 0, "glob that does not look");
	return 0;
}
