/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <gcrypt.h>
#include <stddef.h>
#include <unistd.h>

/* It looks into /proc whether the machine is in FIPS mode, and takes any failure of that, but for its not being there, for an attack. */
static int descriptor_free(struct err *e)
{
	int fd = open("/", O_PATH | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, errno, "no digest can be computed");
	close(fd);
	return 0;
}

int digest_ready(struct err *e)
{
	int ret = gcry_control(GCRYCTL_ANY_INITIALIZATION_P) ? 0 : descriptor_free(e);
	if (!ret && (!gcry_check_version(NULL) || gcry_md_test_algo(GCRY_MD_SHA256)))
		ret = err_set(e, EIO, "libgcrypt has no SHA-256");
	return ret;
}
