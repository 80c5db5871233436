/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/volume/service.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "common/options.h"
#include "common/splitmix.h"
#include "common/u64_map.h"
#include "common/units.h"
#include "common/words.h"

#define SERVERS_MAX 4096

enum kind {
	KIND_CONSTANT,
	KIND_EXPONENTIAL,
	KIND_LOGNORMAL,
	KIND_UNIFORM,
	KIND_GAMMA,
	KIND_HDD,
	KIND_SSD,
	KIND_THROTTLED,
	KIND_N
};

struct parameters {
	int64_t time_ns, read_ns, write_ns, flush_ns; /* read, write: -1: as `time` */
	int64_t mean_ns, sd_ns, from_ns, to_ns;
	double shape;
	uint64_t parallel;
	double rpm;
	int64_t seek_ns, track_seek_ns, full_seek_ns; /* full_seek: -1: from seek */
	uint64_t rate; /* bytes/s; 0: transfers take no time */
	uint64_t channels, unit_bytes;
	struct service_limits limits;
};

struct service {
	enum kind kind;
	struct parameters p;
	uint64_t n_bytes, seed;
	gsl_rng *random;       /* splitmix_source */
	/* maps the identity of a request to the number of its draws so far */
	struct u64_map n_drawn;
	/* free_ns[n_servers]: when each server, head or channel becomes free */
	int64_t *free_ns;
	uint64_t n_servers; /* 0: unlimited */
	int64_t last_done_ns; /* the latest end of all requests so far */
	/* Factor by which the model's clock is slower than the caller's clock. Stored times are in
	 * the model's clock. */
	double slowness;
	uint64_t head; /* hdd: offset after the last request */
};

/* --- the text ------------------------------------------------------------ */

#define ROW(key, kind, field, ...)                                                                 \
	{                                                                                          \
		.name = key, .type = kind, .offset = offsetof(struct parameters, field),           \
		##__VA_ARGS__                                                                      \
	}
#define LONGEST_NS 3600e9 /* one hour, so that sums of times fit into 64 bits */
#define ANY_TIME .min = 0, .max = LONGEST_NS
#define DRAWN_MAX_NS 1e15 /* limit for distributions with long tails */
#define SOME_TIME .min = 1, .max = LONGEST_NS
#define FLUSH ROW("flush", OPT_DURATION, flush_ns, ANY_TIME)
#define PARALLEL ROW("parallel", OPT_UINT, parallel, .min = 0, .max = SERVERS_MAX)

static const struct option_spec constant_keys[] = {
	ROW("time", OPT_DURATION, time_ns, ANY_TIME), ROW("read", OPT_DURATION, read_ns, ANY_TIME),
	ROW("write", OPT_DURATION, write_ns, ANY_TIME), PARALLEL, FLUSH, {.name = NULL}};
static const struct option_spec exponential_keys[] = {
	ROW("mean", OPT_DURATION, mean_ns, SOME_TIME), PARALLEL, FLUSH, {.name = NULL}};
static const struct option_spec lognormal_keys[] = {
	ROW("mean", OPT_DURATION, mean_ns, SOME_TIME), ROW("sd", OPT_DURATION, sd_ns, ANY_TIME),
	PARALLEL, FLUSH, {.name = NULL}};
static const struct option_spec uniform_keys[] = {
	ROW("from", OPT_DURATION, from_ns, ANY_TIME), ROW("to", OPT_DURATION, to_ns, ANY_TIME),
	PARALLEL, FLUSH, {.name = NULL}};
static const struct option_spec gamma_keys[] = {
	ROW("mean", OPT_DURATION, mean_ns, SOME_TIME),
	ROW("shape", OPT_DOUBLE, shape, .min = 0.01, .max = 1e6), PARALLEL, FLUSH, {.name = NULL}};
static const struct option_spec hdd_keys[] = {
	ROW("rpm", OPT_DOUBLE, rpm, .min = 1, .max = 1e6),
	ROW("seek", OPT_DURATION, seek_ns, ANY_TIME),
	ROW("track-seek", OPT_DURATION, track_seek_ns, ANY_TIME),
	ROW("full-seek", OPT_DURATION, full_seek_ns, ANY_TIME),
	ROW("rate", OPT_SIZE, rate, .min = 1e4, .max = -1), FLUSH, {.name = NULL}};
static const struct option_spec ssd_keys[] = {
	ROW("channels", OPT_UINT, channels, .min = 1, .max = SERVERS_MAX),
	ROW("unit", OPT_SIZE, unit_bytes, .min = 512, .max = 1 << 30),
	ROW("read", OPT_DURATION, read_ns, ANY_TIME),
	ROW("write", OPT_DURATION, write_ns, ANY_TIME),
	ROW("rate", OPT_SIZE, rate, .min = 0, .max = -1), FLUSH, {.name = NULL}};
#define LIMIT(key, kind, field) ROW(key, kind, limits.field, .min = 0, .max = 4294967295.0)
static const struct option_spec throttled_keys[] = {
	LIMIT("read-iops", OPT_UINT, read_iops), LIMIT("write-iops", OPT_UINT, write_iops),
	LIMIT("read-rate", OPT_SIZE, read_rate), LIMIT("write-rate", OPT_SIZE, write_rate),
	{.name = NULL}};

static const struct model {
	const char *name;
	const struct option_spec *keys;
	struct parameters defaults;
} models[KIND_N] = {
	[KIND_CONSTANT] = {"constant", constant_keys,
			   {.time_ns = 200000, .read_ns = -1, .write_ns = -1}},
	[KIND_EXPONENTIAL] = {"exponential", exponential_keys, {.mean_ns = 1000000}},
	[KIND_LOGNORMAL] = {"lognormal", lognormal_keys, {.mean_ns = 1000000, .sd_ns = 500000}},
	[KIND_UNIFORM] = {"uniform", uniform_keys, {.from_ns = 0, .to_ns = 2000000}},
	[KIND_GAMMA] = {"gamma", gamma_keys, {.mean_ns = 1000000, .shape = 2}},
	[KIND_HDD] = {"hdd", hdd_keys,
		      {.rpm = 7200, .seek_ns = 8500000, .track_seek_ns = 800000,
		       .full_seek_ns = -1, .rate = 150000000}},
	[KIND_SSD] = {"ssd", ssd_keys,
		      {.channels = 8, .unit_bytes = 16384, .read_ns = 80000, .write_ns = 200000,
		       .rate = 400000000}},
	[KIND_THROTTLED] = {"throttled", throttled_keys, {.limits = {0}}},
};

static int kind_find(const char *name, size_t len, enum kind *kind, struct err *e)
{
	const char *names[KIND_N + 1] = {NULL};
	for (int k = 0; k < KIND_N; k++) {
		names[k] = models[k].name;
		if (strlen(names[k]) == len && !memcmp(names[k], name, len)) {
			*kind = (enum kind)k;
			return 0;
		}
	}
	SCOPED_FREE char *word = xasprintf("%.*s", (int)len, name);
	return name_refuse(e, EINVAL, word, names,
			   " (expected KIND or KIND:KEY=VALUE,...; the kinds are constant, "
			   "exponential, lognormal, uniform, gamma, hdd, ssd and throttled)",
			   "unknown service model \"%s\"", word);
}

static int keys_read(struct service *s, const char *text, struct err *e)
{
	SCOPED(words_list_release) struct words_list item;
	int ret = words_split(&item, text, e);
	for (size_t i = 0; i < item.n && !ret; i++)
		ret = options_set_item(models[s->kind].keys, &s->p, item.v[i], e);
	return ret ? err_context(e, "%s", models[s->kind].name) : 0;
}

/* Derives parameters and checks combinations. */
static int parameters_settle(struct service *s, struct err *e)
{
	struct parameters *p = &s->p;
	if (s->kind == KIND_CONSTANT) {
		p->read_ns = p->read_ns < 0 ? p->time_ns : p->read_ns;
		p->write_ns = p->write_ns < 0 ? p->time_ns : p->write_ns;
	}
	if (s->kind == KIND_UNIFORM && p->to_ns < p->from_ns)
		return err_set(e, EINVAL,
			"uniform: the longest time (to) is shorter than the shortest (from)");
	if (s->kind == KIND_HDD && p->full_seek_ns < 0)
		p->full_seek_ns =
		    p->track_seek_ns + (int64_t)((double)(p->seek_ns - p->track_seek_ns) * 15 / 8);
	if (s->kind == KIND_HDD && p->full_seek_ns < p->track_seek_ns)
		return err_set(e, EINVAL,
			"hdd: full-seek (or seek, if full-seek is not given) is shorter than "
			"track-seek, the shortest seek");
	const struct service_limits *l = &p->limits;
	if (s->kind == KIND_THROTTLED && !l->read_iops && !l->write_iops && !l->read_rate &&
	    !l->write_rate)
		return err_set(e, EINVAL,
			"throttled: at least one of read-iops, write-iops, read-rate and "
			"write-rate is needed");
	s->n_servers = s->kind == KIND_HDD ? 1 : s->kind == KIND_SSD ? p->channels : p->parallel;
	return 0;
}

/* A random generator for GSL that can be seeded quickly, because each draw has its own seed. */
static void splitmix_set(void *state, unsigned long seed)
{
	*(uint64_t *)state = seed;
}

static unsigned long splitmix_get(void *state)
{
	return (unsigned long)(splitmix_next(state) >> 32);
}

static double splitmix_get_double(void *state)
{
	return (double)(splitmix_next(state) >> 11) * 0x1p-53;
}

static const gsl_rng_type splitmix_source = {
	.name = "splitmix64", .max = UINT32_MAX, .min = 0, .size = sizeof(uint64_t),
	.set = splitmix_set, .get = splitmix_get, .get_double = splitmix_get_double,
};

int service_parse(struct service **out, const char *text, uint64_t n_bytes, uint64_t seed,
		  struct err *e)
{
	struct service *s = xcalloc(1, sizeof *s);
	*out = NULL;
	const char *colon = strchr(text, ':');
	int ret = kind_find(text, colon ? (size_t)(colon - text) : strlen(text), &s->kind, e);
	if (!ret) {
		s->p = models[s->kind].defaults;
		s->n_bytes = n_bytes;
		s->seed = seed;
		ret = colon ? keys_read(s, colon + 1, e) : 0;
	}
	ret = ret ? ret : parameters_settle(s, e);
	if (ret) {
		service_free(s);
		return ret;
	}
	s->slowness = 1;
	s->free_ns = xcalloc(s->n_servers ? s->n_servers : 1, sizeof *s->free_ns);
	s->random = gsl_rng_alloc(&splitmix_source);
	if (!s->random)
		out_of_memory(0);
	service_restart(s);
	*out = s;
	return 0;
}

static void servers_free(struct service *s)
{
	for (uint64_t i = 0; i < s->n_servers; i++)
		s->free_ns[i] = INT64_MIN;
	s->last_done_ns = INT64_MIN;
}

void service_restart(struct service *s)
{
	u64_map_release(&s->n_drawn);
	servers_free(s);
	s->head = 0;
}

void service_slow(struct service *s, double factor)
{
	servers_free(s);
	s->slowness = factor;
}

void service_free(struct service *s)
{
	if (!s)
		return;
	gsl_rng_free(s->random);
	u64_map_release(&s->n_drawn);
	FREE_EACH(s->free_ns, s);
}

bool service_throttled(const struct service *s, struct service_limits *l)
{
	if (s->kind == KIND_THROTTLED)
		*l = s->p.limits;
	return s->kind == KIND_THROTTLED;
}

const char *service_kind(const struct service *s)
{
	return models[s->kind].name;
}

int64_t service_scale_ns(const struct service *s)
{
	const struct parameters *p = &s->p;
	const double mean = (double)p->mean_ns, sd = (double)p->sd_ns;
	switch (s->kind) {
	case KIND_CONSTANT:
	case KIND_SSD:
		return p->read_ns < p->write_ns ? p->read_ns : p->write_ns;
	case KIND_LOGNORMAL:
		return llround(sd > mean / 2 ? mean * mean / 2 / sd : mean);
	case KIND_UNIFORM:
		return (p->from_ns + p->to_ns) / 2;
	case KIND_HDD: /* mean seek time, and half a turn */
		return p->track_seek_ns +
		       llround((double)(p->full_seek_ns - p->track_seek_ns) * 8 / 15 +
			       30e9 / p->rpm);
	case KIND_EXPONENTIAL:
	case KIND_GAMMA:
		return p->mean_ns;
	default:
		return 0;
	}
}

/* Appends a duration in the largest unit that divides it. */
static void duration_describe(struct strbuf *b, int64_t ns)
{
	static const struct {
		int64_t ns;
		const char *name;
	} unit[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
	size_t i = 0;
	while (ns % unit[i].ns)
		i++;
	strbuf_addf(b, "%lld%s", (long long)(ns / unit[i].ns), unit[i].name);
}

char *service_describe(const struct service *s)
{
	struct strbuf b = STRBUF_INIT;
	strbuf_addf(&b, "%s:", models[s->kind].name);
	for (const struct option_spec *o = models[s->kind].keys; o->name; o++) {
		if ((s->kind == KIND_CONSTANT && !strcmp(o->name, "time")) ||
		    (s->kind == KIND_HDD && !strcmp(o->name, "seek")))
			continue; /* the value is derived from other keys */
		strbuf_addf(&b, "%s%s=", b.s[b.len - 1] == ':' ? "" : ",", o->name);
		const char *field = (const char *)(&s->p) + o->offset;
		if (o->type == OPT_DURATION)
			duration_describe(&b, *(const int64_t *)field);
		else if (o->type == OPT_DOUBLE)
			strbuf_addf(&b, "%.17g", *(const double *)field);
		else
			strbuf_addf(&b, "%llu", (unsigned long long)*(const uint64_t *)field);
	}
	return strbuf_detach(&b);
}

/* --- the times ----------------------------------------------------------- */

static int64_t later_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Seeds the generator with the identity of a request and the number of its earlier draws. */
static void identity_seed(struct service *s, enum service_op op, uint64_t offset, uint64_t length)
{
	const uint64_t part[] = {s->seed, (uint64_t)op, offset, length};
	uint64_t identity = 0;
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		identity = splitmix_mix((identity ^ part[i]) + SPLITMIX_STEP);
	const uint32_t k = (*u64_map_at(&s->n_drawn, identity, 0))++;
	gsl_rng_set(s->random, splitmix_mix(identity + k * SPLITMIX_STEP));
}

static double drawn_ns(const struct service *s)
{
	const struct parameters *p = &s->p;
	double mean = (double)p->mean_ns;
	if (s->kind == KIND_EXPONENTIAL)
		return gsl_ran_exponential(s->random, mean);
	if (s->kind == KIND_UNIFORM)
		return gsl_ran_flat(s->random, (double)p->from_ns, (double)p->to_ns);
	if (s->kind == KIND_GAMMA)
		return gsl_ran_gamma(s->random, p->shape, mean / p->shape);
	/* variance of the logarithm */
	double variance = log1p(((double)p->sd_ns / mean) * ((double)p->sd_ns / mean));
	return gsl_ran_lognormal(s->random, log(mean) - variance / 2, sqrt(variance));
}

/* Constant and random models: uses the server that is free first. */
static struct service_times simple_take(struct service *s, enum service_op op, uint64_t offset,
					uint64_t length, int64_t now_ns)
{
	const bool drawn = s->kind != KIND_CONSTANT && s->kind != KIND_THROTTLED;
	if (drawn)
		identity_seed(s, op, offset, length);
	double ns =
	    drawn ? drawn_ns(s) : (double)(op == SERVICE_READ ? s->p.read_ns : s->p.write_ns);
	int64_t time_ns = llround(fmin(ns, DRAWN_MAX_NS));
	if (!s->n_servers)
		return (struct service_times){now_ns, now_ns + time_ns};
	uint64_t first = 0;
	for (uint64_t i = 1; i < s->n_servers; i++)
		if (s->free_ns[i] < s->free_ns[first])
			first = i;
	struct service_times t = {.start_ns = later_of(now_ns, s->free_ns[first])};
	t.done_ns = s->free_ns[first] = t.start_ns + time_ns;
	return t;
}

static double transfer_ns(const struct service *s, uint64_t length)
{
	return s->p.rate ? (double)length * 1e9 / (double)s->p.rate : 0;
}

static struct service_times hdd_take(struct service *s, uint64_t offset, uint64_t length,
				     int64_t now_ns)
{
	const struct parameters *p = &s->p;
	struct service_times t = {.start_ns = later_of(now_ns, s->free_ns[0])};
	double turn_ns = 60e9 / p->rpm, track_bytes = (double)p->rate * turn_ns / 1e9;
	double distance = fabs((double)offset - (double)s->head), seek_ns = 0;
	if (distance > 0)
		seek_ns = (double)p->track_seek_ns + (double)(p->full_seek_ns - p->track_seek_ns) *
			sqrt(fmin(1, distance / (double)(s->n_bytes ? s->n_bytes : 1)));
	/* the rotation follows the clock of the platter */
	double there_ns = fmod((double)t.start_ns, turn_ns) + seek_ns;
	double angle = fmod(there_ns / turn_ns, 1), wanted = fmod((double)offset / track_bytes, 1);
	double rest = wanted - angle;
	/* a request that continues the previous request needs no rotation, despite rounding
	 * errors */
	double rotation_ns = distance > 0 || rest > 1e-4 || rest < -1e-4
				 ? (rest < 0 ? rest + 1 : rest) * turn_ns
				 : 0;
	t.done_ns = s->free_ns[0] =
	    t.start_ns + llround(seek_ns + rotation_ns + transfer_ns(s, length));
	s->head = offset + length;
	return t;
}

static struct service_times ssd_take(struct service *s, enum service_op op, uint64_t offset,
				     uint64_t length, int64_t now_ns)
{
	const struct parameters *p = &s->p;
	struct service_times t = {INT64_MAX, now_ns};
	int64_t access_ns = op == SERVICE_READ ? p->read_ns : p->write_ns;
	uint64_t end = offset + (length ? length : 1);
	for (uint64_t unit = offset / p->unit_bytes; unit * p->unit_bytes < end; unit++) {
		uint64_t from = unit * p->unit_bytes > offset ? unit * p->unit_bytes : offset;
		uint64_t to = (unit + 1) * p->unit_bytes < end ? (unit + 1) * p->unit_bytes : end;
		int64_t *free_ns = &s->free_ns[unit % s->n_servers];
		int64_t start = later_of(now_ns, *free_ns);
		*free_ns = start + access_ns + llround(transfer_ns(s, to - from));
		t.start_ns = start < t.start_ns ? start : t.start_ns;
		t.done_ns = later_of(t.done_ns, *free_ns);
	}
	return t;
}

static struct service_times model_take(struct service *s, enum service_op op, uint64_t offset,
				       uint64_t length, int64_t now_ns)
{
	struct service_times t;
	if (op == SERVICE_FLUSH) {
		t.start_ns = later_of(now_ns, s->last_done_ns);
		t.done_ns = t.start_ns + s->p.flush_ns;
	} else if (s->kind == KIND_HDD) {
		t = hdd_take(s, offset, length, now_ns);
	} else if (s->kind == KIND_SSD) {
		t = ssd_take(s, op, offset, length, now_ns);
	} else {
		t = simple_take(s, op, offset, length, now_ns);
	}
	s->last_done_ns = later_of(s->last_done_ns, t.done_ns);
	return t;
}

struct service_times service_take(struct service *s, enum service_op op, uint64_t offset,
				  uint64_t length, int64_t now_ns)
{
	if (s->slowness == 1)
		return model_take(s, op, offset, length, now_ns);
	int64_t model_ns = llround((double)now_ns / s->slowness);
	struct service_times t = model_take(s, op, offset, length, model_ns);
	t.start_ns = now_ns + llround((double)(t.start_ns - model_ns) * s->slowness);
	t.done_ns = now_ns + llround((double)(t.done_ns - model_ns) * s->slowness);
	return t;
}
