# SPDX-License-Identifier: GPL-3.0-or-later
# Content of writes and prepared files: compressible and repetitive as requested, measured by zstd
# and by counting equal blocks.
. "$SRCDIR/tests/e2e/lib.sh"
command -v zstd >/dev/null || skip "zstd is not installed"

# 1024 writes of 8 KiB one after another, by pwrite and by write; and a file of 4 MiB that is read
awk 'BEGIN {
	print "pid,tid,begin,end,function,args,rvalue"
	print "1,1,0,1,open,\"path=w;fd=3;flags=0x42;mode=420\",3"
	print "1,1,2,3,open,\"path=r;fd=4;flags=0x0;mode=0\",4"
	for (i = 0; i < 1024; i++)
		if (i % 2) printf "1,1,%d,%d,pwrite,\"fd=3;offset=%d;length=8192\",8192\n", 10 * i + 10, 10 * i + 11, 8192 * i
		else printf "1,1,%d,%d,pwritev,\"fd=3;offset=%d;length=8192\",8192\n", 10 * i + 10, 10 * i + 11, 8192 * i
	print "1,1,20000,20001,pread,\"fd=4;offset=4194303;length=1\",1"
}' >t.csv

replay() {
	rm -rf tree && mkdir tree
	expect_status 0 "$VALIDATE" replay --prepare --dir tree "$@" t.csv
	grep -q '^mismatches *0$' out || fail "$*: $(cat out)"
	[ "$(stat -c %s tree/w)" -eq 8388608 ] || fail "the file that is written has $(stat -c %s tree/w) bytes"
}
# percent FILE: size after zstd
percent() {
	echo $(($(zstd -q -3 -c "$1" | wc -c) * 100 / $(stat -c %s "$1")))
}
# distinct FILE: number of different blocks of 4 KiB
distinct() {
	od -An -v -tx8 -w4096 "$1" | sort -u | wc -l
}

replay --payload random --compressible 60%
for f in w r; do
	p=$(percent tree/$f)
	[ "$p" -ge 39 ] && [ "$p" -le 45 ] || fail "zstd leaves $p % of $f, and 40 % are random"
done
[ "$(distinct tree/r)" -eq 1024 ] || fail "$(distinct tree/r) different blocks of 1024"
replay --payload random --duplicates 50%
n=$(distinct tree/r)
[ "$n" -ge 450 ] && [ "$n" -le 600 ] || fail "$n different blocks of 1024, half of them equal"
p=$(percent tree/w)
[ "$p" -ge 40 ] && [ "$p" -le 60 ] || fail "zstd leaves $p % of w, half of which is equal"
cp tree/w before
replay --payload random --duplicates 50%
cmp tree/w before || fail "another replay writes something else"
replay --payload zero
cmp -n 8388608 tree/w /dev/zero || fail "no zeros"
replay
[ "$(percent tree/r)" -ge 99 ] || fail "prepared files compress"
expect_status 2 "$VALIDATE" replay --dir tree --compressible 10% t.csv
expect_status 2 "$VALIDATE" replay --dir tree --payload random --mutant delay t.csv
expect_status 2 "$VALIDATE" replay --dir tree --payload random --duplicates 101% t.csv
