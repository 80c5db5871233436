/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "validate/history/history.h"
#include "validate/history/history_db.h"
#include "validate/stats/moments.h"

/* Computes ln(x/r) over the pairs of a case. Returns the number of pairs that have it. mean and sd
 * are NaN if undefined. */
static size_t history_measure(const struct baseline_case *c, double *mean, double *sd)
{
	SCOPED_FREE double *v = xcalloc(c->n + 1, sizeof *v);
	struct sample_moments m;
	size_t n = 0;
	for (size_t i = 0; i < c->n; i++) {
		double ratio = log(c->column[COLUMN_X_MEAN][i] / c->column[COLUMN_R_MEAN][i]);
		if (isfinite(ratio))
			v[n++] = ratio;
	}
	*mean = *sd = NAN;
	if (n && !sample_moments(v, n, &m)) {
		*mean = m.mean;
		*sd = m.spread ? NAN : m.sd;
	}
	return n;
}

struct history_writer {
	sqlite3 *db;
	const char *path;
	struct err *e;
};

/* Runs a statement whose parameters are texts. */
static int texts_run(struct history_writer *w, const char *sql, const char *const *text, int n,
		     long long id)
{
	sqlite3_stmt *s;
	int ret = history_db_prepare(w->db, w->path, &s, sql, w->e);
	if (ret)
		return ret;
	for (int i = 0; i < n; i++)
		history_db_bind_text(s, i + 1, text[i]);
	if (id)
		sqlite3_bind_int64(s, n + 1, id);
	ret = history_db_step_done(w->db, w->path, s, w->e);
	sqlite3_finalize(s);
	return ret;
}

/* Returns the id of the row with these text values. */
static int id_find(struct history_writer *w, const char *sql, const char *const *text, int n,
		   long long *id)
{
	sqlite3_stmt *s;
	int ret = history_db_prepare(w->db, w->path, &s, sql, w->e);
	if (ret)
		return ret;
	for (int i = 0; i < n; i++)
		history_db_bind_text(s, i + 1, text[i]);
	int code = sqlite3_step(s);
	*id = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		ret = history_db_err(w->db, w->path, w->e);
	sqlite3_finalize(s);
	return ret;
}

static int campaign_is_new(struct history_writer *w, const struct baseline *b)
{
	sqlite3_stmt *s;
	int ret = history_db_prepare(
	    w->db, w->path, &s, "SELECT id, date, label, source FROM campaign WHERE campaign = ?1",
	    w->e);
	if (ret)
		return ret;
	history_db_bind_text(s, 1, b->campaign);
	int code = sqlite3_step(s);
	if (code == SQLITE_ROW) {
		const char *date = (const char *)sqlite3_column_text(s, 1),
			   *label = (const char *)sqlite3_column_text(s, 2);
		ret = err_set(
		    w->e, EEXIST, "%s already has campaign %s (%s): it is number %lld of %s%s%s",
		    b->source, b->campaign, b->title ? b->title : "", sqlite3_column_int64(s, 0),
		    date ? date : "an unknown date", label ? ", " : "", label ? label : "");
	} else if (code != SQLITE_DONE)
		ret = history_db_err(w->db, w->path, w->e);
	sqlite3_finalize(s);
	return ret;
}

static int date_compare(struct history_writer *w, const struct baseline *b,
			struct history_added *added)
{
	sqlite3_stmt *s;
	int ret = history_db_prepare(
	    w->db, w->path, &s, "SELECT date, id FROM campaign ORDER BY id DESC LIMIT 1", w->e);
	if (ret)
		return ret;
	int code = sqlite3_step(s);
	const char *before = code == SQLITE_ROW ? (const char *)sqlite3_column_text(s, 0) : NULL;
	if (date_is_earlier(b->date, before)) {
		added->later_number = sqlite3_column_int64(s, 1);
		added->later_date = xstrdup(before);
	}
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		ret = history_db_err(w->db, w->path, w->e);
	sqlite3_finalize(s);
	return ret;
}

static char *facts_text(const struct baseline *b)
{
	json_auto_t *o = json_object();
	for (size_t i = 0; i < b->n_facts; i++)
		json_object_set_new(o, b->fact[i].name,
				    b->fact[i].value ? json_string(b->fact[i].value) : json_null());
	return json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);
}

static int environment_take(struct history_writer *w, const struct baseline *b, long long *id)
{
	char *facts = facts_text(b);
	if (!facts)
		return err_set(w->e, ENOMEM, "%s: out of memory", b->source);
	const char *const text[] = {facts};
	int ret = texts_run(w, "INSERT INTO environment(facts) VALUES(?1) ON CONFLICT DO NOTHING",
			    text, 1, 0);
	ret = ret ? ret : id_find(w, "SELECT id FROM environment WHERE facts = ?1", text, 1, id);
	free(facts);
	return ret;
}

static int entry_put(struct history_writer *w, const struct baseline *b,
		     const struct baseline_case *c, long long campaign)
{
	const char *const names[] = {b->scenario[c->scenario].name, c->replayer};
	double mean, sd;
	size_t n = history_measure(c, &mean, &sd);
	long long series = 0;
	sqlite3_stmt *s = NULL;
	int ret = texts_run(
	    w, "INSERT INTO series(scenario, replayer) VALUES(?1, ?2) ON CONFLICT DO NOTHING",
	    names, 2, 0);
	ret = ret ? ret
		  : id_find(w, "SELECT id FROM series WHERE scenario = ?1 AND replayer = ?2", names,
			    2, &series);
	ret = ret ? ret
		  : history_db_prepare(
			w->db, w->path, &s,
			"INSERT INTO entry VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14)",
			w->e);
	if (ret)
		return ret;
	const double number[] = {mean,         sd,     c->bias,   c->bias_lo95,
				 c->bias_hi95, c->u_c, c->u_c_df, c->U95};
	sqlite3_bind_int64(s, 1, series);
	sqlite3_bind_int64(s, 2, campaign);
	sqlite3_bind_int64(s, 3, (sqlite3_int64)n);
	for (int i = 0; i < 8; i++)
		history_db_bind_number(s, 4 + i, number[i]);
	history_db_bind_text(s, 12, c->settings);
	history_db_bind_text(s, 13, c->verdict);
	history_db_bind_text(s, 14, c->reason);
	ret = history_db_step_done(w->db, w->path, s, w->e);
	sqlite3_finalize(s);
	return ret;
}

static int campaign_put(struct history_writer *w, const struct baseline *b, const char *label,
			struct history_added *added)
{
	const char *const text[] = {b->campaign, b->date, label, b->title, b->protocol,
				    b->protocol_hash, b->program_version, b->host, b->source};
	long long environment = 0;
	int ret = campaign_is_new(w, b);
	ret = ret ? ret : date_compare(w, b, added);
	ret = ret ? ret : environment_take(w, b, &environment);
	ret = ret ? ret
		  : texts_run(w,
			      "INSERT INTO campaign(campaign, date, label, title, protocol, "
			      "protocol_hash, program_version, host, source, environment) "
			      "VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)", text, 9, environment);
	added->number = sqlite3_last_insert_rowid(w->db);
	for (size_t i = 0; i < b->n_cells && !ret; i++)
		ret = entry_put(w, b, &b->cell[i], added->number);
	added->n_entries = b->n_cells;
	return ret;
}

int history_add(const char *path, const struct baseline *b, const char *label,
		struct history_added *added, struct err *e)
{
	struct history_writer w = {NULL, path, e};
	*added = (struct history_added){0};
	if (!b->n_cells)
		return err_set(e, EINVAL, "%s has no case: there is nothing to add", b->source);
	int ret = history_db_open(&w.db, path, true, e);
	ret = ret ? ret : campaign_put(&w, b, label, added);
	ret = history_db_close(w.db, path, ret, e);
	if (ret) {
		free(added->later_date);
		added->later_date = NULL;
	}
	return ret;
}
