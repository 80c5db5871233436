/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of one case (a replayer in a scenario), each with its status.
 *
 * Numbers of the same subject are a list. A row of a list declares a field of struct cell or of one
 * of its groups (cell.h), and describes the member of report.json, its schema and the columns of
 * tables (reports/model.h). A new number of a case is a row here and its computation.
 *
 *	X(type, field, name, format, description, ...)
 *
 * `name` is the member of report.json. `format` is the unit (reports/table.h: TIME is ns, RELATIVE
 * and SHARE are ratios, P is a probability). STATUS(field): the number is undefined unless this
 * field is STAT_OK. Without STATUS, NaN means undefined or unknown. */
#pragma once

#define CELL_FIELD(type, field, ...) type field;

#define CELL_RUNS(X)                                                                               \
	X(unsigned int, n_blocks, "n_blocks", COUNT, "Blocks, without block 0.")                   \
	X(unsigned int, n_pairs, "n_pairs", COUNT, "Pairs in which both runs succeeded.")          \
	X(unsigned int, n_failed_program, "n_failed_program", COUNT,                               \
	  "Failed runs of the program.")                                                           \
	X(unsigned int, n_failed_replayer, "n_failed_replayer", COUNT, "Failed replays.")          \
	X(bool, single_reference, "single_reference", TEXT,                                        \
	  "Recorded traces are the reference, and at least two pairs share one.")

/* Of the program (r) or the replays (x), paired by index. */
#define CELL_SIDE(X, side)                                                                         \
	X(struct sample, side, "mean_ns", TIME, "Mean response times of the runs.")                \
	X(struct sample, side##_median, "median_ns", TIME,                                         \
	  "Medians of the response times of the runs.")                                            \
	X(struct sample, side##_p99, "p99_ns", TIME,                                               \
	  "99th percentiles of the response times of the runs.")                                   \
	X(struct sample, side##_trimmed, "trimmed_mean_ns", TIME,                                  \
	  "Trimmed means of the runs: 10 % of the requests are left out at each end.")             \
	X(struct sample, side##_time, "execution_time_ns", TIME, "Execution times.")               \
	X(struct sample, side##_rate, "requests_per_s", RATE, "Requests per second.")

#define CELL_BIAS(X)                                                                               \
	X(double, correlation, "correlation", NUMBER,                                              \
	  "Correlation between the logarithms of the program's and of the replay's mean response " \
	  "times, over the pairs.")                                                                \
	X(struct estimate, bias, "bias", RELATIVE,                                                 \
	  "Relative bias of the means, from paired logarithms.")                                   \
	X(struct estimate, bias_independent, "bias_independent", RELATIVE,                         \
	  "Relative bias of the means, from independent samples.")                                 \
	X(struct estimate, bias_median, "bias_median", RELATIVE,                                   \
	  "Relative bias of the medians of the response times of the runs; not judged.")           \
	X(struct estimate, bias_trimmed, "bias_trimmed_mean", RELATIVE,                            \
	  "Relative bias of the trimmed means of the runs; not judged.")                           \
	X(struct estimate, precision_ratio, "precision_ratio", NUMBER,                             \
	  "Standard deviation of the replay divided by that of the program (Pitman-Morgan).")      \
	X(double, precision_lower95, "precision_lower95", NUMBER,                                  \
	  "One-sided lower 95 % limit of the ratio.", STATUS(precision_ratio.status))              \
	X(double, precision_upper95, "precision_upper95", NUMBER,                                  \
	  "One-sided upper 95 % limit of the ratio.", STATUS(precision_ratio.status))              \
	X(double, permutation_p_above, "permutation_p_above", P,                                   \
	  "One-sided P-value of a permutation test. Hypothesis: the ratio is at most its limit. "  \
	  "The labels are permuted within pairs.")                                                 \
	X(double, permutation_p_below, "permutation_p_below", P,                                   \
	  "One-sided P-value of a permutation test. Hypothesis: the ratio is at least its limit. " \
	  "The labels are permuted within pairs.")                                                 \
	X(struct estimate, precision_independent, "precision_ratio_independent", NUMBER,           \
	  "Precision ratio from independent samples, with F limits from logarithms.")

#define CELL_F_TEST(X)                                                                             \
	X(double, ratio, "ratio", NUMBER,                                                          \
	  "Variance of the replay divided by that of the program.", STATUS(status))                \
	X(double, critical, "critical", NUMBER, "Critical value at 5 %, one-sided.",               \
	  STATUS(status))                                                                          \
	X(double, p, "p", P, "P-value, one-sided.", STATUS(status))                                \
	X(double, p_two_sided, "p_two_sided", P, "P-value, two-sided.", STATUS(status))            \
	X(double, ci_lo, "ci_lo", NUMBER, "Lower 95 % limit of the ratio.", STATUS(status))        \
	X(double, ci_hi, "ci_hi", NUMBER, "Upper 95 % limit of the ratio.", STATUS(status))

#define CELL_OTHER_TESTS(X)                                                                        \
	X(double, brown_forsythe_p, "brown_forsythe_p", P,                                         \
	  "P-value of the Brown-Forsythe test of equal scatter, on logarithms.")                   \
	X(double, levene_p, "levene_p", P, "P-value of Levene's test, on logarithms.")             \
	X(double, welch_p, "welch_p", P, "P-value of Welch's test, on mean response times.")       \
	X(double, shapiro_p_x, "shapiro_p_replay", P,                                              \
	  "P-value of the Shapiro-Wilk test of normality of the replay's mean response times.")    \
	X(double, shapiro_p_r, "shapiro_p_program", P,                                             \
	  "P-value of the Shapiro-Wilk test of normality of the program's mean response times.")

#define CELL_EXPANDED(X)                                                                           \
	X(double, U95, "U95", SHARE, "U95 of one future replay.")                                  \
	X(double, machine, "machine", SHARE, "U95 of one future run of the program itself.")       \
	X(double, own, "replayer", SHARE,                                                          \
	  "The replayer's own part of U95: root of (`U95` squared - `machine` squared), or 0 if "  \
	  "`machine` is larger than `U95`.")

#define CELL_EXECUTION_TIME(X)                                                                     \
	X(struct estimate, execution_time, "execution_time", RELATIVE,                             \
	  "Relative deviation of the execution time.")                                             \
	X(double, execution_service, "execution_time_service", RELATIVE,                           \
	  "Part of the execution time's deviation that comes from the threads' time in requests.") \
	X(double, execution_schedule, "execution_time_schedule", RELATIVE,                         \
	  "Part of the execution time's deviation that comes from the threads' time between "      \
	  "requests.")

#define CELL_ISSUE_ERROR(X)                                                                        \
	X(struct estimate, p50, "p50_ns", TIME, "Median of the issue errors.")                     \
	X(struct estimate, p99, "p99_ns", TIME, "99th percentile of the issue errors.")            \
	X(double, max, "max_ns", TIME, "Largest issue error.", STATUS(p50.status))                 \
	X(double, share_late, "share_late", SHARE, "Share of the requests that were issued late.", \
	  STATUS(p50.status))                                                                      \
	X(struct estimate, late, "late", SHARE,                                                    \
	  "Share of the requests that were issued late, with its confidence limits.")              \
	X(struct estimate, cpu_delayed, "held_up", SHARE,                                          \
	  "Share of the requests that were CPU-delayed: their worker had no CPU when they were "   \
	  "due. Not assessed if the replays do not report this share.")                            \
	X(struct estimate, others_p99, "others_p99_ns", TIME,                                      \
	  "99th percentile of the issue errors of the requests that were not CPU-delayed.")

#define CELL_ORDER(X)                                                                              \
	X(uint64_t, n_received, "n_received", COUNT,                                               \
	  "Requests of the replays, without extra requests.")                                      \
	X(uint64_t, n_reordered, "n_reordered", COUNT, "Type-P-Reordered requests (RFC 4737).")    \
	X(uint64_t, n_descents, "n_descents", COUNT,                                               \
	  "Pairs of neighbouring requests in the wrong order, as hfplayer counts them.")           \
	X(struct estimate, deciding, "deciding", SHARE,                                            \
	  "A copy of `all`, `thread` or `object`: the share that the component \"reordering\" "    \
	  "judges. The key `reorder-scope` selects it.")                                           \
	X(struct estimate, all, "all", SHARE,                                                      \
	  "Share of reordered requests over the whole replay.")                                    \
	X(struct estimate, thread, "thread", SHARE,                                                \
	  "Share of reordered requests, counted within each thread.")                              \
	X(struct estimate, object, "object", SHARE,                                                \
	  "Share of reordered requests, counted within each file or device.")

#define CELL_IN_FLIGHT(X)                                                                          \
	X(double, mean_r, "mean_program", NUMBER,                                                  \
	  "Mean number of requests in flight of the program.")                                     \
	X(double, mean_x, "mean_replay", NUMBER,                                                   \
	  "Mean number of requests in flight of the replay.")                                      \
	X(double, max_r, "max_program", NUMBER,                                                    \
	  "Largest number of requests in flight of the program, mean over the runs.")              \
	X(double, max_x, "max_replay", NUMBER,                                                     \
	  "Largest number of requests in flight of the replay, mean over the runs.")               \
	X(struct estimate, in_flight, "in_flight", RELATIVE,                                       \
	  "Relative deviation of the mean number in flight, from paired logarithms.")              \
	X(struct estimate, in_flight_max, "in_flight_max", RELATIVE,                               \
	  "Relative deviation of the largest number in flight.")

#define CELL_CONCURRENCY(X)                                                                        \
	X(struct estimate, time, "distance_of_means_by_time", NUMBER,                              \
	  "Largest distance between the CDFs of program and replay, which give the share of the "  \
	  "time with at most k requests in flight. Each CDF is a mean over the runs.")             \
	X(struct estimate, request, "distance_of_means_by_request", NUMBER,                        \
	  "Largest distance between the CDFs of program and replay, which give the share of the "  \
	  "requests that begin with at most k requests in flight. Each CDF is a mean over the "    \
	  "runs.")                                                                                 \
	X(struct estimate, distance_time, "distance_by_time", NUMBER,                              \
	  "Largest distance between two CDFs by time: that of the program and that of the "        \
	  "replay. It is computed for each pair and averaged over the pairs. This mean usually "   \
	  "exceeds the distance of the averaged CDFs, because even runs of the same program "      \
	  "differ. Not judged.")                                                                   \
	X(struct estimate, distance_request, "distance_by_request", NUMBER,                        \
	  "Largest distance between two CDFs by request: that of the program and that of the "     \
	  "replay. It is computed for each pair and averaged over the pairs. Not judged.")

/* Pooled over runs. */
#define CELL_FIDELITY(X)                                                                           \
	X(uint64_t, n_requests, "n_requests", COUNT, "Requests of all runs.")                      \
	X(uint64_t, n_lost, "n_lost", COUNT,                                                       \
	  "Requests that the replay should have issued, but did not.")                             \
	X(uint64_t, n_skipped, "n_skipped", COUNT,                                                 \
	  "Requests that the replayer skipped. These requests are not lost, and not judged.")      \
	X(uint64_t, n_results_unknown, "n_results_unknown", COUNT,                                 \
	  "Requests whose results the replayer does not report: its file of times has no column "  \
	  "result. It is unknown whether these requests failed.")                                  \
	X(uint64_t, n_extra, "n_extra", COUNT, "Requests replayed more often than traced.")        \
	X(uint64_t, n_mismatched, "n_mismatched", COUNT,                                           \
	  "Requests with a different result than in the trace.")

#define CELL_DIAGNOSTICS(X)                                                                        \
	X(double, lag1, "lag1", NUMBER, "Autocorrelation of neighbouring pairs.")                  \
	X(double, n_effective, "n_effective", NUMBER,                                              \
	  "Number of independent pairs that would give as much information, computed from this "   \
	  "case. The decisions use numbers computed from all cases of the replayer.")              \
	X(double, runs_p, "runs_p", P, "P-value of the runs test.")                                \
	X(double, trend_p, "trend_p", P,                                                           \
	  "P-value of the trend test; undefined if there are so few pairs that no trend could "    \
	  "give a P-value of 0.05.")                                                               \
	X(double, off_cpu_r, "off_cpu_program", SHARE,                                             \
	  "Share of the time of the program's threads in which they waited for a device, "         \
	  "slept or waited for a CPU.")                                                            \
	X(double, off_cpu_x, "off_cpu_replay", SHARE,                                              \
	  "Share of the time of the replay's threads in which they waited for a device, "          \
	  "slept or waited for a CPU.")                                                            \
	X(double, stolen_r, "stolen_program", SHARE,                                               \
	  "Share of the CPU time of all CPUs that the hypervisor gave to other virtual "           \
	  "machines, in the program's runs.")                                                      \
	X(double, stolen_x, "stolen_replay", SHARE,                                                \
	  "Share of the CPU time of all CPUs that the hypervisor gave to other virtual "           \
	  "machines, in the replays.")                                                             \
	X(double, faults_r, "faults_per_request_program", NUMBER,                                  \
	  "Page faults per request in the program's runs.")                                        \
	X(double, faults_x, "faults_per_request_replay", NUMBER,                                   \
	  "Page faults per request in the replays.")                                               \
	X(double, resident_r, "cached_program", SHARE,                                             \
	  "Share of the bytes of the files that were cached before the program's runs.")           \
	X(double, resident_x, "cached_replay", SHARE,                                              \
	  "Share of the bytes of the files that were cached before the replays.")

/* Of the pooled requests of all runs, without a test. NaN also before analysis_describe(), and in a
 * large campaign. */
#define CELL_DISTRIBUTIONS(X)                                                                      \
	X(double, ks_distance, "ks_distance", NUMBER,                                              \
	  "Kolmogorov-Smirnov distance of the response times.")                                    \
	X(double, wasserstein, "wasserstein_relative", SHARE,                                      \
	  "1-Wasserstein distance of the response times, divided by the program's mean.")
