# SPDX-License-Identifier: GPL-3.0-or-later
# capture app --snapshot: the trace has the state that the program found, and replay --prepare makes
# it in another place.
. "$SRCDIR/tests/e2e/lib.sh"
compiler=${CC:-cc}
cat >user.c <<'END'
#include <fcntl.h>
#include <unistd.h>
static char buffer[100000];
int main(void)
{
	int a = open("used/old", O_RDWR), b = open("used/new", O_RDWR | O_CREAT | O_TRUNC, 0644);
	int c = open("used/cut", O_WRONLY | O_TRUNC), d = open("used/sparse", O_RDONLY), n = 0;
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
mkdir used
head -c 123456 /dev/zero >used/old
head -c 777 /dev/zero >used/cut
truncate -s 3M used/sparse
printf x | dd of=used/sparse bs=1 seek=65536 conv=notrunc 2>/dev/null
chmod 600 used/cut
expect_status 0 "$VALIDATE" capture app --snapshot --root "$PWD" -o trace -- ./user
expect_line out 'ended with status 0'
"$VALIDATE" info trace --json >json
# by the rows of the files: the size before the program changed it; a file that did not exist is not
# in the list
cp trace copy
strings -a trace | grep -o '"files":\[[^]]*.*' >files || fail 'the trace lists no files'
for text in '"path":"used/old","size":123456' '"path":"used/cut","size":777,"mode":384' '"path":"used/sparse","size":3145728' '"holes":\['; do
	grep -q "$text" files || {
		cat files >&2
		fail "the snapshot has no $text"
	}
done
! grep -q '"path":"used/new"' files || fail 'a file that the program made is in the snapshot'

# in another directory, a replay with the created state finds the same files as the program
mkdir elsewhere
expect_status 0 "$VALIDATE" replay --prepare --dir elsewhere -o replayed trace
expect_line out 'mismatches      0'
[ -f elsewhere/used/new ] || fail 'the replay made no new file'
[ "$(stat -c %s elsewhere/used/sparse)" -eq 3145728 ] || fail 'size of the sparse file'
[ "$(($(stat -c %b elsewhere/used/sparse) * 512))" -ge 3145728 ] || fail 'the prepared file has holes'
[ "$(stat -c %a elsewhere/used/cut)" = 600 ] || fail 'permissions are not as they were'

# without a snapshot the needed state is inferred from the trace
cp used/old old
head -c 123456 /dev/zero >used/old
rm -f used/new
expect_status 0 "$VALIDATE" capture app --root "$PWD" -o bare -- ./user
mkdir inferred
expect_status 0 "$VALIDATE" replay --prepare --dir inferred bare
expect_line out 'mismatches      0'

# links and directories
ln -s old used/link
mkdir used/sub used/sub/deep
: >used/sub/one
expect_status 0 "$VALIDATE" capture app --snapshot --root "$PWD" -o trace -- ls -lR used
strings -a trace | grep -o '"files":\[[^]]*.*' >files || fail 'the trace lists no files'
for text in '"path":"used/link"' '"link":"old"' '"path":"used/sub/deep","directory":true' '"path":"used/sub/one","size":0'; do
	grep -q "$text" files || {
		cat files >&2
		fail "the snapshot of a listed tree has no $text"
	}
done

# the target of a link has its size and permissions
mkdir linked
printf '#!/bin/sh\n' >linked/program
chmod 755 linked/program
ln -s program linked/alias
expect_status 0 "$VALIDATE" capture app --snapshot --root "$PWD" -o trace -- sh -c 'test -x linked/alias'
expect_line out 'ended with status 0'
strings -a trace | grep -q '"path":"linked/program","size":10,"mode":493' ||
	fail 'the snapshot has no target of a link'
mkdir followed
expect_status 0 "$VALIDATE" replay --prepare --dir followed -o replayed trace
expect_line out 'mismatches      0'

# a link to a directory that stat and opendir follow stays a link; nothing is copied below it
mkdir linked/real
echo text >linked/real/file
ln -s real linked/dir
expect_status 0 "$VALIDATE" capture app --snapshot --root "$PWD" -o trace -- sh -c 'test -d linked/dir && ls -lH linked/dir linked/dir/ && cat linked/dir/file'
strings -a trace | grep -o '"files":\[[^]]*.*' >files || fail 'the trace lists no files'
grep -q '"path":"linked/dir","size":0,"mode":511,"link":"real"' files || fail "a followed link: $(cat files)"
! grep -q '"path":"linked/dir/' files || fail "copies below a link: $(cat files)"
mkdir followed.dir
expect_status 0 "$VALIDATE" replay --prepare --dir followed.dir -o replayed trace
expect_line out 'mismatches      0'
[ -L followed.dir/linked/dir ] && [ -f followed.dir/linked/real/file ] || fail 'a followed link is no link'

# holes of more than 1 GiB are not read for a digest (a file can be larger than its file system)
if truncate -s 3T vast && echo text >>vast; then
	echo small >little
	expect_status 0 timeout 60 "$VALIDATE" capture app --digests --root "$PWD" -o trace -- head -qc 1 vast little
	expect_line out '1 file has no digest: its holes are larger than 1 GiB in total'
	strings -a trace | grep -o '"files":\[[^]]*.*' >files || fail 'the trace lists no files'
	grep -q '"path":"little",[^{]*"sha256"' files || fail "digest of little: $(cat files)"
	mkdir made.vast
	expect_status 0 timeout 60 "$VALIDATE" replay --prepare --dir made.vast -o replayed trace
	expect_line out 'mismatches      0'
	[ "$(stat -c %s made.vast/vast)" = "$(stat -c %s vast)" ] || fail "size: $(stat -c %s made.vast/vast)"
	[ "$(stat -c %b made.vast/vast)" -lt 1000 ] || fail "blocks: $(stat -c %b made.vast/vast)"
	rm -rf made.vast
	grep -q '"path":"vast"' files && ! grep -q '"path":"vast",[^{]*"sha256"' files || fail "a digest of vast: $(cat files)"
fi
rm -f vast little

# digests of content, equal to those of sha256sum; each file is read once; files that the program
# creates have none; equal files are equal again
rm -rf used
mkdir used
head -c 300000 /dev/urandom >used/old
head -c 262144 /dev/urandom >used/cut # a whole part
truncate -s 3M used/sparse
: >used/new
cp used/old used/same
head -c 262200 /dev/urandom >used/part
head -c 55 /dev/urandom >used/short
cp -r used before
expect_status 0 "$VALIDATE" capture app --digests --root "$PWD" -o trace -- sh -c './user; cat used/same used/part used/short used/old >used/made; rm used/short; cat used/made >/dev/null'
strings -a trace | grep -o '"files":\[[^]]*.*' >files || fail 'the trace lists no files'
for name in old cut sparse new same part short; do
	sum=$(sha256sum "before/$name" | cut -d ' ' -f 1)
	grep -q "\"path\":\"used/$name\",[^{]*\"sha256\":\"$sum\"" files || {
		cat files >&2
		fail "digest of used/$name"
	}
done
! grep -q '"path":"used/made"' files || fail 'a file that the program made is in the snapshot'
mkdir -p twin/used
cp before/old twin/used/old
cp before/cut twin/used/part # of another content
expect_status 0 "$VALIDATE" replay --prepare --dir twin -o replayed trace
# (the program writes 4096 bytes of zeros into old)
cmp -n 196608 twin/used/old before/old || fail 'a file with the right content was written over'
! cmp -s twin/used/part before/cut || fail 'a file with other content was left'
mkdir fresh
expect_status 0 "$VALIDATE" replay --prepare --dir fresh -o replayed trace
cmp -n 196608 fresh/used/same fresh/used/old || fail 'files that were equal are not'
! cmp -s -n 1000 fresh/used/same fresh/used/part || fail 'files that were not equal are'
[ "$(gzip -c fresh/used/part | wc -c)" -gt 250000 ] || fail 'the content can be compressed'

# more holes than the snapshot stores: a message reports it, and the size of the file is still right
cat >holes.c <<'END'
#include <fcntl.h>
#include <unistd.h>
int main(void)
{
	int fd = open("used/holes", O_RDWR | O_CREAT | O_TRUNC, 0600);
	for (int i = 0; i < 300; i++)
		if (pwrite(fd, "x", 1, i * 131072L) != 1)
			return 1;
	return 0;
}
END
cat >reader.c <<'END'
#include <fcntl.h>
#include <unistd.h>
static char buffer[65536];
int main(void)
{
	int fd = open("used/holes", O_RDONLY), n = 0;
	for (int i = 0; i < 300; i++)
		n += pread(fd, buffer, 4096, i * 131072L) > 0;
	return n != 300;
}
END
$compiler -w -o holes holes.c && $compiler -w -o reader reader.c && ./holes || fail 'holes.c'
if [ "$(($(stat -c %b used/holes) * 512))" -lt 30000000 ]; then # the file system has holes
	expect_status 0 "$VALIDATE" capture app --snapshot --root "$PWD" -o trace -- ./reader
	expect_line out '1 file has more than 256 holes'
	strings -a trace | grep -q '"holes_cut":true' || fail 'the trace does not report it'
	mkdir holed
	expect_status 0 "$VALIDATE" replay --prepare --dir holed -o replayed trace
	expect_line out 'mismatches      0'
	[ "$(stat -c %s holed/used/holes)" -eq "$(stat -c %s used/holes)" ] || fail 'size of a file with many holes'
fi

# a list that is longer than a trace can hold is left out, and the trace is complete
top=$PWD
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
	deep=$(printf '%0250d' "$i")
	mkdir "$deep"
	cd "$deep"
done
seq 5200 | xargs touch
"$VALIDATE" capture app --snapshot -o "$top/long.trace" -- ls -U . >"$top/long.out" 2>"$top/long.err" || fail "$(cat "$top/long.err")"
cd "$top"
grep -Eq 'warning +the list of the 52[0-9]{2} initial files is too long for a trace, and is left out' long.out || fail "$(tail -n 4 long.out)"
expect_status 0 "$VALIDATE" info long.trace
expect_line out 'Health     no sign of missing requests; the capture method always omits '
expect_line out 'State      unknown'

# directories with set-group-ID keep it, before and in the replay; files never get it
rm -rf in dir
mkdir -p in/before
chmod 2775 in/before
cat >groups.sh <<'S'
mkdir before/below made
chmod 2755 made
mkdir made/below
echo x >before/file
chmod 2755 before/file
chmod 0755 made/below
S
cd in
expect_status 0 "$VALIDATE" capture app --snapshot --root . -o ../groups.trace -- sh ../groups.sh
cd ..
for engine in event compiled; do
	rm -rf dir
	mkdir dir
	expect_status 0 "$VALIDATE" replay --engine $engine --prepare --dir dir groups.trace
	expect_line out 'mismatches      0'
	for d in before before/below made made/below; do
		[ "$(stat -c %a dir/$d)" = "$(stat -c %a in/$d)" ] ||
			fail "$engine: permissions of $d: $(stat -c %a dir/$d) instead of $(stat -c %a in/$d)"
	done
	[ "$(stat -c %a dir/before/file)" = 755 ] || fail "$engine: a file with set-group-ID"
done

# the target of a link that a call only followed, through a second link and a link to a directory
cat >follow.c <<'END'
#include <unistd.h>
int main(void)
{
	return access("links/first", X_OK);
}
END
$compiler -w -O1 -o follow follow.c || fail 'follow.c does not compile'
mkdir links real
echo text >real/target
chmod 750 real/target
ln -s second links/first
ln -s real via
ln -s ../via/target links/second
expect_status 0 "$VALIDATE" capture app --snapshot --root "$PWD" -o trace -- ./follow
expect_line out 'ended with status 0'
rm -rf again
mkdir again
expect_status 0 "$VALIDATE" replay --prepare --dir again trace
expect_line out 'mismatches      0'
[ "$(stat -c %a,%s again/real/target)" = 750,5 ] || fail "the target of a link: $(find again -ls)"

# no file existed: this is a known state, unlike that of a capture without --snapshot
mkdir empty
(cd empty && expect_status 0 "$VALIDATE" capture app --snapshot --root "$PWD" -o "$OLDPWD/trace" -- sh -c 'echo text >new')
expect_status 0 "$VALIDATE" info trace
expect_line out 'State      known: none of the files existed before the first request'
expect_status 0 "$VALIDATE" capture app --root "$PWD/empty" -o trace -- sh -c 'cd empty; echo text >other'
expect_status 0 "$VALIDATE" info trace
expect_line out 'State      unknown: '
