/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fnmatch.h>

#include "common/sort.h"
#include "validate/history/history.h"
#include "validate/history/history_db.h"

#define DD "[0-9][0-9]"

static bool is_date(const char *s)
{
	return s && !fnmatch(DD DD "-" DD "-" DD "T" DD ":" DD ":" DD "Z", s, 0);
}

/* Calls `take` for each row of a statement that has the filter's parameters: ?1 from, ?2 scenario,
 * ?3 replayer, ?4 host. */
static int rows_read(struct history_db *r, const struct history_filter *f, struct history *h,
		     const char *sql,
		     int (*take)(struct history_db *, struct history *, sqlite3_stmt *))
{
	sqlite3_stmt *s;
	int ret = history_db_prepare(r, &s, sql, NULL, 0);
	if (ret)
		return ret;
	/* binding a parameter that the statement does not have does nothing */
	sqlite3_bind_int64(s, 1, f->from);
	history_db_bind_text(s, 2, f->scenario);
	history_db_bind_text(s, 3, f->replayer);
	history_db_bind_text(s, 4, f->host);
	while (!ret && (ret = history_db_next(r, s)) == 1)
		ret = take(r, h, s);
	sqlite3_finalize(s);
	return ret;
}

static int reference_refuse(struct history_db *r, const char *what)
{
	return err_set(r->e, EINVAL, "%s is damaged: %s", r->path, what);
}

/* Reads an environment. Ids count from 1 without gaps, because nothing is deleted. */
static int environment_take(struct history_db *r, struct history *h, sqlite3_stmt *s)
{
	if (sqlite3_column_int64(s, 0) != (sqlite3_int64)h->n_environments + 1)
		return reference_refuse(r, "an environment is missing");
	APPEND(h->environment, h->n_environments, h->cap_environments, history_db_text(s, 1));
	return 0;
}

static int campaign_take(struct history_db *r, struct history *h, sqlite3_stmt *s)
{
	sqlite3_int64 environment = sqlite3_column_int64(s, 8);
	if (environment < 1 || (size_t)environment > h->n_environments)
		return reference_refuse(r, "a campaign refers to an environment that does not "
					   "exist");
	GROW(h->campaign, h->n_campaigns, h->cap_campaigns);
	struct history_campaign *c = &h->campaign[h->n_campaigns++];
	*c = (struct history_campaign){.number = sqlite3_column_int64(s, 0),
		.campaign = history_db_text(s, 1), .date = history_db_text(s, 2),
		.label = history_db_text(s, 3), .title = history_db_text(s, 4),
		.protocol_hash = history_db_text(s, 5), .program_version = history_db_text(s, 6),
		.host = history_db_text(s, 7), .environment = (size_t)environment - 1};
	c->goes_back = h->n_campaigns > 1 && date_is_earlier(c->date, c[-1].date);
	return 0;
}

static int by_number(const void *number, const void *campaign)
{
	const long long a = *(const long long *)number,
			b = ((const struct history_campaign *)campaign)->number;
	return (a > b) - (a < b);
}

static int entry_take(struct history_db *r, struct history *h, sqlite3_stmt *s)
{
	long long id = sqlite3_column_int64(s, 0);
	if (!h->n_series || h->series[h->n_series - 1].id != id) {
		APPEND(h->series, h->n_series, h->cap_series, (struct history_series){.id = id,
			.scenario = history_db_text(s, 1), .replayer = history_db_text(s, 2)});
	}
	struct history_series *one = &h->series[h->n_series - 1];
	const long long number = sqlite3_column_int64(s, 3);
	const struct history_campaign *campaign =
	    h->n_campaigns
		? bsearch(&number, h->campaign, h->n_campaigns, sizeof *campaign, by_number)
		: NULL;
	if (!campaign)
		return reference_refuse(r, "an entry refers to a campaign that does not exist");
	GROW(one->entry, one->n, one->cap);
	one->entry[one->n++] = (struct history_entry){.campaign = (size_t)(campaign - h->campaign),
		.n = (size_t)sqlite3_column_int64(s, 4), .mean = history_db_number(s, 5),
		.sd = history_db_number(s, 6), .bias = history_db_number(s, 7),
		.bias_lo95 = history_db_number(s, 8), .bias_hi95 = history_db_number(s, 9),
		.u_c = history_db_number(s, 10), .u_c_df = history_db_number(s, 11),
		.U95 = history_db_number(s, 12), .settings = history_db_text(s, 13),
		.verdict = history_db_text(s, 14)};
	return 0;
}

static int all_read(struct history_db *r, const struct history_filter *f, struct history *h)
{
	int ret =
	    rows_read(r, f, h, "SELECT id, facts FROM environment ORDER BY id", environment_take);
	ret = ret ? ret
		  : rows_read(r, f, h,
			      "SELECT id, campaign, date, label, title, protocol_hash, "
			      "program_version, host, environment FROM campaign WHERE id >= ?1 AND "
			      "(?4 IS NULL OR host = ?4) ORDER BY id", campaign_take);
	return ret ? ret
		   : rows_read(r, f, h,
			       "SELECT s.id, s.scenario, s.replayer, e.campaign, e.n, e.mean_ln, "
			       "e.sd_ln, e.bias, e.bias_lo95, e.bias_hi95, e.u_c, e.u_c_df, e.U95, "
			       "e.settings, e.verdict FROM entry e JOIN series s ON s.id = "
			       "e.series WHERE e.campaign >= ?1 AND (?2 IS NULL OR s.scenario = "
			       "?2) AND (?3 IS NULL OR s.replayer = ?3) AND (?4 IS NULL OR ?4 = "
			       "(SELECT host FROM campaign c WHERE c.id = e.campaign)) ORDER BY "
			       "e.series, e.campaign", entry_take);
}

/* --- order by the time of the run ---------------------------------------- */

struct dated {
	const char *date; /* date of the campaign, or that of the campaign before it; NULL: none */
	size_t at;	  /* index in the order of adding */
};

static int by_date(const void *x, const void *y)
{
	const struct dated *a = x, *b = y;
	const int dates = a->date && b->date ? strcmp(a->date, b->date)
					     : (a->date != NULL) - (b->date != NULL);
	return dates ? dates : (a->at > b->at) - (a->at < b->at);
}

ORDER_BY(by_campaign, struct history_entry, campaign)

/* Orders campaigns by date. A campaign without a valid date stays after the campaign that was added
 * before it. */
static void order_by_date(struct history *h)
{
	const size_t n = h->n_campaigns;
	SCOPED_FREE struct dated *order = xcalloc(n + 1, sizeof *order);
	struct history_campaign *sorted = xcalloc(n + 1, sizeof *sorted);
	SCOPED_FREE size_t *place = xcalloc(n + 1, sizeof *place);
	for (size_t i = 0; i < n; i++)
		order[i] = (struct dated){is_date(h->campaign[i].date) ? h->campaign[i].date
					  : i			       ? order[i - 1].date
								       : NULL, i};
	qsort(order, n, sizeof *order, by_date);
	for (size_t i = 0; i < n; i++) {
		sorted[i] = h->campaign[order[i].at];
		place[order[i].at] = i;
	}
	free(h->campaign);
	h->campaign = sorted;
	h->cap_campaigns = n + 1;
	for (size_t i = 0; i < h->n_series; i++) {
		struct history_series *s = &h->series[i];
		for (size_t k = 0; k < s->n; k++)
			s->entry[k].campaign = place[s->entry[k].campaign];
		qsort(s->entry, s->n, sizeof *s->entry, by_campaign);
	}
}

int history_load(struct history *h, const char *path, const struct history_filter *f, struct err *e)
{
	struct history_db r = {.path = path, .e = e};
	char from[40] = "";
	*h = (struct history){.source = xstrdup(path)};
	int ret = history_db_open(&r, false);
	ret = ret ? ret : all_read(&r, f, h);
	ret = history_db_close(&r, ret);
	if (f->from > 1)
		snprintf(from, sizeof from, " from campaign %lld", f->from);
	if (!ret && !h->n_series)
		ret = err_set(e, ENOENT, "%s has no entry%s%s%s%s%s%s%s%s", path,
			      f->scenario ? " of scenario " : "", f->scenario ? f->scenario : "",
			      f->replayer ? " of replayer " : "", f->replayer ? f->replayer : "",
			      f->host ? " of host " : "", f->host ? f->host : "", from,
			      *from ? " on" : "");
	if (ret)
		history_release(h);
	else
		order_by_date(h);
	return ret;
}

static void series_release(struct history_series *s)
{
	for (size_t i = 0; i < s->n; i++) {
		FREE_EACH(s->entry[i].settings, s->entry[i].verdict);
	}
	FREE_EACH(s->entry, s->scenario, s->replayer);
}

void history_release(struct history *h)
{
	for (size_t i = 0; i < h->n_campaigns; i++) {
		struct history_campaign *c = &h->campaign[i];
		char *const text[] = {c->campaign, c->date, c->label, c->title, c->protocol_hash,
				      c->program_version, c->host};
		for (size_t k = 0; k < sizeof text / sizeof *text; k++)
			free(text[k]);
	}
	for (size_t i = 0; i < h->n_series; i++)
		series_release(&h->series[i]);
	for (size_t i = 0; i < h->n_environments; i++)
		free(h->environment[i]);
	FREE_EACH(h->campaign, h->series, h->environment, h->source);
	*h = (struct history){0};
}

bool date_is_earlier(const char *date, const char *than)
{
	return is_date(date) && is_date(than) && strcmp(date, than) < 0;
}
