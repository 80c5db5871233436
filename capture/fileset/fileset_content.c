/* SPDX-License-Identifier: GPL-3.0-or-later */
/* File content that cannot be compressed or deduplicated: word i of a file is a hash of i and a
 * key, which depends on seed and path. So any part can be generated on its own. The hash is that of
 * common/splitmix.h. */
#include "capture/fileset/fileset_private.h"
#include "common/file_digest.h"
#include "common/hex.h"

/* never 0 */
static uint64_t content_key(uint64_t seed, const char *path)
{
	uint64_t key = splitmix_mix(seed + SPLITMIX_STEP);
	for (; *path; path++)
		key = splitmix_mix(key ^ (unsigned char)*path) + SPLITMIX_STEP;
	return key ? key : 1;
}

uint64_t content_key_of(const struct fileset *s, size_t i, uint64_t seed)
{
	const struct fileset_detail *d = s->detail ? &s->detail[i] : NULL;
	if (!d || !d->has_digest)
		return content_key(seed, s->entry[i].path);
	uint64_t key = splitmix_mix(seed + SPLITMIX_STEP), part;
	for (size_t at = 0; at < sizeof d->digest; at += sizeof part) {
		memcpy(&part, d->digest + at, sizeof part);
		key = splitmix_mix(key ^ part) + SPLITMIX_STEP;
	}
	return key ? key : 1;
}

static inline uint64_t word_at(uint64_t key, uint64_t i)
{
	return splitmix_mix(key + i * SPLITMIX_STEP);
}

void content_make(uint64_t key, uint64_t offset, void *to, size_t len)
{
	unsigned char *p = to;
	uint64_t i = offset / 8;
	size_t skip = offset % 8;
	if (skip) {
		uint64_t w = word_at(key, i++);
		size_t n = 8 - skip < len ? 8 - skip : len;
		memcpy(p, (const unsigned char *)&w + skip, n);
		p += n;
		len -= n;
	}
	for (; len >= 8; len -= 8, p += 8) {
		uint64_t w = word_at(key, i++);
		memcpy(p, &w, 8);
	}
	if (len) {
		uint64_t w = word_at(key, i);
		memcpy(p, &w, len);
	}
}

bool digest_matches(const struct fileset *s, size_t i, int fd)
{
	struct stat st;
	char hex[FILE_DIGEST_HEX];
	uint8_t digest[FILESET_DIGEST];
	if (!s->detail || !s->detail[i].has_digest || fstat(fd, &st) ||
	    (uint64_t)st.st_size != s->entry[i].size)
		return false;
	return !file_digest_fd(fd, s->entry[i].path, hex, NULL) &&
	       hex_read(digest, hex, sizeof digest) &&
	       !memcmp(digest, s->detail[i].digest, sizeof digest);
}
