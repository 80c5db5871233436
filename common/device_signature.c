/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is written on a device, as libblkid knows it. */
#include <blkid.h>
#include <errno.h>
#include <string.h>

#include "common/device.h"
#include "common/strbuf.h"

/* One kind of signature, asked for by itself: together, a partition table hides behind a file system. */
static int probe_one(blkid_probe p, bool partitions, struct strbuf *kind, struct err *e)
{
	blkid_probe_enable_superblocks(p, !partitions);
	blkid_probe_enable_partitions(p, partitions);
	blkid_probe_set_superblocks_flags(p, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE | BLKID_SUBLKS_BADCSUM);
	blkid_reset_probe(p);
	errno = 0;
	int found = blkid_do_safeprobe(p);
	if (found == -1)
		return err_sys(e, errno ? errno : EIO, "cannot look for signatures");
	if (found == 1)
		return 0;
	const char *type = NULL, *usage = NULL;
	if (kind->len)
		strbuf_addstr(kind, ", ");
	if (found == -2) {
		strbuf_addstr(kind, "signatures of several kinds");
		return 0;
	}
	if (partitions) {
		blkid_probe_lookup_value(p, "PTTYPE", &type, NULL);
		strbuf_addf(kind, "a partition table (%s)", type ? type : "unknown");
		return 0;
	}
	blkid_probe_lookup_value(p, "TYPE", &type, NULL);
	blkid_probe_lookup_value(p, "USAGE", &usage, NULL);
	const char *what = usage && !strcmp(usage, "filesystem") ? "a file system" : usage && !strcmp(usage, "raid") ? "a part of an array"
			 : usage && !strcmp(usage, "crypto")	 ? "encrypted data" : "a signature";
	strbuf_addf(kind, "%s (%s)", what, type ? type : "unknown");
	return 0;
}

static int signature(int fd, int n_kinds, char **kind, struct err *e)
{
	*kind = NULL;
	blkid_probe p = blkid_new_probe();
	if (!p)
		return err_set(e, ENOMEM, "not enough memory to look for signatures");
	int ret = 0;
	if (blkid_probe_set_device(p, fd, 0, 0))
		ret = err_set(e, EIO, "cannot look for signatures");
	struct strbuf text = STRBUF_INIT;
	for (int partitions = 0; partitions < n_kinds && !ret; partitions++)
		ret = probe_one(p, partitions, &text, e);
	blkid_free_probe(p);
	if (!ret && text.len)
		*kind = strbuf_detach(&text);
	else
		strbuf_release(&text);
	return ret;
}

int device_signature(int fd, char **kind, struct err *e)
{
	return signature(fd, 2, kind, e);
}

int device_signature_whole(int fd, char **kind, struct err *e)
{
	return signature(fd, 1, kind, e);
}
