/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The database file of a history: opening, checks, and mapping of SQLite's errors. */
#pragma once

#include <sqlite3.h>

#include "common/std.h"

#define HISTORY_DB_APPLICATION_ID 0x56614869 /* "VaHi" */
#define HISTORY_DB_VERSION 1

struct history_db { /* an open file */
	sqlite3 *db; /* NULL: not open */
	const char *path;
	struct err *e;
};

/* Opens the file `path`. `writes`: begins the transaction that history_db_close() ends, and creates
 * the tables of a new file. Errors: those of history_add(). Ownership: history_db_close(), also
 * after an error. */
int history_db_open(struct history_db *h, bool writes);
/* Commits if `ret` is 0, otherwise rolls back. Returns `ret` or the error of the commit. */
int history_db_close(struct history_db *h, int ret);

/* Prepares a statement, and binds [n] texts to its first parameters. The caller finalizes it. */
int history_db_prepare(struct history_db *h, sqlite3_stmt **s, const char *sql,
		       const char *const *text, int n);
/* Returns 1 if there is another row, 0 at the end. */
int history_db_next(struct history_db *h, sqlite3_stmt *s);
/* Runs a statement to its end, and finalizes it. */
int history_db_run(struct history_db *h, sqlite3_stmt *s);

/* `text` is borrowed until the statement is finalized; NULL: null. */
void history_db_bind_text(sqlite3_stmt *s, int at, const char *text);
void history_db_bind_number(sqlite3_stmt *s, int at, double x);	  /* not finite: null */
double history_db_number(sqlite3_stmt *s, int at);			  /* null: NaN */
char *history_db_text(sqlite3_stmt *s, int at);			  /* null: NULL; the caller frees */
