/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/adapters/adapter.h"

#include <libgen.h>
#include <math.h>

#include "common/files.h"
#include "common/leftovers.h"
#include "common/processors.h"
#include "common/units.h"
#include "replay/engines/adapters/adapter_private.h"
#include "replay/engines/block/block_load.h"
#include "replay/load/prepare.h"
#include "replay/result/output.h"

#define SPAN_SLACK_NS 1e7 /* by which printed times may span longer than the replayer ran */

/* --- options ------------------------------------------------------------- */

/* The options that every adapter has. An adapter lists its further options (struct adapter). */
static const char *const taken_by_all[] = {"times", "command", "environment", "start-in", "user",
    "accept-status", "time-limit", "cpus", "engine", "dir", "device", "output", "destructive",
    "own-device", "no-sync-output", "prepare", NULL};

static bool is_taken(const struct adapter *a, const char *name)
{
	size_t len = strlen(a->name);
	bool own = !strncmp(name, a->name, len) && name[len] == '-';
	return own || word_in(name, taken_by_all) || word_in(name, a->takes);
}

static int options_check(const struct adapter *a, const struct replay_config *c, struct err *e)
{
	struct replay_config standard;
	const struct option_spec *o = replay_options;
	replay_config_init(&standard);
	for (; (o = options_changed(o, c, &standard)); o++)
		if (!is_taken(a, o->name))
			return err_set(e, EINVAL, "%s: engine %s has no such option", o->name,
				       a->name);
	return 0;
}

static int cpus_read(const struct replay_config *c, cpu_set_t *set, struct err *e)
{
	SCOPED(processors_release) struct processor_list list = {.cpu = NULL};
	CPU_ZERO(set);
	int ret = processors_parse(&list, c->cpus, e);
	for (uint32_t i = 0; !ret && i < list.n; i++)
		CPU_SET(list.cpu[i], set);
	return ret ? err_context(e, "cpus") : 0;
}

static int user_check(const struct replay_config *c, const struct times_how *t, struct err *e)
{
	uid_t uid;
	gid_t gid;
	if (!c->adapter.user)
		return 0;
	int ret = child_user_find(c->adapter.user, &uid, &gid, e);
	if (!ret && uid != geteuid() && t->how == ADAPTER_PRELOAD)
		ret = err_set(e, EINVAL, "times = preload cannot observe a replayer that runs as "
			      "another user: remove the key \"user\", or set the key \"times\" to "
			      "another value");
	return ret;
}

/* For a directory the default is the preloaded library: the tracepoints of a device do not show
 * calls. */
static const char *times_text(const struct replay_config *c, const struct adapter *a)
{
	const bool cannot = c->dir && a->usual == ADAPTER_BLOCK && a->times & ADAPTER_PRELOAD;
	return c->adapter.times || !cannot ? c->adapter.times : times_name(ADAPTER_PRELOAD);
}

int adapter_check(const struct replay_config *c, struct err *e)
{
	const struct adapter *a = c->row->adapter;
	const struct trace_format *format;
	enum adapter_per per;
	struct times_how times;
	cpu_set_t set;
	bool found;
	int ret = options_check(a, c, e);
	ret = ret ? ret : times_parse(&times, times_text(c, a), a, e);
	if (!ret && c->adapter.export)
		ret = inputs_format_parse(c->adapter.export, &format, &per, e);
	ret = ret ? ret : user_check(c, &times, e);
	if (!ret && c->adapter.accept_status)
		ret = statuses_check(c->adapter.accept_status, 0, &found, e);
	if (!ret && c->cpus)
		ret = cpus_read(c, &set, e);
	if (!ret && times.how == ADAPTER_BLOCK && c->dir)
		ret = err_set(e, EINVAL,
			      "times = block observes requests on a device: it needs --device");
	if (!ret && c->device && c->row->level == LEVEL_SYSCALL)
		ret = err_set(e, EINVAL, "device: engine %s replays calls on files: use --dir",
			a->name);
	if (!ret && c->speed != 1 && !adapter_is_timed(a, c) && !c->adapter.known.artc_gaps)
		ret = err_set(e, EINVAL, "speed has no effect: engine %s ignores the traced times"
			"%s; omit speed", a->name, c->adapter.full_speed ? " with full-speed"
			: c->adapter.known.fio_no_stall ? " with fio-no-stall"
			: " without artc-gaps");
	if (!ret && c->prepare && c->device)
		ret = err_set(e, EINVAL,
			"prepare creates files below --dir, so it does not apply to a device");
	ret = ret ? ret : command_check(a, c, e);
	return ret || !a->check ? ret : a->check(c, e);
}

bool adapter_is_timed(const struct adapter *a, const struct replay_config *c)
{
	return a->timed && !c->adapter.full_speed && !c->adapter.known.fio_no_stall;
}

enum adapter_times adapter_times_of(const struct adapter *a, const struct replay_config *c)
{
	struct times_how t;
	return times_parse(&t, times_text(c, a), a, NULL) ? ADAPTER_UNTIMED : t.how;
}

/* --- one replay ---------------------------------------------------------- */

static int target_resolve(struct adapter_state *a, struct err *e)
{
	const struct replay_config *c = a->run.config;
	const char *given = c->device ? c->device : c->dir;
	struct stat st;
	a->run.target = realpath(given, NULL);
	if (!a->run.target || stat(a->run.target, &st) < 0)
		return err_sys(e, errno, "cannot use the target %s", given);
	if (!c->device && !S_ISDIR(st.st_mode))
		return err_sys(e, ENOTDIR, "cannot use the target %s", given);
	a->run.device = c->device ? xstrdup(a->run.target) : NULL;
	return 0;
}

static bool writes_any(const struct inputs *in)
{
	for (unsigned int op = 0; op < OP_N; op++)
		if (in->n_of[op] && op_info(op)->family != FAMILY_READ &&
		    op_info(op)->family != FAMILY_SYNC)
			return true;
	return false;
}

/* Refuses writes to a file if the target is a block device, as engine block does. */
static int calls_check(const struct adapter_state *a, const struct device *d, struct err *e)
{
	const struct trace *t = a->run.input;
	if (!d->is_block || trace_meta(t)->level == LEVEL_BLOCK)
		return 0;
	for (uint32_t i = 0; i < trace_n_objects(t); i++)
		if (!trace_object_is_device(t, i))
			return err_set(e, EPERM, DEVICE_FILE_CALLS, trace_object(t, i)->name);
	return 0;
}

/* The same checks as in engine block. A command of the user (exec) may write as the trace does,
 * unless --read-only is given. */
static int device_guard(const struct adapter_state *a, struct err *e)
{
	const struct replay_config *c = a->run.config;
	const bool may_write =
	    !c->block.read_only && word_in("read-only", a->run.adapter->takes);
	const bool writes = may_write || writes_any(&a->run.inputs);
	struct device d = {.fd = -1};
	bool refused = false;
	if (!a->run.device)
		return 0;
	if (writes && !c->destructive)
		return err_set(
		    e, EPERM,
		    "%s: refused: the replay %s overwrite its content (--destructive permits "
		    "this%s)", c->device, may_write ? "could" : "would",
		    may_write ? "; --read-only declares that the command writes nothing" : "");
	int ret = device_open(&d, a->run.device,
			      !writes         ? DEVICE_READ
			      : c->own_device ? DEVICE_WRITE_OWN
					      : DEVICE_WRITE,
			      0, &refused, e);
	ret = ret || !writes ? ret : calls_check(a, &d, e);
	device_close(&d);
	return refused ? -EPERM : ret;
}

/* Creates the scratch directory in the directory of the output, because that has enough room. */
static int scratch_make(struct adapter_state *a, struct err *e)
{
	const char *output = a->run.config->output, *tmp = getenv("TMPDIR");
	char *near = output ? xasprintf("%s.run-", output)
			    : xasprintf("%s/validate-run-", tmp && *tmp ? tmp : "/tmp");
	char *copy = xstrdup(near), *name = strrchr(near, '/');
	char *parent = realpath(dirname(copy), NULL);
	char *made = parent ? xasprintf("%s/%sXXXXXX", parent, name ? name + 1 : near) : NULL;
	int ret = made && leftover_directory(made)
		      ? 0
		      : err_sys(e, errno, "cannot create a scratch directory %s...", near);
	FREE_EACH(copy, near, parent);
	if (ret) {
		free(made);
		return ret;
	}
	a->run.scratch = made;
	if (a->run.config->adapter.user && chmod(a->run.scratch, 01777) < 0)
		return err_sys(e, errno, "cannot set the permissions of %s", a->run.scratch);
	a->seen_path = xasprintf("%s/seen.trace", a->run.scratch);
	a->run.output = xasprintf("%s/times", a->run.scratch);
	a->run.printed = xasprintf("%s/printed", a->run.scratch);
	return 0;
}

static int format_resolve(struct adapter_state *a, struct err *e)
{
	const char *given = a->run.config->adapter.export;
	a->per = a->run.adapter->per;
	if (given)
		return inputs_format_parse(given, &a->format, &a->per, e);
	a->format = format_find(a->run.adapter->format);
	return a->format ? 0 : err_set(e, EINVAL, "there is no format %s", a->run.adapter->format);
}

/* ARTC replays below its own directory, in which the root of the trace is a link to the target. */
static bool has_own_root(const struct adapter_state *a)
{
	return !strcmp(a->run.adapter->name, "artc");
}

/* In the format of strace, names begin with the root of the trace, even if the target is another
 * directory. Checks that the root is the target. */
static int root_check(const struct adapter_state *a, const char *root, struct err *e)
{
	if (has_own_root(a) ||
	    (strcmp(a->format->name, "strace") && strcmp(a->format->name, "artc")))
		return 0;
	SCOPED_FREE char *real = *root == '/' ? realpath(root, NULL) : NULL;
	if (real && !strcmp(real, a->run.target))
		return 0;
	return err_set(e, EPERM, "refused: in the format %s, all names begin with \"%s\", the "
		       "directory to which the paths in the trace are relative. It is not the "
		       "target directory, so the replay could change files outside the target "
		       "directory; use another format (--export)",
		a->format->name, root);
}

/* The replayer itself opens the names of the trace. Checks that they stay in the target
 * directory. */
static int names_guard(struct adapter_state *a, struct err *e)
{
	const char *given = trace_meta(a->run.input)->root, *root = given ? given : "/";
	const bool own_root = has_own_root(a);
	const struct names_how how = {.dir = a->run.target,
				      .program = a->run.adapter->program ? a->run.adapter->program
									 : "the command",
				      .root = own_root ? root : a->run.target,
				      .others_stay = own_root};
	if (a->run.device)
		return 0;
	if (own_root && names_climb(root))
		return err_set(e, EPERM, "refused: the root of the trace, \"%s\", has \"..\" and "
			"may lead out of ARTC's directory; use an engine of validate (--engine "
			"event), which stays in the target directory", root);
	int ret = root_check(a, root, e);
	return ret ? ret : names_check(&how, &a->run.inputs, a->run.input, &a->names_change, e);
}

/* Checks the names again after the replay. If a name now leads outside the target, the replayer or
 * another process changed it during the replay. If the trace itself changes names, the check before
 * the start covers all objects and this check is not needed. */
static int names_kept(struct adapter_state *a, struct err *e)
{
	struct err why = ERR_INIT;
	if (a->names_change)
		return 0;
	int ret = names_guard(a, &why);
	return ret ? err_set(e, ret == -EPERM ? EIO : why.code,
			     "the replayer or another process renamed, created or removed files "
			     "in the target %s during the replay: %s",
			     a->run.target, why.msg)
		   : 0;
}

static int input_export(struct adapter_state *a, struct err *e)
{
	struct adapter_run *r = &a->run;
	int ret = trace_open(&r->input, a->input_path, e);
	if (ret)
		return ret;
	if (!a->run.device && trace_meta(r->input)->level == LEVEL_BLOCK)
		return err_set(e, EINVAL,
			       "%s is a block-level trace: %s needs --device to replay it",
			       a->input_path, r->adapter->name);
	ret = inputs_count(&a->run.inputs, r->input, e);
	ret = ret ? ret : format_resolve(a, e);
	ret = ret ? ret
		  : inputs_export(&a->run.inputs, r->input, a->format, a->per, a->run.scratch,
				  r->adapter->suffix ? r->adapter->suffix : "", e);
	ret = ret ? ret : names_guard(a, e);
	if (ret)
		return err_context(e, "%s", a->input_path);
	r->n_requests = a->run.inputs.n_records - a->run.inputs.n_left_out;
	return device_guard(a, e);
}

/* Refuses times that span longer than the replayer ran: the unit or a column is wrong, or the
 * replayer did not measure them. */
static int span_check(const struct adapter_state *a, struct err *e)
{
	const int64_t ran_ns = a->result->ended_ns - a->result->started_ns,
		      span_ns = a->n_seen ? a->last_seen_ns - a->first_seen_ns : 0;
	const double rounding_ns = pow(10, a->times.form.unit),
		     most_ns = 1.01 * (double)ran_ns + SPAN_SLACK_NS + rounding_ns;
	return (double)span_ns <= most_ns
		   ? 0
		   : err_set(e, EBADMSG, "times: the first and the last printed time differ by "
				"%s, but the replayer ran only for %s: check the unit and the "
				"columns",
			duration_text((double)span_ns).s, duration_text((double)ran_ns).s);
}

/* times self: writes the reported requests as a trace, as the observers do. */
static int self_read(struct adapter_state *a, struct err *e)
{
	if (a->times.how != ADAPTER_SELF)
		return 0;
	int ret = seen_open(a, e);
	if (ret)
		return ret;
	if (times_hide_results(&a->times))
		adapter_note(&a->run,
			     "times does not name the column \"result\", so failed requests are "
			     "not recognised; add result=COLUMN if the output has such a column");
	ret = a->times.has_form ? times_read(&a->run, &a->times.form, e)
				: a->run.adapter->parse(&a->run, e);
	if (!ret && a->times.has_form)
		ret = span_check(a, e);
	return trace_writer_end(a->writer, ret, e);
}

/* If no request of the input was observed, either the source of the times cannot show what the
 * replayer did, which is an error; or the replayer made other requests, or none. */
static int none_check(struct adapter_state *a, struct err *e)
{
	const bool shows = a->n_extra || (a->times.how != ADAPTER_SELF && !a->blind &&
					  !a->n_events_lost && a->result->end != CHILD_QUIET);
	if (a->n_matched || a->times.how == ADAPTER_UNTIMED)
		return 0;
	if (!shows)
		return err_set(e, ENODATA, "%s succeeded, but none of the %llu requests of "
			"the trace was observed (times=%s; other observed requests: %llu): check "
			"the command, or set the option \"times\" to another value",
			a->run.adapter->name,
			(unsigned long long)a->run.n_requests, times_name(a->times.how),
			(unsigned long long)(a->n_extra + a->n_other));
	adapter_note(&a->run, "the replayer made none of the %llu requests of the trace, but made "
		     "%llu other requests",
		     (unsigned long long)a->run.n_requests, (unsigned long long)a->n_extra);
	return 0;
}

static int replay_all(struct adapter_state *a, struct replay_summary *s, struct err *e)
{
	const struct replay_config *c = a->run.config;
	int ret = times_parse(&a->times, times_text(c, a->run.adapter), a->run.adapter, e);
	if (!ret && c->output)
		ret = output_check(a->input_path, c->output, c->device, e);
	a->has_cpus = c->cpus != NULL;
	if (!ret && a->has_cpus)
		ret = cpus_read(c, &a->cpus, e);
	ret = ret ? ret : target_resolve(a, e);
	if (!ret && c->prepare)
		ret = replay_files_prepare(a->input_path, c, e);
	ret = ret ? ret : scratch_make(a, e);
	ret = ret ? ret : input_export(a, e);
	ret = ret ? ret : command_make(a, e);
	ret = ret ? ret : adapter_start(a, e);
	ret = ret ? ret : names_kept(a, e);
	ret = ret ? ret : self_read(a, e);
	if (!ret && a->times.how == ADAPTER_BLOCK)
		ret = seen_join(a, e);
	ret = ret ? ret : seen_match(a, e);
	ret = ret ? ret : none_check(a, e);
	return ret ? ret : adapter_output_write(a, s, e);
}

/* Keeps the printed text of the replayer beside the output, as OUT.printed. */
static int printed_keep(const struct adapter_state *a, struct err *e)
{
	const char *output = a->run.config->output;
	struct stat st = {0};
	int ret = 0;
	if (!output)
		return 0;
	SCOPED_FREE char *to = xasprintf("%s.printed", output);
	if (a->run.printed && stat(a->run.printed, &st) < 0 && errno != ENOENT)
		ret = err_sys(e, errno, "cannot examine the output of the replayer %s",
			      a->run.printed);
	else if (st.st_size > 0 && rename(a->run.printed, to) < 0)
		ret = err_sys(e, errno, "cannot store the output of the replayer in %s", to);
	else if (!st.st_size)
		unlink(to);
	return ret;
}

static void state_release(struct adapter_state *a)
{
	trace_close(a->run.input);
	seen_release(a);
	surroundings_release(&a->before);
	surroundings_release(&a->after);
	inputs_release(&a->run.inputs);
	words_list_release(&a->command);
	words_list_release(&a->environment);
	words_list_release(&a->more);
	placeholders_release(&a->placeholders);
	child_result_free(a->result);
	strbuf_release(&a->version);
	strbuf_release(&a->notes);
	FREE_EACH(a->run.target, a->run.device, a->run.scratch, a->run.binary, a->run.output,
		  a->run.printed, a->run.root, a->seen_path, a->start_in, a);
}

int adapter_replay(const char *trace_path, const struct replay_config *c, struct replay_summary *s,
		   struct err *e)
{
	struct adapter_state *a = xcalloc(1, sizeof *a);
	a->run = (struct adapter_run){.config = c, .adapter = c->row->adapter, .own = a};
	a->input_path = trace_path;
	strbuf_init(&a->version);
	strbuf_init(&a->notes);
	int ret = pause_join(&a->pause, e);
	ret = ret ? ret : replay_all(a, s, e);
	int kept = printed_keep(a, ret ? NULL : e);
	ret = ret ? ret : kept;
	int removed = a->run.scratch ? dir_remove_tree(a->run.scratch, ret ? NULL : e) : 0;
	ret = ret ? ret : removed;
	pause_release(&a->pause);
	state_release(a);
	return ret;
}
