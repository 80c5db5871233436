/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/load/prepare.h"

#include "capture/fileset/fileset.h"
#include "replay/load/initial.h"

int input_open(struct input *in, const char *path, const struct replay_config *c, struct err *e)
{
	*in = (struct input){.path = path, .dir = c->dir, .root = {.fd = -1, .tree = -1}};
	if (!c->dir || !*c->dir)
		return err_set(e, EINVAL, "the target directory is missing: name it with --dir");
	int ret = rooted_begin(&in->root, c->dir, e);
	ret = ret ? ret : trace_open(&in->trace, path, e);
	if (ret)
		return ret;
	if (trace_meta(in->trace)->level == LEVEL_BLOCK)
		return err_set(e, EINVAL, "%s is a block-level trace, but engine %s replays "
			"system calls: use engine block and --device", path, c->engine);
	ret = load_read(&in->load, in->trace, c->causes, e);
	ret = ret ? ret : slots_find(&in->slots, &in->load, in->trace, e);
	if (ret)
		return err_context(e, "%s", path);
	if (c->prepare || c->prepare_only)
		ret = initial_absent_check(in->slots.initial, &in->slots, in->root.fd, e);
	initial_names_free(in->slots.initial);
	return ret ? err_context(e, "%s", c->dir) : 0;
}

/* Creates the files that requests need and that are missing in the trace's table: a program may
 * create files while the table is made. */
static int shown_restore(const struct input *in, uint64_t seed, const struct payload *payload,
			 struct err *e)
{
	struct fileset shown;
	slots_files(&in->slots, &shown);
	int ret = fileset_restore(&shown, in->root.fd, seed, false, payload, NULL, e);
	slots_files_release(&shown);
	return ret;
}

int files_prepare(const struct input *in, bool on_storage, const struct payload *payload,
		  struct err *e)
{
	const struct trace_meta *meta = trace_meta(in->trace);
	const struct fileset *f = &meta->files;
	int ret = initial_absent_remove(in->slots.initial, in->root.fd, e);
	if (!ret && f->n)
		ret = fileset_restore(f, in->root.fd, meta->seed, false, payload, NULL, e);
	ret = ret ? ret : shown_restore(in, meta->seed, payload, e);
	ret = ret ? ret : initial_holes_make(in->slots.initial, f, &in->root, e);
	ret = ret ? ret : initial_attributes_set(in->slots.initial, &in->root, e);
	if (!ret && on_storage)
		ret = syncfs(in->root.fd) < 0
			  ? err_sys(e, errno, "cannot sync the prepared files")
			  : 0;
	return ret ? err_context(e, "%s: preparing the files of %s", in->dir, in->path) : 0;
}

int replay_files_prepare(const char *trace_path, const struct replay_config *c, struct err *e)
{
	struct input in;
	int ret = input_open(&in, trace_path, c, e);
	ret = ret ? ret : files_prepare(&in, false, NULL, e);
	input_close(&in);
	return ret;
}

int replay_files_remove(const char *trace_path, const struct replay_config *c, struct err *e)
{
	struct input in;
	struct fileset shown = {.n = 0};
	int ret = input_open(&in, trace_path, c, e);
	if (!ret)
		slots_files(&in.slots, &shown);
	ret = ret ? ret : initial_absent_remove(in.slots.initial, in.root.fd, e);
	ret = ret ? ret : fileset_remove(&shown, in.root.fd, e);
	ret = ret ? ret : fileset_remove(&trace_meta(in.trace)->files, in.root.fd, e);
	slots_files_release(&shown);
	input_close(&in);
	return ret ? err_context(e, "%s: removing the files of %s", c->dir, trace_path) : 0;
}
