/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Write-only formats with one request on each line or in each packet: blkreplay, btreplay,
 * Perfetto. doc/formats/others.md. */

#include "capture/formats/sink.h"
#include "capture/op.h"

struct exports_out {
	struct trace *t;
	int64_t first_ns;
	uint64_t n, count; /* requests written; requests that the format can represent */
};

static bool is_block_transfer(const struct exports_out *x, const struct trace_record *r,
			      bool *is_write, const char **why)
{
	if (!sink_is_transfer(x->t, r, is_write, why))
		return false;
	*why = r->offset % 512 || r->length % 512 ? "its offset or length is not a multiple of 512"
						  : NULL;
	return !*why;
}

/* First pass: counts the requests that the format can represent, and finds the first start. */
static int count_transfers(struct exports_out *x, struct err *e)
{
	const struct trace_record *r;
	const char *why;
	bool is_write;
	int ret = trace_rewind(x->t, e);
	while (!ret && ((ret = trace_next(x->t, &r, e)) == 1 || ret == -EBADMSG)) {
		if (ret == 1 && is_block_transfer(x, r, &is_write, &why)) {
			x->first_ns =
			    !x->count || r->begin_ns < x->first_ns ? r->begin_ns : x->first_ns;
			x->count++;
		}
		ret = 0;
	}
	return ret;
}

/* --- blkreplay ----------------------------------------------------------- */

static int blkreplay_one(void *ctx, struct sink *s, const struct trace_record *r, const char **why,
			 struct err *e)
{
	struct exports_out *x = ctx;
	bool is_write;
	(void)e;
	if (!is_block_transfer(x, r, &is_write, why))
		return 0;
	sink_decimal(s, r->begin_ns - x->first_ns, 9);
	strbuf_addf(&s->out, " ; %llu ; %llu ; %c ; 0.0 ; 0.0\n",
		    (unsigned long long)r->offset / 512, (unsigned long long)r->length / 512,
		    is_write ? 'W' : 'R');
	return 1;
}

static int blkreplay_write(struct trace *t, const char *path, struct trace_export_report *report,
			   struct err *e)
{
	static const struct sink_writer writer = {.one = blkreplay_one};
	struct exports_out x = {.t = t};
	int ret = count_transfers(&x, e);
	return ret ? ret : sink_write_trace(&writer, &x, t, path, report, e);
}

const struct trace_format format_blkreplay = {
    .name = "blkreplay",
    .help = "blkreplay text: time ; sector ; sectors ; R or W",
    .write = blkreplay_write,
};

/* --- btreplay ------------------------------------------------------------ */

#define BTRECORD_VERSION 0x010000u /* version of btrecord 1.0.0 */

static void add_u64(struct sink *s, uint64_t v)
{
	strbuf_add(&s->out, &v, sizeof v);
}

static int btrecord_head(void *ctx, struct sink *s, struct err *e)
{
	const struct exports_out *x = ctx;
	(void)e;
	add_u64(s, BTRECORD_VERSION);
	add_u64(s, 0); /* genesis: the instant to which the times of the bunches are relative */
	add_u64(s, x->count);
	add_u64(s, x->count);
	return 0;
}

/* Writes one request per bunch, because btreplay waits only between bunches. */
static int btrecord_one(void *ctx, struct sink *s, const struct trace_record *r, const char **why,
			struct err *e)
{
	struct exports_out *x = ctx;
	bool is_write;
	(void)e;
	if (!is_block_transfer(x, r, &is_write, why))
		return 0;
	add_u64(s, 1);
	add_u64(s, (uint64_t)(r->begin_ns - x->first_ns));
	add_u64(s, r->offset / 512);
	add_u64(s, r->length);
	add_u64(s, !is_write); /* 32 bits and padding */
	x->n++;
	return 1;
}

static int btrecord_write(struct trace *t, const char *path, struct trace_export_report *report,
			  struct err *e)
{
	static const struct sink_writer writer = {.head = btrecord_head, .one = btrecord_one};
	struct exports_out x = {.t = t};
	int ret = count_transfers(&x, e);
	return ret ? ret : sink_write_trace(&writer, &x, t, path, report, e);
}

const struct trace_format format_btrecord = {
    .name = "btrecord",
    .help = "input of btreplay, one request per bunch",
    .write = btrecord_write,
};

/* --- Perfetto, Chrome ---------------------------------------------------- */

static int perfetto_one(void *ctx, struct sink *s, const struct trace_record *r, const char **why,
			struct err *e)
{
	struct exports_out *x = ctx;
	const struct trace_object *o = trace_object(x->t, r->object);
	(void)e;
	*why = "its start or its end is not known";
	if (r->begin_ns == TIME_NONE || r->end_ns == TIME_NONE || r->end_ns < r->begin_ns)
		return 0;
	strbuf_addf(&s->out,
		    "%s{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"ts\":", x->n++ ? ",\n" : "\n",
		    op_name(r->op), op_family_names[op_info(r->op)->family]);
	sink_decimal(s, r->begin_ns, 3);
	strbuf_addstr(&s->out, ",\"dur\":");
	sink_decimal(s, r->end_ns - r->begin_ns, 3);
	strbuf_addf(&s->out, ",\"pid\":%u,\"tid\":%u,\"args\":{\"seq\":%llu", r->pid, r->tid,
		    (unsigned long long)r->seq);
	if (o) {
		strbuf_addstr(&s->out, ",\"object\":");
		sink_json_string(s, o->name);
	}
	if (r->offset <= INT64_MAX)
		strbuf_addf(&s->out, ",\"offset\":%llu", (unsigned long long)r->offset);
	strbuf_addf(&s->out, ",\"length\":%llu,\"result\":%lld,\"error\":%u}}",
		    (unsigned long long)r->length, (long long)r->rvalue, r->error);
	return 1;
}

static int perfetto_write(struct trace *t, const char *path, struct trace_export_report *report,
			  struct err *e)
{
	static const struct sink_writer writer = {
	    .header = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[",
	    .one = perfetto_one,
	    .footer = "\n]}\n"};
	struct exports_out x = {.t = t};
	return sink_write_trace(&writer, &x, t, path, report, e);
}

const struct trace_format format_perfetto = {
    .name = "perfetto",
    .help = "trace JSON of Chrome and Perfetto, for viewing",
    .write = perfetto_write,
};
