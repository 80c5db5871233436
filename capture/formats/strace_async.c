/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io_submit shows each request with the number that the program gives it (aio_data), but not the
 * address of its control block; io_getevents shows both. So a result is matched with the oldest
 * request of the same context and number, preferably with the same length. If a program gives all
 * requests the same number (as fio does) and results arrive out of order, some requests get the end
 * of another request. The number of requests in flight at each instant is nevertheless correct. */

#include "capture/formats/strace_parsed.h"
#include "capture/number.h"

enum { CANDIDATES_MAX = 256, IN_FLIGHT_MAX = QUEUE_WAITING_MAX };

/* --- requests in flight -------------------------------------------------- */

static uint32_t chain_of(uint32_t pid, uint64_t context, uint64_t data)
{
	uint64_t h = (context ^ (uint64_t)pid << 40) * 0x9e3779b97f4a7c15u;
	h = (h ^ h >> 32 ^ data) * 0xbf58476d1ce4e5b9u;
	return (uint32_t)(h >> 54); /* of STRACE_ASYNC_CHAINS */
}

static void request_add(struct strace_async *a, const struct strace_aio_request *one)
{
	uint32_t at = a->unused;
	if (at) {
		a->unused = a->request[at].next;
	} else {
		a->n += !a->n;
		GROW(a->request, a->n, a->cap);
		at = a->n++;
	}
	a->request[at] = *one;
	a->request[at].next = 0;
	const uint32_t chain = chain_of(one->pid, one->context, one->data);
	*(a->last[chain] ? &a->request[a->last[chain]].next : &a->first[chain]) = at;
	a->last[chain] = at;
	a->n_in_flight++;
}

/* Removes the request to which a result belongs (bytes, or negative: a failure). False: there is
 * none. */
static bool request_remove(struct strace_async *a, uint32_t pid, uint64_t context, uint64_t data,
			   int64_t result, struct strace_aio_request *one)
{
	const uint32_t chain = chain_of(pid, context, data);
	uint32_t found = 0, before_found = 0, before = 0;
	for (uint32_t at = a->first[chain], k = 0; at && k < CANDIDATES_MAX;
	     before = at, at = a->request[at].next, k++) {
		const struct strace_aio_request *x = &a->request[at];
		if (x->pid != pid || x->context != context || x->data != data)
			continue;
		const bool fits = result < 0 || x->r.length == (uint64_t)result;
		if (found && !fits)
			continue;
		found = at;
		before_found = before;
		if (fits)
			break;
	}
	if (!found)
		return false;
	*one = a->request[found];
	*(before_found ? &a->request[before_found].next : &a->first[chain]) = one->next;
	if (a->last[chain] == found)
		a->last[chain] = before_found;
	a->request[found].next = a->unused;
	a->unused = found;
	a->n_in_flight--;
	return true;
}

void strace_async_release(struct strace_async *a)
{
	free(a->request);
	*a = (struct strace_async){.follows = a->follows};
}

void strace_async_end(struct strace_async *a, struct foreign *f)
{
	for (uint32_t chain = 0; chain < STRACE_ASYNC_CHAINS; chain++)
		for (uint32_t at = a->first[chain]; at; at = a->request[at].next)
			foreign_unfinished(f, a->request[at].ticket);
	strace_async_release(a);
}

/* --- arguments ----------------------------------------------------------- */

/* "name=value" */
static bool is_field(const struct part *field, const char *name, struct part *value)
{
	const size_t len = strlen(name);
	if (field->len <= len || memcmp(field->s, name, len) || field->s[len] != '=')
		return false;
	*value = (struct part){field->s + len + 1, field->len - len - 1};
	return true;
}

static uint64_t number_of(const struct part *value)
{
	const char *s = value->s;
	uint64_t v = 0;
	return scan_c_u64(&s, value->s + value->len, &v) ? v : 0;
}

static int64_t signed_of(const struct part *value)
{
	const char *s = value->s;
	int64_t v = 0;
	return scan_i64(&s, value->s + value->len, &v) ? v : 0;
}

static uint16_t op_of(const struct part *value)
{
	static const struct {
		const char *name;
		enum trace_op op;
	} commands[] = {{"IOCB_CMD_PREAD", OP_AIO_READ},   {"IOCB_CMD_PWRITE", OP_AIO_WRITE},
			{"IOCB_CMD_PREADV", OP_AIO_READV}, {"IOCB_CMD_PWRITEV", OP_AIO_WRITEV},
			{"IOCB_CMD_FSYNC", OP_AIO_FSYNC},  {"IOCB_CMD_FDSYNC", OP_AIO_FDATASYNC}};
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (strlen(commands[i].name) == value->len &&
		    !memcmp(commands[i].name, value->s, value->len))
			return (uint16_t)commands[i].op;
	return OP_AIO_OTHER;
}

/* [{iov_base="..."..., iov_len=4096}, ...] */
static uint64_t buffers_length(const struct part *value)
{
	const char *s = value->s + 1, *end = value->s + value->len;
	struct part one, field, length;
	uint64_t sum = 0;
	while (strace_next_part(&s, end, &one)) {
		const char *in = one.s + 1;
		while (*one.s == '{' && strace_next_part(&in, one.s + one.len, &field))
			if (is_field(&field, "iov_len", &length))
				sum += number_of(&length);
	}
	return sum;
}

/* Reads a control block: "{aio_data=0x5, aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=3</a>,
 * aio_buf=..., aio_nbytes=4096, aio_offset=0}". */
static int block_take(struct strace_parsed *p, const struct part *block,
	struct strace_aio_request *one, struct err *e)
{
	const char *s = block->s + 1, *end = block->s + block->len;
	struct part field, value;
	int ret = 0;
	while (!ret && strace_next_part(&s, end, &field)) {
		int64_t fd = -1;
		if (is_field(&field, "aio_data", &value))
			one->data = number_of(&value);
		else if (is_field(&field, "aio_lio_opcode", &value))
			one->r.op = op_of(&value);
		else if (is_field(&field, "aio_nbytes", &value))
			one->r.length = number_of(&value);
		else if (is_field(&field, "aio_offset", &value))
			one->r.offset = (uint64_t)signed_of(&value);
		else if (is_field(&field, "aio_buf", &value) && value.len && *value.s == '[')
			one->r.length = buffers_length(&value);
		else if (is_field(&field, "aio_fildes", &value)) {
			ret = strace_descriptor(p, &value, &fd, e);
			one->r.fd = fd >= INT32_MIN && fd <= INT32_MAX ? (int32_t)fd : -1;
			ret = ret ? ret
				: syscalls_file_object(p->t->calls_made,
						       syscalls_file(p->t->calls_made, p->tid, fd),
						       &one->r.object, e);
		}
	}
	return ret;
}

/* --- the calls ----------------------------------------------------------- */

/* The next "{...}" of a list. False: the end of the list. */
static bool element_next(const char **s, const char *end, struct part *one)
{
	return strace_next_part(s, end, one) && one->len > 1 && *one->s == '{';
}

static uint64_t context_of(const struct strace_parsed *p)
{
	return number_of(&p->arg[0]);
}

static int submitted_parse(struct strace_parsed *p, const struct part *list, struct err *e)
{
	struct strace_async *a = &p->t->async;
	const char *s = list->s + 1, *end = list->s + list->len;
	struct part block;
	int64_t n = 0;
	int ret = 0;
	for (; !ret && n < p->r.rvalue && element_next(&s, end, &block); n++) {
		struct strace_aio_request one = {.pid = p->r.pid,
						 .context = context_of(p),
						 .r = record_unknown()};
		one.r.op = OP_AIO_OTHER;
		one.r.begin_ns = p->r.begin_ns;
		one.r.pid = p->r.pid;
		one.r.tid = p->tid;
		ret = block_take(p, &block, &one, e);
		strace_size_async(p, &one.r);
		one.ticket = record_queue_add(&p->t->base.queue, &one.r);
		if (!ret && a->n_in_flight < IN_FLIGHT_MAX)
			request_add(a, &one);
		else
			foreign_unfinished(&p->t->base, one.ticket);
	}
	p->t->base.base.notes.n_unshown += n && n < p->r.rvalue ? (uint64_t)(p->r.rvalue - n) : 0;
	return ret;
}

static int request_finish(struct strace_parsed *p, const struct strace_aio_request *one,
	int64_t result, struct err *e)
{
	struct trace_record r = one->r, *place = record_queue_at(&p->t->base.queue, one->ticket);
	const int64_t end_ns = p->r.end_ns == TIME_NONE ? p->r.begin_ns : p->r.end_ns;
	r.end_ns = end_ns > r.begin_ns ? end_ns : r.begin_ns;
	r.rvalue = result < 0 ? -1 : result;
	r.error = result < 0 && result > -4096 ? (uint16_t)-result : 0;
	if (!place)
		return foreign_add(&p->t->base, &r, e);
	r.commit = TRACE_COMMIT;
	*place = r;
	return 0;
}

static int fetched_parse(struct strace_parsed *p, const struct part *list, struct err *e)
{
	const char *s = list->s + 1, *end = list->s + list->len;
	struct part event, field, value;
	int ret = 0;
	while (!ret && element_next(&s, end, &event)) {
		const char *in = event.s + 1;
		struct strace_aio_request one;
		uint64_t data = 0;
		int64_t result = 0;
		while (strace_next_part(&in, event.s + event.len, &field))
			if (is_field(&field, "data", &value))
				data = number_of(&value);
			else if (is_field(&field, "res", &value))
				result = signed_of(&value);
		if (request_remove(&p->t->async, p->r.pid, context_of(p), data, result, &one))
			ret = request_finish(p, &one, result, e);
		else
			p->t->base.base.notes.n_without_begin++;
	}
	return ret;
}

int strace_async_take(struct strace_parsed *p, struct err *e)
{
	const unsigned int at = p->r.op == OP_IO_SUBMIT ? 2 : 3;
	const struct part *list = &p->arg[at];
	if (!p->t->async.follows || p->n <= at || p->r.rvalue <= 0 || !list->len || *list->s != '[')
		return 0;
	return p->r.op == OP_IO_SUBMIT ? submitted_parse(p, list, e) : fetched_parse(p, list, e);
}
