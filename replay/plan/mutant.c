/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/plan/mutant.h"

#include "common/splitmix.h"
#include "common/units.h"
#include "replay/plan/plan.h"

const struct fault faults[] = {
    {"delay", FAULT_DELAY, ARGUMENT_DURATION, "20us",
     "every response takes longer by this time", false},
    {"proportional", FAULT_PROPORTIONAL, ARGUMENT_RATIO, "10%",
     "every response takes longer by this share", false},
    {"lost", FAULT_LOST, ARGUMENT_SHARE, "1%", "this share of the requests is never issued", false},
    {"repeat", FAULT_REPEAT, ARGUMENT_SHARE, "1%", "this share of the requests is issued twice",
     false},
    {"swap", FAULT_SWAP, ARGUMENT_SHARE, "1%",
     "this share of the requests is swapped with the next request of the same thread, if both "
     "move data",
     false},
    {"offset", FAULT_OFFSET, ARGUMENT_SHARE, "1%",
     "this share of the requests goes to a wrong offset", false},
    {"size", FAULT_SIZE, ARGUMENT_SHARE, "1%",
     "this share of the requests has half of the traced size", false},
    {"serialise", FAULT_SERIALISE, ARGUMENT_NONE, NULL, "one request at a time", false},
    {"double", FAULT_DOUBLE, ARGUMENT_NONE, NULL, "twice as many workers, which keep no order",
     false},
    {"drift", FAULT_DRIFT, ARGUMENT_RATIO, "100ppm",
     "the clock that times the waits is slow by this share", true},
    {"coarse", FAULT_COARSE, ARGUMENT_DURATION, "1ms",
     "requests are issued only at multiples of this time", true},
    {"stall", FAULT_STALL, ARGUMENT_DURATION_EVERY, "10ms/100ms",
     "no request is issued in the first 10 ms of each 100 ms", false},
    {NULL, FAULT_NONE, ARGUMENT_NONE, NULL, NULL, false},
};

const struct fault *mutant_fault(enum fault_kind kind)
{
	for (const struct fault *f = faults; f->name; f++)
		if (f->kind == kind)
			return f;
	return NULL;
}

/* --- the option ---------------------------------------------------------- */

static int ratio_parse(const char *text, double *ratio, struct err *e)
{
	size_t len = strlen(text);
	if (len < 4 || strcmp(text + len - 3, "ppm"))
		return parse_ratio(text, ratio, e);
	SCOPED_FREE char *number = xstrdup(text);
	number[len - 3] = '\0';
	int ret = parse_double(number, ratio, e);
	*ratio *= 1e-6;
	return ret;
}

static int duration_parse(const char *text, int64_t *ns, struct err *e)
{
	int ret = parse_duration(text, ns, e);
	if (!ret && *ns <= 0)
		ret = err_set(e, EINVAL, "\"%s\": the time must be longer than 0", text);
	return ret;
}

static int argument_parse(struct mutant *m, const struct fault *f, const char *text, struct err *e)
{
	int ret = 0;
	SCOPED_FREE char *copy = xstrdup(text);
	char *slash = f->argument == ARGUMENT_DURATION_EVERY ? strchr(copy, '/') : NULL;
	if (slash)
		*slash = '\0';
	if (f->argument == ARGUMENT_DURATION || f->argument == ARGUMENT_DURATION_EVERY)
		ret = duration_parse(copy, &m->ns, e);
	else
		ret = ratio_parse(copy, &m->ratio, e);
	if (!ret && f->argument == ARGUMENT_DURATION_EVERY)
		ret = slash ? duration_parse(slash + 1, &m->every_ns, e)
			    : err_set(e, EINVAL, "\"%s\": expected the duration of a stall and its "
				      "period, such as %s", text, f->usual);
	if (!ret && f->argument == ARGUMENT_DURATION_EVERY && m->ns >= m->every_ns)
		ret = err_set(e, EINVAL, "\"%s\": the stall must be shorter than its period", text);
	if (!ret && f->argument == ARGUMENT_SHARE && !(m->ratio > 0 && m->ratio <= 1))
		ret = err_set(e, EINVAL, "\"%s\": the share must be above 0 and at most 100%%",
			      text);
	if (!ret && f->argument == ARGUMENT_RATIO && !(m->ratio > 0 && m->ratio <= 1000))
		ret = err_set(e, EINVAL, "\"%s\": the share must be above 0 and at most 100000%%",
			      text);
	return ret;
}

static const struct fault *fault_find(const char *name, size_t len)
{
	for (const struct fault *f = faults; f->name; f++)
		if (strlen(f->name) == len && !strncmp(f->name, name, len))
			return f;
	return NULL;
}

int mutant_parse(struct mutant *m, const char *text, struct err *e)
{
	*m = (struct mutant){.kind = FAULT_NONE};
	if (!text || !*text)
		return 0;
	size_t len = strcspn(text, ":");
	const char *argument = text[len] ? text + len + 1 : NULL;
	const struct fault *f = fault_find(text, len);
	if (!f) {
		const char *names[sizeof faults / sizeof *faults] = {NULL};
		for (size_t i = 0; faults[i].name; i++)
			names[i] = faults[i].name;
		SCOPED_FREE char *word = xstrdup(text);
		word[len] = '\0';
		return name_refuse(e, ENOENT, word, names,
				   " (\"validate replay --list-mutants\" lists the mutants)",
				   "unknown mutant \"%s\"", word);
	}
	m->kind = f->kind;
	if (f->argument == ARGUMENT_NONE)
		return argument ? err_set(e, EINVAL, "mutant %s takes no argument", f->name) : 0;
	if (argument_parse(m, f, argument ? argument : f->usual, e))
		return err_context(e, "mutant %s", f->name);
	return 0;
}

/* --- sampling ------------------------------------------------------------ */

uint64_t mutant_count(double share, uint64_t n)
{
	uint64_t k = (uint64_t)llround(share * (double)n);
	return k > n ? n : k;
}

int sampler_init(struct sampler *s, const struct mutant *m, uint64_t n_can, uint64_t n_requests,
		 uint64_t seed, struct err *e)
{
	*s = (struct sampler){
	    .left = n_can, .wanted = mutant_count(m->ratio, n_requests), .state = seed};
	if (s->wanted > s->left)
		s->wanted = s->left;
	if (n_can == 0)
		return err_set(e, EINVAL, "mutant %s: the trace has no request that this mutant "
			"can change; choose another mutant", mutant_fault(m->kind)->name);
	if (s->wanted == 0)
		return err_set(e, EINVAL, "mutant %s: %.4g%% of the %llu reads and writes of the "
			"trace rounds to 0 requests; choose a larger share",
			mutant_fault(m->kind)->name, m->ratio * 100,
			(unsigned long long)n_requests);
	return 0;
}

bool sampler_takes(struct sampler *s)
{
	double u = (double)(splitmix_mix(s->state += SPLITMIX_STEP) >> 11) * 0x1p-53;
	bool take = u * (double)s->left-- < (double)s->wanted;
	s->wanted -= take;
	return take;
}

/* --- faulty requests ----------------------------------------------------- */

#define SECTOR_BYTES 512u

/* Whether the request can be faulty. The kernel moves at most INT32_MAX bytes, and shifts have 32
 * bits. */
static bool moves_data(const struct hot_request *h)
{
	bool plain =
	    h->op == OP_READ || h->op == OP_WRITE || h->op == OP_PREAD || h->op == OP_PWRITE;
	return plain && h->length > 0 && h->length <= INT32_MAX;
}

static bool is_sequential(const struct hot_request *h)
{
	return h->op == OP_READ || h->op == OP_WRITE;
}

static void fault_offset(struct hot_request *h)
{
	/* backwards if possible, because the file has data before the request */
	bool back = h->offset != OFFSET_NONE && h->offset >= h->length;
	int32_t shift = back ? -(int32_t)h->length : (int32_t)h->length;
	if (is_sequential(h))
		h->offset = shifts_pack(shift, -shift);
	else
		h->offset += (uint64_t)(int64_t)shift;
}

/* Halves the length; a multiple of the sector size stays a multiple of it. */
static void fault_size(struct hot_request *h)
{
	uint32_t half = h->length / 2;
	if (h->length % SECTOR_BYTES == 0 && half > SECTOR_BYTES)
		half -= half % SECTOR_BYTES;
	uint32_t cut = h->length - half;
	h->length -= cut;
	if (is_sequential(h))
		h->offset = shifts_pack(0, (int32_t)cut);
}

static bool can_swap(const struct lane *a, uint32_t k)
{
	const struct hot_request *h = &a->request[k], *g = h + 1;
	if (k + 1 >= a->n || !moves_data(h) || !moves_data(g) || h->fault || g->fault)
		return false;
	if (!is_sequential(h) && !is_sequential(g))
		return true;
	return h->op == g->op && h->slot == g->slot && !((h->flags ^ g->flags) & HOT_COMMON) &&
	       (uint64_t)h->length + g->length <= INT32_MAX;
}

/* Swaps the calls and their records, but neither waits, publications nor due times. */
static void fault_swap(struct replay_plan *p, const uint32_t *record_at, uint32_t lane, uint32_t k)
{
	struct hot_request *h = &p->lane[lane].request[k], *g = h + 1, was = *h;
	int64_t *expected = &p->lane[lane].expected[k], first = expected[0];
	h->offset = g->offset, h->length = g->length, h->slot = g->slot, h->op = g->op;
	g->offset = was.offset, g->length = was.length, g->slot = was.slot, g->op = was.op;
	expected[0] = expected[1], expected[1] = first;
	if (is_sequential(h)) { /* h now accesses the second range, then g the first */
		h->offset = shifts_pack((int32_t)g->length, -(int32_t)(g->length + h->length));
		g->offset = shifts_pack(0, (int32_t)h->length);
	}
	h->fault = g->fault = FAULT_SWAP;
	p->place[record_at[k]].index = k + 1;
	p->place[record_at[k + 1]].index = k;
}

static void fault_apply(struct replay_plan *p, struct hot_request *h)
{
	h->fault = (uint8_t)p->mutant.kind;
	if (p->mutant.kind == FAULT_OFFSET)
		fault_offset(h);
	else if (p->mutant.kind == FAULT_SIZE)
		fault_size(h);
}

/* Walks the requests that can be faulty. Without a sampler it counts them, otherwise it changes
 * those that the sampler selects. Swapped pairs do not overlap. */
static uint64_t requests_walk(struct replay_plan *p, struct sampler *s, const uint32_t *record_at)
{
	uint64_t n = 0, first = 0;
	bool swap = p->mutant.kind == FAULT_SWAP;
	for (uint32_t i = 0; i < p->n_lanes; first += p->lane[i++].n) {
		const struct lane *a = &p->lane[i];
		for (uint32_t k = 0; k < a->n; k++) {
			struct hot_request *h = &a->request[k];
			bool can =
			    swap ? can_swap(a, k)
				 : moves_data(h) && (p->mutant.kind != FAULT_SIZE || h->length > 1);
			if (!can)
				continue;
			n++;
			bool take = s && sampler_takes(s);
			if (take && swap)
				fault_swap(p, record_at + first, i, k);
			else if (take)
				fault_apply(p, h);
			k += swap;
		}
	}
	return n;
}

/* Returns the record at each place, one lane after the other: the inverse of place[]. */
static uint32_t *records_by_place(const struct replay_plan *p)
{
	uint32_t *record_at = xcalloc((size_t)p->n + 1, sizeof *record_at);
	SCOPED_FREE uint64_t *first = xcalloc((size_t)p->n_lanes + 1, sizeof *first);
	for (uint32_t i = 1; i < p->n_lanes; i++)
		first[i] = first[i - 1] + p->lane[i - 1].n;
	for (uint64_t i = 0; i < p->n_records; i++)
		if (p->place[i].lane != NONE32)
			record_at[first[p->place[i].lane] + p->place[i].index] = (uint32_t)i;
	return record_at;
}

int mutant_apply(struct replay_plan *p, struct err *e)
{
	const struct fault *f = mutant_fault(p->mutant.kind);
	if (!f || f->argument != ARGUMENT_SHARE)
		return 0;
	uint64_t n_requests = 0;
	for (uint32_t i = 0; i < p->n_lanes; i++)
		for (uint32_t k = 0; k < p->lane[i].n; k++)
			n_requests += moves_data(&p->lane[i].request[k]);
	struct sampler s;
	int ret = sampler_init(&s, &p->mutant, requests_walk(p, NULL, NULL), n_requests, p->n, e);
	if (ret)
		return ret;
	SCOPED_FREE uint32_t *record_at = p->mutant.kind == FAULT_SWAP ? records_by_place(p) : NULL;
	requests_walk(p, &s, record_at);
	return 0;
}
