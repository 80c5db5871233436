/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "capture/content/content_format.h"
#include "common/crc32c.h"
#include "common/files.h"
#include "common/unnamed_file.h"
#include "common/sort.h"

struct content {
	char *path;
	int fd;
	struct content_facts facts;
	uint8_t *tables;
	const struct content_block *block;
	const struct content_request *request;
	const uint32_t *reference;
};

/* --- checks -------------------------------------------------------------- */

static int file_refuse(const char *path, const char *what, struct err *e)
{
	return err_set(e, EINVAL, "%s: not a file of captured content, or damaged: %s", path, what);
}

static int header_read(struct content *c, struct content_header *h, uint64_t *n_tables,
		       struct err *e)
{
	struct stat st;
	if (fstat(c->fd, &st) < 0)
		return err_sys(e, errno, "cannot examine %s", c->path);
	const uint64_t size = (uint64_t)st.st_size;
	if (size < sizeof *h)
		return file_refuse(c->path, "it is too short", e);
	int ret = file_read_at(c->fd, h, sizeof *h, 0, e);
	if (ret)
		return err_context(e, "%s", c->path);
	if (h->magic != CONTENT_MAGIC ||
	    h->header_crc != crc32c(0, h, offsetof(struct content_header, header_crc)))
		return file_refuse(c->path, "its header does not match its checksum", e);
	if (h->n_blocks > size / sizeof *c->block || h->n_requests > size / sizeof *c->request ||
	    h->n_references > size / sizeof *c->reference || h->tables_at > size ||
	    h->tables_at % 8)
		return file_refuse(c->path, "its index exceeds the size of the file", e);
	*n_tables = h->n_blocks * sizeof *c->block + h->n_requests * sizeof *c->request +
		    h->n_references * sizeof *c->reference;
	return *n_tables > size - h->tables_at ? file_refuse(c->path, "its end is missing", e) : 0;
}

static bool request_fits(const struct content *c, const struct content_header *h, uint64_t i)
{
	const struct content_request *r = &c->request[i];
	const uint64_t next = i + 1 < h->n_requests ? c->request[i + 1].first : h->n_references;
	if (r->first > next || next > h->n_references || (i && r->seq <= c->request[i - 1].seq))
		return false;
	uint64_t n = 0;
	for (uint64_t k = r->first; k < next; k++) {
		if (c->reference[k] >= h->n_blocks ||
		    (k + 1 < next && c->block[c->reference[k]].n_bytes != CONTENT_BLOCK))
			return false;
		n += c->block[c->reference[k]].n_bytes;
	}
	return n == r->n_bytes;
}

static int tables_check(const struct content *c, const struct content_header *h, struct err *e)
{
	for (uint64_t i = 0; i < h->n_blocks; i++) {
		const struct content_block *b = &c->block[i];
		if (!b->n_bytes || b->n_bytes > CONTENT_BLOCK || b->at < sizeof *h ||
		    b->at > h->tables_at || b->n_bytes > h->tables_at - b->at)
			return file_refuse(c->path, "a block lies outside the file", e);
	}
	for (uint64_t i = 0; i < h->n_requests; i++)
		if (!request_fits(c, h, i))
			return file_refuse(
			    c->path, "the blocks of a request do not add up to its length", e);
	return 0;
}

static int tables_read(struct content *c, const struct content_header *h, uint64_t n_bytes,
		       struct err *e)
{
	c->tables = malloc(n_bytes + 8);
	if (!c->tables)
		return err_set(e, ENOMEM, "%s: not enough memory for its tables", c->path);
	int ret = file_read_at(c->fd, c->tables, n_bytes, h->tables_at, e);
	if (ret)
		return err_context(e, "%s", c->path);
	if (crc32c(0, c->tables, n_bytes) != h->tables_crc)
		return file_refuse(c->path, "its tables do not match their checksum", e);
	c->block = (const struct content_block *)(const void *)c->tables;
	c->request = (const struct content_request *)(const void *)(c->block + h->n_blocks);
	c->reference = (const uint32_t *)(const void *)(c->request + h->n_requests);
	return tables_check(c, h, e);
}

/* --- reader ------------------------------------------------------------- */

int content_open(struct content **out, const char *path, struct err *e)
{
	struct content *c = xcalloc(1, sizeof *c);
	struct content_header h = {.magic = 0};
	uint64_t n_tables = 0;
	*out = NULL;
	c->path = xstrdup(path);
	c->fd = file_open_regular(path, O_RDONLY, e);
	int ret = c->fd < 0 ? c->fd : header_read(c, &h, &n_tables, e);
	ret = ret ? ret : tables_read(c, &h, n_tables, e);
	c->facts = (struct content_facts){.n_requests = h.n_requests,
					  .n_bytes = h.n_bytes,
					  .n_blocks = h.n_blocks,
					  .n_stored_bytes = h.n_stored_bytes};
	memcpy(c->facts.name, h.name, sizeof h.name);
	if (ret)
		content_close(c);
	else
		*out = c;
	return ret;
}

void content_close(struct content *c)
{
	if (!c)
		return;
	fd_close(c->fd);
	FREE_EACH(c->path, c->tables, c);
}

const struct content_facts *content_facts(const struct content *c)
{
	return &c->facts;
}

int content_descriptor(const struct content *c)
{
	return c->fd;
}

bool content_find(const struct content *c, uint64_t seq, uint64_t *place, uint64_t *n_bytes)
{
	uint64_t low = 0;
	BISECT(low, c->facts.n_requests, i, c->request[i].seq < seq)
	if (low == c->facts.n_requests || c->request[low].seq != seq)
		return false;
	*place = low;
	*n_bytes = c->request[low].n_bytes;
	return true;
}

int content_read(const struct content *c, uint64_t place, uint64_t from, void *to, size_t n,
		 struct err *e)
{
	const struct content_request *r = &c->request[place];
	uint8_t whole[CONTENT_BLOCK], *out = to;
	if (from > r->n_bytes || n > r->n_bytes - from)
		return err_set(e, EINVAL, "%s has no content for request %llu", c->path,
			       (unsigned long long)r->seq);
	for (; n;) {
		const uint32_t number = c->reference[r->first + from / CONTENT_BLOCK];
		const struct content_block *b = &c->block[number];
		const uint32_t at = (uint32_t)(from % CONTENT_BLOCK);
		const size_t some = n < b->n_bytes - at ? n : b->n_bytes - at;
		int ret = file_read_at(c->fd, whole, b->n_bytes, b->at, e);
		if (ret)
			return err_context(e, "%s", c->path);
		if (crc32c(0, whole, b->n_bytes) != b->crc)
			return err_set(e, EIO, "%s is damaged: block %u of request %llu does not "
				"match its checksum", c->path,
				number, (unsigned long long)r->seq);
		memcpy(out, whole + at, some);
		out += some;
		from += some;
		n -= some;
	}
	return 0;
}
