/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The database file of a history: opening, checks, and mapping of SQLite's errors. */
#pragma once

#include <sqlite3.h>

#include "common/std.h"

#define HISTORY_DB_APPLICATION_ID 0x56614869 /* "VaHi" */
#define HISTORY_DB_VERSION 1

/* Opens the file. `writes`: begins the transaction that history_db_close() ends, and creates the
 * tables of a new file. Errors: those of history_add(). Ownership: history_db_close(), also after
 * an error (*db may be NULL). */
int history_db_open(sqlite3 **db, const char *path, bool writes, struct err *e);
/* Commits if `ret` is 0, otherwise rolls back. Returns `ret` or the error of the commit. */
int history_db_close(sqlite3 *db, const char *path, int ret, struct err *e);

/* Sets the last error of db. */
int history_db_err(sqlite3 *db, const char *path, struct err *e);
/* Prepares a statement. The caller finalizes it. Errors: those of history_db_err(). */
int history_db_prepare(sqlite3 *db, const char *path, sqlite3_stmt **s, const char *sql,
		       struct err *e);
/* Runs a statement to its end, and resets it. */
int history_db_step_done(sqlite3 *db, const char *path, sqlite3_stmt *s, struct err *e);

/* `text` is borrowed until the next reset; NULL: null. */
void history_db_bind_text(sqlite3_stmt *s, int at, const char *text);
void history_db_bind_number(sqlite3_stmt *s, int at, double x);	  /* not finite: null */
double history_db_number(sqlite3_stmt *s, int at);			  /* null: NaN */
char *history_db_text(sqlite3_stmt *s, int at);			  /* null: NULL; the caller frees */
