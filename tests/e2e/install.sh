# SPDX-License-Identifier: GPL-3.0-or-later
# make install installs every file in its place below DESTDIR and PREFIX. The installed program
# works, and uninstall removes it.
. "$SRCDIR/tests/e2e/lib.sh"
root="$PWD/a root" # names with blanks are names
build=${BUILD#"$SRCDIR/"} # without the variables of the make that runs the tests

# as in the build, and not as a part of the make that runs the tests
unset MAKEFLAGS MFLAGS MAKELEVEL
make -s -C "$SRCDIR" BUILD="$build" DESTDIR="$root" PREFIX="/opt/a v" install >out 2>&1 || { cat out >&2; fail 'make install'; }

"$root/opt/a v/bin/validate" --version >/dev/null || fail 'the installed program does not run'
if command -v cc >/dev/null; then # a compiled program needs only installed files
	installed="$root/opt/a v/bin/validate"
	mkdir target
	"$installed" microbench sr --requests 50 --file-size 64K --prepare --dir target -o sr.trace >/dev/null || fail 'microbench'
	"$installed" replay --engine compiled --dir target sr.trace >out 2>&1 || fail "compiled: $(cat out)"
	expect_line out 'mismatches      0'
fi
for page in "$SRCDIR"/doc/man/*.1; do
	installed_page="$root/opt/a v/share/man/man1/$(basename "$page")"
	[ -f "$installed_page" ] || fail "$(basename "$page") is not installed"
	# a document that a page names is installed, and named by its installed path
	sed 's/\\-/-/g' "$installed_page" | grep -o '/opt/a v/share/doc/[a-z/.-]*[a-z]' | sort -u | while read -r path; do
		[ -e "$root/opt/${path##*/opt/}" ] || fail "$(basename "$page") names $path, which is not installed"
	done
done
for document in "$SRCDIR"/*.md "$SRCDIR"/doc/*.md "$SRCDIR"/doc/formats/*.md "$SRCDIR"/doc/ci/* "$SRCDIR"/doc/notebooks/* "$SRCDIR"/doc/images/* "$SRCDIR"/doc/samples/*.png; do
	cmp -s "$document" "$root/opt/a v/share/doc/validate${document#"$SRCDIR"}" || fail "$document is not installed"
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
	[ "$(complete_line validate replay --engine co | sort | xargs)" = 'compiled coordinator' ] || fail 'engines are not completed'
	[ "$(complete_line validate replay --order temporal-)" = temporal-serial ] || fail 'orders are not completed'
	[ "$(complete_line validate export --to perfe)" = perfetto ] || fail 'formats are not completed'
	[ "$(complete_line validate export --to fi)" = fio ] || fail 'a format that is only read is completed'
	[ "$(complete_line validate import --from blkr)" = '' ] || fail 'a format that is only written is completed'
	[ "$(complete_line validate capture caus)" = causality ] || fail 'the ways to capture are not completed'
	[ "$(complete_line validate microbench random-w)" = random-write ] || fail 'workloads are not completed'
fi
zsh_completion="$root/opt/a v/share/zsh/site-functions/_validate"
fish_completion="$root/opt/a v/share/fish/vendor_completions.d/validate.fish"
grep -q '^	--order) values=(temporal temporal-serial fs thread none) ;;' "$zsh_completion" || fail 'zsh: orders'
if command -v zsh >/dev/null; then
	zsh -n "$zsh_completion" || fail 'zsh: syntax'
fi
grep -q "_from replay' -l order -x -a 'temporal temporal-serial fs thread none'" "$fish_completion" || fail 'fish: orders'
if command -v fish >/dev/null; then
	fish -c 'source $argv[1]; complete -C "validate export --to perfe"' "$fish_completion" | grep -qx perfetto || fail 'fish: formats'
fi

make -s -C "$SRCDIR" BUILD="$build" DESTDIR="$root" PREFIX="/opt/a v" uninstall >out 2>&1 || { cat out >&2; fail 'make uninstall'; }
left=$(find "$root" -type f)
[ -z "$left" ] || fail "uninstall left $left"
