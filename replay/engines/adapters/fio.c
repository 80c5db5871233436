/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fio --read_iolog with version 3 of the log: fio issues the requests of one thread, with as many
 * in flight as its engine and depth allow.
 *
 * Logs of fio have response times in ns, but instants in whole ms. With asynchronous engines, fio
 * 3.33 fetches completions only when the queue is full: its response times include that wait. It
 * does not log requests that are in flight at its end. So the default is times block. The exit
 * status of fio is 0 even if a signal killed its job. */

#include "common/sort.h"
#include "replay/engines/adapters/outputs.h"

enum { ENGINE_PSYNC };
enum { DIRECT_AUTO, DIRECT_YES };
#define MS INT64_C(1000000)

/* --- its logs ------------------------------------------------------------ */

struct fio_row {
	int64_t at_ns, took_ns;
	uint64_t offset, length;
	uint64_t order; /* in its log */
	enum trace_op op;
	/* completion that belongs to a row of the submission log, NULL none */
	const struct fio_row *lat;
};

struct fio_rows {
	struct fio_row *row;
	size_t n, cap;
};

/* Parses "105, 99564640, 1, 4096, 20828160, 0": ms, ns, direction, bytes, offset, priority, and,
 * with an option of fio, the time of issue in ns. */
static int row_take(void *ctx, char *line, struct err *e)
{
	static const enum trace_op ops[] = {OP_PREAD, OP_PWRITE, OP_FALLOCATE};
	struct fio_rows *rows = ctx;
	char *field[8];
	int64_t v[5];
	static const char *const what[] = {"time", "response time", "direction", "size", "offset"};
	if (!line_fields(line, ',', field, 5, 8))
		return err_set(e, EBADMSG,
			"\"%.60s\": expected time, response time, direction, size and offset",
			line);
	for (unsigned int i = 0; i < 5; i++) {
		int ret = field_number(field[i], what[i], 0, &v[i], e);
		if (ret)
			return ret;
		if (v[i] < 0 || (i == 0 && v[i] > TRACE_TIME_MAX / MS))
			return err_set(e, EBADMSG, "%s: %lld is out of range", what[i],
				       (long long)v[i]);
	}
	if (v[2] > 2)
		return err_set(e, EBADMSG,
			       "direction: expected 0 (read), 1 (write) or 2 (trim), not %lld",
			       (long long)v[2]);
	const struct fio_row row = {.at_ns = v[0] * MS + MS / 2,
				    .took_ns = v[1],
				    .op = ops[v[2]],
				    .length = (uint64_t)v[3],
				    .offset = (uint64_t)v[4],
				    .order = rows->n};
	APPEND(rows->row, rows->n, rows->cap, row);
	return 0;
}

ORDER_BY(by_key, struct fio_row, offset, length, op)
ORDER_BY(by_key_and_order, struct fio_row, offset, length, op, order)
ORDER_BY(by_order, struct fio_row, order)

/* Joins the k-th submission with the k-th completion of the same transfer. Completions without a
 * submission remain. */
static void rows_join(struct fio_rows *issued, struct fio_rows *ended)
{
	size_t i = 0, k = 0;
	SORT(issued->row, issued->n, by_key_and_order);
	SORT(ended->row, ended->n, by_key_and_order);
	while (i < issued->n && k < ended->n) {
		int c = by_key(&issued->row[i], &ended->row[k]);
		if (!c) {
			ended->row[k].lat = &ended->row[k]; /* taken */
			issued->row[i].lat = &ended->row[k];
		}
		i += c <= 0;
		k += c >= 0;
	}
	SORT(issued->row, issued->n, by_order);
}

/* `lat`: row of the completion. `row`: row of the submission, or of the completion if there is no
 * submission. */
static int row_give(const struct fio_row *row, const struct fio_row *lat,
		    const struct request_taker *t, struct err *e)
{
	struct adapter_request q = ADAPTER_REQUEST_INIT;
	q.op = row->op;
	q.offset = row->offset;
	q.length = row->length;
	q.begin_ns = lat ? lat->at_ns - lat->took_ns : row->at_ns - row->took_ns;
	q.end_ns = lat ? lat->at_ns : TIME_NONE;
	return t->take(t->ctx, &q, e);
}

static int rows_give(struct fio_rows *issued, struct fio_rows *ended, const struct request_taker *t,
		     struct err *e)
{
	int ret = 0;
	rows_join(issued, ended);
	for (size_t i = 0; i < issued->n && !ret; i++)
		ret = row_give(&issued->row[i], issued->row[i].lat, t, e);
	SORT(ended->row, ended->n, by_order);
	for (size_t i = 0; i < ended->n && !ret; i++)
		ret = ended->row[i].lat ? 0 : row_give(&ended->row[i], &ended->row[i], t, e);
	return ret;
}

int fio_logs_read(const char *prefix, const struct request_taker *taker, struct err *e)
{
	struct fio_rows ended = {NULL}, issued = {NULL};
	char *lat = xasprintf("%s_lat.1.log", prefix), *slat = xasprintf("%s_slat.1.log", prefix);
	int wrong = lines_read(lat, row_take, &ended, e), ret = 0;
	if (!wrong)
		wrong = lines_read(slat, row_take, &issued, e);
	struct err give = {0};
	ret = rows_give(&issued, &ended, taker, &give);
	if (!wrong && ret)
		*e = give;
	FREE_EACH(lat, slat, ended.row, issued.row);
	return wrong ? wrong : ret;
}

/* --- the adapter --------------------------------------------------------- */

static int fio_check(const struct replay_config *c, struct err *e)
{
	const struct known_options *o = &c->adapter.known;
	if (o->fio_iodepth > 1 && o->fio_ioengine == ENGINE_PSYNC)
		return err_set(e, EINVAL, "fio-iodepth needs fio-ioengine libaio or io_uring: "
			"psync makes one request at a time");
	return 0;
}

static int fio_words(struct adapter_run *r, struct err *e)
{
	const struct known_options *o = &r->config->adapter.known;
	uint64_t depth = o->fio_ioengine == ENGINE_PSYNC ? 1
			 : o->fio_iodepth                ? o->fio_iodepth
							 : r->inputs.max_in_flight;
	uint64_t entries = r->n_requests < 1024      ? 1024
			   : r->n_requests > 1048576 ? 1048576
						     : r->n_requests;
	bool direct =
	    o->fio_direct == DIRECT_AUTO ? r->device != NULL : o->fio_direct == DIRECT_YES;
	(void)e;
	/* In fio a colon ends a file name, unless a backslash precedes it. */
	SCOPED_STRBUF name = STRBUF_INIT;
	for (const char *c = r->inputs.file.v[0]; *c; c++) {
		if (*c == ':')
			strbuf_addch(&name, '\\');
		strbuf_addch(&name, *c);
	}
	adapter_placeholder(r, "iolog", name.s);
	adapter_word(r, "--ioengine=%s", fio_ioengine_names[o->fio_ioengine]);
	adapter_word(r, "--iodepth=%llu", (unsigned long long)(depth ? depth : 1));
	adapter_word(r, "--direct=%d", direct);
	if (r->device)
		adapter_word(r, "--replay_redirect={device}");
	if (o->fio_no_stall)
		adapter_word(r, "--replay_no_stall=1");
	if (r->config->speed != 1)
		adapter_word(r, "--replay_time_scale=%ld", lround(100 * r->config->speed));
	/* without this option fio allocates memory during the replay */
	adapter_word(r, "--log_entries=%llu", (unsigned long long)entries);
	adapter_word(r, "--write_lat_log={scratch}/fio");
	adapter_word(r, "--log_offset=1");
	return 0;
}

/* The exit status of fio is 0 even if its job was killed. With another status, the error precedes
 * its table of numbers. */
static int fio_ended(struct adapter_run *r, struct err *e)
{
	SCOPED_STRBUF printed = STRBUF_INIT;
	int ret = -EAGAIN;
	if (printed_says(r, ", got signal=", NULL, &printed))
		ret = err_set(
		    e, EPROTO,
		    "signal %.3s ended fio's job, but the exit status of fio reports success",
		    printed.s);
	else if (r->status && !r->config->adapter.accept_status &&
		 printed_says(r, "func=", NULL, &printed))
		ret = err_set(e, EIO, "fio ended with status %d: %.200s",
			      WIFEXITED(r->status) ? WEXITSTATUS(r->status) : r->status, printed.s);
	return ret;
}

/* The log of fio has no file names, but lists transfers in order: each transfer belongs to the next
 * equal request of the input. */
struct fio_place {
	struct adapter_run *run;
	uint64_t seq;
	int64_t last_ns; /* of the log */
	uint64_t n_open; /* without a completion */
};

static int last_take(void *ctx, const struct adapter_request *seen, struct err *e)
{
	struct fio_place *p = ctx;
	int64_t ns = seen->end_ns == TIME_NONE ? seen->begin_ns : seen->end_ns;
	(void)e;
	p->n_open += seen->end_ns == TIME_NONE;
	p->last_ns = ns > p->last_ns ? ns : p->last_ns;
	return 0;
}

static bool is_alike(const struct trace_record *r, const struct adapter_request *q)
{
	enum op_family f = op_info(r->op)->family, of = op_info(q->op)->family;
	return (r->op == (uint16_t)q->op || (f == of && (f == FAMILY_READ || f == FAMILY_WRITE))) &&
	       r->offset == q->offset && r->length == q->length;
}

static int fio_take(void *ctx, const struct adapter_request *seen, struct err *e)
{
	struct fio_place *p = ctx;
	struct adapter_request q = *seen;
	const struct trace_record *r;
	int ret;
	q.end_ns = q.end_ns == TIME_NONE ? p->last_ns : q.end_ns;
	while ((ret = trace_next(p->run->input, &r, e)) == 1) {
		q.seq = p->seq++;
		if (is_alike(r, seen) && !inputs_is_left_out(&p->run->inputs, q.seq))
			return adapter_seen(p->run, &q, e);
	}
	return ret ? ret
		   : err_set(e, EBADMSG, "fio's log has a %s of %llu bytes at offset %llu, but no "
				"remaining request of the trace matches", op_name(q.op),
				(unsigned long long)q.length, (unsigned long long)q.offset);
}

static int fio_parse(struct adapter_run *r, struct err *e)
{
	struct fio_place p = {.run = r, .last_ns = INT64_MIN};
	const struct request_taker last = {last_take, &p}, taker = {fio_take, &p};
	SCOPED_FREE char *prefix = adapter_path(r, "fio");
	int ret = fio_logs_read(prefix, &last, e);
	ret = ret ? ret : trace_rewind(r->input, e);
	ret = ret ? ret : fio_logs_read(prefix, &taker, e);
	if (!ret && p.n_open)
		adapter_note(r, "%llu requests have no completion in fio's log: in the replay "
			"trace, their end is the last time in the log",
			(unsigned long long)p.n_open);
	adapter_note(r, "fio's log has times in whole ms, so differences below 1 ms are unknown");
	if (r->config->adapter.known.fio_ioengine != ENGINE_PSYNC)
		adapter_note(r, "fio takes completions only when its queue is full, so the "
				"response times in its log are too long: set times to another "
				"value");
	return ret;
}

static const struct adapter adapter_fio = {
    .name = "fio",
    .program = "fio",
    .format = "iolog",
    .suffix = ".iolog",
    .command = (const char *const[]){"--name=replay", "--read_iolog={iolog}",
				     "--output-format=terse", NULL},
    .times = ADAPTER_SELF | ADAPTER_PRELOAD | ADAPTER_BLOCK,
    .usual = ADAPTER_BLOCK,
    .timed = true,
    .in_target = true, /* with --directory fio 3.33 crashes */
    .resolution_ns = MS,
    .takes = (const char *const[]){"speed", "fio-ioengine", "fio-iodepth", "fio-direct",
				   "fio-no-stall", NULL},
    .check = fio_check,
    .words = fio_words,
    .ended = fio_ended,
    .parse = fio_parse,
};

ADAPTER_ENGINE(fio, 0,
	       "fio's replay of its iolog (--read_iolog), one thread: psync, libaio or io_uring");
