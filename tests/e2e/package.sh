# SPDX-License-Identifier: GPL-3.0-or-later
# The version is the same in all files that name it, and `make dist` gives the same bytes twice.
. "$SRCDIR/tests/e2e/lib.sh"

version=$(sed -n 's/^VERSION := //p' "$SRCDIR/Makefile")
[ "$("$VALIDATE" --version | head -n 1)" = "validate $version" ] || fail "--version is not $version"
head -n 1 "$SRCDIR/debian/changelog" | grep -qF "validate-io ($version) " || fail 'debian/changelog'
grep -q "^## $version " "$SRCDIR/CHANGELOG.md" || fail 'CHANGELOG.md'
expect_line "$SRCDIR/CITATION.cff" "version: $version"

# the packages that setup installs for the build are those that the package needs to build
for package in $(sed -n "/^packages='/,/'\$/p" "$SRCDIR/setup" | tr -d "'" | sed 's/^packages=//'); do
	case $package in gcc | libc6-dev | make | pkg-config) continue ;; esac
	grep -qw -- "$package" "$SRCDIR/debian/control" || fail "debian/control lacks $package"
done

git -C "$SRCDIR" rev-parse HEAD >/dev/null 2>&1 || skip 'no git repository: make dist is not tried'
unset MAKEFLAGS MFLAGS MAKELEVEL
for n in 1 2; do
	(umask $((n * 11)); TZ=Asia/Tokyo make -s -C "$SRCDIR" BUILD="$PWD/$n" dist >out 2>&1) ||
		fail "make dist: $(cat out)"
	sleep 1
done
cmp "1/validate-$version.tar.gz" "2/validate-$version.tar.gz" || fail 'two tarballs differ'
tar -tzf "1/validate-$version.tar.gz" >list
expect_line list "validate-$version/commands/main.c"
