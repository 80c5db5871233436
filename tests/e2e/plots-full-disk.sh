# SPDX-License-Identifier: GPL-3.0-or-later
# A full disk under gnuplot, which ends with status 0 although its writes fail: a page without its plots is an error.
. "$SRCDIR/tests/e2e/lib.sh"

command -v gnuplot >/dev/null || skip 'no gnuplot'
if [ -z "${INSIDE:-}" ]; then
	unshare -rm mount -t tmpfs none /mnt 2>/dev/null || skip 'a file system in a mount namespace of its own is not permitted'
	INSIDE=yes exec unshare -rm sh "$0"
fi

awk 'BEGIN { print "pid,tid,begin,end,function,args,rvalue"; for (i = 0; i < 2000; i++)
	printf "1,1,%d,%d,pread,\"path=a;fd=3;offset=%d;length=4096\",4096\n", i * 10000, i * 10000 + 5000 + i * 7919 % 4001, i * 4096 }' >in.csv
expect_status 0 "$VALIDATE" info --html wanted.html in.csv
n_plots=$(grep -c '<figure>' wanted.html)
[ "$n_plots" -ge 2 ] || fail "$n_plots plots"

mkdir small
n_refused=0 n_same=0
for kib in 4 8 12 20 28 36 44 60 76 92 108 124 140 156 172 188 204 220 2048; do
	mount -t tmpfs -o size=${kib}k none small
	rm -f got.html
	status=0
	TMPDIR=$PWD/small "$VALIDATE" info --html got.html in.csv >out 2>err || status=$?
	left=$(ls -A small)
	umount small
	[ -z "$left" ] || fail "$kib KiB: left behind: $left"
	case $status in
	0)
		cmp -s wanted.html got.html || fail "$kib KiB: status 0 and another page: $(grep -o 'Plots are missing[^<]*' got.html)"
		n_same=$((n_same + 1))
		;;
	3)
		grep -q 'No space left\|space' err || fail "$kib KiB: $(cat err)"
		[ ! -e got.html ] || fail "$kib KiB: an error, and a page"
		n_refused=$((n_refused + 1))
		;;
	*) fail "$kib KiB: status $status: $(cat err)" ;;
	esac
done
[ $n_refused -ge 3 ] && [ $n_same -ge 1 ] || fail "$n_refused refused, $n_same whole"

# the plots of the terminal: all of them, or a line that says why not
expect_status 0 "$VALIDATE" info --plot in.csv
mv out wanted.txt
for kib in 4 12 16 20 28 36 60 124; do
	mount -t tmpfs -o size=${kib}k none small
	expect_status 0 env TMPDIR="$PWD/small" "$VALIDATE" info --plot in.csv
	umount small
	cmp -s wanted.txt out || expect_line err 'no plots: '
done
