/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hfplayer 3: worker threads, a timer and a harvester, each spinning on its own CPU. The input is
 * SNIA's CSV and a configuration with the file of each LUN. hfplayer prints only totals, so times
 * are measured on the device.
 *
 * hfplayer divides by zero when it prints its progress, on traces of 100 to 9999 requests. It
 * guesses a wrong CPU frequency unless the frequency is given. It needs three CPUs more than it has
 * workers. For mode dep, this file adds the dependencies to the trace (infer.h), because hfplayer's
 * own analyser stops at requests that end at the same time. */

#include "common/clock.h"
#include "replay/engines/adapters/tool.h"
#include "replay/engines/adapters/outputs.h"
#include "replay/order/infer.h"

enum { PLAYER_HF, PLAYER_DEP };

#define CRASHES_FROM 100u
#define CRASHES_TO 9999u
#define MORE_PROCESSORS 3
#define LUN_COLUMN 7
#define LUNS_MAX 64u

/* --- its configuration: a row for each LUN ------------------------------- */

struct luns {
	int64_t lun[LUNS_MAX];
	unsigned int n;
};

static int lun_note(void *ctx, char *line, struct err *e)
{
	struct luns *l = ctx;
	char *field[LUN_COLUMN + 2];
	int64_t lun;
	unsigned int i = 0;
	if (*line == '#')
		return 0;
	if (!line_fields(line, ',', field, LUN_COLUMN + 2, LUN_COLUMN + 2))
		return err_set(e, EBADMSG, "the trace has no column LUN_SSID");
	int ret = field_number(field[LUN_COLUMN], "LUN_SSID", 0, &lun, e);
	while (!ret && i < l->n && l->lun[i] != lun)
		i++;
	if (ret || i < l->n)
		return ret;
	if (l->n == LUNS_MAX)
		return err_set(e, EINVAL, "the trace uses more than %u devices", LUNS_MAX);
	l->lun[l->n++] = lun;
	return 0;
}

static int configuration_write(const struct adapter_run *r, const struct luns *l, struct err *e)
{
	SCOPED_FREE char *path = adapter_path(r, "hfplayer.cfg");
	FILE *f = fopen(path, "we");
	int ret = f ? 0 : err_sys(e, errno, "cannot create %s", path);
	if (f) {
		fputs("#LUN_SSID.I,START_OFFSET.I,RANGE_NBYTES.I,NREQS.I,OFFSET_SHIFT.I,OFFSET_"
		      "SCALE.D,IOSIZE_SCALE.D,START_USECS.D,"
		      "NUM_USECS.I,SLACK_SCALE.D,AWAIT_REPLY.I,FILE.S\n",
		      f);
		for (unsigned int i = 0; i < l->n; i++)
			fprintf(f,
				"%lld,0,9000000000000000000,%llu,0,1.000,1.000,%lld.0,"
				"1000000000000000,1.000,1,%s\n",
				(long long)l->lun[i], (unsigned long long)r->n_requests,
				(long long)(r->inputs.first_ns / 1000), r->device);
		bool good = !ferror(f);
		if (fclose(f) || !good)
			ret = err_set(e, EIO, "cannot write %s", path);
	}
	return ret;
}

/* --- the trace with dependencies: the identifiers of the requests that each waits for --- */

struct annotation {
	FILE *in, *out;
	char *line, *path;
	size_t size;
	uint64_t *id;	   /* id[n_ids]: id of each request, in order */
	uint64_t *of_rank; /* of_rank[n_ranks]: requests in the order of their ends */
	size_t n_ids, cap_ids, n_ranks, cap_ranks;
};

static void rank_note(void *ctx, uint64_t request, uint64_t rank)
{
	struct annotation *a = ctx;
	(void)rank; /* the calls come in this order */
	APPEND(a->of_rank, a->n_ranks, a->cap_ranks, request);
}

static int request_annotate(struct annotation *a, const struct infer_parents *p, struct err *e)
{
	if (getline(&a->line, &a->size, a->in) <= 0)
		return err_set(e, EIO, "the input file of hfplayer is incomplete: it has fewer "
				       "requests than were exported");
	a->line[strcspn(a->line, "\r\n")] = 0;
	APPEND(a->id, a->n_ids, a->cap_ids, strtoull(a->line, NULL, 10));
	fprintf(a->out, "%s,%llu,", a->line, (unsigned long long)(p->hi - p->lo));
	for (uint64_t rank = p->lo; rank < p->hi; rank++)
		fprintf(a->out, "%s%llu", rank > p->lo ? "-" : "",
			(unsigned long long)a->id[a->of_rank[rank]]);
	fputs(p->hi > p->lo ? "\n" : "NA\n", a->out);
	return 0;
}

static int requests_annotate(struct adapter_run *r, struct annotation *a, struct infer *f,
			     struct err *e)
{
	const struct trace_record *record;
	struct infer_parents parents;
	uint64_t i = 0;
	int more, ret = trace_rewind(r->input, e);
	while (!ret && (more = trace_next(r->input, &record, e))) {
		if (more < 0)
			return more;
		if (inputs_is_left_out(&r->inputs, i++))
			continue;
		ret = infer_feed(f, record->begin_ns, record->end_ns, &parents, e);
		ret = ret ? ret : request_annotate(a, &parents, e);
	}
	return ret;
}

static int file_annotate(struct adapter_run *r, struct annotation *a, struct err *e)
{
	struct infer f;
	const char *input = r->inputs.file.v[0];
	a->in = fopen(input, "re");
	if (!a->in)
		return err_sys(e, errno, "cannot open %s", input);
	a->out = fopen(a->path, "we");
	if (!a->out)
		return err_sys(e, errno, "cannot create %s", a->path);
	if (getline(&a->line, &a->size, a->in) <= 0)
		return err_set(e, EIO, "cannot read the heading of %s", input);
	fprintf(a->out, "%.*s,DEP_PARENT_COUNT.I,DEP_PARENT_LIST.S\n",
		(int)strcspn(a->line, "\r\n"), a->line);
	infer_init(&f, INFER_THRESHOLD_NS);
	f.ended = rank_note;
	f.ctx = a;
	int ret = requests_annotate(r, a, &f, e);
	infer_release(&f);
	return ret;
}

static int annotated_write(struct adapter_run *r, struct err *e)
{
	struct annotation a = {.path = adapter_path(r, "annotated.csv")};
	int ret = file_annotate(r, &a, e);
	bool good = !a.out || !ferror(a.out);
	if (a.out && (fclose(a.out) || !good) && !ret)
		ret = err_set(e, EIO, "cannot write %s", a.path);
	if (a.in)
		fclose(a.in);
	if (!ret)
		adapter_placeholder(r, "annotated", a.path);
	FREE_EACH(a.line, a.id, a.of_rank, a.path);
	return ret;
}

/* --- the adapter --------------------------------------------------------- */

static int hfplayer_check(const struct replay_config *c, struct err *e)
{
	const struct known_options *o = &c->adapter.known;
	if (o->hfplayer_mode == PLAYER_DEP && o->hfplayer_bundle_ns)
		return err_set(e, EINVAL, "hfplayer-bundle: hfplayer aborts (failed "
			"assertion) if it bundles requests in mode dep; omit this option");
	return 0;
}

static int machine_check(const struct adapter_run *r, struct err *e)
{
	uint64_t needed = r->config->adapter.known.hfplayer_threads + MORE_PROCESSORS;
	long there = sysconf(_SC_NPROCESSORS_ONLN);
	if (r->n_requests >= CRASHES_FROM && r->n_requests <= CRASHES_TO)
		return err_set(e, EINVAL, "%llu requests: hfplayer divides by zero on traces of %u "
			"to %u requests; use a trace with fewer or more requests",
			(unsigned long long)r->n_requests, CRASHES_FROM, CRASHES_TO);
	if (there >= 0 && (uint64_t)there < needed)
		return err_set(e, EINVAL, "hfplayer-threads %llu: hfplayer needs %llu CPUs, but "
			"this machine has %ld",
			(unsigned long long)needed - MORE_PROCESSORS, (unsigned long long)needed,
			there);
	return 0;
}

static int hfplayer_ready(struct adapter_run *r, struct err *e)
{
	struct luns luns = {.n = 0};
	int ret = machine_check(r, e);
	ret = ret ? ret : lines_read(r->inputs.file.v[0], lun_note, &luns, e);
	ret = ret ? ret : configuration_write(r, &luns, e);
	if (!ret && r->config->adapter.known.hfplayer_mode == PLAYER_DEP)
		ret = annotated_write(r, e);
	return ret;
}

static int hfplayer_words(struct adapter_run *r, struct err *e)
{
	const struct known_options *o = &r->config->adapter.known;
	struct clock clock;
	int ret = clock_init(&clock, 20000000, e);
	if (ret)
		return ret;
	if (clock.source == CLOCK_SOURCE_TSC) {
		adapter_word(r, "-c");
		adapter_word(r, "%.6f", 1 / clock.ns_per_tick);
	}
	adapter_word(r, "-mode");
	adapter_word(r, "%s", hfplayer_mode_names[o->hfplayer_mode]);
	adapter_word(r, "-nt");
	adapter_word(r, "%llu", (unsigned long long)o->hfplayer_threads);
	adapter_word(r, "-q");
	adapter_word(r, "%llu", (unsigned long long)o->hfplayer_queue);
	if (o->hfplayer_bundle_ns) {
		adapter_word(r, "-b");
		adapter_word(r, "%lld", (long long)o->hfplayer_bundle_ns);
	}
	adapter_word(r, "-cfg");
	adapter_word(r, "{scratch}/hfplayer.cfg");
	adapter_word(r, o->hfplayer_mode == PLAYER_DEP ? "{annotated}" : "{trace}");
	return 0;
}

/* Extracts the version from "You are running version 3.0 of PATH." */
static int hfplayer_version(const char *binary, const char *user, struct strbuf *out, struct err *e)
{
	static const char before[] = "You are running version ";
	char *const argv[] = {(char *)binary, "-v", NULL};
	SCOPED_STRBUF line = STRBUF_INIT;
	int ret = binary_first_line(argv, user, &line, e);
	const bool known = !ret && !strncmp(line.s, before, strlen(before));
	const char *version = known ? line.s + strlen(before) : line.s;
	if (!ret)
		strbuf_addf(out, "%s%.*s", known ? "hfplayer " : "",
			    (int)(known ? strcspn(version, " ") : line.len), version);
	return ret;
}

static const struct adapter adapter_hfplayer = {
    .name = "hfplayer",
    .program = "hfplayer",
    .format = "snia",
    .suffix = ".csv",
    .command = (const char *const[]){NULL},
    .times = ADAPTER_BLOCK,
    .usual = ADAPTER_BLOCK,
    .timed = true,
    .takes = (const char *const[]){"hfplayer-mode", "hfplayer-threads", "hfplayer-queue",
				   "hfplayer-bundle", NULL},
    .check = hfplayer_check,
    .ready = hfplayer_ready,
    .words = hfplayer_words,
    .version = hfplayer_version,
};

ADAPTER_ENGINE(
    hfplayer, LEVEL_BLOCK,
    "hfplayer: requests on a device in modes hf, dep, afap and load; its threads wait in "
    "busy loops");
