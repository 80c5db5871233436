# SPDX-License-Identifier: GPL-3.0-or-later
# capture app --snapshot: the trace holds the state that the program found, and replay --prepare makes it elsewhere.
. "$SRCDIR/tests/e2e/lib.sh"
compiler=${CC:-cc}
cat >user.c <<'END'
#include <fcntl.h>
#include <unistd.h>
static char buffer[100000];
int main(void)
{
	int a = open("work/old", O_RDWR), b = open("work/new", O_RDWR | O_CREAT | O_TRUNC, 0644);
	int c = open("work/cut", O_WRONLY | O_TRUNC), d = open("work/sparse", O_RDONLY), n = 0;
	n += pread(a, buffer, 4096, 0) == 4096;
	n += write(b, buffer, 5000) == 5000;
	n += write(c, buffer, 10) == 10;
	n += pread(d, buffer, 4096, 1 << 20) == 4096;
	n += pwrite(a, buffer, 4096, 200000) == 4096;
	n += close(a) == 0 && close(b) == 0 && close(c) == 0 && close(d) == 0;
	return n == 6 ? 0 : 1;
}
END
$compiler -w -O1 -o user user.c || fail 'user.c does not compile'
mkdir work
head -c 123456 /dev/zero >work/old
head -c 777 /dev/zero >work/cut
truncate -s 3M work/sparse
printf x | dd of=work/sparse bs=1 seek=65536 conv=notrunc 2>/dev/null
chmod 600 work/cut
expect_status 0 "$VALIDATE" capture app --snapshot --root "$PWD" -o trace -- ./user
expect_line out 'ended with status 0'
"$VALIDATE" info trace --json >json
# by the files' own rows: size before the program changed it, and what was not there is not in the list
cp trace copy
strings -a trace | grep -o '"files":\[[^]]*.*' >files || true
for text in '"path":"work/old","size":123456' '"path":"work/cut","size":777,"mode":384' '"path":"work/sparse","size":3145728' '"holes":\['; do
	grep -q "$text" files || {
		cat files >&2
		fail "the snapshot has no $text"
	}
done
! grep -q '"path":"work/new"' files || fail 'a file that the program made is in the snapshot'

# made elsewhere, it serves: the replay finds what the program found
mkdir elsewhere
expect_status 0 "$VALIDATE" replay --prepare --dir elsewhere -o replayed trace
expect_line out 'mismatches      0'
[ -f elsewhere/work/new ] || fail 'the replay made no new file'
[ "$(stat -c %s elsewhere/work/sparse)" -eq 3145728 ] || fail 'size of the sparse file'
[ "$(($(stat -c %b elsewhere/work/sparse) * 512))" -ge 3145728 ] || fail 'what was prepared has holes'
[ "$(stat -c %a elsewhere/work/cut)" = 600 ] || fail 'permissions are not as they were'

# without a snapshot what is needed is inferred from the trace
cp work/old old
head -c 123456 /dev/zero >work/old
rm -f work/new
expect_status 0 "$VALIDATE" capture app --root "$PWD" -o bare -- ./user
mkdir inferred
expect_status 0 "$VALIDATE" replay --prepare --dir inferred bare
expect_line out 'mismatches      0'

# links and directories
ln -s old work/link
mkdir work/sub work/sub/deep
: >work/sub/one
expect_status 0 "$VALIDATE" capture app --snapshot --root "$PWD" -o trace -- ls -lR work
strings -a trace | grep -o '"files":\[[^]]*.*' >files || true
for text in '"path":"work/link"' '"link":"old"' '"path":"work/sub/deep","directory":true' '"path":"work/sub/one","size":0'; do
	grep -q "$text" files || {
		cat files >&2
		fail "the snapshot of a listed tree has no $text"
	}
done
