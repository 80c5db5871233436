/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trace files that are truncated, damaged, hostile, or left by a killed writer: every intact record
 * is read, and the rest is reported. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <zstd.h>

#include "capture/trace_format.h"
#include "common/crc32c.h"
#include "tests/unit/capture/sample.h"
#include "tests/heap_item.h"

enum { N = 30 };

/* A small file with every kind of block and three blocks of records, the last with one record. */
static void write_varied(const char *path, bool compress)
{
	struct err e = ERR_INIT;
	struct trace_writer *w;
	struct trace_meta meta = {.level = LEVEL_SYSCALL, .clock = "tsc", .epoch_ns = 7};
	struct trace_write_options o = {.compress = compress, .no_sync = true};
	char name[32];
	must(trace_writer_open(&w, path, &meta, &o, &e), &e);
	for (uint32_t i = 0; i < N; i++) {
		struct trace_record r = sample_record(i);
		if (i == 0 || i == 12 || i == 29) {
			snprintf(name, sizeof name, "object of %u", i);
			/* ends the block, compressed or not */
			must(trace_writer_set_meta(w, &meta, &e), &e);
			must(trace_writer_object(w, OBJECT_PATH, name, &r.object, &e), &e);
			must(trace_writer_heap(w, name, strlen(name), &r.heap, &e), &e);
		}
		must(trace_writer_append(w, &r, 1, &e), &e);
	}
	must(trace_writer_close(w, &e), &e);
}

/* The place of a block, and the records in it. */
struct place {
	uint64_t offset, next, first, count;
	unsigned int kind;
};

static size_t find_places(const unsigned char *p, size_t len, struct place *place)
{
	size_t n = 0;
	for (uint64_t at = sizeof(struct file_header); at < len; at = place[n++].next) {
		struct block_header h;
		memcpy(&h, p + at, sizeof h);
		assert_int_equal(h.magic, BLOCK_MAGIC);
		place[n] = (struct place){at, align_up(at + sizeof h + h.stored_len, BLOCK_ALIGN),
					  h.first, h.kind == BLOCK_RECORDS ? h.count : 0, h.kind};
	}
	return n;
}

static void check_varied(const struct trace_record *r)
{
	struct trace_record want = sample_record(r->seq);
	want.object = r->object;
	want.heap = r->heap;
	assert_memory_equal(r, &want, sizeof want);
}

/* Reads all readable records; bit i of the result is set if record i was read. Fails if a record is
 * wrong or read twice. */
static uint32_t read_all(struct trace *t, unsigned int *n_damaged, char *first_message)
{
	struct err e = ERR_INIT;
	const struct trace_record *r;
	uint32_t seen = 0;
	int rc;
	*n_damaged = 0;
	while ((rc = trace_next(t, &r, &e)) != 0) {
		if (rc == -EBADMSG) {
			if (!(*n_damaged)++ && first_message)
				strcpy(first_message, e.msg);
			assert_true(*n_damaged < 1000);
			continue;
		}
		if (rc != 1)
			fail_msg("%d: %s", rc, e.msg);
		assert_true(r->seq < N && !(seen & 1u << r->seq));
		check_varied(r);
		seen |= 1u << r->seq;
		size_t heap_len;
		heap_item(t, r->heap, &heap_len);
		trace_object(t, r->object);
	}
	return seen;
}

static void cut_anywhere(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct place place[64];
	size_t len;
	write_varied(SCRATCH("t"), false);
	unsigned char *p = slurp(SCRATCH("t"), &len);
	size_t n = find_places(p, len, place);
	for (size_t cut = 0; cut <= len; cut++) {
		struct trace *t;
		uint32_t want = 0;
		unsigned int n_damaged;
		spill(SCRATCH("t"), p, cut);
		int rc = trace_open(&t, SCRATCH("t"), &e);
		assert_int_equal(rc, cut < sizeof(struct file_header) ? -EILSEQ : 0);
		if (rc)
			continue;
		for (size_t i = 0; i < n; i++)
			for (uint64_t k = 0; k < place[i].count; k++)
				if (place[i].offset + 64 + 96 * (k + 1) <= cut)
					want |= 1u << (place[i].first + k);
		assert_int_equal(trace_n_records(t, NULL), __builtin_popcount(want));
		assert_int_equal(read_all(t, &n_damaged, NULL), want);
		/* a truncated file is not damaged: its remaining content is valid */
		assert_int_equal(n_damaged, 0);
		struct trace_health h;
		trace_health(t, &h);
		assert_int_equal(h.complete, cut == len);
		trace_close(t);
	}
	free(p);
	unlink(SCRATCH("t"));
}

static void cut_anywhere_compressed(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	size_t len;
	write_varied(SCRATCH("t"), true);
	unsigned char *p = slurp(SCRATCH("t"), &len);
	uint32_t before = 0;
	for (size_t cut = sizeof(struct file_header); cut <= len; cut++) {
		struct trace *t;
		unsigned int n_damaged;
		spill(SCRATCH("t"), p, cut);
		must(trace_open(&t, SCRATCH("t"), &e), &e);
		uint32_t seen = read_all(t, &n_damaged, NULL);
		assert_int_equal(n_damaged, 0);
		assert_int_equal(seen & before, before); /* more bytes never give fewer records */
		before = seen;
		trace_close(t);
	}
	assert_int_equal(before, (1u << N) - 1);
	free(p);
	unlink(SCRATCH("t"));
}

/* Flips one bit of each byte in turn: every record of the other blocks is read, and the damaged
 * block is reported. */
static void flip_anywhere(void **state)
{
	(void)state;
	struct place place[64];
	for (int compress = 0; compress < 2; compress++) {
		size_t len;
		write_varied(SCRATCH("t"), compress);
		unsigned char *p = slurp(SCRATCH("t"), &len);
		size_t n = find_places(p, len, place), which = 0;
		for (size_t at = 0; at < len; at++) {
			struct err e = ERR_INIT;
			struct trace *t;
			unsigned int n_damaged;
			char message[1000], offset[64];
			p[at] ^= (unsigned char)(1u << at % 8);
			spill(SCRATCH("t"), p, len);
			p[at] ^= (unsigned char)(1u << at % 8);
			int rc = trace_open(&t, SCRATCH("t"), &e);
			if (at < sizeof(struct file_header)) {
				assert_true(rc == -EILSEQ || rc == -EBADMSG);
				assert_non_null(strstr(e.msg, SCRATCH("t")));
				continue;
			}
			must(rc, &e);
			which += at >= place[which].next;
			uint32_t want = 0;
			for (size_t i = 0; i < n; i++)
				for (uint64_t k = 0; k < place[i].count && i != which; k++)
					want |= 1u << (place[i].first + k);
			assert_int_equal(read_all(t, &n_damaged, message), want);
			assert_int_equal(n_damaged, 1);
			int n_shown = snprintf(offset, sizeof offset, "at byte %llu",
					   (unsigned long long)place[which].offset);
			const char *found = strstr(message, offset);
			if (!found || !strchr(",;", found[n_shown]) || !strstr(message, SCRATCH("t")))
				fail_msg("byte %zu, block %zu: \"%s\" does not name %s", at, which,
					 message, offset);
			struct trace_health h;
			trace_health(t, &h);
			assert_int_equal(h.n_blocks_damaged, 1);
			must(trace_rewind(t, &e), &e);
			/* the second pass reports the same */
			assert_int_equal(read_all(t, &n_damaged, message), want);
			trace_health(t, &h);
			assert_int_equal(h.n_blocks_damaged, 1); /* and is not counted again */
			if (place[which].kind != BLOCK_META)
				assert_int_equal(trace_meta(t)->epoch_ns, 7);
			trace_close(t);
		}
		free(p);
	}
	unlink(SCRATCH("t"));
}

static void foreign_bytes_between_and_behind(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct place place[64];
	struct trace *t;
	unsigned int n_damaged;
	size_t len;
	write_varied(SCRATCH("t"), false);
	unsigned char *p = slurp(SCRATCH("t"), &len);
	size_t n = find_places(p, len, place);
	/* after the end block: bytes of another trace, whose blocks do not belong to this trace */
	unsigned char *twice = malloc(2 * len);
	memcpy(twice, p, len);
	memcpy(twice + len, p, len);
	spill(SCRATCH("t"), twice, 2 * len);
	must(trace_open(&t, SCRATCH("t"), &e), &e);
	assert_int_equal(read_all(t, &n_damaged, NULL), (1u << N) - 1);
	assert_true(n_damaged > 0);
	trace_close(t);
	/* a block of zeros in place of a block of records */
	for (size_t i = 0; i < n; i++) {
		memcpy(twice, p, len);
		memset(twice + place[i].offset, 0, place[i].next - place[i].offset);
		spill(SCRATCH("t"), twice, len);
		must(trace_open(&t, SCRATCH("t"), &e), &e);
		uint32_t want = (1u << N) - 1;
		for (uint64_t k = 0; k < place[i].count; k++)
			want &= ~(1u << (place[i].first + k));
		assert_int_equal(read_all(t, &n_damaged, NULL), want);
		assert_int_equal(n_damaged, 1);
		trace_close(t);
	}
	free(twice);
	free(p);
	unlink(SCRATCH("t"));
}

/* Zeros to the end, as a file system leaves after a crash of the machine; a terabyte of zeros takes
 * no time. */
static void sparse_tail(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace *t;
	unsigned int n_damaged;
	write_varied(SCRATCH("t"), false);
	if (truncate(SCRATCH("t"), INT64_C(1) << 40))
		skip(); /* a file system of small files */
	must(trace_open(&t, SCRATCH("t"), &e), &e);
	assert_int_equal(read_all(t, &n_damaged, NULL), (1u << N) - 1);
	assert_true(n_damaged >= 1);
	trace_close(t);
	unlink(SCRATCH("t"));
}

/* --- headers whose checksums are right and whose contents are not
 * ---------------------------------------------------
 */

static void set_crcs(unsigned char *p, size_t len, uint64_t at)
{
	struct block_header h;
	memcpy(&h, p + at, sizeof h);
	if (h.stored_len <= len - at - sizeof h)
		h.payload_crc = crc32c(0, p + at + sizeof h, h.stored_len);
	h.crc = block_header_crc(&h);
	memcpy(p + at, &h, sizeof h);
}

/* Opens `p` and reads its content. This never crashes, reads nothing twice, and returns no wrong
 * record. */
static unsigned int survive(const unsigned char *p, size_t len)
{
	struct err e = ERR_INIT;
	struct trace *t;
	unsigned int n_damaged = 0;
	spill(SCRATCH("h"), p, len);
	if (!trace_open(&t, SCRATCH("h"), &e)) {
		read_all(t, &n_damaged, NULL);
		trace_close(t);
	}
	unlink(SCRATCH("h"));
	return n_damaged;
}

static void false_headers(void **state)
{
	(void)state;
	static const uint64_t values[] = {
	    0,         1,          7,          8,           95,
	    97,        UINT16_MAX, UINT32_MAX, RAW_LEN_MAX, RAW_LEN_MAX + 1,
	    INT64_MAX, UINT64_MAX};
	static const size_t fields[] = {
	    offsetof(struct block_header, count), offsetof(struct block_header, stored_len),
	    offsetof(struct block_header, raw_len), offsetof(struct block_header, first),
	    offsetof(struct block_header, kind)};
	struct place place[64];
	for (int compress = 0; compress < 2; compress++) {
		size_t len;
		write_varied(SCRATCH("t"), compress);
		unsigned char *p = slurp(SCRATCH("t"), &len), *q = malloc(len);
		size_t n = find_places(p, len, place);
		for (size_t i = 0; i < n; i++)
			for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
				for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
					size_t width = f == 0 ? 4 : f == 4 ? 2 : 8;
					memcpy(q, p, len);
					memcpy(q + place[i].offset + fields[f], &values[v], width);
					set_crcs(q, len, place[i].offset);
					survive(q, len);
				}
		free(p);
		free(q);
	}
	unlink(SCRATCH("t"));
}

/* Objects may be missing if a block was damaged, but not more than could have been in the file: a
 * caller with a table by object number needs memory for all of them. */
static void object_numbers_far_away(void **state)
{
	(void)state;
	struct place place[64];
	size_t len;
	write_varied(SCRATCH("t"), false);
	unsigned char *p = slurp(SCRATCH("t"), &len);
	size_t n = find_places(p, len, place), last = n;
	for (size_t i = 0; i < n; i++)
		last = place[i].kind == BLOCK_OBJECTS ? i : last;
	assert_true(last < n);
	const struct {
		uint64_t first;
		unsigned int n_damaged;
	} far[] = {{place[last].first + 5, 0}, {len - 1, 0}, {len, 1}, {UINT32_MAX - 2, 1}};
	for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
		memcpy(p + place[last].offset + offsetof(struct block_header, first), &far[i].first,
		       sizeof far[i].first);
		set_crcs(p, len, place[last].offset);
		assert_int_equal(survive(p, len), far[i].n_damaged);
	}
	free(p);
	unlink(SCRATCH("t"));
}

/* Payloads with a change at any place and a valid checksum: the parsers must refuse them. */
static void false_payloads(void **state)
{
	(void)state;
	struct place place[64];
	size_t len;
	write_varied(SCRATCH("t"), false);
	unsigned char *p = slurp(SCRATCH("t"), &len), *q = malloc(len);
	size_t n = find_places(p, len, place);
	for (size_t i = 0; i < n; i++) {
		if (place[i].kind == BLOCK_RECORDS)
			continue;
		for (uint64_t at = place[i].offset + 64; at < place[i].next; at++)
			for (int bit = 0; bit < 8; bit += 7) {
				memcpy(q, p, len);
				q[at] ^= (unsigned char)(1u << bit);
				set_crcs(q, len, place[i].offset);
				survive(q, len);
			}
	}
	/* a record that no reader may return */
	for (size_t i = 0; i < n; i++) {
		if (place[i].kind != BLOCK_RECORDS)
			continue;
		struct trace_record r;
		memcpy(q, p, len);
		memcpy(&r, q + place[i].offset + 64, sizeof r);
		r.op = 999;
		memcpy(q + place[i].offset + 64, &r, sizeof r);
		set_crcs(q, len, place[i].offset);
		assert_int_equal(survive(q, len), 1);
		r.op = OP_READ;
		r.begin_ns = INT64_MAX;
		memcpy(q + place[i].offset + 64, &r, sizeof r);
		set_crcs(q, len, place[i].offset);
		assert_int_equal(survive(q, len), 1);
	}
	free(p);
	free(q);
	unlink(SCRATCH("t"));
}

/* 64 MiB of zeros compressed to a few kilobytes, declared as a small block; and declared with its
 * true size, in the metadata. */
static void compressed_bombs(void **state)
{
	(void)state;
	size_t raw_len = RAW_LEN_MAX, len;
	void *raw = calloc(1, raw_len);
	write_varied(SCRATCH("t"), false);
	unsigned char *p = slurp(SCRATCH("t"), &len);
	unsigned char *q = calloc(1, len + ZSTD_compressBound(raw_len));
	for (int lie = 0; lie < 2; lie++)
		for (enum block_kind kind = BLOCK_META; kind <= BLOCK_RECORDS; kind++) {
			memcpy(q, p, sizeof(struct file_header));
			struct block_header h;
			/* for the nonce and offset */
			memcpy(&h, p + sizeof(struct file_header), sizeof h);
			h.kind = (uint16_t)kind;
			h.flags = BLOCK_ZSTD;
			h.stored_len =
			    ZSTD_compress(q + 128, ZSTD_compressBound(raw_len), raw, raw_len, 1);
			h.count = kind == BLOCK_RECORDS ? 10 : 1;
			h.raw_len = lie || kind == BLOCK_RECORDS ? 960 : raw_len;
			h.payload_crc = crc32c(0, q + 128, h.stored_len);
			h.crc = block_header_crc(&h);
			memcpy(q + 64, &h, sizeof h);
			unsigned int n_damaged = survive(q, align_up(128 + h.stored_len, 64));
			assert_true(n_damaged == 1 || (kind == BLOCK_META && !lie));
		}
	free(p);
	free(q);
	free(raw);
	unlink(SCRATCH("t"));
}

/* --- killed writers ------------------------------------------------------ */

/* Appends endlessly, one to three records at a time, sometimes with a new object, and counts the
 * records whose append returned. */
static void append_for_ever(const char *path, volatile uint64_t *n_returned)
{
	struct trace_writer *w;
	struct trace_meta meta = sample_meta();
	char name[32];
	if (trace_writer_open(&w, path, &meta, NULL, NULL))
		_exit(1);
	for (uint64_t i = 0;;) {
		struct trace_record r[3];
		uint64_t n = 1 + i % 3;
		for (uint64_t k = 0; k < n; k++)
			r[k] = sample_record(i + k);
		if (i % 1000 == 0) {
			uint32_t id, ref;
			snprintf(name, sizeof name, "object %llu", (unsigned long long)i);
			if (trace_writer_object(w, OBJECT_PATH, name, &id, NULL) ||
			    trace_writer_heap(w, name, strlen(name), &ref, NULL))
				_exit(1);
		}
		if (trace_writer_append(w, r, n, NULL))
			_exit(1);
		i += n;
		*n_returned = i;
	}
}

static void killed_writers(void **state)
{
	(void)state;
	const char *path = SCRATCH("killed");
	volatile uint64_t *n_returned =
	    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(n_returned != MAP_FAILED);
	srand(1);
	for (int k = 0; k < 40; k++) {
		*n_returned = 0;
		pid_t child = fork();
		if (!child)
			append_for_ever(path, n_returned);
		while (!*n_returned)
			usleep(100);
		usleep((useconds_t)(rand() % 4000));
		kill(child, SIGKILL);
		int status;
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));

		struct err e = ERR_INIT;
		struct trace *t;
		const struct trace_record *r;
		must(trace_open(&t, path, &e), &e);
		uint64_t i = 0;
		int rc;
		while ((rc = trace_next(t, &r, &e)) == 1)
			check_record(r, i++);
		must(rc, &e);
		assert_true(i >= *n_returned && i <= *n_returned + 3);
		assert_int_equal(trace_n_records(t, NULL), i);
		assert_string_equal(trace_meta(t)->clock, "tsc");
		struct trace_health h;
		trace_health(t, &h);
		assert_false(h.complete);
		assert_int_equal(h.n_blocks_damaged, 0);
		assert_true(h.n_records_uncommitted <= 3);
		trace_close(t);
		unlink(path); /* otherwise the next trace is written beside it */
	}
	munmap((void *)n_returned, 4096);
}

/* A trace that is still being written can be read. */
static void growing_trace(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace_writer *w;
	struct trace *t;
	const struct trace_record *r;
	struct trace_meta meta = sample_meta();
	must(trace_writer_open(&w, SCRATCH("t"), &meta, NULL, &e), &e);
	for (uint64_t i = 0; i < 5000; i++) {
		struct trace_record one = sample_record(i);
		must(trace_writer_append(w, &one, 1, &e), &e);
		if (i % 611 && i != 1023 && i != 1024)
			continue;
		must(trace_open(&t, SCRATCH("t"), &e), &e);
		for (uint64_t k = 0; k <= i; k++) {
			assert_int_equal(trace_next(t, &r, &e), 1);
			check_record(r, k);
		}
		assert_int_equal(trace_next(t, &r, &e), 0);
		trace_close(t);
	}
	trace_writer_abort(w);
	unlink(SCRATCH("t"));
}

/* A record without its commit word, between others: skipped, and counted. */
static void uncommitted_record(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace_writer *w;
	struct trace *t;
	struct trace_meta meta = sample_meta();
	size_t len;
	must(trace_writer_open(&w, SCRATCH("t"), &meta, NULL, &e), &e);
	for (uint64_t i = 0; i < 10; i++) {
		struct trace_record one = sample_record(i);
		must(trace_writer_append(w, &one, 1, &e), &e);
	}
	trace_writer_abort(w);
	unsigned char *p = slurp(SCRATCH("t"), &len);
	memset(p + len - 5 * 96 - 4, 0, 4);
	memset(p + len - 4 * 96 - 4, 0, 4);
	spill(SCRATCH("t"), p, len - 50); /* and the last record is incomplete */
	must(trace_open(&t, SCRATCH("t"), &e), &e);
	unsigned int n_damaged;
	assert_int_equal(read_all(t, &n_damaged, NULL), 0x1cf);
	assert_int_equal(n_damaged, 0);
	struct trace_health h;
	trace_health(t, &h);
	assert_int_equal(h.n_records_uncommitted, 3);
	assert_int_equal(trace_n_records(t, NULL), 7);
	trace_close(t);
	free(p);
	unlink(SCRATCH("t"));
}

/* Where block k of the side heap begins. */
static size_t heap_block(const unsigned char *p, size_t len, unsigned int k)
{
	struct block_header h;
	for (uint64_t at = sizeof(struct file_header); at < len;
	     at = align_up(at + sizeof h + h.stored_len, BLOCK_ALIGN)) {
		memcpy(&h, p + at, sizeof h);
		if (h.kind == BLOCK_HEAP && !k--)
			return at;
	}
	fail_msg("the trace has no such block");
	return 0;
}

/* A search for records of a damaged block keeps the records found before in their place. The heap
 * is larger than the part that is mapped at a time. */
static void lost_heap(void **state)
{
	(void)state;
	enum { ITEM = 900000, ITEMS = 12, LOST = 9 };
	struct err e = ERR_INIT;
	struct trace_writer *w;
	struct trace *t;
	const struct trace_record *r;
	struct trace_meta meta = sample_meta();
	uint32_t ref[ITEMS];
	size_t len;
	char *item = calloc(1, ITEM);
	assert_non_null(item);
	must(trace_writer_open(&w, SCRATCH("t"), &meta, NULL, &e), &e);
	for (uint32_t i = 0; i < ITEMS; i++) {
		struct trace_record one = sample_record(i);
		memset(item, 'a' + (int)i, ITEM);
		must(trace_writer_heap(w, item, ITEM, &ref[i], &e), &e);
		one.heap = ref[i];
		must(trace_writer_append(w, &one, 1, &e), &e);
	}
	must(trace_writer_close(w, &e), &e);
	unsigned char *p = slurp(SCRATCH("t"), &len);
	p[heap_block(p, len, LOST) + 8] ^= 1;
	spill(SCRATCH("t"), p, len);
	must(trace_open(&t, SCRATCH("t"), &e), &e);
	for (int rc; (rc = trace_next(t, &r, &e)) != 0;)
		assert_true(rc == 1 || rc == -EBADMSG);
	for (int round = 0; round < 2; round++) {
		size_t n;
		const char *first = heap_item(t, ref[0], &n);
		assert_non_null(first);
		assert_int_equal(n, ITEM);
		assert_int_equal(first[0], 'a');
		assert_int_equal(first[ITEM - 1], 'a');
		assert_null(heap_item(t, ref[LOST], &n));
	}
	trace_close(t);
	free(p);
	free(item);
	unlink(SCRATCH("t"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(cut_anywhere),
	    cmocka_unit_test(cut_anywhere_compressed),
	    cmocka_unit_test(flip_anywhere),
	    cmocka_unit_test(foreign_bytes_between_and_behind),
	    cmocka_unit_test(sparse_tail),
	    cmocka_unit_test(false_headers),
	    cmocka_unit_test(false_payloads),
	    cmocka_unit_test(compressed_bombs),
	    cmocka_unit_test(killed_writers),
	    cmocka_unit_test(growing_trace),
	    cmocka_unit_test(uncommitted_record),
	    cmocka_unit_test(object_numbers_far_away),
	    cmocka_unit_test(lost_heap),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
