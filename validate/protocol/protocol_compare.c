/* SPDX-License-Identifier: GPL-3.0-or-later */
/* [compare]: permitted changes between two versions of a replayer. */
#include "common/words.h"
#include "validate/protocol/protocol_read.h"

const struct compare_limits compare_defaults = {
    .response_time = 0.05, .typical_response = 0.05, .tail = 0.25, .median = 0.05, .p90 = 0.10,
    .p99 = 0.25, .p999 = 0.50, .execution_time = 0.05, .in_flight = 0.10, .precision_ratio = 2,
    .uncertainty_ratio = NAN, .shape = 0.10, .reordered = 0.01, .concurrency = 0.10,
};

#define FIELD(field) offsetof(struct protocol, compare.field)
#define CHANGE(key, member, what, value)                                                           \
	OPTION(RATIO, key, FIELD(member), .arg = "RATIO",					\
	       .help = "largest permitted increase or decrease of " what " (default " value ")", \
	       .min = 1e-6, .max = 100, .flags = OPT_NONE)

const struct option_spec compare_keys[] = {
    CHANGE("response-time", response_time, "the mean response time relative to the program's",
	   "5%"),
    CHANGE("typical-response", typical_response,
	   "the mean of the fastest 90 % of a run's requests, relative to the program's", "5%"),
    CHANGE("tail", tail,
	   "the mean of the slowest 1 % of a run's requests, relative to the program's", "25%"),
    CHANGE("shape", shape,
	   "the difference between the distributions of the response times of replay and program, "
	   "at twelve quantiles of the program; each response time is first divided by the typical "
	   "response time of its run",
	   "10%"),
    CHANGE("median", median, "the median of the response times, relative to the program's", "5%"),
    CHANGE("p90", p90, "the 90th percentile of the response times, relative to the program's",
	   "10%"),
    CHANGE("p99", p99, "the 99th percentile of the response times, relative to the program's",
	   "25%"),
    CHANGE("p999", p999, "the 99.9th percentile of the response times, relative to the program's",
	   "50%"),
    CHANGE("execution-time", execution_time, "the execution time relative to the program's", "5%"),
    CHANGE("in-flight", in_flight,
	   "the mean number of requests in flight, relative to the program's", "10%"),
    OPTION(DOUBLE, "precision-ratio", FIELD(precision_ratio), .arg = "X",
	   .help = "largest permitted ratio of the scatters of both versions, new/old or old/new; "
	       "the scatter is the standard deviation of ln(replay/program) of the mean response "
	       "times (default 2)",
	   .min = 1.01, .max = 1e6, .flags = OPT_NONE),
    OPTION(DOUBLE, "uncertainty-ratio", FIELD(uncertainty_ratio), .arg = "X",
	   .help = "largest permitted ratio of the combined standard uncertainties, new/old or "
	       "old/new (default none, because the machine causes most of this uncertainty)",
	   .min = 1.01, .max = 1e6, .flags = OPT_NONE),
    CHANGE("reordered", reordered,
	   "the share of the requests that are issued too late, after a request that comes "
	   "later in the trace, as a difference new - old",
	   "1%"),
    CHANGE("concurrency", concurrency,
	   "the largest distance between the concurrency CDFs of program and replay, as a "
	   "difference new - old",
	   "10%"),
    OPTION(UINT, "mismatches", FIELD(n_mismatched), .arg = "N",
	   .help = "largest permitted increase of the sum of lost, extra and mismatched requests "
	       "of a run (default 0)",
	   .flags = OPT_NONE),
    OPTION(STRING, "environment", FIELD(environment), .arg = "LIST",
	   .help = "members of environment.json that must be equal for a comparison, such as "
		   "\"kernel, machine.cpu_model\" (default none)"),
    OPTION(STRING, "old", FIELD(old), .arg = "REPLAYER",
	   .help = "replayer of this protocol that is the old version. Its comparison with the "
	       "replayer in the key \"new\" then determines when the campaign ends"),
    OPTION(STRING, "new", FIELD(new), .arg = "REPLAYER",
	   .help = "replayer that is the new version; see the key \"old\""),
    {.name = NULL},
};

int protocol_replayer_find(const struct protocol *p, const char *name, size_t *index, struct err *e)
{
	size_t n_of_section = 0;
	for (size_t i = 0; i < p->n_replayers; i++)
		if (!strcmp(p->replayer[i].name, name)) {
			*index = i;
			return 0;
		}
	for (size_t i = 0; i < p->n_replayers; i++)
		if (p->replayer[i].section && !strcmp(p->replayer[i].section, name)) {
			*index = i;
			n_of_section++;
		}
	if (n_of_section == 1)
		return 0;
	if (n_of_section)
		return err_set(
		    e, ENOENT,
		    "[replayer %s] has %zu variants: name one of them, for example \"%s\"", name,
		    n_of_section, p->replayer[*index].name);
	SCOPED_STRBUF names = STRBUF_INIT;
	for (size_t i = 0; i < p->n_replayers; i++)
		strbuf_addf(&names, "%s\"%s\"", i ? ", " : "", p->replayer[i].name);
	err_set(e, ENOENT, "unknown replayer \"%s\": the protocol has %s", name, names.s);
	return -ENOENT;
}

/* Replaces the name of a section by that of its only variant. */
static int name_check(const struct protocol *p, const struct protocol_file *f,
		      const struct ini_section *s, const char *key, char **name, struct err *e)
{
	size_t index;
	if (protocol_replayer_find(p, *name, &index, e) == 0) {
		free(*name);
		*name = xstrdup(p->replayer[index].name);
		return 0;
	}
	e->code = EINVAL;
	return key_refuse(f, ini_key_find(s, key), e);
}

static int environment_check(const struct protocol *p, const struct protocol_file *f,
			     const struct ini_section *s, struct err *e)
{
	SCOPED(words_list_release) struct words_list item;
	int ret = words_split(&item, p->compare.environment, e);
	return ret ? key_refuse(f, ini_key_find(s, "environment"), e) : 0;
}

int compare_read(struct protocol *p, const struct protocol_file *f, struct err *e)
{
	const struct ini_section *s = section_find(f, "compare");
	struct compare_limits *c = &p->compare;
	int ret = s ? section_set(f, compare_keys, p, s, e) : 0;
	if (!ret && !c->old != !c->new)
		ret = err_set(e, EINVAL, "%s:%u: [compare] has only one of the keys \"old\" and "
					 "\"new\": add the other",
			      f->path, s->line);
	if (!ret && c->old)
		ret = name_check(p, f, s, "old", &c->old, e);
	if (!ret && c->new)
		ret = name_check(p, f, s, "new", &c->new, e);
	if (!ret && c->environment)
		ret = environment_check(p, f, s, e);
	return ret;
}

void compare_release(struct protocol *p)
{
	FREE_EACH(p->compare.environment, p->compare.old, p->compare.new);
}
