/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/history/history_db.h"

#define BUSY_MS 10000

#define APPEND_ONLY(table)                                                                         \
	"CREATE TRIGGER " table "_stays BEFORE UPDATE ON " table                                   \
	" BEGIN SELECT raise(ABORT, 'entries of a history cannot be changed or removed'); END",    \
	    "CREATE TRIGGER " table "_remains BEFORE DELETE ON " table                             \
	    " BEGIN SELECT raise(ABORT, 'entries of a history cannot be changed or removed'); END"

/* The schema, with STRICT tables. It is compared with that of a file, so that a valid file has
 * these types and only these triggers. */
static const char *const schema[] = {
    "CREATE TABLE environment(id INTEGER PRIMARY KEY, facts TEXT NOT NULL UNIQUE) STRICT",
    "CREATE TABLE campaign(id INTEGER PRIMARY KEY, campaign TEXT NOT NULL UNIQUE, date TEXT, label "
    "TEXT, title TEXT, protocol TEXT, "
    "protocol_hash TEXT, program_version TEXT, host TEXT, source TEXT, environment INTEGER NOT "
    "NULL REFERENCES environment(id)) STRICT",
    "CREATE TABLE series(id INTEGER PRIMARY KEY, scenario TEXT NOT NULL, replayer TEXT NOT NULL, "
    "UNIQUE(scenario, replayer)) STRICT",
    "CREATE TABLE entry(series INTEGER NOT NULL REFERENCES series(id), campaign INTEGER NOT NULL "
    "REFERENCES campaign(id), n INTEGER NOT NULL, "
    "mean_ln REAL, sd_ln REAL, bias REAL, bias_lo95 REAL, bias_hi95 REAL, u_c REAL, u_c_df REAL, "
    "U95 REAL, settings TEXT, verdict TEXT, "
    "reason TEXT, PRIMARY KEY(series, campaign)) STRICT, WITHOUT ROWID",
    APPEND_ONLY("environment"),
    APPEND_ONLY("campaign"),
    APPEND_ONLY("series"),
    APPEND_ONLY("entry"),
};
#define N_SCHEMA (sizeof schema / sizeof *schema)

/* Sets the last error. */
static int db_err(struct history_db *h)
{
	sqlite3 *const db = h->db;
	const char *const path = h->path;
	struct err *const e = h->e;
	int system = sqlite3_system_errno(db);
	switch (sqlite3_errcode(db) & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(e, EBUSY, "%s: another program has been writing to it for %d s: try "
			       "again later",
			       path, BUSY_MS / 1000);
	case SQLITE_READONLY:
		return err_set(
		    e, EROFS,
		    "%s cannot be written: it, its directory or its file system is read-only",
		    path);
	case SQLITE_FULL:
		return err_set(e, ENOSPC, "%s: no space left; nothing was added", path);
	case SQLITE_NOTADB:
		return err_set(e, EINVAL, "%s is not a history: it is not an SQLite database",
			       path);
	case SQLITE_CORRUPT:
		return err_set(e, EINVAL, "%s is damaged or truncated: %s", path,
			       sqlite3_errmsg(db));
	case SQLITE_CANTOPEN:
		/* any cause of a failed creation */
		if (system == ENOENT)
			return err_set(
			    e, ENOENT,
			    "cannot create %s: its directory does not exist or cannot be written",
			    path);
		return err_sys(e, system ? system : EIO, "cannot open %s", path);
	case SQLITE_IOERR:
		return err_sys(e, system ? system : EIO, "%s: cannot read or write", path);
	case SQLITE_NOMEM:
		return err_set(e, ENOMEM, "%s: out of memory", path);
	default:
		return err_set(e, EIO, "%s: %s", path, sqlite3_errmsg(db));
	}
}

int history_db_prepare(struct history_db *h, sqlite3_stmt **s, const char *sql,
		       const char *const *text, int n)
{
	if (sqlite3_prepare_v2(h->db, sql, -1, s, NULL) != SQLITE_OK)
		return db_err(h);
	for (int i = 0; i < n; i++)
		history_db_bind_text(*s, i + 1, text[i]);
	return 0;
}

int history_db_next(struct history_db *h, sqlite3_stmt *s)
{
	const int code = sqlite3_step(s);
	return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : db_err(h);
}

int history_db_run(struct history_db *h, sqlite3_stmt *s)
{
	int ret;
	while ((ret = history_db_next(h, s)) == 1)
		;
	sqlite3_finalize(s);
	return ret;
}

static int statement_run(struct history_db *h, const char *sql)
{
	return sqlite3_exec(h->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : db_err(h);
}

/* Gets the number in the first row and column of a statement's result. */
static int number_of(struct history_db *h, const char *sql, const char *parameter,
		     long long *value)
{
	sqlite3_stmt *s;
	int ret = history_db_prepare(h, &s, sql, &parameter, parameter != NULL);
	if (ret)
		return ret;
	ret = history_db_next(h, s);
	*value = ret == 1 ? sqlite3_column_int64(s, 0) : 0;
	sqlite3_finalize(s);
	return ret < 0 ? ret : 0;
}

static int tables_make(struct history_db *h)
{
	int ret = 0;
	for (size_t i = 0; i < N_SCHEMA && !ret; i++)
		ret = statement_run(h, schema[i]);
	SCOPED_FREE char *marks = xasprintf("PRAGMA application_id = %d; PRAGMA user_version = %d",
					    HISTORY_DB_APPLICATION_ID, HISTORY_DB_VERSION);
	return ret ? ret : statement_run(h, marks);
}

static int tables_check(struct history_db *h)
{
	long long n, one;
	int ret = number_of(h, "SELECT count(*) FROM sqlite_schema WHERE sql IS NOT NULL", NULL,
			    &n);
	for (size_t i = 0; i < N_SCHEMA && !ret; i++) {
		/* files of builds before December 2026 have the other message */
		ret = number_of(h, "SELECT count(*) FROM sqlite_schema WHERE replace(sql, "
				"'a history is only added to', 'entries of a history cannot be "
				"changed or removed') = ?1", schema[i], &one);
		if (!ret && !one)
			n = 0;
	}
	if (ret)
		return ret;
	return n == N_SCHEMA
		   ? 0
		   : err_set(h->e, EINVAL, "%s: another program changed its tables: restore a copy "
			     "of the file, or start a new history", h->path);
}

static int integrity_check(struct history_db *h)
{
	sqlite3_stmt *s;
	int ret = history_db_prepare(h, &s, "PRAGMA integrity_check(1)", NULL, 0);
	if (ret)
		return ret;
	ret = history_db_next(h, s);
	const char *found = ret == 1 ? (const char *)sqlite3_column_text(s, 0) : "ok";
	if (strcmp(found, "ok"))
		ret = err_set(h->e, EINVAL, "%s is damaged or truncated: %s", h->path, found);
	sqlite3_finalize(s);
	return ret < 0 ? ret : 0;
}

/* Checks the file type and version; creates the tables of a new file. */
static int content_check(struct history_db *h, bool writes)
{
	long long id = 0, version = 0, n = 0;
	int ret = number_of(h, "SELECT count(*) FROM sqlite_schema", NULL, &n);
	ret = ret ? ret : number_of(h, "PRAGMA application_id", NULL, &id);
	ret = ret ? ret : number_of(h, "PRAGMA user_version", NULL, &version);
	if (ret)
		return ret;
	if (!n && !id && !version)
		return writes ? tables_make(h)
			      : err_set(h->e, EINVAL, "%s is empty and contains no history",
					h->path);
	if (id != HISTORY_DB_APPLICATION_ID)
		return err_set(h->e, EINVAL,
			       "%s is not a history: it is a database of another program", h->path);
	if (version != HISTORY_DB_VERSION)
		return err_set(h->e, EPROTONOSUPPORT,
			       "%s: " ERR_OTHER_VERSION, h->path, version, HISTORY_DB_VERSION);
	ret = tables_check(h);
	return ret ? ret : integrity_check(h);
}

int history_db_open(struct history_db *h, bool writes)
{
	struct stat st;
	const char *const path = h->path;
	if (stat(path, &st) < 0) {
		if (errno != ENOENT || !writes)
			return err_sys(h->e, errno, "cannot open %s", path);
	} else if (!S_ISREG(st.st_mode))
		return err_set(h->e, EINVAL, "%s is not a file", path);
	/* SQLite interprets names that begin with ':' */
	SCOPED_FREE char *name = xasprintf("%s%s", *path == '/' ? "" : "./", path);
	/* also read-write for readers, because they roll back the unfinished transaction of a
	 * killed writer; if that is impossible, SQLite opens it read-only */
	int code = sqlite3_open_v2(name, &h->db,
				 SQLITE_OPEN_READWRITE | (writes ? SQLITE_OPEN_CREATE : 0), NULL);
	if (code != SQLITE_OK)
		return h->db ? db_err(h) : err_set(h->e, ENOMEM, "%s: out of memory", path);
	sqlite3_busy_timeout(h->db, BUSY_MS);
	sqlite3_extended_result_codes(h->db, 1);
	sqlite3_db_config(h->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(h->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	int ret = statement_run(h, "PRAGMA synchronous = EXTRA; PRAGMA foreign_keys = ON; PRAGMA "
		"cell_size_check = ON");
	ret = ret ? ret
		  : statement_run(h, writes ? "BEGIN IMMEDIATE" : "PRAGMA query_only = ON; BEGIN");
	return ret ? ret : content_check(h, writes);
}

int history_db_close(struct history_db *h, int ret)
{
	ret = ret ? ret : statement_run(h, "COMMIT");
	if (h->db && !sqlite3_get_autocommit(h->db))
		sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL);
	sqlite3_close(h->db);
	return ret;
}

void history_db_bind_text(sqlite3_stmt *s, int at, const char *text)
{
	if (text)
		sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC);
	else
		sqlite3_bind_null(s, at);
}

void history_db_bind_number(sqlite3_stmt *s, int at, double x)
{
	if (isfinite(x))
		sqlite3_bind_double(s, at, x);
	else
		sqlite3_bind_null(s, at);
}

double history_db_number(sqlite3_stmt *s, int at)
{
	return sqlite3_column_type(s, at) == SQLITE_NULL ? NAN : sqlite3_column_double(s, at);
}

char *history_db_text(sqlite3_stmt *s, int at)
{
	const unsigned char *text = sqlite3_column_text(s, at);
	return text ? xstrdup((const char *)text) : NULL;
}
