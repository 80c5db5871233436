/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted trace files. Checksums would stop a fuzzer, so they are recomputed first: the input is
 * blocks, each a header (with lengths, counts, kind and flags) and its payload. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/op.h"
#include "capture/trace_format.h"
#include "common/crc32c.h"
#include "tests/heap_item.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NONCE 0x1234567890abcdefu

/* Makes a trace file from the input: every header in it gets its magic number, offset and
 * checksums. */
static void make_right(unsigned char *p, size_t size)
{
	struct file_header f = {.version = FILE_VERSION,
				.byte_order = FILE_BYTE_ORDER,
				.header_bytes = sizeof f,
				.record_bytes = sizeof(struct trace_record),
				.nonce = NONCE};
	memcpy(f.magic, FILE_MAGIC, 8);
	f.crc = crc32c(0, &f, offsetof(struct file_header, crc));
	memcpy(p, &f, sizeof f);
	uint64_t at = sizeof f;
	while (at + sizeof(struct block_header) <= size) {
		struct block_header h;
		memcpy(&h, p + at, sizeof h);
		uint64_t left = size - at - sizeof h;
		if (h.kind % 16 == 15) { /* sometimes leaves it unchanged */
			at += BLOCK_ALIGN;
			continue;
		}
		h.magic = BLOCK_MAGIC;
		h.kind = (uint16_t)(h.kind % 7);
		h.flags &= 1;
		h.offset = at;
		h.nonce = NONCE;
		h.commit = h.commit % 8 ? BLOCK_SEALED : BLOCK_OPEN;
		if (h.stored_len > left)
			h.stored_len = left ? h.stored_len % (left + 1) : 0;
		if (!(h.flags & BLOCK_ZSTD) && h.commit == BLOCK_SEALED)
			h.raw_len = h.stored_len;
		if (h.kind == BLOCK_RECORDS && h.commit == BLOCK_SEALED) {
			h.count = (uint32_t)(h.stored_len / sizeof(struct trace_record));
			if (!(h.flags & BLOCK_ZSTD))
				h.raw_len = h.stored_len =
				    h.count * (uint64_t)sizeof(struct trace_record);
			for (uint32_t i = 0; i < h.count && !(h.flags & BLOCK_ZSTD); i++) {
				struct trace_record r;
				memcpy(&r, p + at + sizeof h + i * sizeof r, sizeof r);
				r.commit = TRACE_COMMIT;
				r.op = (uint16_t)(r.op % OP_N);
				memcpy(p + at + sizeof h + i * sizeof r, &r, sizeof r);
			}
		}
		h.payload_crc = crc32c(0, p + at + sizeof h, h.stored_len);
		h.crc = block_header_crc(&h);
		memcpy(p + at, &h, sizeof h);
		uint64_t end = at + sizeof h + h.stored_len;
		at = align_up(end, BLOCK_ALIGN);
		if (at <= size)
			memset(p + end, 0, at - end);
	}
}

static void check_record(const struct trace *t, const struct trace_record *r)
{
	assert(r->commit == TRACE_COMMIT && r->op > OP_INVALID && r->op < OP_N);
	assert(r->begin_ns == TIME_NONE || r->end_ns == TIME_NONE ||
	       r->end_ns - r->begin_ns <= 2 * TRACE_TIME_MAX);
	const struct trace_object *o = trace_object(t, r->object);
	assert(!o || (o->name && o->kind >= OBJECT_PATH && o->kind <= OBJECT_DEVICE &&
		      strlen(o->name) <= NAME_LEN_MAX));
	size_t len;
	const unsigned char *heap = heap_item(t, r->heap, &len);
	unsigned int sum = 0;
	for (size_t i = 0; heap && i < len; i++)
		sum += heap[i]; /* is it all there? */
	assert(sum <= len * 255);
}

static uint64_t read_all(struct trace *t)
{
	const struct trace_record *r;
	struct err e = ERR_INIT;
	uint64_t n = 0;
	size_t some;
	int rc;
	while ((rc = trace_next_batch(t, &r, &some, &e)) != 0) {
		if (rc == -EBADMSG)
			continue;
		if (rc < 0)
			break;
		for (size_t i = 0; i < some; i++)
			check_record(t, &r[i]);
		n += some;
	}
	return n;
}

static void try(const unsigned char *p, size_t size)
{
	char path[64];
	struct err e = ERR_INIT;
	struct trace *t;
	int fd = memfd_create("fuzz", 0);
	if (fd < 0 || write(fd, p, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (!trace_open(&t, path, &e)) {
		const struct trace_meta *m = trace_meta(t);
		for (size_t i = 0; i < m->files.n; i++)
			assert(*m->files.entry[i].path);
		uint64_t n = read_all(t);
		struct trace_health before, after;
		trace_health(t, &before);
		assert(!trace_rewind(t, &e));
		assert(read_all(t) == n); /* the second pass gives the same */
		trace_health(t, &after);
		assert(!memcmp(&before, &after, sizeof before));
		trace_close(t);
	} else {
		assert(!t && e.msg[0]);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *p = malloc(size + 1);
	if (!p)
		return 0;
	memcpy(p, data, size);
	try(p, size);
	if (size >= sizeof(struct file_header)) {
		make_right(p, size);
		try(p, size);
	}
	free(p);
	return 0;
}
