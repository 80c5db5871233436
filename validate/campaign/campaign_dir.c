/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The results directory: created with all files except runs, or resumed from its journal. */

#include "common/device_queue.h"
#include "common/file_beside.h"
#include "common/files.h"
#include "validate/campaign/campaign_state.h"

/* --- the results directory ----------------------------------------------- */

static int dir_is_empty(const char *path, bool *empty, struct err *e)
{
	SCOPED_DIR DIR *d = opendir(path);
	if (!d)
		return err_sys(e, errno, "cannot use the results directory %s", path);
	const struct dirent *entry;
	int code;
	*empty = true;
	while ((entry = dir_next(d, &code)))
		*empty &= !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
	return code ? err_sys(e, code, "cannot read the results directory %s", path) : 0;
}

static int dir_resolve(struct campaign *c, struct err *e)
{
	c->dir = realpath(c->options->dir, NULL);
	if (!c->dir)
		return err_sys(e, errno, "cannot use the results directory %s", c->options->dir);
	c->parent = xstrdup(c->dir);
	char *slash = strrchr(c->parent, '/');
	slash[slash == c->parent] = 0;
	return 0;
}

/* Writes a whole file, and stores its digest for the journal. */
static int file_put(struct campaign *c, const char *name, const char *text, size_t len,
		    struct err *e)
{
	char hex[FILE_DIGEST_HEX], *path = results_path(c->dir, name);
	int ret = file_write_atomic(path, text, len, e);
	if (!ret && (ret = bytes_digest(text, len, hex, e)))
		err_context(e, "%s", path);
	if (!ret)
		json_object_set_new(c->files, name, json_string(hex));
	free(path);
	return ret;
}

static int subdirs_make(const struct campaign *c, struct err *e)
{
	int ret = 0;
	for (int i = 0; !ret && i < 2; i++) {
		SCOPED_FREE char *path = results_path(c->dir, i ? "runs" : "traces");
		ret = dir_create(path, e);
	}
	return ret;
}

/* Copies the file of published values. It keeps its place relative to the protocol. */
static int published_put(struct campaign *c, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	if (!c->protocol->published_file)
		return 0;
	SCOPED_FREE char *path = published_path(c->protocol);
	int ret = file_read(path, &text, 0, e);
	ret = ret ? ret : file_put(c, c->protocol->published_file, text.s, text.len, e);
	return ret;
}

/* Copies the script NAME from the protocol's directory to the results directory. */
static int script_put(struct campaign *c, const char *name, const char *path, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	char *to = results_path(c->dir, name), *slash = strrchr(to, '/');
	*slash = 0;
	int ret = dir_create(to, e);
	ret = ret ? ret : file_read(path, &text, 0, e);
	ret = ret ? ret : file_put(c, name, text.s, text.len, e);
	free(to);
	return ret;
}

/* Stores the digest of a file of the results directory, if the file exists. */
static int digest_take(struct campaign *c, const char *name, const char *path, struct err *e)
{
	char hex[FILE_DIGEST_HEX], *own = results_path(c->dir, name);
	int ret = 0;
	(void)path;
	if (path_exists(own))
		ret = file_digest(own, hex, e);
	if (!ret && path_exists(own))
		json_object_set_new(c->files, name, json_string(hex));
	free(own);
	return ret;
}

/* Libraries that scripts may use. They are in the directory of the scripts. */
static const char *const script_libraries[] = {"lib.sh", "ranks.sh", NULL};

/* `name`: name of the file in the results directory; `path`: path of the file beside the
 * protocol. */
typedef int file_fn(struct campaign *c, const char *name, const char *path, struct err *e);

static int libraries_each(struct campaign *c, const char *script, const char *path, file_fn *use,
			  struct err *e)
{
	const char *cut = strrchr(script, '/'), *slash = strrchr(path, '/');
	int ret = 0;
	for (const char *const *name = script_libraries; !ret && *name; name++) {
		SCOPED_FREE char *from =
		    xasprintf("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, *name);
		SCOPED_FREE char *to =
		    xasprintf("%.*s%s", cut ? (int)(cut + 1 - script) : 0, script, *name);
		if (path_exists(from))
			ret = use(c, to, from, e);
	}
	return ret;
}

/* Calls `use` for the scripts of programs and their libraries. The results directory contains
 * copies, so that the programs can be built and run again. */
static int scripts_each(struct campaign *c, file_fn *use, struct err *e)
{
	int ret = 0;
	for (size_t i = 0; !ret && i < c->protocol->n_scenarios; i++) {
		const struct scenario *s = &c->protocol->scenario[i];
		if (!s->script)
			continue;
		SCOPED_FREE char *path = scenario_script_path(c->protocol, s);
		ret = use(c, s->script, path, e);
		ret = ret ? ret : libraries_each(c, s->script, path, use, e);
	}
	return ret;
}

/* Computes the digests if the journal has none: the first session was killed before its first line,
 * the line is damaged, or an earlier version wrote it. The digests show only later changes. */
static int digests_take(struct campaign *c, struct err *e)
{
	const char *names[] = {"protocol.conf", "resolved.conf", "plan.json",
			       c->protocol->published_file};
	int ret = 0;
	c->files = json_object();
	for (size_t i = 0; !ret && i < sizeof names / sizeof *names && names[i]; i++)
		ret = digest_take(c, names[i], NULL, e);
	return ret ? ret : scripts_each(c, digest_take, e);
}

/* Removes empty directories from `path` upwards. Stops at the directory whose path has `kept`
 * bytes, and at the first directory that is not empty. */
static void parents_remove(char *path, size_t kept)
{
	while (strlen(path) > kept && (rmdir(path) == 0 || errno == ENOENT)) {
		char *slash = strrchr(path, '/');
		*(slash ? slash : path) = 0;
	}
}

/* Returns the number of bytes of `path` up to the last directory that exists. */
static size_t existing_part(const char *path)
{
	char *part = xstrdup(path);
	while (*part && !path_exists(part)) {
		char *slash = strrchr(part, '/');
		*(slash ? slash : part) = 0;
	}
	size_t len = strlen(part);
	free(part);
	return len;
}

/* Removes the files of the campaign. Another process may have added files: they stay. */
static void files_unmake(const struct campaign *c)
{
	static const char *const names[] = {"environment.json", "journal", "runs", "traces",
					    "programs", "recordings"};
	const char *name;
	json_t *digest;
	json_object_foreach(c->files, name, digest)
	{
		SCOPED_FREE char *path = results_path(c->dir, name);
		unlink(path);
		/* the directory of a script */
		*strrchr(path, '/') = 0;
		parents_remove(path, strlen(c->dir));
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		SCOPED_FREE char *path = results_path(c->dir, names[i]);
		if (remove(path) < 0 && errno == ENOTEMPTY)
			dir_remove_tree(path, NULL);
	}
}

void dir_unmake(const struct campaign *c)
{
	SCOPED_FREE char *dir = xstrdup(c->options->dir);
	if (c->dir)
		files_unmake(c);
	parents_remove(dir, c->existing_len);
}

int results_dir_check_empty(const char *dir, struct err *e)
{
	bool empty = true;
	const int ret = path_exists(dir) ? dir_is_empty(dir, &empty, e) : 0;
	return ret || empty ? ret
			    : err_set(e, EEXIST, "the results directory %s is not empty: name "
				      "another, or continue its campaign with --resume", dir);
}

/* Checks that a new directory can be made in `path`. */
static int directory_possible(const char *path, const char *what, struct err *e)
{
	struct stat st;
	int code = stat(path, &st) < 0 ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
	if (!code && access(path, W_OK | X_OK) < 0)
		code = errno;
	return code ? err_sys(e, code, "cannot use the %s %s", what, path) : 0;
}

/* Checks the queue settings of the device that holds `dir`. */
static int queue_possible(const char *queue, const char *dir, struct err *e)
{
	struct stat st;
	json_auto_t *now = NULL;
	return stat(dir, &st) < 0 ? err_sys(e, errno, "cannot use the target directory %s", dir)
				  : device_queue_read(queue, st.st_dev, &now, e);
}

int directories_possible(const struct protocol *p, const char *dir, struct err *e)
{
	/* resolved as in the campaign: directories of targets are relative to its parent */
	SCOPED_FREE char *path = realpath(dir, NULL);
	path = path ? path : xstrdup(dir);
	for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--)
		path[n - 1] = 0;
	const size_t len = existing_part(path);
	const char *slash = strrchr(path, '/');
	SCOPED_FREE char *exists = xasprintf("%.*s", (int)len, path),
			 *parent = xasprintf("%.*s", slash ? (int)(slash - path) + 1 : 0, path);
	int ret = directory_possible(len ? exists : *path == '/' ? "/" : ".", "results directory",
				     e);
	ret = ret ? ret : results_dir_check_empty(dir, e);
	for (size_t i = 0; !ret && i < p->n_targets; i++) {
		const struct target *t = &p->target[i];
		SCOPED_FREE char *target =
		    t->dir ? xasprintf("%s%s", *t->dir != '/' ? parent : "", t->dir)
			   : xstrdup(len ? exists : ".");
		if (t->dir)
			ret = directory_possible(target, "target directory", e);
		if (!ret && t->queue && !t->device && !t->volume)
			ret = queue_possible(t->queue, target, e);
		if (ret)
			err_context(e, "target %s", t->name);
	}
	return ret;
}

/* Creates the results directory. The journal is written last: if it exists, all other files exist
 * as well. */
int dir_begin(struct campaign *c, struct err *e)
{
	struct strbuf text = STRBUF_INIT, resolved = STRBUF_INIT;
	c->files = json_object();
	c->existing_len = existing_part(c->options->dir);
	int ret = dir_create(c->options->dir, e);
	const int used = ret ? 0 : results_dir_check_empty(c->options->dir, e);
	ret = ret ? ret : used;
	ret = ret ? ret : dir_resolve(c, e);
	if (!ret && c->protocol->text)
		strbuf_addstr(&text, c->protocol->text);
	else
		ret = ret ? ret : file_read(c->protocol->path, &text, 0, e);
	ret = ret ? ret : subdirs_make(c, e);
	ret = ret ? ret : file_put(c, "protocol.conf", text.s, text.len, e);
	ret = ret ? ret : published_put(c, e);
	ret = ret ? ret : scripts_each(c, script_put, e);
	if (!ret) {
		protocol_print_resolved(c->protocol, &resolved);
		ret = file_put(c, "resolved.conf", resolved.s, resolved.len, e);
	}
	if (!ret) {
		design_make(&c->plan, c->protocol);
		json_auto_t *o = design_to_json(&c->plan, c->protocol);
		SCOPED_FREE char *plan = json_dumps(o, JSON_COMPACT);
		const size_t len = plan ? strlen(plan) + 1 : 0;
		if (plan)
			/* replaces the NUL */
			plan[len - 1] = '\n';
		ret = plan ? file_put(c, "plan.json", plan, len, e)
			   : err_set(e, EINVAL, "the plan cannot be written as JSON");
	}
	if (!ret) {
		SCOPED_FREE char *path = results_path(c->dir, "journal");
		ret = journal_open(&c->journal, path, 1, e);
	}
	if (ret && !used)
		dir_unmake(c);
	strbuf_release(&text);
	strbuf_release(&resolved);
	return ret;
}

/* --- resuming ------------------------------------------------------------ */

static int same_protocol(const struct campaign *c, struct err *e)
{
	SCOPED_STRBUF begun = STRBUF_INIT, given = STRBUF_INIT;
	SCOPED_FREE char *path = results_path(c->dir, "protocol.conf");
	const char *changed = c->protocol->text;
	int ret = file_read(path, &begun, 0, e);
	if (ret)
		err_context(e, "%s is not a results directory that can be resumed",
			    c->options->dir);
	if (!ret && changed)
		strbuf_addstr(&given, changed);
	else
		ret = ret ? ret : file_read(c->protocol->path, &given, 0, e);
	if (!ret && (begun.len != given.len || memcmp(begun.s, given.s, given.len)))
		ret = err_set(e, EINVAL, "%s%s is not the protocol of the campaign in %s: "
			      "omit the argument PROTOCOL%s to continue with %s",
			      c->protocol->path, changed ? " with the options of the command line"
							 : "", c->options->dir,
			      changed ? ", --rank-hosts and --launcher" : "", path);
	return ret;
}

static void text_keep(char **field, const json_t *event, const char *member)
{
	const char *s = json_string_value(json_object_get(event, member));
	free(*field);
	*field = s ? xstrdup(s) : NULL;
}

/* Accepts letters and digits only, because the token becomes part of paths. */
static void token_keep(struct campaign *c, const json_t *event)
{
	const char *s = json_string_value(json_object_get(event, "token"));
	if (s && *s && strlen(s) < sizeof c->token && strspn(s, TOKEN_LETTERS) == strlen(s))
		snprintf(c->token, sizeof c->token, "%s", s);
}

/* Accepts only a name that this campaign can have made, because the cgroup will be removed. */
static void cgroup_keep(struct campaign *c, const json_t *event)
{
	const char *path = json_string_value(json_object_get(event, "path")),
		   *name = path ? strrchr(path, '/') : NULL;
	SCOPED_FREE char *own = xasprintf("/validate-%s", c->token);
	if (c->token[0] && name && !strcmp(name, own))
		text_keep(&c->earlier_cgroup, event, "path");
}

/* Accepts only a planned look. */
static void look_resume(struct campaign *c, const json_t *event)
{
	const struct protocol *p = c->protocol;
	json_int_t look = json_integer_value(json_object_get(event, "look"));
	if (look < 0 || look >= (json_int_t)p->n_looks ||
	    json_integer_value(json_object_get(event, "replicates")) != p->look[look])
		return;
	c->n_looks_done = (unsigned int)look + 1;
	if (json_is_true(json_object_get(event, "stop")))
		c->stop_replicates = p->look[look];
}

struct resuming {
	struct campaign *c;
	struct journal_reading reading;
	struct seal_record record;
	/* number of damaged lines before the last session began; their runs were repeated */
	uint64_t n_damaged_before;
};

static int event_resume(const json_t *event, void *context, struct err *e)
{
	struct resuming *r = context;
	struct campaign *c = r->c;
	const char *name = json_string_value(json_object_get(event, "event"));
	(void)e;
	if (!strcmp(name, "start")) {
		text_keep(&c->name, event, "protocol");
		token_keep(c, event);
	} else if (!strcmp(name, "resume") && !c->token[0]) {
		/* the first session was killed before its first line, or that line is damaged */
		token_keep(c, event);
	} else if (!strcmp(name, "run")) {
		run_from_event(c->run, c->plan.n_runs, event, NULL);
		c->files_late |= !r->record.files;
	} else if (!strcmp(name, "group")) {
		/* all runs of this group are in the journal */
		json_int_t block = json_integer_value(json_object_get(event, "block")),
			   scenario = json_integer_value(json_object_get(event, "scenario"));
		for (size_t i = c->plan.n_bank_runs; i < c->plan.n_runs; i++)
			if (c->run[i].block == block && c->run[i].scenario == scenario)
				c->whole[i] = true;
	} else if (!strcmp(name, "calibrate")) {
		calibration_from_event(c, event);
	} else if (!strcmp(name, "look")) {
		look_resume(c, event);
	} else if (!strcmp(name, "choice")) {
		choice_resume(c, event);
	} else if (!strcmp(name, "budget")) {
		budget_resume(c, event);
	} else if (!strcmp(name, "cgroup")) {
		cgroup_keep(c, event);
	} else if (!strcmp(name, "queue")) {
		json_array_append(c->queues_before, json_object_get(event, "before"));
	} else if (!strcmp(name, "queues put back")) {
		json_array_clear(c->queues_before);
	}
	seal_record_take(&r->record, event);
	if (!strcmp(name, "resume"))
		r->n_damaged_before = r->reading.n_damaged;
	c->ended = !strcmp(name, "end");
	return 0;
}

/* Stops reading at the first event that proves that the campaign was started. The line that records
 * the start may be damaged. */
static int event_is_known(const json_t *event, void *context, struct err *e)
{
	const char *name = json_string_value(json_object_get(event, "event"));
	(void)context;
	(void)e;
	return strcmp(name, "start") && strcmp(name, "run") ? 0 : -ECANCELED;
}

/* Refuses to continue if the journal is lost: all runs would be repeated and overwrite the existing
 * runs. */
static int journal_lost(const struct campaign *c, const char *journal, struct err *e)
{
	struct journal_reading reading;
	struct err why = ERR_INIT;
	bool none = true;
	int ret = journal_read(journal, event_is_known, NULL, &reading, &why);
	if (ret == -ECANCELED)
		return 0;
	SCOPED_FREE char *runs = results_path(c->dir, "runs");
	if (dir_is_empty(runs, &none, NULL) || none)
		/* the code that opens the journal reports its errors */
		return 0;
	if (ret && ret != -ENOENT && ret != -EISDIR)
		return err_set(e, why.code, "%s", why.msg);
	return err_set(e, EILSEQ, "%s is %s, and without it all runs would be repeated: restore "
		"it, or remove %s to start again", journal,
		ret == -ENOENT ? "missing" : ret ? "a directory" : "damaged", runs);
}

/* Reads the journal into the campaign. The files with which the campaign started must be unchanged:
 * otherwise there will be no verdict, so no measurement is made. Damaged lines do not count as
 * changes: their runs are repeated. */
static int journal_resume(struct campaign *c, const char *journal, struct err *e)
{
	struct resuming r = {.c = c};
	SCOPED(seal_release) struct seal seal = {0};
	int ret = journal_read(journal, event_resume, &r, &r.reading, e);
	if (!ret)
		seal_check_chain(&seal, &r.reading);
	c->files = json_incref(r.record.files);
	c->heal = r.reading.n_damaged > r.n_damaged_before;
	r.record.environment[0][0] = 0; /* this session writes a new one */
	ret = ret ? ret : seal_check_record(&seal, c->dir, &r.record, e);
	ret = ret ? ret : seal_require(&seal, c->options->dir, e);
	if (!ret && !c->files)
		ret = digests_take(c, e);
	seal_record_release(&r.record);
	/* runs in slices form a group; if the journal ends inside a group, the whole group is
	 * repeated */
	for (size_t i = 0; i < c->plan.n_runs; i++)
		if (c->run[i].sliced && !c->whole[i]) {
			c->run[i].state = RUN_PENDING;
			c->run[i].sliced = false;
		}
	free(c->whole);
	c->whole = NULL;
	return ret;
}

int dir_resume(struct campaign *c, struct err *e)
{
	json_t *o = NULL;
	int ret = dir_resolve(c, e);
	ret = ret ? ret : same_protocol(c, e);
	if (ret)
		return ret;
	SCOPED_FREE char *plan_path = results_path(c->dir, "plan.json"),
			 *journal_path = results_path(c->dir, "journal");
	ret = journal_lost(c, journal_path, e);
	ret = ret ? ret : journal_open(&c->journal, journal_path, 0, e);
	if (ret == -ENOENT && !path_exists(plan_path))
		ret = err_set(e, EINVAL, "%s is not a results directory: it has no plan.json and "
			"no journal", c->options->dir);
	else if (ret == -ENOENT)
		ret = err_set(e, ENOENT,
			      "there is nothing to resume in %s: the campaign was killed before "
			      "its first measurement; remove the directory and start "
			      "again", c->options->dir);
	if (!ret) {
		/* remove unfinished files of a killed session; this process holds the journal's
		 * lock, so no other session is active */
		SCOPED_FREE char *runs = results_path(c->dir, "runs");
		file_beside_sweep(c->dir);
		file_beside_sweep(runs);
		ret = json_read_file(plan_path, &o, e);
	}
	if (!ret && design_from_json(&c->plan, c->protocol, o, e) < 0)
		ret = err_context(e, "%s", plan_path);
	if (ret)
		results_change_find(c->options->dir, e);
	else {
		c->run = results_runs_make(&c->plan);
		c->whole = xcalloc(c->plan.n_runs + 1, sizeof *c->whole);
		c->left_out = xcalloc(c->plan.n_runs + 1, sizeof *c->left_out);
		ret = journal_resume(c, journal_path, e);
	}
	ret = ret ? ret : subdirs_make(c, e);
	json_decref(o);
	return ret;
}
