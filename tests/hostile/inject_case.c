/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cases of fault injection, and the points at which each is tried. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inject_walk.h"

const char *const family_names[N_FAMILIES] = {
#define X(ID, NAME) NAME,
    FAMILIES(X)
#undef X
};

static const struct {
	const char *name;
	int fault;
} faults[] = {{"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EINTR", EINTR},
	      {"ENOMEM", ENOMEM}, {"EMFILE", EMFILE}, {"EAGAIN", EAGAIN},
	      {"ENOSYS", ENOSYS}, {"ENOLCK", ENOLCK}, {"SHORT", FAULT_SHORT}};
#define N_FAULTS (sizeof faults / sizeof *faults)

/* Possible faults of each family; 0 ends a list. */
static const int faults_of[N_FAMILIES][5] = {
    [READ] = {EIO, EINTR, FAULT_SHORT},
    [WRITE] = {EIO, ENOSPC, EINTR, FAULT_SHORT},
    [OPEN] = {EIO, EMFILE, ENOMEM},
    [CLOSE] = {EIO},
    [SYNC] = {EIO, ENOSPC},
    [RENAME] = {EIO, ENOSPC},
    [UNLINK] = {EIO},
    [STAT] = {EIO, ENOMEM},
    [TRUNCATE] = {EIO, ENOSPC},
    [MKDIR] = {EIO, ENOSPC},
    [OPENDIR] = {EIO, EMFILE},
    [READDIR] = {EIO},
    [SEEK] = {EIO},
    [COPY] = {EIO, ENOSPC, FAULT_SHORT},
    [STREAM_READ] = {EIO},
    [STREAM_WRITE] = {EIO, ENOSPC},
    [STREAM_CLOSE] = {EIO, ENOSPC},
    [MALLOC] = {ENOMEM},
    [MMAP] = {ENOMEM},
    [FORK] = {EAGAIN, ENOMEM},
    [EXEC] = {ENOMEM},
    [THREAD] = {EAGAIN},
    [PIPE] = {EMFILE},
    [WAIT] = {EINTR},
    [POLL] = {EINTR},
    [LOCK] = {EINTR, ENOLCK},
    [IOCTL] = {EIO, EINTR},
    [SYSCALL] = {EIO, ENOSYS},
};

const char *fault_name(int fault)
{
	for (size_t i = 0; i < N_FAULTS; i++)
		if (faults[i].fault == fault)
			return faults[i].name;
	return "?";
}

int fault_by_name(const char *name)
{
	for (size_t i = 0; i < N_FAULTS; i++)
		if (!strcmp(faults[i].name, name))
			return faults[i].fault;
	give_up("no fault is called %s", name);
}

int family_by_name(const char *name)
{
	for (int i = 0; i < N_FAMILIES; i++)
		if (!strcmp(family_names[i], name))
			return i;
	give_up("no family of calls is called %s", name);
}

/* A program in PATH, or a file. */
static bool is_there(const char *name)
{
	char *test = text_make("command -v '%s' >/dev/null || [ -e '%s' ]", name, name);
	bool there = !system(test);
	free(test);
	return there;
}

static void option_take(struct fault_case *c, char *word)
{
	if (!strcmp(word, "vary"))
		c->vary_output = true;
	else if (!strcmp(word, "free"))
		c->free_tree = true;
	else if (!strcmp(word, "rare"))
		c->rare = true;
	else if (!strcmp(word, "preload"))
		c->preload_only = true;
	else if (!strncmp(word, "need=", 5))
		c->left_out |= !is_there(word + 5);
	else if (!strncmp(word, "script=", 7))
		c->script = text_make("%s", word + 7);
	else if (!strncmp(word, "data=", 5))
		c->data = text_make("%s", word + 5);
	else if (!strncmp(word, "stays=", 6))
		c->stays = text_make("%s", word + 6);
	else if (!strncmp(word, "from=", 5))
		c->from = text_make("%s", word + 5);
	else if (!strncmp(word, "check=", 6))
		c->check = text_make("%s", word + 6);
	else if (!strncmp(word, "status=", 7))
		for (const char *s = word + 7; *s; s++)
			c->good |= *s == ',' ? 0 : 1u << (*s - '0');
	else
		give_up("case %s: no option is called %s", c->name, word);
}

static void line_take(struct fault_case *c, char *line, const char *program)
{
	char *rest = line, *place, *name = strsep(&rest, "|"), *options = strsep(&rest, "|");
	size_t n = 0;
	if (!rest)
		give_up("a case is NAME | OPTIONS | ARGUMENTS, not: %s", line);
	name = strtok_r(name, " \t", &place);
	c->name = text_make("%s", name ? name : "");
	for (char *w = strtok_r(options, " \t", &place); w; w = strtok_r(NULL, " \t", &place))
		option_take(c, w);
	if (c->script) {
		c->argv[n++] = text_make("sh");
		c->argv[n++] = text_make("../in/%s", c->script);
	}
	c->argv[n++] = text_make("%s", program);
	for (char *w = strtok_r(rest, " \t\n", &place); w && n < 63;
	     w = strtok_r(NULL, " \t\n", &place))
		c->argv[n++] = text_make("%s", w);
}

size_t cases_read(struct fault_case **cases, const char *path, const char *program)
{
	FILE *f = fopen(path, "r");
	char line[4096];
	size_t n = 0;
	*cases = NULL;
	if (!f)
		give_up("cannot open %s: %s", path, strerror(errno));
	while (fgets(line, sizeof line, f)) {
		if (*line == '#' || *line == '\n')
			continue;
		*cases = realloc(*cases, (n + 1) * sizeof **cases);
		if (!*cases)
			give_up("out of memory");
		memset(*cases + n, 0, sizeof **cases);
		line_take(*cases + n++, line, program);
	}
	fclose(f);
	return n;
}

static uint64_t draw(uint64_t *seed) /* splitmix64 */
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static void shuffle(struct fault_point *p, size_t n, uint64_t *seed)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = draw(seed) % i;
		struct fault_point t = p[i - 1];
		p[i - 1] = p[j];
		p[j] = t;
	}
}

void cases_shuffle(struct fault_case *cases, size_t n, uint64_t seed)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = draw(&seed) % i;
		struct fault_case t = cases[i - 1];
		cases[i - 1] = cases[j];
		cases[j] = t;
	}
	for (size_t i = 0, end = n; i < end; i++) /* the rare ones last */
		if (cases[i].rare) {
			struct fault_case t = cases[i];
			cases[i--] = cases[--end];
			cases[end] = t;
		}
}

void case_points(struct fault_case *c, const struct inject_state *s, uint64_t *seed)
{
	enum { N_SEEN = 1 << 20 };
	static uint32_t seen[N_SEEN];
	struct fault_point *late = NULL;
	size_t n_late = 0, n_all = 0;
	for (int f = 0; f < N_FAMILIES; f++)
		n_all += 4 * (c->count[f] < MAX_LOGGED ? c->count[f] : MAX_LOGGED);
	c->point = malloc((n_all + 1) * sizeof *c->point);
	late = malloc((n_all + 1) * sizeof *late);
	if (!c->point || !late)
		give_up("out of memory");
	for (int f = 0; f < N_FAMILIES; f++) {
		memset(seen, 0, sizeof seen);
		for (uint32_t n = 1; n <= c->count[f] && n <= MAX_LOGGED; n++) {
			uint32_t site = s->site[f][n - 1], at = site % N_SEEN;
			while (seen[at] && seen[at] != site)
				at = (at + 1) % N_SEEN;
			for (const int *fault = faults_of[f]; *fault; fault++) {
				struct fault_point p = {(uint8_t)f, (uint16_t)*fault, n};
				if (site && seen[at] == site)
					late[n_late++] = p;
				else
					c->point[c->n_points++] = p;
			}
			seen[at] = site;
		}
	}
	shuffle(c->point, c->n_points, seed);
	shuffle(late, n_late, seed);
	memcpy(c->point + c->n_points, late, n_late * sizeof *late);
	c->n_points += n_late;
	free(late);
}
