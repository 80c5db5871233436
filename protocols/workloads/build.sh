#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds a small project. Its sources include headers of the project and of the system. cc compiles
# them one after the other; a library collects the objects, and a program is linked.
# usage: build.sh prepare|run|clean DIR [SIZE]    sources: 10 times SIZE (at least 2)
name=build needs='cc ar awk'
. "$(dirname "$0")/lib.sh"

prepare() {
	n=$((size ? size * 10 : 2))
	mkdir include include/deep src obj
	awk -v n="$n" 'BEGIN {
		for (i = 0; i < n; i++) {
			header = sprintf("include/%smodule%d.h", i % 2 ? "deep/" : "", i)
			printf "#ifndef MODULE%d_H\n#define MODULE%d_H\n", i, i >header
			for (k = 0; k < 50; k++) printf "int module%d_function%d(int x);\n", i, k >header
			print "#endif" >header
			close(header)
		}
		for (i = 0; i < n; i++) {
			source = sprintf("src/module%d.c", i)
			print "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>" >source
			for (k = i; k < i + 5; k++) printf "#include \"module%d.h\"\n", k % n >source
			for (k = 0; k < 50; k++)
				printf "int module%d_function%d(int x)\n{\n\treturn x < %d ? %d : module%d_function%d(x - 1);\n}\n", \
					i, k, k + 1, i, (i + 1) % n, k >source
			close(source)
		}
		print "#include <stdio.h>\n#include \"module0.h\"\n\nint main(void)\n{\n\treturn printf(\"%d\\n\", " \
			"module0_function7(9)) < 0;\n}" >"src/main.c"
	}'
	ls src/module*.c | sed 's/.*\///; s/\.c$//' >modules
}

run() {
	mkdir obj/temporary
	TMPDIR=$PWD/obj/temporary
	export TMPDIR
	objects=
	while read -r module; do
		cc -O1 -w -Iinclude/missing -Iinclude -Iinclude/deep -c -o "obj/$module.o" "src/$module.c"
		objects="$objects obj/$module.o"
	done <modules
	# shellcheck disable=SC2086 # a list of words
	ar rc obj/libmodules.a $objects
	cc -O1 -Iinclude -o obj/program src/main.c obj/libmodules.a
}

main "$@"
