/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Control charts of a series: did a replayer's result in a scenario stay what it was?
 *
 * The value is an entry's mean of ln(x/r). Centre and limits are frozen from the first `baseline`
 * entries that are in control: entries beyond the limits for individuals are left out and later
 * ones taken in their place, until none is. With fewer than `baseline` of them the limits still
 * move as entries come; with fewer than HISTORY_BASELINE_MIN there are none. Four charts look at
 * all entries, those of the baseline too, z being the distance from the centre in standard
 * deviations (mean moving range / d2): individuals (3 sigma) for a single large deviation, moving
 * range for a jump from one entry to the next, CUSUM (k 0.5, h 5) and EWMA (lambda 0.2, L 2.962)
 * for small lasting ones. In control each signals about once in 370 to 500 entries where the limits
 * are known (the moving range in 110); more often where they come from few entries
 * (tests/unit/validate/test_history_alarms.c). The onset of a step is its maximum-likelihood
 * estimate (Samuel, Pignatiello and Calvin, 1998). Source: ISO 7870; Montgomery, Statistical
 * quality control; stats/control.h. */
#ifndef VALIDATE_HISTORY_CHARTS_H
#define VALIDATE_HISTORY_CHARTS_H

#include "validate/history/history.h"
#include "validate/stats/control.h"

#define HISTORY_BASELINE_MIN 8
#define HISTORY_BASELINE 20
#define HISTORY_CUSUM_K 0.5
#define HISTORY_CUSUM_H 5.0
#define HISTORY_EWMA_LAMBDA 0.2
#define HISTORY_EWMA_L 2.962

enum history_chart { CHART_INDIVIDUALS, CHART_MOVING_RANGE, CHART_CUSUM, CHART_EWMA, CHART_N };
/* "individuals", "moving range", "CUSUM", "EWMA", NULL */
extern const char *const history_chart_names[];

enum history_kind {
	/* individuals: an entry, or some in a row, beyond the limits; CUSUM, EWMA: one entry alone
	 */
	KIND_OUTLIER,
	KIND_JUMP,  /* beyond the limit for moving ranges */
	KIND_SHIFT, /* lasting, on one level */
	KIND_DRIFT, /* lasting, and growing: a ramp explains more than a step does */
	KIND_N
};
extern const char *const history_kind_names[]; /* "outlier", "jump", "shift", "drift", NULL */

/* An excursion of one chart. Places are indices into the charted entries. */
struct history_signal {
	enum history_chart chart;
	enum history_kind kind;
	/* CUSUM, EWMA: where the step or ramp that fits best began, between where the chart left 0
	 * and where it signalled */
	size_t onset;
	size_t first; /* where the chart signalled */
	size_t last;  /* the last entry beyond; CUSUM: that of the largest sum */
	bool lasting; /* up to the last entry there is */
	int direction; /* +1, -1; 0 for a jump */
	/* of x/r from onset to last, relative to the centre; a jump: between the two entries; 0.1
	 * is 10 % */
	double change;
	bool has_change_of_environment;
	/* the entry since which it is another one: nearest to the onset, not after `first` */
	size_t environment;
};

struct history_charts {
	const struct history_series *series; /* borrowed */
	enum stat_status status; /* of limits, z and all below; STAT_TOO_FEW, STAT_ZERO_VARIANCE */
	size_t *at; /* [n], the series' entries that have a value */
	size_t n;
	double *x;	/* [n], mean of ln(x/r) */
	bool *in_base; /* [n] */
	size_t n_base, n_wanted;
	struct individuals_chart limits;
	double *z, *ewma; /* [n] */
	struct cusum *cusum; /* [n] */
	struct history_signal *signal; /* by onset */
	size_t n_signals, cap_signals;
};

/* `baseline`: at least HISTORY_BASELINE_MIN. Ownership: history_charts_release; the history must
 * outlive it. */
void history_charts_make(struct history_charts *c, const struct history *h,
			 const struct history_series *s, size_t baseline);
void history_charts_release(struct history_charts *c);

/* What a report is of. */
struct history_study {
	const struct history *history; /* borrowed */
	struct history_charts *charts; /* [history->n_series] */
	size_t baseline;
	size_t n_signals, n_signalling; /* signals; series that have one */
};
void history_study_make(struct history_study *s, const struct history *h, size_t baseline);
void history_study_release(struct history_study *s);

#endif
