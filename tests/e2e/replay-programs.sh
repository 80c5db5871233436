# SPDX-License-Identifier: GPL-3.0-or-later
# long: 15 s
# Replays of captured programs have no mismatch and leave an equal tree (types, sizes and modes), in
# orders fs and temporal with engine event, and in order fs with engine compiled.
. "$SRCDIR/tests/e2e/lib.sh"
compiler=${CC:-cc}

captured() { # NAME OPTIONS COMMAND: a shell command in ./NAME.run, to ./NAME.trace
	(cd "$1.run" && "$VALIDATE" capture app $2 --root "$PWD" -o "../$1.trace" -- sh -c "$3") >capture.out 2>&1 ||
		fail "capture of $1: $(cat capture.out)"
	grep -q 'ended with status 0' capture.out || fail "$1 failed: $(cat capture.out)"
}

tree_of() { # DIR
	(cd "$1" && find . -mindepth 1 -printf '%P %y %m %l ' \( -type f -printf '%s\n' -o -printf '\n' \) | sort)
}

replayed() { # NAME
	tree_of "$1.run" >wanted
	for how in 'event fs' 'event temporal' 'compiled fs'; do
		rm -rf tree
		mkdir tree
		expect_status 0 "$VALIDATE" replay --engine "${how% *}" --order "${how#* }" --prepare --dir tree -o out.trace "$1.trace"
		expect_line out 'mismatches      0'
		tree_of tree >left
		cmp -s wanted left || fail "$1, $how: the trees differ: $(diff wanted left | head -n 20)"
	done
}

# positions of streams that the lengths of calls do not give, with the initial state from a snapshot
# and inferred
$compiler -w -O1 -o seek "$SRCDIR/tests/programs/seek.c" || fail 'seek.c does not compile'
for options in --snapshot --no-characters; do
	rm -rf seek.run
	mkdir seek.run
	head -c 100000 /dev/zero >seek.run/in
	captured seek $options "../seek <in"
	replayed seek
done

# modes: access control lists that are equivalent to permissions (cp, install, sed), and those of
# directories at first
source_tree() { # DIR
	mkdir -p "$1/src/d"
	for i in 1 2 3; do
		head -c 1000 /dev/zero >"$1/src/f$i"
		head -c 5000 /dev/zero >"$1/src/d/g$i"
	done
	chmod 600 "$1/src/f1"
	chmod 750 "$1/src/d/g1"
	chmod 755 "$1/src/f2"
	[ "$(id -u)" -ne 0 ] || chmod 444 "$1/src/d/g2" # an ordinary user keeps the permissions that the next restore needs
	chmod 700 "$1/src/d"
}
source_tree copied.run
captured copied --snapshot 'cp -a src dst; install -m 0711 src/f1 inst; install -d -m 0710 instd; sed -i s/x/y/ src/f1 src/d/g1
	cp -p src/d/g1 pp; chmod a+x src/f3; mv src/f2 src/f2b'
replayed copied
source_tree shredded.run
captured shredded --snapshot 'cp -a src dst; find dst -type f -exec chmod u+w {} + -exec shred -n 1 -u {} +'
replayed shredded

# a child uses a descriptor whose file was renamed after it was opened
mkdir rotated.run
captured rotated '--snapshot' 'exec 3>log; echo first >&3; mv log log.1; (echo second >&3; mv log.1 log.2; cat <&3 || :); echo third >&3'
replayed rotated

# a file made without a name (O_TMPFILE), which a link of its descriptor names
cat >named.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void)
{
	char path[40];
	int fd = open(".", O_RDWR | O_TMPFILE, 0640);
	if (fd < 0)
		return errno != EOPNOTSUPP;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return write(fd, path, sizeof path) != sizeof path ||
	       linkat(AT_FDCWD, path, AT_FDCWD, "named", AT_SYMLINK_FOLLOW) || link("named", "other") ||
	       close(fd) || truncate("named", 20);
}
END
$compiler -w -o named named.c || fail 'named.c does not compile'
mkdir named.run
captured named --snapshot ../named
replayed named

# permissions by a link of /proc that names a descriptor
cat >link.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void)
{
	char path[40];
	int fd = open("by-link", O_WRONLY | O_CREAT, 0600);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return fd < 0 || chmod(path, 0751) || access(path, X_OK);
}
END
$compiler -w -o link link.c || fail 'link.c does not compile'
mkdir link.run
captured link --snapshot ../link
replayed link

# the kernel's tracepoints record such a list, too
mkdir traced
printf x >traced/from
chmod 711 traced/from
cat >acl.c <<'END'
#include <sys/xattr.h>
int main(void)
{
	static const unsigned char list[28] = {2, 0, 0, 0, 1, 0, 7, 0, 255, 255, 255, 255, 4, 0, 1, 0,
					       255, 255, 255, 255, 32, 0, 1, 0, 255, 255, 255, 255};
	return setxattr("traced/from", "system.posix_acl_access", list, sizeof list, 0);
}
END
$compiler -w -o acl acl.c || fail 'acl.c does not compile'
if "$VALIDATE" capture vfs --paths bpf -o traced.trace -- sh -c 'cp -p traced/from traced/to; ./acl' >traced.out 2>&1; then
	"$VALIDATE" info --csv traced.csv traced.trace >/dev/null
	if grep -q ',fsetxattr,' traced.csv; then
		grep -q ',fsetxattr,.*flags=0x81c90000' traced.csv || fail "no permissions: $(grep fsetxattr traced.csv)"
	fi
	if [ "$(stat -c %a traced/from)" = 711 ] && grep -q ',setxattr,' traced.csv; then
		grep -q ',setxattr,.*flags=0x81c90000' traced.csv || fail "no permissions: $(grep setxattr traced.csv)"
	fi
else
	echo "capture vfs is not tried: $(cat traced.out)"
fi

# locks of one process by two descriptors, and of two processes; a close ends them; a signal ends a
# wait
$compiler -w -o locks "$SRCDIR/tests/programs/locks.c" || fail 'locks.c does not compile'
mkdir locks.run
captured locks '' ../locks
replayed locks
rm -rf tree
mkdir tree
expect_status 0 "$VALIDATE" replay --processes --dir tree --prepare -o out.trace locks.trace
expect_line out 'mismatches      0'

# directories that are renamed while they are open or are the working directory
$compiler -w -o moved "$SRCDIR/tests/programs/moved.c" || fail 'moved.c does not compile'
mkdir moved.run
captured moved '' ../moved
replayed moved

# an executable file, as far as the requests show it
mkdir executable.run
printf 'exit 0\n' >executable.run/program
chmod 755 executable.run/program
captured executable '' 'test -x program && cat program'
replayed executable

# a link to a directory, followed before it is read; the files found through it are in the directory
for options in --snapshot ''; do
	rm -rf through.run
	mkdir -p through.run/target/below
	printf 'content\n' >through.run/target/f
	printf 'more\n' >through.run/target/below/g
	ln -s target through.run/link
	ln -s link/below through.run/chain
	captured through "$options" 'cat link/f chain/g && ls -l link/ && ls -l'
	replayed through
done

# a snapshot has the directories on the path of a file, one of which may be a link, and the original
# names of moved files
mkdir -p way.run/real/d way.run/moved/c
printf '#!/bin/sh\n' >way.run/real/d/program
printf 'xyz\n' >way.run/moved/c/f
chmod 755 way.run/real/d/program
chmod 750 way.run/real
chmod 710 way.run/moved/c
ln -s real way.run/alias
ln -s program way.run/real/d/called
captured way --snapshot 'test -x alias/d/called && mv moved else && mv else/c/f k && cat k'
replayed way

# a child uses a stream that only a parent without calls had open
mkdir stream.run
cat >stream.c <<'END'
#include <fcntl.h>
#include <stdio.h>
int main(int n_args, char **arg)
{
	fcntl(1, F_SETFL, fcntl(1, F_GETFL) | O_APPEND);
	return setvbuf(stdout, NULL, _IOLBF, 0) || (n_args > 1 && puts(arg[1]) < 0) || fflush(stdout);
}
END
$compiler -w -o stream stream.c || fail 'stream.c does not compile'
for args in '' line; do
	(cd stream.run && "$VALIDATE" capture app --root "$PWD" -o ../stream.trace -- \
		sh -c "../stream $args; ../stream $args; :" >log 2>/dev/null) || fail 'capture of stream'
	rm -rf tree
	mkdir tree
	expect_status 0 "$VALIDATE" replay --prepare --dir tree -o out.trace stream.trace
	expect_line out 'mismatches      0'
	[ -z "$args" ] || [ "$(stat -c %s tree/log)" = 10 ] || fail "not two lines: $(stat -c %s tree/log)"
done

# two processes write to the same bytes, one after the other: the final content is the second's
cat >over.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void write_all(char c, int from, int to)
{
	char b[8192], name[12];
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof name, "f%d", i);
		int f = open(name, O_RDWR | O_CREAT, 0644);
		char turn;
		if (from >= 0 && read(from, &turn, 1) != 1)
			_exit(1);
		pwrite(f, memset(b, c, sizeof b), sizeof b, 0);
		if (to >= 0 && write(to, "", 1) != 1)
			_exit(1);
		close(f);
	}
}
int main(void)
{
	int p[2], status;
	if (pipe(p) || fork()) {
		write_all('a', -1, p[1]);
		return wait(&status) < 0 || status;
	}
	write_all('b', p[0], -1);
	return 0;
}
END
$compiler -w -o over over.c || fail 'over.c does not compile'
mkdir over.run
captured over --content ../over
cat over.run/f* >wanted
for engine in event compiled; do
	rm -rf tree
	mkdir tree
	expect_status 0 "$VALIDATE" replay --engine $engine --order fs --payload captured --prepare --dir tree -o out.trace over.trace
	expect_line out 'mismatches      0'
	cat tree/f* | cmp -s - wanted || fail "$engine: other contents are left"
done

# descriptors that are open before the first request are opened, for any use
for call in 'ioctl,"fd=5;path=log;offset=0;flags=0x5413"' 'fstat,"fd=5;path=log"' \
	'lseek,"fd=5;path=log;offset=0;whence=1"' 'fcntl,"fd=5;path=log;offset=0;flags=3"'; do
	printf 'pid,tid,begin,end,function,args,rvalue\n1,1,0,10,%s,0\n' "$call" >open.csv
	rm -rf tree
	mkdir tree
	expect_status 0 "$VALIDATE" replay --prepare --dir tree -o out.trace open.csv
	expect_line out 'mismatches      0'
	[ -f tree/log ] || fail "no file is made for: $call"
done

# a mapping with a feature that the file system lacks (MAP_SHARED_VALIDATE, MAP_SYNC) fails as
# traced
printf '%s\n' pid,tid,begin,end,function,args,rvalue,error '1,1,0,10,open,"path=f;flags=0x42;mode=0644",3,' \
	'1,1,20,30,ftruncate,"fd=3;path=f;length=4096",0,' \
	'1,1,40,50,mmap,"fd=3;path=f;offset=0;length=4096;flags=0x60080003",-1,EOPNOTSUPP' >sync.csv
rm -rf tree
mkdir tree
expect_status 0 "$VALIDATE" replay --dir tree -o out.trace sync.csv
expect_line out 'mismatches      0'

# a stream with a buffer of the program: the position of its descriptor shows the size
cat >buffer.c <<'END'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	static char buffer[16], bytes[16];
	FILE *f = fopen("in", "r");
	setvbuf(f, buffer, _IOFBF, sizeof buffer);
	fgetc(f);
	return lseek(fileno(f), 0, SEEK_CUR) != 16;
}
END
$compiler -w -o buffer buffer.c || fail 'buffer.c does not compile'
mkdir buffer.run
seq 3000 >buffer.run/in
captured buffer --snapshot ../buffer
replayed buffer

# a file in which the program searches for holes (SEEK_DATA, SEEK_HOLE)
mkdir sparse.run
truncate -s 1M sparse.run/in
head -c 4096 /dev/zero | tr '\0' x | dd of=sparse.run/in bs=4096 seek=100 conv=notrunc status=none
captured sparse --snapshot 'cp --sparse=auto in out'
"$VALIDATE" info --csv csv sparse.trace >/dev/null
! grep -q ',lseek,.*whence=3' csv || replayed sparse

# flags of files (ioctl FS_IOC_SETFLAGS): flags that would prevent the removal of a file are not set
cat >flags.c <<'END'
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>
int main(void)
{
	const int fd = open("f", O_RDWR | O_CREAT, 0644);
	int at_first, flags;
	struct fsxattr x;
	if (ioctl(fd, FS_IOC_GETFLAGS, &at_first) || ioctl(fd, FS_IOC_FSGETXATTR, &x))
		return 77;
	flags = at_first | FS_NODUMP_FL;
	if (ioctl(fd, FS_IOC_SETFLAGS, &flags))
		return 77;
	flags = at_first | FS_NODUMP_FL | FS_IMMUTABLE_FL;
	if (ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0 && ioctl(fd, FS_IOC_SETFLAGS, &at_first))
		return 1;
	flags = at_first | FS_NODUMP_FL;
	return ioctl(fd, FS_IOC_SETFLAGS, &flags);
}
END
$compiler -w -o flags flags.c || fail 'flags.c does not compile'
mkdir flags.run
(cd flags.run && "$VALIDATE" capture app --root "$PWD" -o ../flags.trace -- ../flags) >capture.out
if ! grep -q 'status 77' capture.out; then
	grep -q 'ended with status 0' capture.out || fail "$(cat capture.out)"
	rm -rf tree
	mkdir tree
	expect_status 0 "$VALIDATE" replay --dir tree -o out.trace flags.trace
	expect_line out 'mismatches      0'
	grep -q 'skipped  *1 request: devices, privileges' out || fail "$(cat out)"
	lsattr tree/f | grep -q '^[^ ]*d[^ ]* ' || fail "flags: $(lsattr tree/f)"
fi

# attributes that a replay does not set (access control lists) are not read either
cat >attributes.csv <<'END'
pid,tid,begin,end,function,args,rvalue,error
1,1,0,10,open,path=f;flags=0x0,3,
1,1,20,30,fgetxattr,"path=f;fd=3;length=0;heap=73797374656d2e706f7369785f61636c5f616363657373",44,
1,1,40,50,fgetxattr,"path=f;fd=3;length=0;heap=73656375726974792e6361706162696c697479",-1,ENODATA
1,1,60,70,close,fd=3,0,
END
rm -rf tree
mkdir tree
expect_status 0 "$VALIDATE" replay --prepare --dir tree attributes.csv
expect_line out 'mismatches      0'
grep -q 'skipped  *1 request: devices, privileges' out || fail "$(cat out)"

# denied to a program without root's rights, but not to root: such mismatches are counted separately
if [ "$(id -u)" -eq 0 ]; then
	printf '%s\n' pid,tid,begin,end,function,args,rvalue,error \
		'1,1,0,10,open,"path=f;flags=0x42;mode=0600",3,' \
		'1,1,20,30,open,"path=f;flags=0x0",-1,EACCES' \
		'1,1,40,50,open,"path=g;flags=0x0",-1,EACCES' >refused.csv
	rm -rf tree
	mkdir tree
	expect_status 0 "$VALIDATE" replay --dir tree -o out.trace refused.csv
	expect_line out 'mismatches      2'
	expect_line out 'note: 1 of them failed in the traced run because of a missing permission'
fi

# the name of a socket: a replay creates it by mknod
cat >bound.c <<'END'
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
int main(void)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX, .sun_path = "name"};
	struct stat st;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	return unlink("name") == 0 || bind(fd, (struct sockaddr *)&to, sizeof to) || chmod("name", 0600) ||
	       stat("name", &st) || unlink("name") || stat("name", &st) == 0;
}
END
$compiler -w -o bound bound.c || fail 'bound.c does not compile'
for options in --snapshot ''; do
	rm -rf bound.run
	mkdir bound.run
	captured bound "$options" ../bound
	replayed bound
done
