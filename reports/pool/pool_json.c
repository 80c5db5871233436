/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doc/pool-schema.json describes it. */
#include "reports/json/json_model.h"
#include "reports/json/json_value.h"
#include "reports/model_rows.h"
#include "reports/pool/pool_report.h"
#include "validate/pool/pool_league.h"

#define POOL_FORMAT_VERSION 1

struct pool_document {
	const struct pool *pool;
	struct pool_league league;
};

static const struct pool *pool_of(const struct model_at *at)
{
	const struct pool_document *d = at->root;
	return d->pool;
}

/* The name of the laboratory with the index that the row's field holds. */
GET_AT(const char *, laboratory_name,
       pool_of(at)->laboratory[*(const size_t *)((const char *)at->s + at->m->at)].name)

#define LABORATORY(f)                                                                              \
	{.name = "laboratory", .kind = MODEL_TEXT, .text = laboratory_name,                        \
	 .at = offsetof(struct S, f) + MODEL_IS(f, size_t)},

#define S outlier_finding
GET(const char *, class_name, outlier_finding, f, f->status ? NULL : outlier_class_names[f->class])

/* The group is one of the enclosing case. */
static const char *suspect_name(const struct model_at *at)
{
	const struct outlier_finding *f = at->s;
	const struct pool_case *c = at->up->s;
	if (f->status || f->group >= c->n_groups)
		return NULL;
	return pool_of(at)->laboratory[c->group[f->group].laboratory].name;
}

static const struct model_list model_finding = {
    .name = "finding", .about = "A test for outliers among the laboratories.",
    .member = (const struct model_member[]){
		ROW(double, statistic, "statistic", NUMBER, NULL, STATUS(status))
		ROW(double, critical_5, "critical_5", NUMBER, NULL, STATUS(status))
		ROW(double, critical_1, "critical_1", NUMBER, NULL, STATUS(status))
		BY_TEXT(class_name, "class", NULL, NULLABLE)
		BY_TEXT(suspect_name, "laboratory", "The suspected laboratory.", NULLABLE) {0}}};
#undef S

#define S pool_group
static const char *mandel_name(const struct model_at *at)
{
	const struct pool_group *g = at->s;
	const struct outlier_finding *f = at->m->index ? &g->k : &g->h;
	return f->status ? NULL : outlier_class_names[f->class];
}

MODEL(S, "Results of a laboratory. Mandel's h compares the mean of the laboratory with the other "
	 "laboratories, and k compares the scatter.",
	LABORATORY(laboratory)
	ROW(size_t, n, "n", COUNT, NULL)
	ROW(double, mean, "bias", RELATIVE, NULL)
	ROW(double, sd, "sd", SHARE, NULL)
	ROW(double, h.statistic, "h", NUMBER, NULL, STATUS(h.status))
	BY_TEXT(mandel_name, "h_class", NULL, NULLABLE)
	ROW(double, k.statistic, "k", NUMBER, NULL, STATUS(k.status))
	BY_TEXT(mandel_name, "k_class", NULL, NULLABLE, .index = 1))
#undef S

#define S pool_case
GET(bool, has_findings, pool_case, c, c->status == STAT_OK)

#define FINDING(f, name) OBJECT_AS(f, finding, name, NULL, IF(has_findings))

MODEL(S, "A case of at least two laboratories.",
	TEXT(scenario, "scenario", NULL)
	TEXT(replayer, "replayer", NULL)
	ROW(size_t, n_results, "n_results", COUNT, NULL)
	ROW(double, mean, "bias", RELATIVE, "Mean of the laboratories' biases.", STATUS(status))
	ROW(double, s_r, "s_r", SHARE, "Repeatability standard deviation.", STATUS(status))
	ROW(double, s_L, "s_L", SHARE, "Between laboratories.", STATUS(status))
	ROW(double, s_R, "s_R", SHARE, "Reproducibility standard deviation.", STATUS(status))
	ROW(double, s_R_lo95, "s_R_lo95", SHARE, "95 % interval of s_R, two-sided.",
	    STATUS(status))
	ROW(double, s_R_hi95, "s_R_hi95", SHARE, NULL, STATUS(status))
	ROW(double, r_limit, "repeatability_limit", SHARE, NULL, STATUS(status))
	ROW(double, R_limit, "reproducibility_limit", SHARE, NULL, STATUS(status))
	ARRAY(group, n_groups, "laboratories", NULL)
	FINDING(cochran, "cochran")
	FINDING(grubbs_max, "grubbs_highest")
	FINDING(grubbs_min, "grubbs_lowest")
	FINDING(double_high, "grubbs_two_highest")
	FINDING(double_low, "grubbs_two_lowest"))
#undef S

#define S pool_laboratory
static const char *baseline_text(const struct model_at *at)
{
	const struct pool_laboratory *l = at->s;
	const struct baseline *b = l->baseline;
	const char *const texts[] = {b->source, b->host, b->date, b->protocol_hash};
	return texts[at->m->index];
}

MODEL(S, NULL,
	TEXT(name, "name", "Host, or the path of its baseline.")
	BY_TEXT(baseline_text, "source", NULL)
	BY_TEXT(baseline_text, "host", NULL, .index = 1)
	BY_TEXT(baseline_text, "date", NULL, .index = 2)
	BY_TEXT(baseline_text, "protocol_hash", NULL, .index = 3)
	ROW(size_t, n_cases, "n_cases", COUNT, NULL)
	ROW(size_t, n_outlying, "n_outlying", COUNT, "Cases in which the laboratory is an outlier.")
	ROW(size_t, n_straggling, "n_straggling", COUNT,
	    "Cases in which the laboratory is a straggler."))
#undef S

#define S pool_missing
MODEL(S, "A case with fewer than two replicates in a laboratory.",
	LABORATORY(laboratory)
	TEXT(scenario, "scenario", NULL)
	TEXT(replayer, "replayer", NULL))
#undef S

#define S baseline_case
static const struct model_list model_place_case = {
    .member = (const struct model_member[]){
		TEXT(reason, "reason", NULL)
		ROW(size_t, n, "n", COUNT, "Pairs.")
		ROW(double, bias, "bias", RELATIVE, NULL)
		ROW(double, bias_lo95, "bias_lo95", RELATIVE, NULL)
		ROW(double, bias_hi95, "bias_hi95", RELATIVE, NULL)
		ROW(double, U95, "U95", SHARE, "Expanded uncertainty of one replay.") {0}}};
#undef S

#define S pool_place
GET(const char *, place_replayer, pool_place, x, x->one->replayer)

MODEL(S, "A case of one laboratory, with the verdict of the laboratory's own campaign.",
	TEXT(scenario, "scenario", NULL)
	BY_TEXT(place_replayer, "replayer", NULL)
	LABORATORY(laboratory)
	WORD(verdict, "verdict", NULL, verdict_names)
	INLINE_POINTER(one, place_case))
#undef S

#define S pool
static const char *const formats[] = {"validate-pool", NULL};

static const char *warning_text(const struct model_at *at)
{
	pool_warning_add(at->scratch, &pool_of(at)->warning[at->i]);
	return at->scratch->s;
}

static const struct model_list model_pool_head = {
    .member = (const struct model_member[]){
		FIXED_TEXT(formats, "format")
		FIXED_COUNT(POOL_FORMAT_VERSION, "version", NULL)
		WORD(measure, "measure", NULL, pool_measure_names)
		TEXT(difference, "difference",
		     "With --allow, what differs between the laboratories: the protocols, a "
		     "replayer's settings, or the requests.", NULLABLE)
		BY_TEXTS(NULL, warning_text, "warnings",
			 "Other differences: numbers of requests, program files of a replayer, "
			 "versions of validate, speeds of the program. Also results that are "
			 "copies of each other.",
			 MODEL_LENGTH(n_warnings))
		ARRAY(laboratory, n_laboratories, "laboratories", NULL) {0}}};

static const struct model_list model_pool_tail = {
    .member = (const struct model_member[]){
		ARRAY(one, n_cases, "cases", NULL)
		ARRAY(missing, n_missing, "left_out", NULL) {0}}};
#undef S

#define S pool_document
MODEL(S, "Output of validate pool --format json, and DIR/pool.json. A ratio of 0.1 is 10 %. A "
	"number that does not exist is null, and NAME_status gives the reason.",
	INLINE_POINTER(pool, pool_head)
	ARRAY(league.place, league.n_places, "league",
	      "Every case of every laboratory. Order: scenario, best verdict, smallest bias.")
	INLINE_POINTER(pool, pool_tail))
#undef S

void pool_json_add(struct strbuf *out, const void *study)
{
	struct pool_document d = {.pool = study};
	pool_league_make(&d.league, study);
	json_add_document(out, json_model(&model_pool_document, &d));
	pool_league_release(&d.league);
}
