/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Equivalence as a ratio of means, and the combination of equivalence and difference tests.
 *
 * Ratio form: limits 1 - theta and 1/(1 - theta), at equal distances in logarithms. With
 * logarithms: two one-sided Welch tests of mean ln x - mean ln r against ln(1 - theta) and -ln(1 -
 * theta) (a ratio of geometric means). By Fieller: the 1 - 2 alpha interval of mean_x/mean_r is
 * inside the limits. Classes: equivalent (only TOST significant), different (only the difference
 * test significant), different_but_negligible (both significant), undetermined (neither). Source:
 * Schuirmann (1987); Sasabuchi (1980) and Fieller (1954) for ratios. */
#pragma once

#include "validate/stats/ratio.h"

/* Tests with logarithms. margin_pct = 100 theta, 0 < theta < 1. Errors: those of welch_test;
 * STAT_ZERO_REFERENCE, STAT_NEGATIVE_REFERENCE and STAT_OUT_OF_RANGE for values without a
 * logarithm. */
enum stat_status equivalence_log(const double *ref, size_t m, const double *rep, size_t n,
				 double margin_pct, struct equivalence *e) STAT_MUST_CHECK;

/* Errors: as fieller_interval. */
enum stat_status equivalence_fieller(const double *ref, size_t m, const double *rep, size_t n,
				     double margin_pct, double alpha, bool *inside) STAT_MUST_CHECK;

enum equivalence_class { CLASS_EQUIVALENT, CLASS_DIFFERENT, CLASS_BOTH, CLASS_UNDETERMINED };
/* "equivalent", "different", "different_but_negligible", ... */
extern const char *const equivalence_class_names[];

/* Finds the class by equivalence_test() and welch_test(), each at alpha. Errors: those of these
 * functions. */
enum stat_status equivalence_classify(const double *ref, size_t m, const double *rep, size_t n,
	double margin_pct, double alpha, enum equivalence_class *c) STAT_MUST_CHECK;
