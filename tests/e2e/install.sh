# SPDX-License-Identifier: GPL-3.0-or-later
# make install puts everything in its place below DESTDIR and PREFIX, what is installed works, and uninstall removes it.
. "$SRCDIR/tests/e2e/lib.sh"
root="$PWD/a root" # names with blanks are names
build=${BUILD#"$SRCDIR/"} # of make's own targets they are not

# as the build was made, and not as a part of the make that runs the tests
unset MAKEFLAGS MFLAGS MAKELEVEL
make -s -C "$SRCDIR" BUILD="$build" DESTDIR="$root" PREFIX="/opt/a v" install >out 2>&1 || { cat out >&2; fail 'make install'; }

"$root/opt/a v/bin/validate" --version >/dev/null || fail 'the installed program does not run'
if command -v cc >/dev/null; then # a compiled program needs what is installed, and no more
	installed="$root/opt/a v/bin/validate"
	mkdir target
	"$installed" microbench sr --requests 50 --file-size 64K --prepare --dir target -o sr.trace >/dev/null || fail 'microbench'
	"$installed" replay --engine compiled --dir target sr.trace >out 2>&1 || fail "compiled: $(cat out)"
	expect_line out 'mismatches      0'
fi
for page in "$SRCDIR"/doc/man/*.1; do
	cmp -s "$page" "$root/opt/a v/share/man/man1/$(basename "$page")" || fail "$(basename "$page") is not installed"
done
for protocol in "$SRCDIR"/protocols/*.conf "$SRCDIR"/protocols/*.csv; do
	[ -f "$protocol" ] || continue
	cmp -s "$protocol" "$root/opt/a v/share/validate/protocols/$(basename "$protocol")" || fail "$protocol is not installed"
done

completion="$root/opt/a v/share/bash-completion/completions/validate"
complete_line() { # words of a line; the last is to be completed
	bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _validate; printf "%s\n" "${COMPREPLY[@]}"' "$completion" "$@"
}
if command -v bash >/dev/null; then
	[ "$(complete_line validate vers)" = version ] || fail 'commands are not completed'
	complete_line validate version -- | grep -qx -- --json || fail 'options are not completed'
	[ "$(complete_line validate help vers)" = version ] || fail 'help is not completed'
fi

make -s -C "$SRCDIR" BUILD="$build" DESTDIR="$root" PREFIX="/opt/a v" uninstall >out 2>&1 || { cat out >&2; fail 'make uninstall'; }
left=$(find "$root" -type f)
[ -z "$left" ] || fail "uninstall left $left"
