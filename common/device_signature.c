/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds signatures on a device by libblkid. */
#include <blkid.h>

#include "common/device.h"

/* The command that removes one signature. `tables`: it may also remove a partition table. */
static char *remove_command(const char *type, bool tables)
{
	if (type && !strcmp(type, "LVM2_member"))
		return xstrdup("pvremove ");
	if (type && !strcmp(type, "linux_raid_member"))
		return xstrdup("mdadm --zero-superblock ");
	return tables || !type ? xstrdup("wipefs -a ") : xasprintf("wipefs -a -t %s ", type);
}

/* Looks for one kind of signature. Two probes are needed: in a common probe, a file system hides a
 * partition table. */
static int probe_one(blkid_probe p, bool partitions, bool tables, struct strbuf *kind,
		     struct device_signature *s, struct err *e)
{
	blkid_probe_enable_superblocks(p, !partitions);
	blkid_probe_enable_partitions(p, partitions);
	blkid_probe_set_superblocks_flags(p, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE |
						 BLKID_SUBLKS_BADCSUM);
	blkid_reset_probe(p);
	errno = 0;
	int found = blkid_do_safeprobe(p);
	if (found == -1)
		return err_sys(e, errno ? errno : EIO, "cannot search it for file systems and "
			"partitions");
	if (found == 1)
		return 0;
	const char *type = NULL, *usage = NULL;
	if (kind->len)
		strbuf_addstr(kind, ", ");
	/* wipefs removes several signatures at once, and the backup of a GUID partition table */
	free(s->remove);
	s->remove = xstrdup("wipefs -a ");
	if (found == -2) {
		strbuf_addstr(kind, "a mix of several signatures");
		return 0;
	}
	if (partitions) {
		blkid_probe_lookup_value(p, "PTTYPE", &type, NULL);
		strbuf_addf(kind, "a partition table (%s)", type ? type : "unknown");
		return 0;
	}
	blkid_probe_lookup_value(p, "TYPE", &type, NULL);
	blkid_probe_lookup_value(p, "USAGE", &usage, NULL);
	free(s->remove);
	s->remove = remove_command(type, tables);
	const char *what = type && !strcmp(type, "LVM2_member")  ? "a physical volume of LVM"
			   : usage && !strcmp(usage, "filesystem") ? "a file system"
			   : usage && !strcmp(usage, "raid")     ? "a part of an array"
			   : usage && !strcmp(usage, "crypto")   ? "encrypted data"
								 : "a signature";
	strbuf_addf(kind, "%s (%s)", what, type ? type : "unknown");
	return 0;
}

/* Copies of superblocks. libblkid looks only at the first superblock, which a stray write destroys
 * first. Sources: ext4 (Documentation/filesystems/ext4, sparse_super: group 1 has a copy; its place
 * depends on the block size), btrfs (copies at 64 MiB and 256 GiB), XFS (a copy at the start of
 * each allocation group; mkfs.xfs makes at least 4 groups). */
static const struct device_signature_copy {
	const char *type, *magic;
	/* offset of the superblock in bytes; 0: at the start of quarter `quarter` of the device */
	uint64_t at;
	uint32_t magic_at, quarter;
} copies[] = {
    {"ext2/3/4", "\x53\xef", UINT64_C(8193) << 10, 56, 0},
    {"ext2/3/4", "\x53\xef", UINT64_C(16384) << 11, 56, 0},
    {"ext2/3/4", "\x53\xef", UINT64_C(32768) << 12, 56, 0},
    {"btrfs", "_BHRfS_M", UINT64_C(64) << 20, 64, 0},
    {"btrfs", "_BHRfS_M", UINT64_C(256) << 30, 64, 0},
    {"xfs", "XFSB", 0, 0, 1},
    {"xfs", "XFSB", 0, 0, 2},
    {"xfs", "XFSB", 0, 0, 3},
};

/* The magic number of ext4 has only two bytes, so a copy must also have the number of group 1. */
static bool copy_is_there(int fd, const struct device_signature_copy *c, uint64_t n_bytes,
			  uint64_t at)
{
	unsigned char block[128];
	if (n_bytes < sizeof block || at > n_bytes - sizeof block ||
	    pread(fd, block, sizeof block, (off_t)at) != sizeof block)
		return false;
	const bool ext = c->magic_at == 56;
	return !memcmp(block + c->magic_at, c->magic, strlen(c->magic)) &&
	       (!ext || (block[90] == 1 && block[91] == 0));
}

static void copies_look(int fd, uint64_t n_bytes, struct strbuf *kind, struct device_signature *s)
{
	const uint64_t n_blocks = n_bytes / 4096;
	for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
		const struct device_signature_copy *c = &copies[i];
		const uint64_t at = c->quarter ? n_blocks / 4 * 4096 * c->quarter : c->at;
		if (!copy_is_there(fd, c, n_bytes, at))
			continue;
		strbuf_addf(kind, "a backup superblock (%s) at byte %llu, of a file system whose "
				  "first superblock is missing,", c->type, (unsigned long long)at);
		/* wipefs does not find it */
		s->remove = xasprintf("dd if=/dev/zero bs=1K seek=%llu count=4 conv=notrunc of=",
				      (unsigned long long)at >> 10);
		return;
	}
}

int device_signature_find(struct device_signature *s, int fd, bool tables, struct err *e)
{
	*s = (struct device_signature){.kind = NULL};
	blkid_probe p = blkid_new_probe();
	if (!p)
		return err_set(e, ENOMEM, "not enough memory to search it for file systems and "
			"partitions");
	int ret = 0;
	if (blkid_probe_set_device(p, fd, 0, 0))
		ret = err_set(e, EIO, "cannot search it for file systems and partitions");
	SCOPED_STRBUF text = STRBUF_INIT;
	for (int partitions = 0; partitions <= tables && !ret; partitions++)
		ret = probe_one(p, partitions, tables, &text, s, e);
	if (!ret && !text.len)
		copies_look(fd, (uint64_t)blkid_probe_get_size(p), &text, s);
	blkid_free_probe(p);
	if (!ret && text.len)
		s->kind = xstrdup(text.s);
	return ret;
}
