# SPDX-License-Identifier: GPL-3.0-or-later
# Common functions of the end-to-end scripts: `. "$SRCDIR/tests/e2e/lib.sh"` at their top.
# tests/run-tests sets SRCDIR, BUILD, VALIDATE and TMPDIR and starts each script in an empty
# directory.

set -eu

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

skip() {
	echo "$*"
	exit 77
}

# preload_before_sanitizer: called by a script that runs programs of this build under the preloaded
# library. The address sanitizer requires the first place by default and can do without it; the
# other sanitizers cannot
preload_before_sanitizer() {
	case ${SANITIZE:-} in
	*address*) export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0" ;;
	?*) skip 'a library is preloaded, which this sanitizer must be first of' ;;
	esac
}

# leaks_unchecked: memory that is not freed at the end is no failure
leaks_unchecked() {
	export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
}

# priority_raise: other programs of a busy machine take little CPU time from this script and its
# programs, if this user may raise the priority
priority_raise() {
	renice -n -15 -p $$ >/dev/null 2>&1 || :
}

# memory_limit KIB: limits the address space, of which a sanitizer needs all
memory_limit() {
	[ -n "${SANITIZE:-}" ] || ulimit -v "$1"
}

# the leak checker cannot work under strace
if [ -n "${SANITIZE:-}" ] && command -v strace >/dev/null; then
	strace() {
		(leaks_unchecked && command strace "$@")
	}
fi

# expect_status N COMMAND...: runs it with output in ./out and ./err; fails with both if it returns
# another status
expect_status() {
	expected=$1
	shift
	status=0
	"$@" >out 2>err || status=$?
	if [ "$status" -ne "$expected" ]; then
		sed 's/^/out: /' out >&2
		sed 's/^/err: /' err >&2
		fail "status $status instead of $expected: $*"
	fi
}

# any_verdict [WHEN]: $status is the status of a verdict: 0 trusted, 1 not trusted, 4 inconclusive. If
# runs are few and short, the verdict depends on the machine; such a script tests something else.
any_verdict() {
	case $status in
	0 | 1 | 4) ;;
	*) fail "status $status, which is no verdict, ${1:-}: $(cat err)" ;;
	esac
}

# expect_verdict COMMAND...: runs it with output in ./out and ./err; checks its status by
# any_verdict
expect_verdict() {
	status=0
	"$@" >out 2>err || status=$?
	any_verdict "of $*"
}

# expect_line FILE TEXT: some line of FILE contains TEXT
expect_line() {
	grep -qF -- "$2" "$1" || {
		awk -v name="$1" '{ print name ": " $0 }' <"$1" >&2
		fail "$1 has no line with: $2"
	}
}

# expect_words FILE TEXT: FILE contains TEXT on one or more lines
expect_words() {
	tr -s '\n ' ' ' <"$1" | grep -qF -- "$2" || fail "$1 does not contain: $2: $(cat "$1")"
}

# terminal_fits COLUMNS COMMAND...: on a terminal of this width, no line of the output is wider, and
# the output has all words that it has in a pipe. Words with | are pictures.
terminal_fits() {
	command -v script >/dev/null || return 0
	columns=$1
	shift
	"$@" >wide.out
	script -qc "stty cols $columns rows 40; $*" /dev/null | tr -d '\r' >narrow.out
	awk -v most="$columns" 'length > most { print; bad = 1 } END { exit bad }' narrow.out >&2 ||
		fail "lines of more than $columns columns: $*"
	for form in wide narrow; do
		tr -s ' ' '\n' <$form.out | grep '[[:alnum:]]' | grep -v '[|]' | sort -u >$form.words
	done
	[ -z "$(comm -23 wide.words narrow.words)" ] ||
		fail "$columns columns lack words of $*: $(comm -23 wide.words narrow.words | tr '\n' ' ')"
}

# consumer_accepts FORM FILE: a machine-readable form is accepted by a program that reads it, if that
# is installed: promtool, the OpenMetrics parser of Prometheus' Python client, and for JUnit and DCC
# the schema in JUNIT_SCHEMA or DCC_SCHEMA. JUnit has only the attributes that Jenkins knows.
consumer_accepts() {
	case $1 in
	prometheus)
		command -v promtool >/dev/null || return 0
		promtool check metrics <"$2" >log 2>&1 && [ ! -s log ] || fail "promtool: $(cat log)"
		;;
	openmetrics)
		python3 -c 'import prometheus_client' 2>/dev/null || return 0
		python3 -c 'import sys; from prometheus_client.openmetrics import parser
assert any(m.samples for m in parser.text_string_to_metric_families(open(sys.argv[1]).read()))' \
			"$2" 2>log || fail "OpenMetrics: $(cat log)"
		;;
	junit)
		command -v xmllint >/dev/null || return 0
		xmllint --noout ${JUNIT_SCHEMA:+--schema "$JUNIT_SCHEMA"} "$2" 2>log || fail "$(cat log)"
		for names in 'testsuites name time tests failures errors' \
			'testsuite name time tests failures errors skipped timestamp hostname' \
			'testcase name time classname' 'failure type message' 'error type message' \
			'skipped type message'; do
			unknown=$(xmllint --xpath "count(//${names%% *}/@*[not(contains(
				' ${names#* } ', concat(' ', name(), ' ')))])" "$2")
			[ "$unknown" = 0 ] || fail "JUnit: $unknown unknown attributes of ${names%% *}"
		done
		;;
	dcc)
		command -v xmllint >/dev/null || return 0
		xmllint --noout ${DCC_SCHEMA:+--schema "$DCC_SCHEMA"} "$2" 2>log || fail "$(cat log)"
		;;
	esac
}

# follows_schema NAME FILE: FILE fits doc/NAME-schema.json
follows_schema() {
	jq -r --slurpfile schema "$SRCDIR/doc/$1-schema.json" -f "$SRCDIR/tests/e2e/json-schema.jq" "$2" >faults ||
		fail "$2 is not JSON"
	[ ! -s faults ] || fail "$2 is not as in doc/$1-schema.json: $(head -n 3 faults)"
	jq -r --slurpfile schema "$SRCDIR/doc/$1-schema.json" -f "$SRCDIR/tests/e2e/json-members.jq" "$2" >>"members.$1"
}

# all_members NAME [OTHER]: the files of follows_schema so far have every member that doc/NAME-schema.json
# describes, except those that match the pattern OTHER
all_members() {
	sort -u "members.$1" >members.written
	jq -nr --slurpfile schema "$SRCDIR/doc/$1-schema.json" -f "$SRCDIR/tests/e2e/json-members.jq" |
		sort -u | comm -23 - members.written | grep -vxE -e "${2:-none}" >members.missing || :
	[ ! -s members.missing ] || fail "described, but in no document: $(tr '\n' ' ' <members.missing)"
	rm "members.$1" members.written members.missing
}

# text_tree DIR: 300 text files in 10 directories, the same on every machine. Their lines contain
# the ends of strace's lines.
text_tree() {
	mkdir "$1"
	for i in 0 1 2 3 4 5 6 7 8 9; do
		mkdir "$1/d$i"
	done
	awk -v to="$1" 'BEGIN {
		for (f = 0; f < 300; f++) {
			file = to "/d" f % 10 "/file" f
			for (i = 0; i < 5 + f; i++)
				print i, "exit_group(" f ") = ?\n", "\"<unfinished ...>\"", ") = " i >file
			close(file)
		}
	}'
}

# unseal DIR: results as an earlier version left them, without digests: their files may be changed,
# and a verdict is printed
unseal() {
	[ -x unseal ] ||
		${CC:-cc} -O1 -D_GNU_SOURCE -I"$SRCDIR" -o unseal "$SRCDIR/tests/programs/unseal.c" "$SRCDIR/common/crc32c.c"
	./unseal <"$1/journal" >unsealed
	mv unsealed "$1/journal"
}
