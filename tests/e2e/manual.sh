# SPDX-License-Identifier: GPL-3.0-or-later
# The manual is complete and true: each command has a page and is listed in validate(1). A page has
# exactly the options of the command's table. It has examples, whose commands and options exist.
. "$SRCDIR/tests/e2e/lib.sh"

bad=0
complain() {
	echo "$*" >&2
	bad=1
}

# the page as plain text, as far as options need it: man(7) and mdoc
plain() {
	sed -e 's/\\-/-/g' -e 's/\\f[A-Z]//g' -e 's/Fl Fl /--/g' -e 's/Fl -\([a-z]\)/--\1/g' "$1"
}

"$VALIDATE" help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' >names
plain "$SRCDIR/doc/man/validate.1" >main

while read -r name; do
	page=$SRCDIR/doc/man/validate-$name.1
	grep -qF "validate-$name(1)" main || complain "validate.1 does not name validate-$name"
	if [ ! -f "$page" ]; then
		complain "there is no page doc/man/validate-$name.1"
		continue
	fi
	plain "$page" >page
	for section in NAME SYNOPSIS DESCRIPTION EXAMPLES OPTIONS 'EXIT STATUS'; do
		grep -Eiq "^\.S[Hh] \"?$section" page || complain "validate-$name.1 has no section $section"
	done
	"$VALIDATE" "$name" --help >help
	sed -n 's/^  \(-[A-Za-z0-9],\|   \) \(--[a-z0-9-]*\).*/\2/p' help | sort -u >has
	[ -s has ] || complain "validate $name --help lists no options"
	# the head of an entry: after .TP, or in .It
	awk 'head || /^\.It /; { head = /^\.TP/ }' page | grep -Eo -- '--[a-z0-9][a-z0-9-]*' |
		sed 's/^--no-/--/' | sort -u >told
	sed 's/^--no-/--/' has | sort -u >has.plain
	for option in $(comm -23 has.plain told); do
		complain "validate-$name.1 does not explain $option"
	done
	for option in $(comm -13 has.plain told); do
		complain "validate-$name.1 explains $option, which validate $name does not have"
	done
	sed -n '/^\.EX/,/^\.EE/p' page | sed -e ':a' -e '/\\e$/{N;s/\\e\n//;ba' -e '}' |
		sed -n 's/ -- .*//; s/ [|>&].*//; s/^validate //p' >examples
	[ -s examples ] || complain "validate-$name.1 has no example of validate"
	while read -r command arguments; do
		"$VALIDATE" "$command" --help >help || complain "validate-$name.1: $command does not exist"
		for word in $(echo "$arguments" | tr -d "'\"*[]"); do
			case $word in --?*) grep -q -- "^  .*${word%%=*} \|^  .*${word%%=*}\$" help ||
				complain "validate-$name.1: $command has no option $word" ;; esac
		done
	done <examples
done <names

for page in "$SRCDIR"/doc/man/*.1; do
	head -n 3 "$page" | grep -q 'SPDX-License-Identifier: GPL-3.0-or-later' || complain "$page names no licence"
	grep -n '.\{200,\}' "$page" >/dev/null && complain "$page has lines of 200 characters or more"
	command -v mandoc >/dev/null || continue
	mandoc -T lint -W error "$page" >lint || { cat lint >&2; complain "$page is not well-formed"; }
done
exit $bad
