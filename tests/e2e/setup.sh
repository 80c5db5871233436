# SPDX-License-Identifier: GPL-3.0-or-later
# ./setup with stand-ins for dpkg, apt-get, sudo and make: the packages, the user, and its messages
# on failure.
. "$SRCDIR/tests/e2e/lib.sh"

mkdir bin tree
cp "$SRCDIR/setup" tree/
for tool in sh dirname sed nproc env cat grep; do
	ln -s "$(command -v $tool)" bin/$tool
done
stub() { # name; the script on standard input
	rm -f "bin/$1"
	{ echo '#!/bin/sh' && cat; } >"bin/$1"
	chmod +x "bin/$1"
}
stub dpkg-query <<'END'
for package; do :; done
grep -qx "$package" "$STATE/installed" && printf installed
END
stub id <<'END'
cat "$STATE/uid"
END
stub make <<'END'
echo "make $*" >>"$STATE/log"
END
stub true <<'END'
exit 0
END
STATE=$PWD
export STATE
run_setup() {
	: >log
	status=0
	env PATH="$PWD/bin" tree/setup "$@" >out 2>err </dev/null || status=$?
}
every='gcc libc6-dev libgcrypt20-dev make pkg-config libgsl-dev libcsv-dev libinih-dev libjansson-dev libzstd-dev libtracefs-dev libtraceevent-dev libcapstone-dev libblkid-dev libmount-dev libfuse3-dev libaio-dev liburing-dev libsqlite3-dev gnuplot-nox libcmocka-dev procps strace jq git sqlite3 fio blktrace libopenmpi-dev openmpi-bin iproute2 zstd'

# all packages are installed: nothing is installed, for any user
for package in $every; do echo "$package"; done >installed
echo 1000 >uid
run_setup check V=1
[ "$status" -eq 0 ] || fail "status $status with everything installed: $(cat err)"
grep -qx 'make -j[0-9]* check V=1' log || fail "make was called as: $(cat log)"

# a missing package, and no way to install it
echo gcc >installed
run_setup check
[ "$status" -eq 3 ] || fail "status $status without apt-get"
expect_line err 'there is no apt-get here'
stub apt-get <<'END'
echo "apt-get $*" >>"$STATE/log"
case $* in *install*) test ! -f "$STATE/broken" ;; *) test ! -f "$STATE/offline" ;; esac
END
run_setup check
[ "$status" -eq 3 ] || fail "status $status as a user without sudo"
expect_line err 'no sudo'
expect_line err "missing: ${every#gcc }"
[ ! -s log ] || fail "it went on: $(cat log)"
stub sudo <<'END'
exit 1
END
run_setup run
[ "$status" -eq 3 ] || fail "status $status when sudo refuses"
expect_line err 'sudo was refused'

# by sudo, and as root
stub sudo <<'END'
[ "$1" = -n ] && shift
echo "sudo" >>"$STATE/log"
exec "$@"
END
run_setup run
[ "$status" -eq 0 ] || fail "status $status with sudo: $(cat err)"
expect_line log sudo
grep -q 'apt-get .*-y.* install --no-install-recommends libc6-dev .*make .*gnuplot-nox$' log || fail "installed: $(cat log)"
grep -q cmocka log && fail 'run installed what only tests need'
grep -qx 'make -j[0-9]* run' log || fail 'make was not called'
echo 0 >uid
touch offline # the package lists cannot be downloaded: the existing lists may suffice
run_setup check
[ "$status" -eq 0 ] || fail "status $status as root: $(cat err)"
grep -q sudo log && fail 'root used sudo'
grep -q 'install .*libcmocka-dev procps strace jq git sqlite3 fio blktrace libopenmpi-dev openmpi-bin iproute2 zstd$' log || fail "installed: $(cat log)"
touch broken
run_setup check
[ "$status" -eq 3 ] || fail "status $status when apt-get fails"
expect_line err 'missing: libc6-dev'
grep -q '^make' log && fail 'make was called although packages are missing'
run_setup --help
[ "$status" -eq 0 ] || fail "status $status for help"
expect_line out './setup run'
