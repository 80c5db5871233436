# SPDX-License-Identifier: GPL-3.0-or-later
# Clones (ioctl FICLONE and FICLONERANGE) by capture app and from strace: a replay clones if the
# file system shares blocks; otherwise it copies and reports it. Needs a file system that shares
# blocks.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer
${CC:-cc} -w -O1 -D_GNU_SOURCE -o clone "$SRCDIR/tests/programs/clone.c" || fail 'clone.c does not compile'
mkdir shares
[ "$(id -u)" -eq 0 ] || skip 'no file system that shares blocks can be mounted by an ordinary user'
truncate -s 320M image
{ mkfs.xfs -q image || mkfs.btrfs -q image; } >/dev/null 2>&1 || skip 'neither mkfs.xfs nor mkfs.btrfs'
mount -o loop image shares 2>err || skip "no loop device can be mounted: $(cat err)"
trap 'umount shares' EXIT
mkdir shares/run shares/tree tree
awk 'BEGIN { for (i = 0; i < 2500; i++) printf "%07d\n", i }' >shares/run/in
mkdir plain
(cd plain && cp ../shares/run/in . && ../clone) && skip 'the directory of the test shares blocks, too'

replayed() { # DIR: as large as the original, with the content of the clones, from a replay that creates `in` itself
	rm -rf "$1"
	mkdir "$1"
	cp shares/run/in "$1"
	expect_status 0 "$VALIDATE" replay --dir "$1" -o out.trace "$2"
	expect_line out 'mismatches      0'
	for file in whole part rest; do
		cmp "shares/run/$file" "$1/$file" || fail "$file differs: $(wc -c shares/run/$file "$1/$file")"
	done
}

(cd shares/run && "$VALIDATE" capture app --root "$PWD" -o ../../app.trace -- ../../clone) >capture.out 2>&1 || fail "$(cat capture.out)"
expect_line capture.out 'ended with status 0'
# as strace 6.1 writes it; the sizes are unknown there
cat >clone.strace <<'S'
10 1.000000 openat(AT_FDCWD, "/in", O_RDONLY) = 3</in> <0.000001>
10 1.000001 openat(AT_FDCWD, "/whole", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 4</whole> <0.000001>
10 1.000002 openat(AT_FDCWD, "/part", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 5</part> <0.000001>
10 1.000003 openat(AT_FDCWD, "/rest", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 6</rest> <0.000001>
10 1.000004 ioctl(4</whole>, BTRFS_IOC_CLONE or FICLONE, 3) = 0 <0.000001>
10 1.000005 ioctl(5</part>, BTRFS_IOC_CLONE_RANGE or FICLONERANGE, {src_fd=3</in>, src_offset=4096, src_length=4096, dest_offset=8192}) = 0 <0.000001>
10 1.000006 ioctl(6</rest>, BTRFS_IOC_CLONE_RANGE or FICLONERANGE, {src_fd=3</in>, src_offset=8192, src_length=0, dest_offset=0}) = 0 <0.000001>
10 1.000007 ioctl(5</part>, BTRFS_IOC_CLONE or FICLONE, -1) = -1 EBADF (Bad file descriptor) <0.000001>
10 1.000008 ioctl(1, TCGETS, 0x7ffe) = -1 ENOTTY (Inappropriate ioctl for device) <0.000001>
S
expect_status 0 "$VALIDATE" import -q clone.strace -o strace.trace
expect_status 0 "$VALIDATE" export -q --to strace strace.trace -o again.strace
expect_status 0 "$VALIDATE" import -q again.strace -o again.trace
for trace in app.trace strace.trace again.trace; do
	"$VALIDATE" info "$trace" --csv csv >info.out
	[ "$(grep -c ',copy_file_range,.*flags=0x80000000' csv)" -eq 3 ] || fail "clones of $trace: $(cat csv)"
	replayed shares/tree $trace
	! grep -q 'replayed as copies' out || fail "copies where clones can be made: $(cat out)"
	replayed tree $trace
	expect_line out 'note: 3 clones (FICLONE) were replayed as copies'
	expect_status 0 "$VALIDATE" info --json out.trace
	expect_line out '"n_clones_copied": 3'
done
