/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a file has the content that a snapshot tells the digest of (SHA-256, FIPS 180-4; by libgcrypt). */
#include <errno.h>
#include <gcrypt.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/fileset/fileset_private.h"
#include "common/digest.h"
#include "common/xalloc.h"

enum { PART = 1 << 20 };

static bool content_add(gcry_md_hd_t h, int fd, uint64_t size)
{
	unsigned char *part = xmalloc(PART);
	uint64_t at = 0;
	while (at < size) {
		ssize_t got = pread(fd, part, PART, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		gcry_md_write(h, part, (size_t)got);
		at += (uint64_t)got;
	}
	free(part);
	return at == size;
}

bool digest_matches(const struct fileset *s, size_t i, int fd)
{
	struct stat st;
	gcry_md_hd_t h;
	if (!s->detail || !s->detail[i].has_digest || fstat(fd, &st) || (uint64_t)st.st_size != s->entry[i].size)
		return false;
	if (digest_ready(NULL) || gcry_md_open(&h, GCRY_MD_SHA256, 0))
		return false;
	bool same = content_add(h, fd, s->entry[i].size) &&
		    !memcmp(gcry_md_read(h, GCRY_MD_SHA256), s->detail[i].digest, FILESET_DIGEST);
	gcry_md_close(h);
	return same;
}
