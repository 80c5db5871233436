/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The users of a device, in simulated systems: a disk sdx (8:240) with partitions sdx1 and sdx2, of
 * which arrays are made. Tests with real loop devices are in tests/e2e. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/device.h"
#include "common/files.h"
#include "common/xalloc.h"

/* the end of the first sector: a partition table (dos) with one partition of 100 sectors */
static const uint8_t table[66] = {[4] = 0x83, [8] = 1, [12] = 100, [64] = 0x55, [65] = 0xaa};

static char *dir; /* a new directory for each test, which is the working directory */
static struct device_system made_up;

static void put(const char *path, const char *text)
{
	char *parent = xstrdup(path);
	char *slash = strrchr(parent, '/');
	if (slash) {
		*slash = 0;
		assert_int_equal(dir_create(parent, NULL), 0);
	}
	free(parent);
	assert_int_equal(file_write_atomic(path, text, strlen(text), NULL), 0);
}

static void block_dir(const char *path, const char *number)
{
	char *dev = xasprintf("sys/%s/dev", path), *link = xasprintf("sys/dev/block/%s", number),
	     *to = xasprintf("%s/sys/%s", dir, path);
	put(dev, number);
	assert_int_equal(dir_create("sys/dev/block", NULL), 0);
	assert_int_equal(symlink(to, link), 0);
	free(dev);
	free(link);
	free(to);
}

static void holder(const char *below, const char *path, const char *name)
{
	char *holders = xasprintf("sys/%s/holders", below),
	     *link = xasprintf("sys/%s/holders/%s", below, name),
	     *to = xasprintf("%s/sys/%s", dir, path);
	assert_int_equal(dir_create(holders, NULL), 0);
	assert_int_equal(symlink(to, link), 0);
	free(holders);
	free(link);
	free(to);
}

static int enter(void **state)
{
	(void)state;
	dir = xasprintf("%s/test_device.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	made_up = (struct device_system){"sys", "mountinfo", "swaps", "/dev"};
	put("mountinfo", "20 1 0:20 / /proc rw - proc proc rw\n");
	put("swaps", "Filename\tType\tSize\tUsed\tPriority\n");
	block_dir("block/sdx", "8:240");
	block_dir("block/sdx/sdx1", "8:241");
	put("sys/block/sdx/sdx1/partition", "1\n");
	block_dir("block/sdx/sdx2", "8:242");
	put("sys/block/sdx/sdx2/partition", "2\n");
	return 0;
}

static int leave(void **state)
{
	(void)state;
	int ret = chdir("/");
	ret |= dir_remove_tree(dir, NULL);
	free(dir);
	return ret ? -1 : 0;
}

static void mounted(const char *number, const char *where)
{
	char *text =
	    xasprintf("20 1 0:20 / /proc rw - proc proc rw\n30 1 %s / %s rw - ext4 /dev/none rw\n",
		      number, where);
	put("mountinfo", text);
	free(text);
}

/* Examines 8:MINOR and compares the reasons not to use it; each text is a line. */
static void expect(unsigned int minor_number, const char *wanted)
{
	struct stat st = {.st_mode = S_IFBLK | 0600, .st_rdev = makedev(8, minor_number)};
	struct device_uses u;
	struct err e = ERR_INIT;
	assert_int_equal(device_uses_find(&u, &made_up, "/dev/it", &st, &e), 0);
	struct strbuf got = STRBUF_INIT;
	for (size_t i = 0; i < u.n; i++)
		strbuf_addf(&got, "%s\n", u.text[i]);
	assert_string_equal(got.s, wanted);
	strbuf_release(&got);
	device_uses_release(&u);
}

static void unused_device(void **state)
{
	(void)state;
	expect(240, "");
	expect(241, "");
}

static void mounted_itself(void **state)
{
	(void)state;
	mounted("8:241", "/srv");
	expect(241, "/dev/sdx1 is mounted on /srv\n");
}

static void a_partition_of_it_is_mounted(void **state)
{
	(void)state;
	mounted("8:242", "/srv/x");
	expect(240, "its partition /dev/sdx2 is mounted on /srv/x\n");
}

static void another_partition_in_use_does_not_matter(void **state)
{
	(void)state;
	mounted("8:242", "/srv");
	expect(241, "");
}

static void the_whole_disk_is_mounted(void **state)
{
	(void)state;
	mounted("8:240", "/srv");
	expect(241, "its whole disk /dev/sdx is mounted on /srv\n");
}

static void an_array_on_an_array(void **state)
{
	(void)state;
	block_dir("block/md0", "9:0");
	block_dir("block/dm-3", "253:3");
	holder("block/sdx/sdx1", "block/md0", "md0");
	holder("block/md0", "block/dm-3", "dm-3");
	mounted("253:3", "/srv");
	const char *both = "its upper device /dev/dm-3 is mounted on /srv\n/dev/md0 uses it\n"
			   "/dev/dm-3 uses it\n";
	expect(241, both);
	expect(240, both); /* through its partition */
	expect(242, "");
}

static void holders_in_a_circle_end(void **state)
{
	(void)state;
	block_dir("block/md0", "9:0");
	holder("block/sdx", "block/md0", "md0");
	holder("block/md0", "block/sdx", "sdx");
	expect(240, "/dev/md0 uses it\n");
}

/* A file that cannot be read does not count as unused. */
static void a_holder_that_cannot_be_followed(void **state)
{
	(void)state;
	struct stat st = {.st_mode = S_IFBLK | 0600, .st_rdev = makedev(8, 240)};
	struct device_uses u;
	struct err e = ERR_INIT;
	assert_int_equal(dir_create("sys/block/sdx/holders", NULL), 0);
	assert_int_equal(symlink("md0", "sys/block/sdx/holders/md0"), 0); /* itself */
	assert_true(device_uses_find(&u, &made_up, "/dev/it", &st, &e) < 0);
	assert_non_null(strstr(e.msg, "holders/md0"));
	device_uses_release(&u);
}

static void loop_devices_over_it(void **state)
{
	(void)state;
	put("image", "x");
	char *image = xasprintf("%s/image\n", dir);
	block_dir("block/loop7", "7:7");
	block_dir("block/loop8", "7:8");
	put("sys/block/loop7/loop/backing_file", image);
	struct stat st;
	assert_int_equal(stat("image", &st), 0);
	struct device_uses u;
	assert_int_equal(device_uses_find(&u, &made_up, "image", &st, NULL), 0);
	assert_int_equal(u.n, 1);
	assert_string_equal(u.text[0], "image backs the loop device /dev/loop7");
	device_uses_release(&u);

	/* a loop device with a file of its own is free; a second loop device on that file is not */
	st = (struct stat){.st_mode = S_IFBLK, .st_rdev = makedev(7, 7)};
	assert_int_equal(device_uses_find(&u, &made_up, "/dev/loop7", &st, NULL), 0);
	assert_int_equal(u.n, 0);
	device_uses_release(&u);
	put("sys/block/loop8/loop/backing_file", image);
	assert_int_equal(device_uses_find(&u, &made_up, "/dev/loop7", &st, NULL), 0);
	assert_int_equal(u.n, 1);
	assert_non_null(strstr(u.text[0], "backs the loop device /dev/loop8"));
	assert_string_equal(u.under, strtok(image, "\n"));
	device_uses_release(&u);

	/* also not if the file was deleted: then only the kernel's name for it remains */
	put("sys/block/loop7/loop/backing_file", "/gone/image (deleted)\n");
	put("sys/block/loop8/loop/backing_file", "/gone/image (deleted)\n");
	assert_int_equal(device_uses_find(&u, &made_up, "/dev/loop7", &st, NULL), 0);
	assert_int_equal(u.n, 1);
	assert_string_equal(u.text[0], "/gone/image (deleted) backs the loop device /dev/loop8");
	device_uses_release(&u);
	put("sys/block/loop8/loop/backing_file", "/gone/another (deleted)\n");
	assert_int_equal(device_uses_find(&u, &made_up, "/dev/loop7", &st, NULL), 0);
	assert_int_equal(u.n, 0);
	device_uses_release(&u);
	free(image);
}

/* The file, or the file of the loop device, is in a file system of the type that serves volumes. */
static void reference_volumes(void **state)
{
	(void)state;
	struct stat file, loop = {.st_mode = S_IFBLK, .st_rdev = makedev(7, 7)}, disk = {.st_mode = S_IFBLK, .st_rdev = makedev(8, 240)};
	put("image", "content");
	assert_int_equal(stat("image", &file), 0);
	block_dir("block/loop7", "7:7");
	char *image = xasprintf("%s/image\n", dir);
	put("sys/block/loop7/loop/backing_file", image);
	for (int ours = 0; ours < 2; ours++) {
		char *text = xasprintf("30 1 %u:%u / /mnt rw - fuse.%s validate-volume-v rw\n",
				       major(file.st_dev), minor(file.st_dev),
				       ours ? "validate-volume" : "another");
		put("mountinfo", text);
		free(text);
		assert_int_equal(device_is_volume(&made_up, &file), ours);
		assert_int_equal(device_is_volume(&made_up, &loop), ours);
		assert_false(device_is_volume(&made_up, &disk));
	}
	put("sys/block/loop7/loop/backing_file", "/gone/image (deleted)\n");
	assert_false(device_is_volume(&made_up, &loop));
	assert_int_equal(unlink("mountinfo"), 0);
	assert_false(device_is_volume(&made_up, &file));
	free(image);
}

static void partitions_are_recognised(void **state)
{
	(void)state;
	struct stat st = {.st_mode = S_IFBLK, .st_rdev = makedev(8, 240)};
	struct device_uses u;
	assert_int_equal(device_uses_find(&u, &made_up, "/dev/sdx", &st, NULL), 0);
	assert_int_equal(u.n_partitions, 2);
	for (size_t i = 0; i < 2; i++)
		assert_true(!strcmp(u.partition[i], "/dev/sdx1") ||
			    !strcmp(u.partition[i], "/dev/sdx2"));
	device_uses_release(&u);
	st.st_rdev = makedev(8, 241);
	assert_int_equal(device_uses_find(&u, &made_up, "/dev/sdx1", &st, NULL), 0);
	assert_int_equal(u.n_partitions, 0);
	device_uses_release(&u);
}

static void a_swap_file_is_in_use(void **state)
{
	(void)state;
	put("swapfile", "x");
	char *text =
	    xasprintf("Filename\tType\tSize\tUsed\tPriority\n%s/swapfile file 1024 0 -2\n", dir);
	put("swaps", text);
	free(text);
	struct stat st;
	assert_int_equal(stat("swapfile", &st), 0);
	struct device_uses u;
	assert_int_equal(device_uses_find(&u, &made_up, "swapfile", &st, NULL), 0);
	assert_int_equal(u.n, 1);
	assert_string_equal(u.text[0], "swapfile is swap");
	device_uses_release(&u);
}

static void an_unreadable_device_is_not_free(void **state)
{
	(void)state;
	struct stat st = {.st_mode = S_IFBLK, .st_rdev = makedev(8, 99)};
	struct device_uses u;
	struct err e = ERR_INIT;
	assert_int_equal(device_uses_find(&u, &made_up, "/dev/it", &st, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "cannot find what uses the device"));
	st.st_rdev = makedev(8, 240);
	assert_int_equal(unlink("mountinfo"), 0);
	assert_int_equal(device_uses_find(&u, &made_up, "/dev/it", &st, &e), -EIO);
	assert_non_null(strstr(e.msg, "mount table"));
}

/* --- opening ------------------------------------------------------------- */

static void files_and_other_types(void **state)
{
	(void)state;
	struct device d;
	struct err e = ERR_INIT;
	bool refused;
	put("plain", "12345678");
	assert_int_equal(device_open(&d, "plain", DEVICE_WRITE, 0, &refused, &e), 0);
	assert_false(refused);
	assert_false(d.is_block);
	assert_int_equal(d.n_bytes, 8);
	assert_int_equal(pwrite(d.fd, "x", 1, 0), 1);
	device_close(&d);
	assert_int_equal(d.fd, -1);

	put("empty", "");
	assert_int_equal(device_open(&d, "empty", DEVICE_READ, 0, &refused, &e), -EINVAL);
	assert_int_equal(device_open(&d, "/dev/null", DEVICE_WRITE, 0, &refused, &e), -ENOTBLK);
	assert_int_equal(device_open(&d, ".", DEVICE_READ, 0, &refused, &e), -ENOTBLK);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(device_open(&d, "pipe", DEVICE_READ, 0, &refused, &e), -ENOTBLK);
	assert_int_equal(device_open(&d, "nothing", DEVICE_READ, 0, &refused, &e), -ENOENT);
	assert_false(refused);
}

/* The signature of a swap area is ten bytes at the end of its first page, after a header. */
static void signatures(void **state)
{
	(void)state;
	char *image = xcalloc(1, 1 << 20);
	int fd = open("image", O_RDWR | O_CREAT, 0600);
	assert_int_equal(write(fd, image, 1 << 20), 1 << 20);
	struct device_signature s;
	assert_int_equal(device_signature_find(&s, fd, true, NULL), 0);
	assert_null(s.kind);
	uint32_t header[3] = {1, 255, 0}; /* version, last page */
	assert_int_equal(pwrite(fd, header, sizeof header, 1024), sizeof header);
	assert_int_equal(pwrite(fd, "SWAPSPACE2", 10, 4086), 10);
	assert_int_equal(device_signature_find(&s, fd, true, NULL), 0);
	assert_non_null(s.kind);
	assert_non_null(strstr(s.kind, "swap"));
	device_signature_release(&s);
	/* of the file below a loop device: its partition table remains */
	assert_int_equal(device_signature_find(&s, fd, false, NULL), 0);
	assert_string_equal(s.remove, "wipefs -a -t swap ");
	device_signature_release(&s);
	close(fd);

	struct device d;
	struct err e = ERR_INIT;
	bool refused;
	assert_int_equal(device_open(&d, "image", DEVICE_WRITE, 0, &refused, &e), -EBUSY);
	assert_true(refused);
	assert_non_null(strstr(e.msg, "swap"));
	assert_non_null(strstr(e.msg, "remove it: wipefs -a image)"));
	assert_int_equal(device_open(&d, "image", DEVICE_READ, 0, &refused, &e), 0);
	device_close(&d);
	/* a label that claims a volume of this program does not suffice */
	assert_int_equal(device_open(&d, "image", DEVICE_WRITE_OWN, 0, &refused, &e), -EBUSY);
	assert_true(refused);
	assert_non_null(strstr(e.msg, "swap"));

	assert_int_equal(ftruncate(fd = open("image", O_RDWR), 1 << 20), 0);
	memset(image, 0, 1 << 20);
	assert_int_equal(pwrite(fd, image, 1 << 20, 0), 1 << 20);
	assert_int_equal(pwrite(fd, table, sizeof table, 446), sizeof table);
	assert_int_equal(device_signature_find(&s, fd, true, NULL), 0);
	assert_non_null(s.kind);
	assert_string_equal(s.kind, "a partition table (dos)");
	assert_string_equal(s.remove, "wipefs -a ");
	device_signature_release(&s);
	assert_int_equal(device_signature_find(&s, fd, false, NULL), 0);
	assert_null(s.kind);
	close(fd);
	free(image);
}

/* Each kind of signature has its own tool. */
static void tools_to_remove(void **state)
{
	(void)state;
	struct device_signature s;
	/* on a smaller device, libblkid searches for no arrays */
	const off_t n_bytes = 4 << 20;
	int fd = open("tools", O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(ftruncate(fd, n_bytes), 0);
	/* a physical volume: its label is in sector 1, and has the type at byte 24 */
	uint64_t label[4] = {0};
	memcpy(label, "LABELONE", 8);
	label[1] = 1; /* sector */
	uint32_t offset = 32;
	memcpy((char *)label + 20, &offset, 4);
	memcpy((char *)label + 24, "LVM2 001", 8);
	assert_int_equal(pwrite(fd, label, sizeof label, 512), sizeof label);
	assert_int_equal(device_signature_find(&s, fd, true, NULL), 0);
	assert_non_null(s.kind);
	assert_string_equal(s.kind, "a physical volume of LVM (LVM2_member)");
	assert_string_equal(s.remove, "pvremove ");
	device_signature_release(&s);
	/* a partition table beside it: wipefs removes both */
	assert_int_equal(pwrite(fd, table, sizeof table, 446), sizeof table);
	assert_int_equal(device_signature_find(&s, fd, true, NULL), 0);
	assert_string_equal(s.remove, "wipefs -a ");
	device_signature_release(&s);
	/* a part of an array: version 0.90 has its superblock in the last 64 KiB */
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(ftruncate(fd, n_bytes), 0);
	const uint32_t array[] = {0xa92b4efc, 0, 90};
	assert_int_equal(pwrite(fd, array, sizeof array, n_bytes - (64 << 10)), sizeof array);
	assert_int_equal(device_signature_find(&s, fd, true, NULL), 0);
	assert_non_null(s.kind);
	assert_string_equal(s.kind, "a part of an array (linux_raid_member)");
	assert_string_equal(s.remove, "mdadm --zero-superblock ");
	device_signature_release(&s);
	close(fd);
}

/* Copies of superblocks count if the first superblock is lost. */
static void copies_of_superblocks(void **state)
{
	(void)state;
	static const struct {
		uint64_t at;
		const char *magic;
		const char *words;
	} row[] = {{(UINT64_C(8193) << 10) + 56, "\x53\xef", "ext2/3/4"},
		   {(UINT64_C(16384) << 11) + 56, "\x53\xef", "ext2/3/4"},
		   {(UINT64_C(32768) << 12) + 56, "\x53\xef", "ext2/3/4"},
		   {(UINT64_C(64) << 20) + 64, "_BHRfS_M", "btrfs"},
		   {UINT64_C(160) << 18, "XFSB", "xfs"},
		   {UINT64_C(160) << 19, "XFSB", "xfs"}};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct device_signature s;
		int fd = open("copies", O_RDWR | O_CREAT | O_TRUNC, 0600);
		assert_int_equal(ftruncate(fd, 160 << 20), 0);
		assert_int_equal(device_signature_find(&s, fd, true, NULL), 0);
		assert_null(s.kind);
		assert_true(pwrite(fd, row[i].magic, strlen(row[i].magic), (off_t)row[i].at) > 0);
		if (row[i].magic[0] == 0x53)
			assert_int_equal(pwrite(fd, "\1\0", 2, (off_t)row[i].at + 34), 2);
		assert_int_equal(device_signature_find(&s, fd, true, NULL), 0);
		assert_non_null(s.kind);
		assert_non_null(strstr(s.kind, row[i].words));
		/* the command in the message removes it */
		SCOPED_FREE char *command = xasprintf("%scopies 2>/dev/null", s.remove);
		device_signature_release(&s);
		assert_int_equal(system(command), 0);
		assert_int_equal(device_signature_find(&s, fd, true, NULL), 0);
		assert_null(s.kind);
		assert_int_equal(lseek(fd, 0, SEEK_END), 160 << 20);
		close(fd);
	}
	assert_int_equal(unlink("copies"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(unused_device, enter, leave),
	    cmocka_unit_test_setup_teardown(mounted_itself, enter, leave),
	    cmocka_unit_test_setup_teardown(a_partition_of_it_is_mounted, enter, leave),
	    cmocka_unit_test_setup_teardown(another_partition_in_use_does_not_matter, enter, leave),
	    cmocka_unit_test_setup_teardown(the_whole_disk_is_mounted, enter, leave),
	    cmocka_unit_test_setup_teardown(an_array_on_an_array, enter, leave),
	    cmocka_unit_test_setup_teardown(holders_in_a_circle_end, enter, leave),
	    cmocka_unit_test_setup_teardown(a_holder_that_cannot_be_followed, enter, leave),
	    cmocka_unit_test_setup_teardown(loop_devices_over_it, enter, leave),
	    cmocka_unit_test_setup_teardown(reference_volumes, enter, leave),
	    cmocka_unit_test_setup_teardown(partitions_are_recognised, enter, leave),
	    cmocka_unit_test_setup_teardown(a_swap_file_is_in_use, enter, leave),
	    cmocka_unit_test_setup_teardown(an_unreadable_device_is_not_free, enter, leave),
	    cmocka_unit_test_setup_teardown(files_and_other_types, enter, leave),
	    cmocka_unit_test_setup_teardown(signatures, enter, leave),
	    cmocka_unit_test_setup_teardown(tools_to_remove, enter, leave),
	    cmocka_unit_test_setup_teardown(copies_of_superblocks, enter, leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
