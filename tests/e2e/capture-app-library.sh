# SPDX-License-Identifier: GPL-3.0-or-later
# capture app on C library functions that use files under other names: each becomes the operation
# that does the same. strace's record of the same run agrees, if strace is available.
. "$SRCDIR/tests/e2e/lib.sh"
compiler=${CC:-cc}
$compiler -w -O2 -o library "$SRCDIR/tests/programs/library.c" || fail 'library.c does not compile'
traced=
if command -v strace >/dev/null && strace -o probe true 2>/dev/null; then
	traced=yes
fi
mkdir in
cd in

# capture LEAST NAME: captures the test program NAME; at least LEAST calls agree with strace. Status
# 1: the test program is not permitted to run here
capture() {
	rm -rf ./*
	status=0
	${traced:+strace -f -o ../strace} "$VALIDATE" capture app -o ../trace --root "${root:-.}" -- ../library "$2" >../out 2>../err || status=$?
	[ "$status" -eq 0 ] || fail "status $status of capture: $(cat ../err)"
	if grep -q 'status 77' ../out; then
		echo "$2: not allowed here"
		return 1
	fi
	grep -q 'ended with status 0' ../out || fail "$2: $(cat ../out ../err)"
	"$VALIDATE" info ../trace --csv ../csv >/dev/null
	[ -n "$traced" ] || return 0
	"$SRCDIR/tests/e2e/capture-app-compare" ../csv ../strace >../told || {
		cat ../told >&2
		fail "strace and capture disagree about: $2"
	}
	alike=$(sed -n '$s/ alike.*//p' ../told)
	[ "$alike" -ge "$1" ] || fail "only $alike calls compared of: $2"
}
has() {
	grep -qE -- "$1" ../csv || {
		cat ../csv >&2
		fail "no request matches $1"
	}
}
count() {
	grep -cE -- "$1" ../csv || true
}

if capture 11 handles; then
	has ',stat,"path=none;[^"]*",-1,ENOENT'
	[ "$(count ',stat,"path=handled;[^"]*flags=0x100",0')" -eq 2 ] || fail "the name of a file whose handle does not fit: $(cat ../csv)"
	has ',open,"path=handled;flags=0x80000",[0-9]'
	has ',pread,"path=handled;fd=[0-9]*;offset=20;length=10",10'
	has ',read,"path=handled;fd=[0-9]*;offset=0;length=30",30'
fi
capture 5 lists
[ "$(count ',getdents,"path=listed;fd=[0-9]*;')" -eq 2 ] || fail "getdirentries, getdents64: $(cat ../csv)"
root=/
if capture 5 names; then
	[ "$(count ',stat,"path=[^"]*/key;')" -eq 1 ] && [ "$(count ',stat,"path=[^"]*/none;.*ENOENT')" -eq 1 ] || fail "ftok: $(cat ../csv)"
	[ "$(count ',stat,"path=[^"]*/made\..*ENOENT')" -eq 2 ] || fail "mktemp, and a stat of its result: $(cat ../csv)"
	[ "$(count ',open,"path=dev/shm/validate-test-')" -eq 1 ] || fail "shm_open: $(cat ../csv)"
	[ "$(count ',unlink,"path=dev/shm/validate-test-')" -eq 2 ] || fail "shm_unlink: $(cat ../csv)"
	has ',ftruncate,"path=dev/shm/validate-test-'
fi
root=.
capture 1 mounts
[ "$(count ',fscanf,"path=table;')" -eq 3 ] || fail "getmntent: $(cat ../csv)"
[ "$(count ',fopen,"path=table;')" -eq 2 ] && [ "$(count ',fclose,"path=table;')" -eq 2 ] || fail "setmntent: $(cat ../csv)"
has ',fopen,"path=none;[^"]*",-1,ENOENT'
capture 1 streams
[ "$(count ',fwrite,"path=words;fd=[0-9]*;length=4",4')" -eq 2 ] || fail "putw: $(cat ../csv)"
[ "$(count ',fread,"path=words;fd=[0-9]*;length=4",4')" -eq 2 ] || fail "getw: $(cat ../csv)"
has ',fread,"path=words;fd=[0-9]*;length=4",0'
[ "$(count ',setvbuf,"path=words;')" -eq 3 ] || fail "setbuffer, setlinebuf, setbuf: $(cat ../csv)"
root=/
capture 1 streams # of all streams: none is on a file below a directory
has ',fflush,'
root=.
# inlined or not, reads and writes are recorded
capture 1 macros
if [ "$(count ',fgetc,"path=characters;')" -ne 20001 ]; then # in line: buffers of 4096
	[ "$(count ',fgetc,"path=characters;fd=[0-9]*;length=4096",1')" -eq 4 ] || fail "macros: $(cat ../csv)"
	has ',fgetc,"path=characters;fd=[0-9]*;length=1",0'
fi
[ "$(count ',fputc,"path=characters;')" -ge 2 ] || fail "macros: $(cat ../csv)"
root=/
capture 1 pipes
has ',fdopen,"descriptor=pipe:[[0-9]*[]];fd=[0-9]*'
[ "$(count ',write,"path=[^"]*/piped;')" -ge 1 ] || fail "the child behind a pipe: $(cat ../csv)"
[ "$("$VALIDATE" info ../trace --json | jq '.meta.extra.processes | length')" -ge 3 ] || fail 'children of popen are missing'
root=.
capture 5 forks
has ',pread,"path=forked;fd=[0-9]*;offset=300;length=100",100'
[ "$(cut -d , -f 1 ../csv | sort -u | grep -c '^[0-9]')" -eq 2 ] || fail 'the child of _Fork is no process of its own'
capture 3 advice
[ "$(count ',madvise,')" -eq 2 ] || fail "posix_madvise: $(cat ../csv)"
has ',madvise,.*EINVAL'
root=/
capture 10 numbers
has ',open,"path=[^"]*/numbered;mode=0600;flags=0x42;umask=[0-7]*",[0-9]'
has ',writev,"path=[^"]*/numbered;'
has ',copy_file_range,"path=[^"]*/numbered;fd=[0-9]*;offset=5;length=10;'
has ',rename,"path=[^"]*/to;'
has ',mkdir,"path=[^"]*/sub;'
has ',access,"path=[^"]*/sub/to;'
has ',chmod,"path=[^"]*/sub/to;mode=0600;flags=0x100"'
[ "$(count ',close,"path=[^"]*/to;')" -eq 1 ] || fail "close_range: $(cat ../csv)"

# the control blocks of a list are read before the call: afterwards their owner may have freed them or, as here, reused them
cat >../list.c <<'C'
#define _GNU_SOURCE
#include <aio.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#ifdef STAND_IN
int lio_listio(int mode, struct aiocb *const list[], int n, struct sigevent *event)
{
	int got = ((int (*)(int, struct aiocb *const[], int, struct sigevent *))dlsym(RTLD_NEXT, "lio_listio"))(mode, list, n, event);
	for (int i = 0; i < n && mode == LIO_WAIT; i++)
		if (list[i] && (aio_error(list[i]) || aio_return(list[i]) < 0))
			abort();
		else if (list[i])
			memset(list[i], 0xff, sizeof *list[i]);
	return got;
}
#else
int main(void)
{
	static char buffer[100];
	int fd = open("listed", O_RDWR | O_CREAT, 0600);
	struct aiocb a = {.aio_fildes = fd, .aio_buf = buffer, .aio_nbytes = 30, .aio_offset = 20, .aio_lio_opcode = LIO_WRITE};
	struct aiocb none = {.aio_lio_opcode = LIO_NOP}, *list[] = {NULL, &a, &none};
	return lio_listio(77, (struct aiocb **)1, 3, NULL) != -1 || lio_listio(LIO_WAIT, list, 3, NULL);
}
#endif
C
$compiler -w -DSTAND_IN -shared -fPIC -o ../stand-in.so ../list.c -ldl && $compiler -w -o ../list ../list.c "$PWD/../stand-in.so" || fail 'list.c does not compile'
"$VALIDATE" capture app -o ../trace --root . -- ../list >../out 2>../err || fail "$(cat ../err)"
grep -q 'ended with status 0' ../out || fail "a list of requests: $(cat ../out)"
"$VALIDATE" info ../trace --csv ../csv >/dev/null
has ',aio_write,"path=listed;fd=[0-9]*;offset=20;length=30"'
[ "$(count ',aio_')" -eq 1 ] || fail "of a list: $(cat ../csv)"
