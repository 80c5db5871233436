/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that an application makes the same requests in each run. The order between nodes differs,
 * so two runs cannot be compared record by record. Instead, each node has a running digest. After a
 * difference, the requests of this node are read again. */

#include "capture/causality/requests.h"

struct requests_chain { /* requests of a node */
	uint64_t digest, n;
};

/* --- digests ------------------------------------------------------------- */

static uint64_t value_mixed(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	h ^= h >> 29;
	h *= UINT64_C(0xbf58476d1ce4e5b9);
	return h ^ h >> 32;
}

static uint64_t bytes_mixed(uint64_t h, const void *data, size_t len)
{
	const unsigned char *s = data;
	h = value_mixed(h, len);
	for (; len >= 8; s += 8, len -= 8) {
		uint64_t v;
		memcpy(&v, s, 8);
		h = value_mixed(h, v);
	}
	uint64_t last = 0;
	memcpy(&last, s, len);
	return value_mixed(h, last);
}

/* The part of a result that must be equal. Numbers of descriptors and positions of shared
 * descriptors do not depend on the node alone, and the size of a read depends on the storage. But
 * an empty read differs from a non-empty read. */
static uint64_t result_class(const struct trace_record *r)
{
	if (r->error || r->rvalue < 0)
		return UINT64_C(1) << 32 | r->error;
	return op_info(r->op)->uses & OP_RETURNS_BYTES ? r->rvalue > 0 : 0;
}

/* Whether an argument is an address, which differs from run to run. The arguments of a lock are in
 * the heap. */
static bool has_address(const struct trace_record *r)
{
	return r->op == OP_FCNTL ? op_is_lock(r->flags) : r->op == OP_IOCTL && !(r->offset >> 62);
}

static int request_digest(const struct trace *t, const struct trace_record *r, uint64_t *digest,
			  struct err *e)
{
	const unsigned int uses = op_info(r->op)->uses;
	const struct trace_object *o = trace_object(t, r->object);
	uint64_t h = value_mixed(r->op, result_class(r));
	h = value_mixed(h, uses & OP_HAS_OFFSET && !has_address(r) ? r->offset : 0);
	h = value_mixed(h, uses & (OP_HAS_LENGTH | OP_HAS_MODE) ? r->length : 0);
	h = value_mixed(h, uses & OP_HAS_FLAGS ? r->flags : 0);
	if (o)
		h = bytes_mixed(h, o->name, strlen(o->name));
	if (uses & (OP_HEAP_IOVEC | OP_HEAP_PATH | OP_HEAP_NAME | OP_HEAP_LOCK)) {
		size_t len;
		const void *heap;
		int ret = trace_heap(t, r->heap, &heap, &len, e);
		if (ret)
			return ret;
		h = heap ? bytes_mixed(h, heap, len) : h;
	}
	*digest = h;
	return 0;
}

static int chains_read(struct requests *q, struct requests_chain *chain, struct err *e)
{
	const struct trace_record *r;
	int64_t node;
	uint64_t number;
	int ret = requests_rewind(q, e);
	memset(chain, 0, q->f.n_nodes * sizeof *chain);
	while (!ret && (ret = requests_next(q, &r, &node, &number, e)) == 1) {
		uint64_t digest;
		ret = 0;
		if (node < 0 || !is_request(r))
			continue;
		ret = request_digest(q->t, r, &digest, e);
		chain[node].digest = ret ? 0 : value_mixed(chain[node].digest, digest);
		chain[node].n++;
	}
	return ret;
}

/* --- location of a difference -------------------------------------------- */

/* Reads a node's next request with its digest. Returns as trace_next. */
static int node_next(struct requests *q, uint32_t of, const struct trace_record **r,
		     uint64_t *digest, struct err *e)
{
	int64_t node;
	uint64_t number;
	int ret;
	do
		ret = requests_next(q, r, &node, &number, e);
	while (ret == 1 && (node != of || !is_request(*r)));
	if (ret != 1)
		return ret;
	ret = request_digest(q->t, *r, digest, e);
	return ret ? ret : 1;
}

static int request_text(const struct requests *q, const struct trace_record *r, struct strbuf *out,
			struct err *e)
{
	if (r)
		return request_describe(out, q->t, r, e);
	strbuf_addstr(out, "missing");
	return 0;
}

/* a, b: the first requests that differ; NULL: there are no more */
static int differ_error(const struct requests *base, const struct requests *other,
			const struct causality_run *run, const struct trace_record *a,
			const struct trace_record *b, uint32_t node, uint64_t number, struct err *e)
{
	SCOPED_STRBUF in_base = STRBUF_INIT, in_other = STRBUF_INIT, when = STRBUF_INIT;
	if (run->throttled >= 0)
		strbuf_addf(&when, "while node %" PRId64 " is delayed", run->throttled);
	else
		strbuf_addstr(&when, "in another run");
	int ret = request_text(base, a, &in_base, e);
	ret = ret ? ret : request_text(other, b, &in_other, e);
	return ret ? ret : err_set(e, EILSEQ,
			      "the application does not make the same requests in each run, so its "
			      "dependencies cannot be found. Request %" PRIu64 " of node %" PRIu32
			      " (a node is a traced thread; both numbers are counted from 0) is "
			      "%s in the run without delays, but %s %s (trace %s)",
			      number, node, in_base.s, in_other.s, when.s, run->trace);
}

static int differ_find(struct requests *base, struct requests *other,
		       const struct causality_run *run, uint32_t node, struct err *e)
{
	const struct trace_record *a, *b;
	uint64_t in_base = 0, in_other = 0, number = 0;
	int ret = requests_rewind(base, e);
	ret = ret ? ret : requests_rewind(other, e);
	for (; !ret; number++) {
		const int got_a = node_next(base, node, &a, &in_base, e);
		const int got_b = got_a < 0 ? got_a : node_next(other, node, &b, &in_other, e);
		if (got_b < 0)
			return got_b;
		if (!got_a || !got_b || in_base != in_other)
			return differ_error(base, other, run, got_a ? a : NULL, got_b ? b : NULL,
					    node, number, e);
	}
	return ret;
}

static int compare_one(struct requests *base, const struct requests_chain *want,
		       const struct causality_run *run, struct requests_chain *got, struct err *e)
{
	struct requests other;
	int ret = requests_open(&other, run->trace, base->f.n_nodes, e);
	if (ret)
		return ret;
	ret = chains_read(&other, got, e);
	if (ret)
		err_context(e, "%s", run->trace);
	for (uint32_t i = 0; !ret && i < base->f.n_nodes; i++)
		if (want[i].n != got[i].n || want[i].digest != got[i].digest)
			ret = differ_find(base, &other, run, i, e);
	requests_close(&other);
	return ret;
}

int requests_compare(const struct causality_run *run, uint32_t n_runs, uint32_t n_nodes,
		     uint64_t *n_requests, struct err *e)
{
	struct requests base;
	int ret = requests_open(&base, run[0].trace, n_nodes, e);
	if (ret)
		return ret;
	SCOPED_FREE struct requests_chain *chain = xcalloc(2 * (size_t)n_nodes, sizeof *chain);
	ret = chains_read(&base, chain, e);
	for (uint32_t i = 1; !ret && i < n_runs; i++)
		ret = compare_one(&base, chain, &run[i], chain + n_nodes, e);
	for (uint32_t i = 0; !ret && i < n_nodes; i++)
		n_requests[i] = chain[i].n;
	requests_close(&base);
	return ret;
}
