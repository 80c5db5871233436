# SPDX-License-Identifier: GPL-3.0-or-later
# Plots if $TMPDIR is full or not writable: gnuplot must not need a temporary file there, because
# its exit status is 0 even if writing that file fails.
. "$SRCDIR/tests/e2e/lib.sh"

command -v gnuplot >/dev/null || skip 'no gnuplot'
if [ -z "${INSIDE:-}" ]; then
	unshare -rm mount -t tmpfs none /mnt 2>/dev/null ||
		skip 'a file system in a mount namespace of its own is not permitted'
	INSIDE=yes exec unshare -rm sh "$0"
fi

awk 'BEGIN { print "pid,tid,begin,end,function,args,rvalue"; for (i = 0; i < 2000; i++)
	printf "1,1,%d,%d,pread,\"path=a;fd=3;offset=%d;length=4096\",4096\n", i * 10000, i * 10000 + 5000 + i * 7919 % 4001, i * 4096 }' >in.csv
expect_status 0 "$VALIDATE" info --html wanted.html in.csv
n_plots=$(grep -c '<figure>' wanted.html)
[ "$n_plots" -ge 2 ] || fail "$n_plots plots"

expect_status 0 "$VALIDATE" info --plot in.csv
mv out wanted.txt

mkdir small
for kib in 4 12 20 28 36 44 60 92 124 156 188 220; do
	mount -t tmpfs -o size=${kib}k none small
	rm -f got.html
	expect_status 0 env TMPDIR="$PWD/small" "$VALIDATE" info --html got.html in.csv
	cmp -s wanted.html got.html ||
		fail "$kib KiB: another page: $(grep -o 'Plots are missing[^<]*' got.html)"
	expect_status 0 env TMPDIR="$PWD/small" "$VALIDATE" info --plot in.csv
	cmp -s wanted.txt out || fail "$kib KiB: other plots: $(cat err)"
	left=$(ls -A small)
	umount small
	[ -z "$left" ] || fail "$kib KiB: left behind: $left"
done
expect_status 0 env TMPDIR="$PWD/not-there" "$VALIDATE" info --html got.html in.csv
cmp -s wanted.html got.html || fail 'another page without $TMPDIR'
