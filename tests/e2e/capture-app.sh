# SPDX-License-Identifier: GPL-3.0-or-later
# capture app: the trace of a command, independent of what the command does and how it ends; wrong
# usage and refusals.
. "$SRCDIR/tests/e2e/lib.sh"

capture() { # the trace is t.trace, and as lines "function args rvalue" calls
	expect_status 0 "$VALIDATE" capture app -o t.trace --root "$PWD" -- "$@"
	"$VALIDATE" info t.trace --csv t.csv >/dev/null
	cut -d , -f 5- t.csv >calls
}

printf 'first\nsecond\n' >file
capture sh -c 'read line; echo "$line" >copy; cat file >>copy; rm copy; mkdir dir; cd dir; echo x >../other' <file
expect_line out 'ended with status 0'
expect_line out 'from 4 threads of 4 program runs' # each of the four is a thread, also a thread that was the shell before
expect_line calls 'open,"path=copy;'
expect_line calls 'path=file;fd='
expect_line calls 'unlink,"path=copy;'
expect_line calls 'mkdir,"path=dir;'
expect_line calls 'chdir,"path=dir",0'
expect_line calls 'open,"path=other;' # joined to the directory in which it was
expect_line calls 'read,"path=file;fd=0;offset=0;length='
"$VALIDATE" info t.trace >info
expect_line info 'Health     no sign of missing requests; the capture method always omits '
expect_line info 'Lost       no events'
expect_line info 'Command    sh -c read line'

# the exit status of the command is reported and is not a failure
capture sh -c 'exit 7'
expect_line out 'ended with status 7'
capture sh -c 'echo y >killed; kill -9 $$'
expect_line out 'killed by signal 9'
expect_line calls 'open,"path=killed;'

# nothing of this capture is left over (others may run at the same time)
capture sh -c 'ls "$VALIDATE_CAPTURE_DIR" >had; echo "$VALIDATE_CAPTURE_DIR" >where'
expect_line had 'control'
[ ! -e "$(cat where)" ] || fail "buffers are left in $(cat where)"
capture sh -c 'echo "$VALIDATE_CAPTURE_DIR" >where; kill -9 $$'
[ ! -e "$(cat where)" ] || fail "buffers are left in $(cat where)"

# usage and refusals
expect_status 2 "$VALIDATE" capture
expect_status 2 "$VALIDATE" capture ap -o x -- true
expect_line err '(did you mean "app"?)'
expect_status 2 "$VALIDATE" capture app -- true
expect_line err '-o TRACE is missing'
expect_status 2 "$VALIDATE" capture app -o x
expect_line err 'the command is missing'
expect_status 3 "$VALIDATE" capture app -o x -- no-such-command-at-all
expect_line err 'there is no command'
expect_status 3 "$VALIDATE" capture app -o x --root "$PWD/none" -- true
expect_line err '--root'
expect_status 3 "$VALIDATE" capture app -o "$PWD" -- true
expect_status 3 "$VALIDATE" capture app -o /none/such/dir/x -- true
expect_status 3 "$VALIDATE" capture app -o x --scratch "$PWD/none" -- true

# a running process: the error states the alternatives
expect_status 2 "$VALIDATE" capture app --pid 12 -o x
expect_line err 'validate capture vfs --pid 12 -o TRACE'
expect_status 0 "$VALIDATE" capture app --help
expect_line out 'capture vfs --pid'
