# SPDX-License-Identifier: GPL-3.0-or-later
# long: 22 s
# A trace opens a device, FIFO or socket in the target directory by a name that it creates itself.
# The replay does not open the object and does not hang; it reports the refusal and fails. With
# every engine: as root with a loop device, as an ordinary user with FIFOs, with and without a clone
# of the directory that permits no devices.
. "$SRCDIR/tests/e2e/lib.sh"
leaks_unchecked # leaks of OpenMPI itself are not reported

compiler=${CC:-cc}
refused=6 # EXIT_REFUSED
duration=' <0.000001>'
clean=:
trap 'eval "$clean"' EXIT

# names in the target: node, file, sub/node, deep/sub/node, all except file of the tested kind
attack() { # NAME: the trace NAME.trace of the calls on standard input, without time stamps
	awk -v tab="$duration" '{ printf "10 1.%06d %s%s\n", NR, $0, tab }' >"$1.strace"
	expect_status 0 "$VALIDATE" import -q "$1.strace" -o "$1.trace"
}
opened='openat(AT_FDCWD, "/a", O_RDWR) = 3
pwrite64(3, "xx", 4096, 0) = 4096
pread64(3, "xx", 4096, 4096) = 4096
close(3) = 0'
made='openat(AT_FDCWD, "/a", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 3
write(3, "xx", 4096) = 4096
close(3) = 0'
for way in opened made; do
	eval "calls=\$$way"
	printf 'rename("/sub/node", "/a") = 0\n%s\n' "$calls" | attack $way-rename
	printf 'link("/sub/node", "/a") = 0\n%s\n' "$calls" | attack $way-link
	printf 'symlink("sub/node", "/a") = 0\n%s\n' "$calls" | attack $way-symlink
	printf 'symlink("/sub", "/s") = 0\nsymlink("s/node", "/a") = 0\n%s\n' "$calls" |
		attack $way-symlinks
	printf 'rename("/deep", "/b") = 0\nrename("/b/sub/node", "/a") = 0\n%s\n' "$calls" |
		attack $way-directory
	printf '%s\n' 'renameat2(AT_FDCWD, "/sub/node", AT_FDCWD, "/file", RENAME_EXCHANGE) = 0' \
		'rename("/file", "/a") = 0' "$calls" | attack $way-exchange
done
printf 'rename("/deep", "/b") = 0\n%s\n' "$opened" | sed 's|"/a"|"/b/sub/node"|' | attack path
printf 'rename("/sub/node", "/a") = 0\ntruncate("/a", 5) = 0\n' | attack truncate
printf 'symlink("/sub/node", "/a") = 0\ntruncate("/a", 5) = 0\n' | attack truncate-link
printf 'rename("/sub/node", "/a") = 0\nchmod("/a", 0666) = 0\n' | attack chmod
printf 'rename("/sub/node", "/a") = 0\nchown("/a", 12345, 12345) = 0\n' | attack chown
printf 'rename("/sub/node", "/a") = 0\nutimensat(AT_FDCWD, "/a", [UTIME_NOW, UTIME_NOW], 0) = 0\n' |
	attack utimens
printf 'rename("/sub/node", "/a") = 0\nutimensat(AT_FDCWD, "/a", NULL, AT_SYMLINK_NOFOLLOW) = 0\n' |
	attack utimens-name
printf 'rename("/sub/node", "/a") = 0\nsetxattr("/a", "user.a", "b", 1, 0) = 0\n' | attack setxattr
printf 'rename("/sub/node", "/a") = 0\nlsetxattr("/a", "user.a", "b", 1, 0) = 0\n' |
	attack lsetxattr
printf 'rename("/sub/node", "/a") = 0\nremovexattr("/a", "user.a") = 0\n' | attack removexattr
printf '%s\n' 'rename("/sub/node", "/a") = 0' 'openat(AT_FDCWD, "/a", O_RDONLY|O_NONBLOCK) = 3' \
	'read(3, "xx", 512) = 512' | attack read
printf '%s\n' 'rename("/sub/node", "/a") = 0' 'openat(AT_FDCWD, "/a", O_WRONLY) = 3' \
	'write(3, "xx", 512) = 512' | attack write
# streams and asynchronous writes
for mode in 0x0 0x2 0x241 0x441; do
	expect_status 0 "$VALIDATE" info opened-rename.trace --csv fopen.csv
	sed -i -e "s/,open,.*flags=[^\"]*\",3/,fopen,\"path=a;mode=0644;flags=$mode\",3/" \
		-e 's/,pwrite,/,aio_write,/' fopen.csv
	expect_status 0 "$VALIDATE" import -q fopen.csv -o fopen$mode.trace
done
all=$(ls ./*.trace)
# each way to open
some='./opened-rename.trace ./made-symlink.trace ./truncate.trace ./fopen0x2.trace'

node=mkfifo # the command that makes the node NAME
targets() { # the directory that each target is a copy of
	rm -rf new
	mkdir -p new/sub new/deep/sub
	echo content >new/file
	$node new/sub/node
	$node new/deep/sub/node
	chmod -R a+rwX new
}
target() {
	rm -rf target
	cp -a new target
}
unchanged() { # WORDS: the device has its content
	[ -z "$watched" ] || cmp -s "$watched" content || fail "$1 changed the device"
}

# tried REPLAY-COMMAND...: the attacks of $attacks with engine event, some with each of $engines
tried() {
	targets
	for engine in event $engines; do
		[ "$engine" = event ] && traces=$attacks || traces=$some
		for trace in $traces; do
			target
			case $engine in
			*+*) options=${engine#*+} ;;
			*) options= ;;
			esac
			case $trace in
			*symlink.trace | *truncate-link.trace | *symlinks.trace) before='refused: ' ;;
			*) before='of the trace. The first is on ' ;;
			esac
			# shellcheck disable=SC2086
			expect_status $refused timeout 20 "$@" --engine ${engine%+*} \
				$options --order temporal --dir target "$trace"
			expect_line err "$before"
			expect_line err "is $kind"
			unchanged "$trace with $engine"
		done
	done
}

engines='coordinator compiled event+--processes'
watched=
kind='a FIFO'
attacks=$all
tried "$VALIDATE" replay
kind='a socket'
if command -v python3 >/dev/null; then
	cat >bind.py <<'P'
import os, socket, sys
os.chdir(os.path.dirname(sys.argv[1]))
socket.socket(socket.AF_UNIX).bind(os.path.basename(sys.argv[1]))
P
	node='python3 bind.py'
	tried "$VALIDATE" replay
	node=mkfifo
	targets
fi

# a device that the trace never opens does not matter
target
attack harmless <<'END'
openat(AT_FDCWD, "/file", O_RDWR) = 3
write(3, "xx", 2) = 2
rename("/sub/node", "/a") = 0
stat("/a", {}) = 0
unlink("/a") = 0
END
expect_status 0 "$VALIDATE" replay --dir target harmless.trace
expect_line out 'mismatches      0'

# names exchanged while the replay runs
cat >exchange.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	while (argc == 3)
		renameat2(AT_FDCWD, argv[1], AT_FDCWD, argv[2], RENAME_EXCHANGE);
}
C
$compiler -o exchange exchange.c
awk 'BEGIN { for (i = 0; i < 3000; i++) {
	printf "openat(AT_FDCWD, \"/file\", O_RDWR|O_CREAT%s, 0644) = 3\n", i % 2 ? "|O_TRUNC" : ""
	print "pwrite64(3, \"xx\", 4096, 0) = 4096\nclose(3) = 0\ntruncate(\"/file\", 9) = 0" } }' |
	attack exchanged

exchanged() { # REPLAY-COMMAND...
	for engine in event compiled; do
		target
		./exchange target/file target/sub/node &
		id=$!
		n=0
		# if other tests run, the exchanging process may get no CPU during a replay
		for _ in $(seq 50); do
			status=0
			timeout 20 "$@" --engine $engine --dir target exchanged.trace >out 2>err || status=$?
			case $status in
			0 | 1 | $refused) ;;
			*) kill $id; fail "status $status: $(cat err)" ;;
			esac
			! grep -q 'of the trace. The first is on ' err || n=$((n + 1))
			[ $n -lt 2 ] || break
		done
		kill $id
		[ $n -gt 0 ] || fail "no open met the other object in 50 runs with engine $engine"
		unchanged 'an exchange'
	done
}
exchanged "$VALIDATE" replay

[ "$(id -u)" -eq 0 ] || skip 'devices need root; FIFOs were tried'
command -v losetup >/dev/null || skip 'no losetup; FIFOs were tried'
dd if=/dev/urandom of=image bs=1M count=1 2>/dev/null
device=$(losetup -f --show image 2>losetup.err) || skip "no loop device: $(cat losetup.err)"
clean='losetup -d "$device"'
cp image content
watched=$device
major=$((0x$(stat -c %t "$device")))
minor=$((0x$(stat -c %T "$device")))
cat >node.sh <<END_OF_NODE
mknod "\$1" b $major $minor
END_OF_NODE
kind='a block device'
node='sh node.sh'
attacks=$all
tried "$VALIDATE" replay
# in the clone of the directory the kernel refuses the open, so that the driver does not see it
if command -v strace >/dev/null && strace -o probe true 2>/dev/null; then
	target
	expect_status $refused strace -f -qq -o calls -e trace=openat,openat2 "$VALIDATE" replay --order temporal --dir target opened-rename.trace
	grep -q 'openat2\?(.*"a", .*O_RDWR.* = -1 EACCES' calls || fail "the device was opened: $(grep '"a"' calls)"
fi
exchanged "$VALIDATE" replay

# no clone of the directory, because there are no user namespaces: each open examines the file first
if unshare -U -r sh -c 'echo 0 >/proc/sys/user/max_user_namespaces' 2>/dev/null; then
	cat >alone.sh <<'END_OF_ALONE'
echo 0 >/proc/sys/user/max_user_namespaces
exec "$@"
END_OF_ALONE
	engines=compiled
	tried unshare -U -r sh alone.sh "$VALIDATE" replay
	exchanged unshare -U -r sh alone.sh "$VALIDATE" replay
fi

# a bind mount of the device
if unshare -m true 2>/dev/null; then
	target
	: >target/bound
	for calls in 'rename("/file", "/b") = 0\nopenat(AT_FDCWD, "/bound"' \
		'symlink("/bound", "/e") = 0\nopenat(AT_FDCWD, "/e"'; do
		printf "$calls, O_RDWR) = 3\npwrite64(3, \"xx\", 4096, 0) = 4096\n" | attack bound
		expect_status $refused unshare -m sh -c "mount --bind '$device' target/bound &&
			exec timeout 20 '$VALIDATE' replay --dir target bound.trace"
	done
	expect_line err 'is a block device'
	unchanged 'a bind mount'

	# --prepare removes a directory that the trace creates, but not a file system that is
	# mounted there
	target
	mkdir -p target/d/mounted elsewhere
	echo kept >elsewhere/file
	for name in d d/mounted; do
		printf 'mkdir("/%s", 0777) = 0\n' $name >makes
		for wanted in "$refused:but it contains d/mounted" \
			'3:another file system is mounted there'; do
			attack makes <makes
			expect_status "${wanted%%:*}" unshare -m sh -c "mount --bind elsewhere target/d/mounted &&
				exec '$VALIDATE' replay --prepare --dir target makes.trace"
			expect_line err "${wanted#*:}"
			[ "$(cat elsewhere/file)" = kept ] || fail "$name: a mounted directory was emptied"
			# now the trace makes the mounted files, too
			printf 'open("/d/mounted/file", O_RDWR|O_CREAT|O_EXCL) = 3\n' >>makes
		done
	done
fi

# by MPI processes
if command -v mpirun >/dev/null && [ -x "$BUILD/validate-mpi-replay" ]; then
	target
	export TMPDIR=/tmp # OpenMPI's sockets need short paths
	expect_status $refused timeout 60 "$VALIDATE" replay --engine parallel --mode afap \
		--dir target opened-rename.trace
	expect_line err 'is a block device'
	unchanged 'engine parallel'
fi
