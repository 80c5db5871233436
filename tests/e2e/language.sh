# SPDX-License-Identifier: GPL-3.0-or-later
# The language of texts that users read. Some constructions are forbidden in documents, manual pages,
# --help and the strings of the program. Sentences of README.md and --help have at most 30 words;
# manual pages and documents are not checked for that, because of their lists and figures.
. "$SRCDIR/tests/e2e/lib.sh"
cd "$SRCDIR"
here=$OLDPWD

# Constructions, for grep -E, in lower case. "which" after a preposition is a subordinate clause, at
# the beginning of a sentence it is an inversion.
forbidden='(^|[^a-z-])(who|whom|(is|are|was|were) told|tellings?|strokes?|pass(ed|es) over|as if at random|can be had|somebody|nobody)([^a-z-]|$)|(^|[.] )of which '

# Words of prose a sentence: markup, code blocks, tables, headings and lists of terms are no sentences.
prose() { # FILE: one sentence a line
	awk '
		/^```/ { code = !code; next }
		code || /^    / || /^\|/ || /^#/ || /^!\[/ { print ""; next }
		/^ *([-*]|[0-9]+\.) / { print "" }
		{ print }' "$1" | sed 's/`[^`]*`/CODE/g; s/\[\([^]]*\)\]([^)]*)/\1/g; s/<[^>]*>//g' |
		awk '
		function flush() { if (text != "") print text; text = "" }
		/^[ \t]*$/ { flush(); next }
		{ text = text " " $0 }
		END { flush() }' | sed 's/\([A-Za-z0-9)*"]\{2,\}[*"]*[.:;?]\) /\1\n/g'
}

check() { # NAME FILE [WORDS]: prose of NAME, with at most so many words a sentence
	prose "$2" >"$here/sentences"
	tr 'A-Z' 'a-z' <"$here/sentences" | grep -nE "$forbidden" >"$here/found" && {
		echo "$1: forbidden construction:" && cat "$here/found"
		echo >>"$here/bad"
	}
	awk -v most="${3:-1000}" 'NF > most' "$here/sentences" >"$here/found"
	[ ! -s "$here/found" ] || {
		echo "$1: more than $3 words:" && cat "$here/found"
		echo >>"$here/bad"
	}
	wc -l <"$here/sentences" >>"$here/counts"
}

# the test finds what it looks for
printf 'A sentence.\n\nThe thread who waits is late.\n' >"$here/sample"
(check sample "$here/sample") >"$here/out"
grep -q 'who waits' "$here/out" || fail 'a forbidden word is not found'
awk 'BEGIN { for (i = 0; i < 31; i++) printf "word "; print "end." }' >"$here/sample"
(check sample "$here/sample" 30) >"$here/out"
grep -q 'more than 30' "$here/out" || fail 'a long sentence is not found'
rm -f "$here/bad" "$here/counts"

for document in README.md SECURITY.md doc/*.md doc/formats/*.md protocols/README.md; do
	[ "$document" = README.md ] && most=30 || most=
	check "$document" "$document" $most
done
for page in doc/man/*.1; do
	sed -e '/^\.\(SH\|SS\|TP\|PP\|TH\|IP\|EX\|EE\|RS\|RE\|br\)/s/.*//' -e '/^\.\\"/d' \
		-e 's/^\.[A-Z]* //' -e 's/\\f[A-Z]//g; s/\\-/-/g' "$page" >"$here/text"
	check "$page" "$here/text"
done
for command in $("$VALIDATE" help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p'); do
	"$VALIDATE" "$command" --help | sed '1,/^$/d; /^ /d' >"$here/text"
	check "validate $command --help" "$here/text" 30
done
[ "$(awk '{ n += $1 } END { print n }' "$here/counts")" -ge 3000 ] || fail "few sentences: $(cat "$here/counts")"

# strings of the sources, without comments; SVG has strokes
find capture commands common microbench replay reports validate -name '*.[ch]' | sort | while read -r file; do
	awk '
		{
			line = $0
			if (comment) {
				if (!(i = index(line, "*/"))) next
				line = substr(line, i + 2)
				comment = 0
			}
			gsub(/\/\*[^*]*(\*[^\/][^*]*)*\*\//, "", line)
			if (i = index(line, "/*")) { line = substr(line, 1, i - 1); comment = 1 }
			while (match(line, /"([^"\\]|\\.)*"/)) {
				text = substr(line, RSTART, RLENGTH)
				if (text ~ / /) print FILENAME ":" FNR ": " text
				line = substr(line, RSTART + RLENGTH)
			}
		}' "$file"
done | grep -v 'stroke[="-]' >"$here/strings"
[ "$(wc -l <"$here/strings")" -ge 5000 ] || fail 'few strings'
tr 'A-Z' 'a-z' <"$here/strings" | sed 's/^[^ ]* //' >"$here/texts"
grep -nE "$forbidden" "$here/texts" | cut -d : -f 1 | while read -r n; do sed -n "${n}p" "$here/strings"; done >"$here/found"
[ ! -s "$here/found" ] || {
	cat "$here/found"
	echo >>"$here/bad"
}
[ ! -e "$here/bad" ] || fail 'language'
