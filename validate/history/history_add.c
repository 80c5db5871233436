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

/* Runs a statement whose parameters are texts. */
static int texts_run(struct history_db *h, const char *sql, const char *const *text, int n)
{
	sqlite3_stmt *s;
	int ret = history_db_prepare(h, &s, sql, text, n);
	return ret ? ret : history_db_run(h, s);
}

static int campaign_is_new(struct history_db *h, const struct baseline *b)
{
	sqlite3_stmt *s;
	int ret = history_db_prepare(
	    h, &s, "SELECT id, date, label, source FROM campaign WHERE campaign = ?1",
	    (const char *const[]){b->campaign}, 1);
	if (ret)
		return ret;
	ret = history_db_next(h, s);
	if (ret == 1) {
		const char *date = (const char *)sqlite3_column_text(s, 1),
			   *label = (const char *)sqlite3_column_text(s, 2);
		ret = err_set(
		    h->e, EEXIST, "%s already contains campaign %s of %s, as number %lld (%s%s%s): "
		    "nothing was added",
		    h->path, b->campaign, b->source, sqlite3_column_int64(s, 0),
		    date ? date : "an unknown date", label ? ", " : "", label ? label : "");
	}
	sqlite3_finalize(s);
	return ret;
}

static int date_compare(struct history_db *h, const struct baseline *b,
			struct history_added *added)
{
	sqlite3_stmt *s;
	int ret = history_db_prepare(
	    h, &s, "SELECT date, id FROM campaign ORDER BY id DESC LIMIT 1", NULL, 0);
	if (ret)
		return ret;
	ret = history_db_next(h, s);
	const char *before = ret == 1 ? (const char *)sqlite3_column_text(s, 0) : NULL;
	if (date_is_earlier(b->date, before)) {
		added->later_number = sqlite3_column_int64(s, 1);
		added->later_date = xstrdup(before);
	}
	sqlite3_finalize(s);
	return ret < 0 ? ret : 0;
}

static char *facts_text(const struct baseline *b)
{
	json_auto_t *o = json_object();
	for (size_t i = 0; i < b->n_facts; i++)
		json_object_set_new(o, b->fact[i].name,
				    b->fact[i].value ? json_string(b->fact[i].value) : json_null());
	return json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);
}

static int entry_put(struct history_db *h, const struct baseline *b, const struct baseline_case *c,
		     long long campaign)
{
	const char *const names[] = {b->scenario[c->scenario].name, c->replayer};
	double mean, sd;
	size_t n = history_measure(c, &mean, &sd);
	sqlite3_stmt *s = NULL;
	int ret = texts_run(
	    h, "INSERT INTO series(scenario, replayer) VALUES(?1, ?2) ON CONFLICT DO NOTHING",
	    names, 2);
	ret = ret ? ret
		  : history_db_prepare(
			h, &s,
			"INSERT INTO entry VALUES((SELECT id FROM series WHERE scenario = ?1 AND "
			"replayer = ?2),?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15)", names, 2);
	if (ret)
		return ret;
	const double number[] = {mean,         sd,     c->bias,   c->bias_lo95,
				 c->bias_hi95, c->u_c, c->u_c_df, c->U95};
	sqlite3_bind_int64(s, 3, campaign);
	sqlite3_bind_int64(s, 4, (sqlite3_int64)n);
	for (int i = 0; i < 8; i++)
		history_db_bind_number(s, 5 + i, number[i]);
	history_db_bind_text(s, 13, c->settings);
	history_db_bind_text(s, 14, c->verdict);
	history_db_bind_text(s, 15, c->reason);
	return history_db_run(h, s);
}

static int campaign_put(struct history_db *h, const struct baseline *b, const char *label,
			struct history_added *added)
{
	SCOPED_FREE char *facts = facts_text(b);
	const char *const text[] = {facts, b->campaign, b->date, label, b->title, b->protocol,
				    b->protocol_hash, b->program_version, b->host, b->source};
	int ret = campaign_is_new(h, b);
	ret = ret ? ret : date_compare(h, b, added);
	if (!ret && !facts)
		ret = err_set(h->e, ENOMEM, "%s: out of memory", b->source);
	ret = ret ? ret
		  : texts_run(h, "INSERT INTO environment(facts) VALUES(?1) ON CONFLICT DO NOTHING",
			      text, 1);
	ret = ret ? ret
		  : texts_run(h,
			      "INSERT INTO campaign(campaign, date, label, title, protocol, "
			      "protocol_hash, program_version, host, source, environment) "
			      "VALUES(?2,?3,?4,?5,?6,?7,?8,?9,?10,(SELECT id FROM environment "
			      "WHERE facts = ?1))", text, 10);
	added->number = sqlite3_last_insert_rowid(h->db);
	for (size_t i = 0; i < b->n_cells && !ret; i++)
		ret = entry_put(h, b, &b->cell[i], added->number);
	added->n_entries = b->n_cells;
	return ret;
}

int history_add(const char *path, const struct baseline *b, const char *label,
		struct history_added *added, struct err *e)
{
	struct history_db h = {.path = path, .e = e};
	*added = (struct history_added){0};
	if (!b->n_cells)
		return err_set(e, EINVAL, "%s has no case: there is nothing to add", b->source);
	int ret = history_db_open(&h, true);
	ret = ret ? ret : campaign_put(&h, b, label, added);
	ret = history_db_close(&h, ret);
	if (ret) {
		free(added->later_date);
		added->later_date = NULL;
	}
	return ret;
}
