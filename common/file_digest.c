/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/file_digest.h"

#include <errno.h>
#include <fcntl.h>
#include <gcrypt.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/digest.h"
#include "common/files.h"
#include "common/xalloc.h"

enum { PART = 1 << 18, DIGEST = 32 };

static bool content_add(gcry_md_hd_t h, int fd)
{
	unsigned char *part = xmalloc(PART);
	ssize_t got;
	off_t at = 0;
	while ((got = pread(fd, part, PART, at)) > 0 || (got < 0 && errno == EINTR)) {
		if (got < 0)
			continue;
		gcry_md_write(h, part, (size_t)got);
		at += got;
	}
	free(part);
	return got == 0;
}

static void digest_print(gcry_md_hd_t h, char hex[FILE_DIGEST_HEX])
{
	const unsigned char *digest = gcry_md_read(h, GCRY_MD_SHA256);
	static const char digits[] = "0123456789abcdef";
	for (int i = 0; i < DIGEST; i++) {
		hex[2 * i] = digits[digest[i] >> 4];
		hex[2 * i + 1] = digits[digest[i] & 15];
	}
	hex[2 * DIGEST] = 0;
}

bool bytes_digest(const void *bytes, size_t n, char hex[FILE_DIGEST_HEX])
{
	gcry_md_hd_t h;
	if (digest_ready(NULL) || gcry_md_open(&h, GCRY_MD_SHA256, 0))
		return false;
	gcry_md_write(h, bytes, n);
	digest_print(h, hex);
	gcry_md_close(h);
	return true;
}

bool file_digest_fd(int fd, char hex[FILE_DIGEST_HEX])
{
	gcry_md_hd_t h;
	if (digest_ready(NULL) || gcry_md_open(&h, GCRY_MD_SHA256, 0))
		return false;
	bool whole = content_add(h, fd);
	digest_print(h, hex);
	gcry_md_close(h);
	return whole;
}

bool file_digest(const char *path, char hex[FILE_DIGEST_HEX])
{
	int fd = file_open_regular(path, O_RDONLY, NULL);
	if (fd < 0)
		return false;
	bool whole = file_digest_fd(fd, hex);
	close(fd);
	return whole;
}
