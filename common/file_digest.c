/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/file_digest.h"

#include <gcrypt.h>

#include "common/digest.h"
#include "common/files.h"
#include "common/hex.h"

enum { PART = 1 << 18, DIGEST = 32 };

static int content_add(gcry_md_hd_t h, int fd, const char *path, struct err *e)
{
	SCOPED_FREE unsigned char *part = xmalloc(PART);
	ssize_t got;
	off_t at = 0;
	int ret = 0;
	for (; (got = TEMP_FAILURE_RETRY(pread(fd, part, PART, at))) > 0; at += got)
		gcry_md_write(h, part, (size_t)got);
	if (got < 0)
		ret = err_sys(e, errno, "cannot read %s", path);
	return ret;
}

static int digest_open(gcry_md_hd_t *h, struct err *e)
{
	int ret = digest_ready(e);
	if (ret)
		return ret;
	const gcry_error_t why = gcry_md_open(h, GCRY_MD_SHA256, 0);
	if (!why)
		return 0;
	return err_set(e, gcry_err_code(why) == GPG_ERR_ENOMEM ? ENOMEM : EIO,
		       "cannot compute a digest: %s", gcry_strerror(why));
}

static void digest_print(gcry_md_hd_t h, char hex[FILE_DIGEST_HEX])
{
	hex_write(hex, gcry_md_read(h, GCRY_MD_SHA256), DIGEST);
}

int bytes_digest(const void *bytes, size_t n, char hex[FILE_DIGEST_HEX], struct err *e)
{
	gcry_md_hd_t h;
	hex[0] = 0;
	int ret = digest_open(&h, e);
	if (ret)
		return ret;
	gcry_md_write(h, bytes, n);
	digest_print(h, hex);
	gcry_md_close(h);
	return 0;
}

int file_digest_fd(int fd, const char *path, char hex[FILE_DIGEST_HEX], struct err *e)
{
	gcry_md_hd_t h;
	hex[0] = 0;
	int ret = digest_open(&h, e);
	if (ret)
		return ret;
	ret = content_add(h, fd, path, e);
	if (!ret)
		digest_print(h, hex);
	gcry_md_close(h);
	return ret;
}

int file_digest(const char *path, char hex[FILE_DIGEST_HEX], struct err *e)
{
	hex[0] = 0;
	SCOPED_FD int fd = file_open_regular(path, O_RDONLY, e);
	if (fd < 0)
		return fd;
	return file_digest_fd(fd, path, hex, e);
}
