/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows whether the result of a replayer in a scenario is stable. Change points (events.h) give the
 * answer. Control charts are shown beside them.
 *
 * The value of an entry is the mean of ln(x/r). Centre and limits are computed from the first
 * `baseline` entries in control and then stay fixed: entries beyond the limits for individuals are
 * replaced by later entries until none is beyond them. With fewer than `baseline` entries the
 * limits still change; with fewer than HISTORY_BASELINE_MIN there are no limits. Four charts cover
 * all entries, including the baseline; z is the distance from the centre in standard deviations
 * (mean moving range / d2). Individuals (3 sigma) find a single large deviation; the moving range
 * finds a jump between two entries; CUSUM (k 0.5, h 5) and EWMA (lambda 0.2, L 2.962) find small
 * lasting changes. In control, with known limits, each chart signals about once in 370 to 500
 * entries (the moving range once in 110), and more often if the limits come from few entries
 * (tests/unit/validate/test_history_alarms.c). The onset of a step is its maximum-likelihood
 * estimate (Samuel, Pignatiello and Calvin, 1998). Source: ISO 7870; Montgomery, Statistical
 * quality control; stats/control.h. */
#pragma once

#include "validate/history/events.h"
#include "validate/history/history.h"
#include "validate/stats/control.h"

#define HISTORY_BASELINE_MIN 8
#define HISTORY_BASELINE 20
#define HISTORY_CUSUM_K 0.5
#define HISTORY_CUSUM_H 5.0
#define HISTORY_EWMA_LAMBDA 0.2
#define HISTORY_EWMA_L 2.962

enum history_chart { CHART_INDIVIDUALS, CHART_MOVING_RANGE, CHART_CUSUM, CHART_EWMA, CHART_N };
/* Names: "individuals", "moving range", "CUSUM", "EWMA", NULL. */
extern const char *const history_chart_names[];

enum history_kind {
	KIND_OUTLIER, /* a single entry */
	KIND_JUMP,    /* beyond the limit of moving ranges */
	/* CUSUM, EWMA: lasting, at one level; individuals: consecutive entries beyond the limits */
	KIND_SHIFT,
	KIND_DRIFT, /* lasting and growing: a ramp fits better than a step */
	KIND_N
};
/* Names: "outlier", "jump", "shift", "drift", NULL. */
extern const char *const history_kind_names[];

/* An excursion of one chart. Members are indices of charted entries unless stated otherwise. */
struct history_signal {
	enum history_chart chart;
	enum history_kind kind;
	/* CUSUM, EWMA: start of the best-fitting step or ramp, between the last 0 of the chart and
	 * its signal */
	size_t onset;
	size_t first; /* first entry beyond the limit */
	/* last entry beyond the limit; CUSUM: entry of the largest sum */
	size_t last;
	bool lasting; /* up to the last entry */
	int direction; /* +1, -1; 0 for a jump */
	/* of x/r, relative to the centre, from onset to last; for a jump: between the two entries;
	 * 0.1 is 10 % */
	double change;
};

/* A change point (events.h). Its indices are those of charted entries. */
struct history_event {
	struct event is;
	bool has_change;
	/* entry of the series with changed environment, settings or protocol that is nearest to the
	 * onset, within the interval of the onset */
	size_t environment;
};

struct history_charts {
	const struct history_series *series; /* borrowed */
	/* status of limits, z and all following members: STAT_TOO_FEW, STAT_ZERO_VARIANCE */
	enum stat_status status;
	size_t *at; /* [n], indices of the entries of the series that have a value */
	size_t n;
	double *x;	/* [n], mean of ln(x/r) */
	bool *in_base; /* [n] */
	size_t n_base, n_wanted;
	struct individuals_chart limits;
	double *z, *ewma; /* [n] */
	struct cusum *cusum; /* [n] */
	struct history_signal *signal; /* in the order of onset */
	size_t n_signals, cap_signals;
	/* [n_events], in the order of onset; does not depend on limits */
	struct history_event *event;
	size_t n_events;
};

/* Makes the charts. `baseline`: at least HISTORY_BASELINE_MIN. The history must outlive the charts.
 * Ownership: history_charts_release(). */
void history_charts_make(struct history_charts *c, const struct history *h,
			 const struct history_series *s, size_t baseline);
/* Makes only the control charts, without events. */
void history_charts_control(struct history_charts *c, const struct history_series *s,
			    size_t baseline);
void history_charts_release(struct history_charts *c);

/* Input of a report. */
struct history_study {
	const struct history *history; /* borrowed */
	struct history_charts *charts; /* [history->n_series] */
	size_t baseline;
	/* number of events; number of series that have events; number of series with limits */
	size_t n_events, n_changed, n_with_limits;
};
/* Makes the charts of every series. `baseline`: number of entries that set the limits. Borrows `h`.
 * Ownership: history_study_release(). */
void history_study_make(struct history_study *s, const struct history *h, size_t baseline);
void history_study_release(struct history_study *s);
