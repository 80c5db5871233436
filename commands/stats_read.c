/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the samples of validate stats. A sample is a column of a file, or the columns of equal name
 * in several files, which are sessions. */
#include "commands/stats.h"

/* --- selection of lines ------------------------------------------------- */

int stats_conditions_split(const char *text, struct stats_conditions *w, struct err *e)
{
	int ret = words_split(&w->item, text, e);
	for (size_t i = 0; i < w->item.n && !ret; i++) {
		char *equals = strchr(w->item.v[i], '=');
		if (!equals || equals == w->item.v[i] || i == STATS_MAX_CONDITIONS) {
			ret = err_set(e, EINVAL, "\"%s\": expected COLUMN=TEXT or COLUMN!=TEXT, "
				"and at most %d conditions", w->item.v[i], STATS_MAX_CONDITIONS);
			continue;
		}
		w->except[i] = equals[-1] == '!';
		equals[w->except[i] ? -1 : 0] = 0;
		w->text[i] = equals + 1;
	}
	if (ret)
		words_list_release(&w->item);
	return ret;
}

void stats_conditions_choose(const struct stats_conditions *w, struct column_choice *choice)
{
	for (size_t i = 0; i < w->item.n; i++)
		choice[i] = (struct column_choice){w->item.v[i], true, w->text[i], w->except[i]};
}

/* --- columns and files --------------------------------------------------- */

struct plan {
	const char *selector[STATS_MAX_SAMPLES];
	size_t n_selectors;
	struct stats_conditions where;
	char **path;
	size_t n_paths;
	size_t n_samples, n_files; /* n_files: files of each sample */
	struct columns *columns;   /* [n_samples * n_files] */
};

/* Splits "2,3" in place into selectors; sets NULL for an empty one. */
static size_t selectors_split(char *text, const char **selector, size_t most)
{
	size_t n = 0;
	char *rest = NULL;
	for (char *item = strtok_r(text, ",", &rest); item && n < most;
	     item = strtok_r(NULL, ",", &rest))
		selector[n++] = item;
	return n;
}

/* The first path that is given twice, or NULL. */
static const char *given_twice(const struct plan *p)
{
	for (size_t i = 0; i < p->n_paths; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(p->path[i], p->path[j]))
				return p->path[i];
	return NULL;
}

static int plan_make(struct plan *p, const struct stats_config *config, struct err *e)
{
	size_t n_standard = 0;
	if (config->files_are_sessions) {
		p->n_samples = p->n_selectors ? p->n_selectors : 1;
		p->n_files = p->n_paths;
		if (p->n_paths < 2 || config->sessions)
			return err_set(e, EINVAL,
				"--files-are-sessions needs two files or more, and cannot be "
				"used together with --sessions");
		if (given_twice(p))
			return err_set(e, EINVAL, "--files-are-sessions: %s is given twice",
				       given_twice(p));
	} else {
		p->n_samples = p->n_paths == 1 && p->n_selectors > 1 ? p->n_selectors : p->n_paths;
		p->n_files = 1;
		if (p->n_paths > 1 && p->n_selectors > 1 && p->n_selectors != p->n_paths)
			return err_set(e, EINVAL,
				       "--column needs one column, or one for each file");
	}
	for (size_t i = 0; i < p->n_paths; i++)
		n_standard += !strcmp(p->path[i], "-");
	if (n_standard > 1 || (n_standard && p->n_samples * p->n_files > p->n_paths))
		return err_set(e, EINVAL, "standard input can be read only once%s",
			       p->n_paths == 1 ? ": name a file instead of -" : "");
	return 0;
}

/* Reads column i of the plan: sample i / n_files from file i % n_files. */
static int column_read(struct plan *p, size_t i, const struct stats_config *config, struct err *e)
{
	struct column_choice choice[2 + STATS_MAX_CONDITIONS];
	size_t sample = i / p->n_files, k = 0;
	size_t file = p->n_files > 1 ? i % p->n_files : p->n_paths > 1 ? sample : 0;
	const char *column = p->n_selectors > 1 ? p->selector[sample]
			     : p->n_selectors   ? p->selector[0]
						: NULL;
	choice[k++] = (struct column_choice){column, false, NULL, false};
	if (config->sessions)
		choice[k++] = (struct column_choice){config->sessions, true, NULL, false};
	stats_conditions_choose(&p->where, &choice[k]);
	return columns_read(&p->columns[i], p->path[file], choice, k + p->where.item.n,
			    (enum columns_header)config->header, e);
}

static int plan_read(struct plan *p, const struct stats_config *config, struct err *e)
{
	size_t n = p->n_samples * p->n_files;
	int ret = 0;
	p->columns = xcalloc(n, sizeof *p->columns);
	for (size_t i = 0; i < n && !ret; i++) {
		const struct columns *c = &p->columns[i], *first = p->columns;
		ret = column_read(p, i, config, e);
		if (!ret && c->unit_ns && first->unit_ns && c->unit_ns != first->unit_ns)
			ret = err_set(e, EBADMSG, "%s and %s have different units: convert the "
				"values to one unit", first->path, c->path);
	}
	return ret;
}

/* --- samples ------------------------------------------------------------- */

/* Concatenates the values of all files. The session of a value is the path of its file. */
static void columns_concatenate(struct columns *to, const struct columns *file, size_t n_files)
{
	*to = (struct columns){.n_columns = 2, .column = xcalloc(2, sizeof *to->column)};
	for (size_t i = 0; i < n_files; i++)
		to->n += file[i].n;
	to->path = xasprintf("%s and %zu more", file[0].path, n_files - 1);
	to->column[0].name = xstrdup(file[0].column[0].name);
	to->column[1].name = xstrdup("file");
	to->column[0].x = xcalloc(to->n, sizeof *to->column[0].x);
	to->column[1].label = xcalloc(to->n, sizeof *to->column[1].label);
	for (size_t i = 0, at = 0; i < n_files; i++)
		for (size_t j = 0; j < file[i].n; j++, at++) {
			to->column[0].x[at] = file[i].column[0].x[j];
			to->column[1].label[at] = xstrdup(file[i].path);
		}
}

/* Removes columns that were used only to select lines. */
static void forget_conditions(struct columns *c, size_t n_kept)
{
	for (size_t i = n_kept; i < c->n_columns; i++) {
		for (size_t j = 0; j < c->n; j++)
			free(c->column[i].label[j]);
		FREE_EACH(c->column[i].label, c->column[i].name);
	}
	c->n_columns = n_kept;
}

/* Refuses a negative response time, which is an error of the input. A zero is accepted: the
 * statistics have a status for it. */
static int values_check(const struct columns *c, struct err *e)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->column[0].x[i] < 0)
			return err_set(e, EBADMSG,
				       "%s: value %zu is %g, but a response time cannot be "
				       "negative",
				       c->path, i + 1, c->column[0].x[i]);
	return 0;
}

static int samples_take(struct stats *s, struct plan *p, struct err *e)
{
	int ret = 0;
	s->n = p->n_samples;
	s->sample = xcalloc(s->n, sizeof *s->sample);
	for (size_t i = 0; i < p->n_samples * p->n_files; i++) {
		forget_conditions(&p->columns[i], s->config->sessions ? 2 : 1);
		if (!ret && p->n_samples > 1)
			ret = values_check(&p->columns[i], e);
	}
	for (size_t i = 0; i < p->n_samples; i++) {
		struct columns *of = &p->columns[i * p->n_files];
		if (p->n_files > 1) {
			columns_concatenate(&s->sample[i].columns, of, p->n_files);
		} else {
			s->sample[i].columns = *of;
			*of = (struct columns){0};
		}
		s->sample[i].column = &s->sample[i].columns.column[0];
	}
	/* lines of one file are pairs, so both columns of each file need the same number of
	 * lines */
	for (size_t i = p->n_files;
	     i < p->n_samples * p->n_files && s->config->paired && p->n_files > 1 && !ret; i++)
		if (p->columns[i].n != p->columns[i % p->n_files].n)
			ret = err_set(e, EBADMSG, "%s: --paired needs columns of equal length, but "
				"they have %zu and %zu values",
				p->columns[i].path, p->columns[i % p->n_files].n, p->columns[i].n);
	return ret;
}

int stats_read(struct stats *s, char **path, size_t n_paths, struct err *e)
{
	struct plan p = {.path = path, .n_paths = n_paths};
	SCOPED_STRBUF text = STRBUF_INIT;
	for (size_t i = 0; i < s->config->column.n; i++)
		strbuf_addf(&text, "%s,", s->config->column.text[i]);
	p.n_selectors = selectors_split(text.s, p.selector, STATS_MAX_SAMPLES);
	int ret = s->config->where ? stats_conditions_split(s->config->where, &p.where, e) : 0;
	ret = ret ? ret : plan_make(&p, s->config, e);
	if (!ret) {
		ret = plan_read(&p, s->config, e);
		ret = ret ? ret : samples_take(s, &p, e);
		/* one errno for every error, because the message states the place */
		if (ret)
			ret = -EBADMSG;
	}
	for (size_t i = 0; p.columns && i < p.n_samples * p.n_files; i++)
		columns_release(&p.columns[i]);
	free(p.columns);
	words_list_release(&p.where.item);
	return ret;
}

void stats_sample_release(struct stats_sample *s)
{
	column_sample_release(&s->sample);
	FREE_EACH(s->sessions.label, s->sessions.group, s->sessions.x);
	estimates_release(&s->sessions.estimates);
	columns_release(&s->columns);
}

void stats_sessions_find(struct stats_sessions *g, const struct columns *c)
{
	const size_t n = c->n;
	size_t at = 0;
	SCOPED_FREE size_t *of = xcalloc(n, sizeof *of), *filled = xcalloc(n, sizeof *filled);
	g->label = xcalloc(n, sizeof *g->label);
	g->group = xcalloc(n, sizeof *g->group);
	g->x = xcalloc(n, sizeof *g->x);
	for (size_t i = 0; i < n; i++) {
		size_t k = g->n;
		while (k > 0 && strcmp(g->label[k - 1], c->column[1].label[i]))
			k--;
		of[i] = k ? k - 1 : g->n;
		if (!k)
			g->label[g->n++] = c->column[1].label[i];
		g->group[of[i]].n++;
	}
	for (size_t k = 0; k < g->n; k++) {
		g->group[k].x = g->x + at;
		filled[k] = at;
		at += g->group[k].n;
	}
	for (size_t i = 0; i < n; i++)
		g->x[filled[of[i]]++] = c->column[0].x[i];
}
