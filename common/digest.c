/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/digest.h"

#include <gcrypt.h>
#include <pthread.h>
#include <setjmp.h>

/* Without a free descriptor, libgcrypt's start fails, and cannot be repeated. So this is checked
 * first. */
static int descriptor_free(struct err *e)
{
	int fd = open("/", O_PATH | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, errno, "cannot compute a digest");
	close(fd);
	return 0;
}

static sigjmp_buf gave_up;

static void on_abort(int signal_number)
{
	(void)signal_number;
	siglongjmp(gave_up, 1);
}

/* libgcrypt calls abort() if it cannot read the FIPS mode from /proc or has no memory. This catches
 * the signal. The caller then gets an error, and libgcrypt is not called again. */
static bool library_start(void)
{
	struct sigaction now = {.sa_handler = on_abort}, was;
	volatile bool ok = false;
	sigemptyset(&now.sa_mask);
	sigaction(SIGABRT, &now, &was);
	if (!sigsetjmp(gave_up, 1))
		ok = gcry_check_version(NULL) && !gcry_md_test_algo(GCRY_MD_SHA256);
	sigaction(SIGABRT, &was, NULL);
	return ok;
}

/* Ends the program: libgcrypt allocates memory when a keyed hash is read, and cannot return an
 * error there. */
static void on_fatal_error(void *opaque, int code, const char *text)
{
	(void)opaque;
	(void)text;
	if (gcry_err_code((gcry_error_t)code) == GPG_ERR_ENOMEM)
		out_of_memory(0);
}

int digest_ready(struct err *e)
{
	static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
	static enum { NEW, READY, FAILED } state;
	pthread_mutex_lock(&once);
	int ret = state == NEW ? descriptor_free(e) : 0;
	if (!ret && state == NEW) {
		state = library_start() ? READY : FAILED;
		gcry_set_fatalerror_handler(on_fatal_error, NULL);
	}
	if (!ret && state == FAILED)
		ret = err_set(e, EIO, "cannot compute a digest: libgcrypt could not start. "
			"There is not enough memory, SHA-256 is not available, or "
			"/proc/sys/crypto/fips_enabled cannot be read");
	pthread_mutex_unlock(&once);
	return ret;
}
