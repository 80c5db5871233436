/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gcrypt.h>
#include <sys/random.h>

#include "capture/content/content_format.h"
#include "common/crc32c.h"
#include "common/digest.h"
#include "common/file_beside.h"
#include "common/u64_map.h"

/* number of bytes of a digest that are used: different blocks collide only beyond about 2^64
 * blocks */
#define DIGEST_KEPT 16

struct digest {
	uint8_t byte[DIGEST_KEPT];
};

struct content_writer {
	char *path, *part; /* `part`: the temporary name */
	FILE *file;
	bool finished;
	uint64_t at; /* bytes in the file, including those in its buffer */
	struct content_facts facts;
	struct content_block *block; /* block[facts.n_blocks] */
	struct digest *digest;	     /* digest of each block */
	uint64_t blocks_cap, digests_cap;
	struct u64_map number_of; /* maps the first bytes of the digest to block number + 1 */
	struct content_request *request; /* request[facts.n_requests] */
	uint64_t requests_cap;
	uint32_t *reference; /* reference[n_references] */
	uint64_t n_references, references_cap;
};

/* --- bytes --------------------------------------------------------------- */

static int write_failed(const struct content_writer *w, struct err *e)
{
	return err_sys(e, errno, "cannot write %s", w->path);
}

static int bytes_put(struct content_writer *w, const void *bytes, size_t n, struct err *e)
{
	w->at += n;
	return fwrite(bytes, 1, n, w->file) == n ? 0 : write_failed(w, e);
}

/* --- blocks -------------------------------------------------------------- */

/* The cell for the number of the block with this digest and length. It contains the number + 1, or
 * 0 for a new block. */
static uint32_t *number_place(struct content_writer *w, const struct digest *d, uint32_t n)
{
	uint64_t hash;
	memcpy(&hash, d->byte, sizeof hash);
	for (;; hash++) {
		uint32_t *number = u64_map_at(&w->number_of, hash, 0);
		if (!*number || (w->block[*number - 1].n_bytes == n &&
				 !memcmp(&w->digest[*number - 1], d, sizeof *d)))
			return number;
	}
}

int content_writer_block(struct content_writer *w, const void *bytes, uint32_t n, uint32_t *number,
			 struct err *e)
{
	uint8_t whole[32];
	struct digest d;
	gcry_md_hash_buffer(GCRY_MD_SHA256, whole, bytes, n);
	memcpy(d.byte, whole, sizeof d.byte);
	uint32_t *known = number_place(w, &d, n);
	if (*known) {
		*number = *known - 1;
		return 0;
	}
	if (w->facts.n_blocks >= UINT32_MAX - 1)
		return err_set(e, E2BIG, "%s: the captured content has more than %u distinct "
					 "blocks: capture a shorter run, or omit --content",
			       w->path, UINT32_MAX - 1);
	*number = (uint32_t)w->facts.n_blocks;
	GROW(w->block, w->facts.n_blocks, w->blocks_cap);
	GROW(w->digest, w->facts.n_blocks, w->digests_cap);
	w->block[*number] = (struct content_block){w->at, n, crc32c(0, bytes, n)};
	w->digest[*number] = d;
	*known = *number + 1;
	w->facts.n_blocks++;
	w->facts.n_stored_bytes += n;
	return bytes_put(w, bytes, n, e);
}

/* --- requests ------------------------------------------------------------ */

int content_writer_request(struct content_writer *w, uint64_t seq, const uint32_t *block,
			   size_t n_blocks, struct err *e)
{
	struct content_request r = {.seq = seq, .first = w->n_references};
	if (w->facts.n_requests && w->request[w->facts.n_requests - 1].seq >= seq)
		return err_set(e, EINVAL, "%s: the content of request %llu comes after that of a "
			"later request", w->path, (unsigned long long)seq);
	for (size_t i = 0; i < n_blocks; i++) {
		if (block[i] >= w->facts.n_blocks ||
		    (i + 1 < n_blocks && w->block[block[i]].n_bytes != CONTENT_BLOCK))
			return err_set(e, EINVAL, "%s: the content of request %llu has a gap",
				       w->path, (unsigned long long)seq);
		GROW(w->reference, w->n_references, w->references_cap);
		w->reference[w->n_references++] = block[i];
		r.n_bytes += w->block[block[i]].n_bytes;
	}
	GROW(w->request, w->facts.n_requests, w->requests_cap);
	w->request[w->facts.n_requests++] = r;
	w->facts.n_bytes += r.n_bytes;
	return 0;
}

/* --- writer ------------------------------------------------------------- */

static void writer_free(struct content_writer *w)
{
	if (w->file)
		fclose(w->file);
	u64_map_release(&w->number_of);
	FREE_EACH(w->path, w->part, w->block, w->digest, w->request, w->reference, w);
}

int content_writer_open(struct content_writer **out, const char *path, struct err *e)
{
	const struct content_header none = {.magic = 0};
	struct content_writer *w = xcalloc(1, sizeof *w);
	*out = NULL;
	w->path = xstrdup(path);
	const int fd = file_beside(path, 0600, &w->part, e);
	w->file = fd < 0 ? NULL : fdopen(fd, "w");
	int ret = fd < 0 ? fd : w->file ? digest_ready(e) : write_failed(w, e);
	if (!ret && getrandom(w->facts.name, sizeof w->facts.name, 0) != sizeof w->facts.name)
		ret = err_set(e, ENOSYS, "%s: cannot get random numbers", path);
	ret = ret ? ret : bytes_put(w, &none, sizeof none, e);
	if (ret)
		content_writer_abort(w);
	else
		*out = w;
	return ret;
}

static int tables_write(struct content_writer *w, struct content_header *h, struct err *e)
{
	const struct {
		const void *at;
		size_t n;
	} table[] = {{w->block, w->facts.n_blocks * sizeof *w->block},
		     {w->request, w->facts.n_requests * sizeof *w->request},
		     {w->reference, w->n_references * sizeof *w->reference}};
	const uint8_t gap[8] = {0};
	int ret = bytes_put(w, gap, (8 - w->at % 8) % 8, e);
	h->tables_at = w->at;
	for (size_t i = 0; i < sizeof table / sizeof *table && !ret; i++) {
		if (!table[i].n)
			continue;
		h->tables_crc = crc32c(h->tables_crc, table[i].at, table[i].n);
		ret = bytes_put(w, table[i].at, table[i].n, e);
	}
	return ret || !fflush(w->file) ? ret : write_failed(w, e);
}

int content_writer_finish(struct content_writer *w, struct content_facts *facts, struct err *e)
{
	struct content_header h = {.magic = CONTENT_MAGIC,
				   .n_requests = w->facts.n_requests,
				   .n_references = w->n_references,
				   .n_blocks = w->facts.n_blocks,
				   .n_bytes = w->facts.n_bytes,
				   .n_stored_bytes = w->facts.n_stored_bytes};
	memcpy(h.name, w->facts.name, sizeof h.name);
	if (facts)
		*facts = w->facts;
	int ret = tables_write(w, &h, e);
	h.header_crc = crc32c(0, &h, offsetof(struct content_header, header_crc));
	if (!ret && pwrite(fileno(w->file), &h, sizeof h, 0) != (ssize_t)sizeof h)
		ret = write_failed(w, e);
	if (!ret && fsync(fileno(w->file)) < 0)
		ret = err_sys(e, errno, "cannot sync %s", w->path);
	w->finished = !ret;
	return ret;
}

int content_writer_close(struct content_writer *w, struct content_facts *facts, struct err *e)
{
	int ret = w->finished ? 0 : content_writer_finish(w, facts, e);
	/* not earlier, because an open descriptor marks the temporary file as in use */
	if (fclose(w->file) && !ret)
		ret = err_sys(e, errno, "cannot close %s", w->path);
	w->file = NULL;
	ret = file_beside_keep(w->part, w->path, ret, e);
	w->part = NULL;
	writer_free(w);
	return ret;
}

void content_writer_abort(struct content_writer *w)
{
	if (!w)
		return;
	file_beside_keep(w->part, w->path, -ECANCELED, NULL);
	w->part = NULL;
	writer_free(w);
}
