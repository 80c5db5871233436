# SPDX-License-Identifier: GPL-3.0-or-later
# capture app --content stores written data, and replay --payload captured leaves equal files: a
# copy, an unpacked archive, a database, streams; also in little memory. Files outside the root are
# not stored.
. "$SRCDIR/tests/e2e/lib.sh"

kept() { # NAME COMMAND...: in ./NAME.run, to ./NAME.trace
	name=$1
	shift
	mkdir -p "$name.run"
	(cd "$name.run" && "$VALIDATE" capture app --snapshot --content --root "$PWD" -o "../$name.trace" -- "$@") >capture.out 2>&1 ||
		fail "capture of $name: $(cat capture.out)"
	grep -q "^content .* -> ../$name.trace.content; the file holds the program's data" capture.out || fail "$(cat capture.out)"
	! grep -E 'not stored|lost|incomplete' capture.out || fail "capture of $name: $(cat capture.out)"
	[ "$(stat -c %a "$name.trace.content")" = 600 ] || fail 'others may read it'
}

alike() { # NAME FILE... -- OPTION...
	name=$1 files=
	shift
	while [ "$1" != -- ]; do
		files="$files $1"
		shift
	done
	shift
	rm -rf "$name.again"
	mkdir "$name.again"
	expect_status 0 "$VALIDATE" replay --prepare --payload captured --dir "$name.again" -o "$name.out" "$@" "$name.trace"
	expect_line out 'mismatches      0'
	for file in $files; do
		diff -r "$name.run/$file" "$name.again/$file" >differs || fail "$name $*: $file: $(head -3 differs)"
	done
}

# 3 MiB that do not repeat, and a file of 1 MiB of equal blocks
seq 400000 | head -c 3000000 >numbers
head -c 1048576 /dev/zero | tr '\0' z >alike.in
mkdir source
cp numbers alike.in source
for i in 1 2 3 4 5 6 7 8 9; do
	seq $i $((i * 777)) >source/f$i
done
tar cf a.tar -C source .

kept tar tar xf ../a.tar
alike tar . -- --order fs
alike tar . -- --order temporal
alike tar . -- --order fs --engine coordinator
alike tar . -- --order fs --engine compiled --program-cache cache
alike tar . -- --order fs --engine compiled --memory 1MiB --program-cache cache
alike tar . -- --order fs --processes --memory 1MiB
alike tar . -- --order fs --memory 1MiB # a third of one file
grep -q '^content .* read ahead into [01]' out || fail "$(cat out)"
# equal blocks are stored once: the file of equal blocks takes almost no space
[ "$(stat -c %s tar.trace.content)" -lt 3600000 ] || fail "$(stat -c %s tar.trace.content) bytes are stored"
rm -rf tar.again && mkdir tar.again
expect_status 0 "$VALIDATE" replay --prepare --dir tar.again tar.trace
! cmp -s tar.run/numbers tar.again/numbers || fail 'without the option the same is written'

# content outside the root is not stored
mkdir -p sparse.run
cp numbers sparse.run/in
kept sparse sh -c 'echo a-secret >../outside; cp --sparse=always in out'
! grep -q a-secret sparse.trace.content || fail 'content outside the root is stored'
alike sparse out --

if command -v sqlite3 >/dev/null; then
	kept sqlite sqlite3 data.db 'create table t(a integer primary key, b text);
		with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) insert into t select i, hex(randomblob(20)) from n;
		update t set b = b || i from (select a as i from t where a % 7 = 0) where a = i; delete from t where a % 3 = 0; vacuum;'
	alike sqlite data.db -- --order fs
	alike sqlite data.db -- --order thread --timing timestamp --speed 1000
fi

compiler=${CC:-cc}
cat >streams.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>
int main(void)
{
	char a[5000], b[3000];
	for (int i = 0; i < 5000; i++)
		a[i] = (char)(i * 7), b[i % 3000] = (char)(i * 13);
	FILE *f = fopen("stream", "w");
	for (int i = 0; i < 100; i++)
		fwrite(a + i, 1, 4000, f), fputs("a line\n", f);
	fclose(f);
	int fd = open("vector", O_CREAT | O_RDWR, 0644);
	for (int i = 0; i < 50; i++) {
		struct iovec v[3] = {{a + i, 4999 - i}, {b, 1}, {b + i, 2000}};
		if (writev(fd, v, 3) < 0 || pwritev(fd, v + 1, 2, 8000000 + i * 3001) < 0)
			return 1;
	}
	return close(fd) || write(1, "done\n", 5) != 5;
}
END
$compiler -w -O1 -o streams streams.c || fail 'streams.c does not compile'
kept streams "$PWD/streams"
alike streams stream vector --

# characters, by calls and by inlined macros
$compiler -w -O2 -o put "$SRCDIR/tests/programs/put.c" || fail 'put.c does not compile'
kept put "$PWD/put"
alike put mixed other child more again -- --order fs

# content that capture does not store: the replay counts these writes
cat >wide.c <<'END'
#include <stdio.h>
#include <wchar.h>
int main(void)
{
	FILE *f = fopen("wide", "w");
	fputws(L"wide\n", f);
	fputws(L"characters\n", f);
	fclose(f);
	f = fopen("plain", "w");
	fputs("plain\n", f);
	return fclose(f);
}
END
$compiler -w -O1 -o wide wide.c || fail 'wide.c does not compile'
mkdir wide.run wide.again
expect_status 0 "$VALIDATE" capture app --content --root "$PWD/wide.run" -o wide.trace -- sh -c 'cd wide.run && ../wide'
expect_line out '2 requests wrote data that is not stored'
for engine in event coordinator compiled; do
	expect_status 0 "$VALIDATE" replay --engine $engine --prepare --payload captured --dir wide.again -o wide.out wide.trace
	expect_line out 'note: the content of 2 writing requests was not captured; the replay wrote other data'
	expect_status 0 "$VALIDATE" info --json wide.out
	grep -q '"n_missing": 2' out || fail "$(grep -A5 captured_content out)"
	cmp wide.run/plain wide.again/plain || fail 'content that was stored differs'
done

# formatted, character by character, and asynchronous; by two processes
cat >others.c <<'END'
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#ifndef NO_LIBAIO
#include <libaio.h>
#endif
#include <printf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
static char buffer[16][8192] __attribute__((aligned(4096)));
static void fill(int seed)
{
	for (int i = 0; i < 16; i++)
		for (int k = 0; k < 8192; k++)
			buffer[i][k] = (char)(seed + i * 31 + k * 7 + k / 256);
}
static int posix(int fd)
{
	struct aiocb cb[16] = {{0}}, *list[16];
	fill(1);
	for (int i = 0; i < 16; i++) {
		cb[i] = (struct aiocb){.aio_fildes = fd, .aio_buf = buffer[i], .aio_nbytes = 8192, .aio_offset = i * 8192, .aio_lio_opcode = LIO_WRITE};
		list[i] = &cb[i];
	}
	if (lio_listio(LIO_WAIT, list, 16, NULL))
		return 1;
	for (int i = 0; i < 16; i++)
		if (aio_return(&cb[i]) != 8192)
			return 2;
	return 0;
}
#ifndef NO_LIBAIO
static int kernel(int fd)
{
	struct iocb cb[16], *list[16];
	struct io_event event[16];
	struct iovec v[2] = {{buffer[3], 5000}, {buffer[5], 3000}};
	io_context_t context = NULL;
	fill(9);
	if (io_setup(16, &context) < 0)
		return 3;
	for (int i = 0; i < 16; i++, list[i - 1] = &cb[i - 1])
		io_prep_pwrite(&cb[i], fd, buffer[i], 8000, i * 8192L);
	io_prep_pwritev(&cb[7], fd, v, 2, 7 * 8192L);
	if (io_submit(context, 16, list) != 16 || io_getevents(context, 16, 16, event, NULL) != 16)
		return 4;
	return io_destroy(context);
}
#else
static int kernel(int fd) { return write(fd, "not asynchronous\n", 17) != 17; }
#endif
static int changes_errno(FILE *f, const struct printf_info *info, const void *const *arg) { return errno = EBADF, 0; }
static int no_arguments(const struct printf_info *info, size_t n, int *type, int *size) { return 0; }
int main(void)
{
	register_printf_specifier('Y', changes_errno, no_arguments);
	pid_t child = fork();
	FILE *f = fopen(child ? "formatted" : "characters", "w");
	for (int i = 0; i < 3000; i++)
		if (child)
			fprintf(f, "%d %x %s\n", i, i * 7, i % 2 ? "odd" : "even");
		else
			i % 100 ? fputc('a' + i % 26, f) : putw(i * 31, f);
	errno = ENOENT;
	fprintf(f, "%m%Y and %d\n", 7);
	fclose(f);
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	int a = open("posix", O_CREAT | O_RDWR, 0644), b = open("kernel", O_CREAT | O_RDWR, 0644);
	exit(posix(a) || kernel(b));
}
END
if ! $compiler -w -O1 -o others others.c -laio 2>cc.err; then
	$compiler -w -O1 -DNO_LIBAIO -o others others.c || fail "others.c does not compile: $(cat cc.err)"
	echo 'requests of libaio are not tried: no libaio to compile with'
fi
kept others "$PWD/others"
for how in '--order fs' '--order temporal --processes' '--order fs --engine coordinator --processes' \
	'--order fs --engine compiled --program-cache cache' '--order temporal --engine compiled --processes --program-cache cache'; do
	# shellcheck disable=SC2086 # options
	alike others formatted characters posix kernel -- $how
done

# a slice has its requests' content, if the content file is beside it
"$VALIDATE" slice --operation pwritev,open,close -o slice.trace streams.trace >/dev/null
cp streams.trace.content slice.trace.content
mkdir slice.again
expect_status 0 "$VALIDATE" replay --prepare --payload captured --dir slice.again slice.trace
cmp -i 8000000 streams.run/vector slice.again/vector || fail 'the slice wrote something else'

# what may be wrong with it
refused() {
	rm -rf bad && mkdir bad
	expect_status 3 "$VALIDATE" replay --prepare --payload captured --dir bad streams.trace
	grep -q "$1" err || fail "$(cat err)"
	[ -z "$(ls bad)" ] || fail 'something was made'
}
cp streams.trace.content good
printf x | dd of=streams.trace.content bs=1 seek=70 conv=notrunc 2>/dev/null
refused 'not a file of captured content, or damaged'
cp tar.trace.content streams.trace.content
refused 'belongs to another trace'
rm streams.trace.content
refused 'streams.trace.content'
cp good streams.trace.content
printf 'xxxxxxxx' | dd of=streams.trace.content bs=1 seek=200 conv=notrunc 2>/dev/null
rm -rf bad && mkdir bad
expect_status 3 "$VALIDATE" replay --prepare --payload captured --dir bad streams.trace
grep -q 'does not match its checksum' err || fail "$(cat err)"
expect_status 2 "$VALIDATE" replay --payload captured --engine fio --dir bad streams.trace
# and a trace without
mkdir -p plain.run
(cd plain.run && "$VALIDATE" capture app --root "$PWD" -o ../plain.trace -- touch made) >/dev/null
[ ! -e plain.trace.content ] || fail 'content is stored without the option'
expect_status 3 "$VALIDATE" replay --payload captured --dir bad plain.trace
grep -q 'the trace has no captured content' err || fail "$(cat err)"
# if the content file cannot be created nothing runs, and the existing trace stays
mkdir plain.trace.content
cp plain.trace before
(cd plain.run && expect_status 3 "$VALIDATE" capture app --content --root "$PWD" -o ../plain.trace -- touch never && grep -q 'plain.trace.content' err) ||
	fail "$(cat plain.run/err)"
[ ! -e plain.run/never ] && cmp plain.trace before || fail 'a capture without space for its content was started'
