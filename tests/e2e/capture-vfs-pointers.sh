# SPDX-License-Identifier: GPL-3.0-or-later
# capture vfs reads the data behind pointer arguments: names of sockets, locks, ranges of clones,
# requests of libaio; and the umask. A replay of its trace leaves the tree that the program left.
. "$SRCDIR/tests/e2e/lib.sh"
[ "$(id -u)" -eq 0 ] || skip "tracefs needs root"
[ -w /sys/kernel/tracing/instances ] || skip "no tracefs at /sys/kernel/tracing that may be used"
[ -e /sys/kernel/tracing/events/syscalls/sys_enter_bind ] ||
	skip "this kernel has no tracepoints of system calls"
[ "$(stat -L -c %i /proc/self/ns/pid)" = 4026531836 ] || skip "this is a PID namespace of its own"
compiler=${CC:-cc}

captured() { # DIR COMMAND...: in DIR, to ./trace, ./csv and ./info.out
	dir=$1
	shift
	(cd "$dir" && "$VALIDATE" capture vfs -o "$OLDPWD/trace" -- "$@") >out 2>err || fail "$(cat err)"
	! grep -q 'cannot be read on this machine' out || skip "$(grep 'cannot be read' out)"
	"$VALIDATE" info trace --csv csv >/dev/null
	"$VALIDATE" info trace >info.out
	grep -q '^Health     no sign of missing requests; the capture method always omits ' info.out || fail "not complete: $(grep Health info.out)"
}
tree_of() { # DIR
	(cd "$1" && find . -mindepth 1 -printf '%P %y %m\n' | sort)
}
replayed() { # DIR: the tree of the program there, and the tree of a replay of ./trace
	tree_of "$1" >wanted
	for engine in event compiled; do
		for mask in 0 077; do
			rm -rf "$2"
			mkdir "$2"
			(umask $mask && expect_status 0 "$VALIDATE" replay --engine $engine --prepare \
				--dir "$2" trace)
			expect_line out 'mismatches      0'
			tree_of "$2$(realpath "$1")" >left
			cmp wanted left || fail "$engine, umask $mask: $(diff wanted left)"
		done
	done
}

# the umask that a program inherits, and the umask that it sets; sockets
cat >program.c <<'C'
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
static int bound(const char *name, int len)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	memcpy(a.sun_path, name, len);
	return bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&a,
		    sizeof a.sun_family + len);
}
int main(void)
{
	struct flock f = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 5, .l_len = 7};
	const int fd = open("inherited", O_RDWR | O_CREAT, 0666);
	umask(022);
	mkdir("d", 0777);
	if (!fork()) {
		umask(0);
		_exit(mkdir("d/all", 0777));
	}
	wait(NULL);
	bound("\0abstract", 9);
	if (bound("s", 1) || bound("kept", 5) || bound("s", 2) == 0 || open("s", O_RDWR) >= 0)
		return 1;
	if (rename("s", "t") || unlink("t") || chmod("kept", 0640))
		return 2;
	return fcntl(fd, F_SETLK, &f) || fcntl(fd, F_GETLK, &f) || fcntl(fd, F_GETFL) < 0;
}
C
$compiler -w -O1 -o program program.c || fail 'program.c does not compile'
mkdir run
(umask 027 && captured run ../program) || exit $?
expect_line out 'ended with status 0'
[ "$(grep -c ',mknod,.*mode=140777' csv)" -eq 3 ] || fail "sockets: $(grep mknod csv)"
[ "$(grep -c ',fcntl,.*heap=' csv)" -eq 2 ] || fail "locks: $(grep fcntl csv)"
! grep -q 'n_arguments_lost [1-9]' info.out || fail "lost: $(grep n_arguments info.out)"
replayed run tree

# libaio: each request, with its result; requests that io_submit() does not accept do not appear
cat >aio.c <<'C'
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static char buffer[4][4096];
int main(void)
{
	aio_context_t context = 0;
	struct iocb cb[4], *list[4];
	struct io_event done[4];
	const int fd = open("aio", O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (syscall(SYS_io_setup, 8, &context))
		return 77;
	memset(cb, 0, sizeof cb);
	for (int i = 0; i < 4; i++) {
		cb[i].aio_lio_opcode = i == 3 ? 99 : IOCB_CMD_PWRITE;
		cb[i].aio_fildes = fd;
		cb[i].aio_buf = (unsigned long)buffer[i];
		cb[i].aio_nbytes = 4096;
		cb[i].aio_offset = 4096 * i;
		list[i] = &cb[i];
	}
	for (int round = 0; round < 20; round++) { /* the last is refused */
		if (syscall(SYS_io_submit, context, 4, list) != 3)
			return 1;
		if (syscall(SYS_io_getevents, context, 3, 4, done, NULL) != 3)
			return 2;
	}
	cb[0].aio_lio_opcode = IOCB_CMD_PREAD;
	cb[0].aio_offset = 1 << 20; /* behind the end */
	return syscall(SYS_io_submit, context, 1, list) != 1 ||
	       syscall(SYS_io_getevents, context, 1, 1, done, NULL) != 1 || done[0].res;
}
C
$compiler -w -O1 -o aio aio.c || fail 'aio.c does not compile'
mkdir aio.run
captured aio.run ../aio
! grep -q 'status 77' out || skip 'no libaio in this kernel'
expect_line out 'ended with status 0'
[ "$(grep -c ',aio_write,.*length=4096.*",4096,' csv)" -eq 60 ] ||
	fail "writes: $(grep -c aio_write csv) $(grep aio_write csv | head -n 3)"
[ "$(grep -c ',aio_read,.*",0,' csv)" -eq 1 ] || fail "reads: $(grep aio_read csv)"
replayed aio.run tree
[ "$(stat -c %s "tree$PWD/aio.run/aio")" -eq 12288 ] || fail 'the size of the file that libaio wrote'

# FICLONERANGE
$compiler -w -O1 -D_GNU_SOURCE -o clone "$SRCDIR/tests/programs/clone.c" || fail 'clone.c does not compile'
truncate -s 320M image
{ mkfs.xfs -q image || mkfs.btrfs -q image; } >/dev/null 2>&1 || skip 'neither mkfs.xfs nor mkfs.btrfs'
mkdir shares
mount -o loop image shares 2>err || skip "no loop device can be mounted: $(cat err)"
trap 'umount shares' EXIT
mkdir shares/run
awk 'BEGIN { for (i = 0; i < 2500; i++) printf "%07d\n", i }' >shares/run/in
(cd shares && captured run ../../clone && cp trace csv ..)
[ "$(grep -c ',copy_file_range,.*flags=0x80000000' csv)" -eq 3 ] || fail "clones: $(grep ioctl csv)"
mkdir shares/tree
expect_status 0 "$VALIDATE" replay --prepare --dir shares/tree trace
expect_line out 'mismatches      0'
left=shares/tree$PWD/shares/run # `in` has other content there
tail -c +4097 "$left/in" | head -c 4096 >second
tail -c +8193 "$left/in" >rest
{ head -c 8192 /dev/zero && cat second; } >part
for file in part rest; do
	cmp $file "$left/$file" || fail "$file differs"
done
cmp "$left/in" "$left/whole" || fail 'whole differs'
