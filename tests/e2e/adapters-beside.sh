# SPDX-License-Identifier: GPL-3.0-or-later
# Replayers that replace files of their target, or write files beside it: such a run fails and
# states the reason, and other runs do not fail.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer

. "$SRCDIR/tests/e2e/adapters-lib"

mkdir files scratch outside
# Another process that exchanges a name on request.
(while sleep 0.02; do
	[ -e asked ] || continue
	read -r file <asked
	rm "$file" asked
	ln -s "$PWD/outside/f" "$file"
	: >answered
done) &
swapper=$!
trap 'kill $swapper' EXIT
echo kept >outside/f
# does NAME COMMANDS: a replayer that makes the commands in its target directory, $0. $1 is this
# test's directory.
does() {
	bad_replayer "$1" "[\"sh\", \"-c\", \"cd \\\"\$0\\\" && f=\$(ls | head -n 1) && $2; echo 1,2\",
    \"{dir}\", \"$PWD\"]"
}
{
	bad_protocol "$PWD/files" "$PWD/scratch"
	does symlink "rm \$f && ln -s \$1/outside/f \$f"
	does hardlink "ln \$f ../second.\$\$"
	does pipe "rm \$f && mkfifo \$f"
	does another "cp \$f x && mv x \$f"
	does removes "rm \$f"
	does directory "rm \$f && mkdir -p \$f/more"
	does beside "mkdir -p ../beside/more && echo x >../beside/more/f"
	does itself "mv \$PWD ../moved.\$\$ && ln -s \$1/outside \$PWD"
	does swapped "echo \$PWD/\$f >\$1/asking && mv \$1/asking \$1/asked && until rm \$1/answered 2>/dev/null; do sleep 0.02; done"
	does banks "for b in \$1/scratch/*/bank*; do echo >\$b; done; cd \$1/scratch/*/ && mkdir -p blank.trace"
} >bad.conf
bad_run
reasons() { # REPLAYER TEXT: each of its 4 runs failed for this reason
	role=$(jq -r --arg name "$1" '.replayers | index($name)' results/plan.json)
	jq -r --argjson role "$role" '.runs | to_entries[] | select(.value[3] == $role) | .key' \
		results/plan.json >runs
	[ "$(wc -l <runs)" -eq 4 ] || fail "$1: not 4 runs"
	while read -r run; do
		grep "\"event\":\"run\",\"run\":$run,\"state\":\"failed\"" results/journal >line ||
			fail "$1: run $run did not fail"
		expect_line line "$2"
	done <runs
}
reasons symlink 'leads out of the target directory'
reasons swapped 'leads out of the target directory'
reasons hardlink 'created second'
reasons pipe 'is a FIFO'
reasons another "by another file"
reasons removes "the replayer removed '"
reasons directory "by a directory"
reasons beside 'created ' # the adapter reports a new name, the campaign reports a changed file
reasons itself 'replaced its target'
reasons banks 'changed its input trace'
all_failed 40
[ "$(cat outside/f)" = kept ] || fail 'a file outside was changed'
# files that a replayer creates beside the target may belong to other programs: they stay and are
# named, and nothing else stays
grep -q '"event":"left behind"' results/journal || fail 'the journal does not name the remaining files'
[ "$(ls -A scratch)" = '' ] || fail "left behind: $(ls -AR scratch)"
for name in files/validate-*/*; do
	case ${name##*/} in beside | moved.* | second.*) ;; *) fail "left behind: $name" ;; esac
done
