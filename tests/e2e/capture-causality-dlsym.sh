# SPDX-License-Identifier: GPL-3.0-or-later
# capture causality of programs that find the functions of MPI by dlsym(): waits in these functions
# are waits for ranks, also if a tool replaces some of the functions.
# long: 40 s
. "$SRCDIR/tests/e2e/lib.sh"
leaks_unchecked # leaks of OpenMPI itself are not reported
preload_before_sanitizer
command -v mpicc >/dev/null || skip 'no mpicc'
[ -x "$BUILD/validate-mpi-workload" ] || skip 'the ranks of the workloads were not built: no OpenMPI to build with'
program=$SRCDIR/tests/programs/mpi-idle.c
flags=$(mpicc --showme:compile) && linked=$(mpicc --showme:link) || skip 'mpicc is not that of OpenMPI'
mpi=$("$VALIDATE" microbench checkpoint --level 3 --dir . --print-command | sed 's, [^ ]*/validate-mpi-workload.*,,')
mkdir work
build() { # OUTPUT OPTION...
	output=$1
	shift
	# shellcheck disable=SC2086
	${CC:-cc} -w -O1 $flags -o "$output" "$program" "$@" -ldl || fail "mpi-idle.c does not compile: $*"
}
# shellcheck disable=SC2086
build linked -Wl,--no-as-needed $linked
MPI_LIBRARY=$(ldd ./linked | awk '$1 ~ /^libmpi\.so/ { print $3; exit }')
export MPI_LIBRARY
[ -n "$MPI_LIBRARY" ] || skip 'the MPI library is not libmpi.so'
# shellcheck disable=SC2086
(cd work && $mpi ../linked bystander 1) >out 2>&1 || skip "mpirun does not start ranks here: $(tail -n 1 out)"

capture() { # WHAT COMMAND...
	what=$1
	shift
	rm -rf trace trace.runs work
	mkdir work
	# shellcheck disable=SC2086
	(cd work && "$VALIDATE" capture causality -o ../trace --root . --nodes 2 -- $mpi "$@") >out 2>err || fail "$what: $(cat out err)"
}
# The last of three ranks computes for 20 ms and writes, four times. The others wait for the write of
# the same number, or (LATER is 1) at a barrier after it. The last column: the wait was not observed
# in a call that waits.
waits() { # LATER
	for i in 1 2 3; do
		for k in 0 1; do
			grep -q "^2:$i $k:$((i + $1)) .* 0\$" trace.runs/run-1-2.edges ||
				fail "$what: rank $k does not wait for write $i: $(cat out trace.runs/run-1-2.edges)"
		done
	done
}
# In a replay, the others wait, too.
replay_waits() {
	[ -x "$BUILD/validate-mpi-replay" ] || return 0
	rm -rf target
	mkdir target
	expect_status 0 "$VALIDATE" replay --engine parallel --mode causal --prepare --dir target -o replayed.trace trace
	"$VALIDATE" export -q --to csv replayed.trace -o replayed.csv
	awk -F , 'NR > 1 && $5 == "compute" && $4 - $3 > 1e7 { end[n_computes++] = $4 }
		NR > 1 && $5 == "pwrite" { write[$1, n_writes[$1]++] = $3 }
		END { for (k in n_writes) for (i = 1; i < n_writes[k]; i++) n_early += write[k, i] < end[i - 1]
			exit n_early || n_computes < 3 }' replayed.csv || fail "$what: a write of the replay does not wait: $(cat replayed.csv)"
}

for how in RTLD_LOCAL 'RTLD_LOCAL | RTLD_DEEPBIND'; do
	build by-dlsym "-DBY_DLSYM=$how"
	capture "$how" ../by-dlsym writers 4
	waits 1
	case $how in # then requests of the MPI library itself may be missing
	*DEEPBIND) expect_line out '3 runs of programs may have made calls that the capture did not see' ;;
	esac
	replay_waits
done

build by-dlsym -DBY_DLSYM=RTLD_LOCAL
capture 'MPI_Recv' ../by-dlsym sends 4
waits 0

# A tool replaces MPI_Barrier, and finds the function of the MPI library by dlsym(). The program is
# linked with the tool, or finds the functions of the tool by dlsym().
TOOL_LIBRARY=$MPI_LIBRARY
export TOOL_LIBRARY
# shellcheck disable=SC2086
build libtool.so -shared -fPIC -DTOOL -DBY_DLSYM=RTLD_LOCAL -Wl,--no-as-needed $linked
# shellcheck disable=SC2086
build with-tool -Wl,--no-as-needed -L. -ltool -Wl,-rpath,"$PWD" $linked
for command in ./with-tool ./by-dlsym; do
	[ $command = ./with-tool ] || MPI_LIBRARY=$PWD/libtool.so
	capture "a tool and $command" .$command writers 4
	waits 1
	[ "$(grep -c '^tool: 4 barriers$' trace.runs/run-base.log)" -eq 3 ] || fail "$what: $(cat trace.runs/run-base.log)"
done

python=$(python3 -c 'import ctypes, sys; print(sys.executable)' 2>/dev/null) || skip 'python3 was not tested: it is not installed, or has no ctypes'
capture ctypes "$python" "$SRCDIR/tests/programs/mpi-idle.py" "$TOOL_LIBRARY" 4
waits 1
replay_waits
