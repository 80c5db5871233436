/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results over months: a file to which campaigns are added and from which nothing is taken away.
 *
 * The file is an SQLite database: one row a campaign, one an entry (a case of it: a scenario and a
 * replayer), one an environment, shared by the campaigns that ran in it. Triggers refuse to change
 * or delete. The order is that of adding, whatever the campaigns' dates say. application_id marks
 * it as ours, user_version is the version of its tables. What an entry is charted by is the mean
 * over its pairs of ln(x/r), the replay's mean response time over that of the program run again in
 * the same block. */
#ifndef VALIDATE_HISTORY_H
#define VALIDATE_HISTORY_H

#include "validate/compare/baseline.h"

struct history_campaign {
	long long number; /* from 1, in the order of adding */
	char *campaign;	  /* baseline.campaign */
	char *date, *label, *title, *protocol_hash, *program_version, *host;
	size_t environment; /* index */
	bool goes_back; /* its date is earlier than that of the campaign added before it */
};

struct history_entry {
	size_t campaign; /* index */
	size_t n;	 /* pairs with both response times */
	double mean, sd; /* of ln(x/r); NaN: none */
	double bias, bias_lo95, bias_hi95, u_c, u_c_df, U95; /* as in baseline_case; NaN: none */
	char *settings, *verdict;
};

struct history_series { /* a scenario and a replayer */
	long long id; /* in the file */
	char *scenario, *replayer;
	struct history_entry *entry; /* in the order of adding */
	size_t n, cap;
};

struct history {
	char *source;
	struct history_campaign *campaign;
	size_t n_campaigns, cap_campaigns;
	struct history_series *series; /* in the order of their first entries */
	size_t n_series, cap_series;
	char **environment; /* each a JSON object: fact, value */
	size_t n_environments, cap_environments;
};

struct history_added {
	long long number;
	size_t n_entries;
	/* what is to be said when its date is earlier than that of the one before; NULL; owned by
	 * the caller */
	char *goes_back;
};

/* Adds a campaign in one transaction; makes the file where there is none. `label` may be NULL. It
 * waits up to 10 s for another writer. Errors: EEXIST for a campaign that is there, naming it;
 * EINVAL for a file that is no history or damaged, or a baseline without cases; EPROTONOSUPPORT for
 * another version of the tables; EROFS, ENOSPC, EBUSY; EIO. */
int history_add(const char *path, const struct baseline *b, const char *label,
		struct history_added *added, struct err *e);

struct history_filter {
	const char *scenario, *replayer; /* NULL: all */
	long long from; /* campaigns from this number on */
	const char *host; /* made there; NULL: anywhere */
};
/* Errors: as history_add, never made; ENOENT where nothing is left by the filter. Ownership:
 * history_release. */
int history_load(struct history *h, const char *path, const struct history_filter *f,
		 struct err *e);
void history_release(struct history *h);

/* ln(x/r) over the pairs of a case. Returns the number of pairs that have it; mean and sd NaN where
 * they do not exist. */
size_t history_measure(const struct baseline_case *c, double *mean, double *sd);

#endif
