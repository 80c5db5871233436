/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results over months: a file to which campaigns are added, and from which nothing is removed.
 *
 * It is an SQLite database with a row for each campaign, for each entry (a case: a scenario and a
 * replayer), and for each environment, which campaigns share. Triggers refuse changes and
 * deletions. Rows are in the order in which they were added; history_load() orders them by the date
 * of the campaign. application_id identifies the file type, user_version the version of the tables.
 * The charted value of an entry is the mean over its pairs of ln(x/r): mean response time of the
 * replay over that of the program in the same block. */
#pragma once

#include "validate/compare/baseline.h"

struct history_campaign {
	long long number; /* from 1, in the order of adding */
	char *campaign;	  /* baseline.campaign */
	char *date, *label, *title, *protocol_hash, *program_version, *host;
	size_t environment; /* index */
	/* its date precedes that of the campaign that was added before it */
	bool goes_back;
};

struct history_entry {
	size_t campaign; /* index */
	size_t n;	 /* pairs with both response times */
	double mean, sd; /* of ln(x/r); NaN: none */
	/* as in baseline_case; NaN: none */
	double bias, bias_lo95, bias_hi95, u_c, u_c_df, U95;
	char *settings, *verdict;
};

struct history_series { /* a scenario and a replayer */
	long long id; /* in the file */
	char *scenario, *replayer;
	struct history_entry *entry; /* in the order of the campaigns */
	size_t n, cap;
};

struct history {
	char *source;
	/* by date; campaigns with equal dates in the order in which they were added */
	struct history_campaign *campaign;
	size_t n_campaigns, cap_campaigns;
	struct history_series *series; /* in the order of their first entries */
	size_t n_series, cap_series;
	char **environment; /* [n] JSON objects: fact, value */
	size_t n_environments, cap_environments;
};

struct history_added {
	long long number;
	size_t n_entries;
	/* the previous campaign, if its date is later; NULL: it is not; owned by the caller */
	char *later_date;
	long long later_number;
};

/* Adds a campaign in one transaction; creates a missing file. `label` may be NULL. Waits up to 10 s
 * for another writer. Errors: EEXIST for a known campaign, with its name; EINVAL for a damaged
 * file, a file that is not a history, or a baseline without cases; EPROTONOSUPPORT for another
 * version of the tables; EROFS, ENOSPC, EBUSY; EIO. */
int history_add(const char *path, const struct baseline *b, const char *label,
		struct history_added *added, struct err *e);

struct history_filter {
	const char *scenario, *replayer; /* NULL: all */
	long long from; /* smallest number of a campaign */
	const char *host; /* host of the campaign; NULL: any */
};
/* Reads a history, but does not create it. Errors: those of history_add(); ENOENT if no entry
 * passes the filter. Ownership: history_release(). */
int history_load(struct history *h, const char *path, const struct history_filter *f,
		 struct err *e);
void history_release(struct history *h);

/* Compares dates such as "2026-11-22T00:45:00Z". Also false if a date is NULL or malformed, because
 * then the order is unknown. */
bool date_is_earlier(const char *date, const char *than);
