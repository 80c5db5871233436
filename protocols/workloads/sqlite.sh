#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A database: fills a table in transactions, makes an index, reads by key and by range, changes
# rows, and reclaims space.
# usage: sqlite.sh prepare|run|clean DIR [SIZE]    transactions: 50 times SIZE (at least 5), of 100 rows each
name=sqlite needs='sqlite3 awk'
. "$(dirname "$0")/lib.sh"

prepare() {
	random $((size ? size * 5000 : 500)) 3 | awk '
	BEGIN {
		print "pragma journal_mode = delete; pragma synchronous = full;"
		print "create table item(id integer primary key, code integer, text text);"
	}
	NR % 100 == 1 { print "begin;" }
	{ printf "insert into item values(%d, %d, '\''%s text of row %d, long enough to fill pages'\'');\n", NR, $1, $1, NR }
	NR % 100 == 0 { print "commit;" }
	NR % 100 == 50 { key[++n] = $1; row[n] = NR }
	END {
		print "create index by_code on item(code);"
		for (i = 1; i <= n; i++) {
			printf "select count(*), sum(id) from item where code between %d and %d;\n", key[i], key[i] + 1000
			printf "select text from item where id = %d;\n", row[i]
			if (i % 4 == 0) printf "update item set text = text || '\'' changed'\'' where id = %d;\n", row[i]
			if (i % 8 == 0) printf "delete from item where id = %d;\n", row[i]
		}
		print "vacuum;"
	}' >script.sql
}

run() {
	exec sqlite3 -batch -init /dev/null data.db '.read script.sql' >answers
}

main "$@"
