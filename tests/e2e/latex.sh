# SPDX-License-Identifier: GPL-3.0-or-later
# Every LaTeX fragment of a report compiles with the packages that it names and fits on A4 pages.
. "$SRCDIR/tests/e2e/lib.sh"
command -v pdflatex >/dev/null || skip "pdflatex is not there"

gzip -dc "$SRCDIR/tests/data/frauds/fast-reads.tar.gz" | tar xf -
status=0
"$VALIDATE" report fast-reads >out 2>err || status=$?
[ "$status" -le 4 ] || fail "report: status $status: $(cat err)"

packages=$(sed -n 's/^%.*; needs //p' fast-reads/report/tables/*.tex | sort -u)
[ "$(printf '%s\n' "$packages" | wc -l)" -eq 1 ] || fail "fragments need different packages: $packages"
printf '%s\n' '\documentclass{article}' "$packages" '\begin{document}x\end{document}' >probe.tex
pdflatex -interaction=batchmode probe.tex >/dev/null || skip "pdflatex lacks a package of: $packages"
{
	printf '%s\n' '\documentclass[a4paper]{article}' "$packages" '\begin{document}'
	for file in fast-reads/report/tables/*.tex; do
		# its name in the log, before its messages
		printf '\\typeout{fragment %s}\\noindent\\input{%s}\\clearpage\n' "$(basename "$file")" "$file"
	done
	printf '%s\n' '\end{document}'
} >all.tex
pdflatex -interaction=nonstopmode -halt-on-error all.tex >log 2>&1 || fail "pdflatex: $(grep -A 3 '^!' log)"
for name in distribution parts summary limits; do
	grep -q "fragment $name.tex" log || fail "no fragment $name.tex"
done
[ "$(grep -c '^.bottomrule' fast-reads/report/tables/runs.tex)" -gt 1 ] || fail "no table is longer than a page"
awk '/^fragment / { name = $2 } /^Overfull/ { print name ": " $0 }' log >wide
[ ! -s wide ] || fail "does not fit on the page: $(cat wide)"
