/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests on names. */

#include "replay/order/fs_model_private.h"

#define EXCHANGE 2u /* renameat2(2) */
#define NO_REPLACE 1u

static bool has_succeeded(const struct load_request *r)
{
	return r->rvalue >= 0;
}

/* Whether the call reached the last component. */
static bool has_arrived(const struct load_request *r)
{
	return has_succeeded(r) || r->rvalue == -EEXIST || r->rvalue == -ENOTEMPTY ||
	       r->rvalue == -EISDIR;
}

/* Returns the error that every call on the name returns because of the directories in its path: 0
 * none, -1 unknown. */
static int way_error(const struct found *f)
{
	switch (f->how) {
	case FOUND_NO_WAY:
		return ENOENT;
	case FOUND_NOT_DIRECTORY:
		return ENOTDIR;
	case FOUND_VAGUE:
		return -1;
	default:
		return 0;
	}
}

/* Whether the failure of the call is consistent with what the look-up found. */
static bool failure_fits(struct fs_model *m, const struct load_request *r, struct found *f)
{
	int way = way_error(f);
	if (way)
		return way < 0 || m->force || r->rvalue == -way;
	if (r->rvalue == -ENOENT)
		return found_must_not_exist(m, f);
	if (f->how == FOUND_NOTHING)
		return m->force;
	if (f->how != FOUND_OBJECT)
		return true;
	uint64_t kind = m->word[f->object + WORD_KIND];
	if ((r->rvalue == -EISDIR && (kind == KIND_FILE || kind == KIND_LINK)) ||
	    (r->rvalue == -ENOTDIR && kind == KIND_DIRECTORY))
		return m->force;
	return true;
}

static void entries_report(struct fs_model *m, uint32_t directory)
{
	if (directory)
		event_report(m, FS_EVENT_ENTRIES, directory + WORD_ENTRIES, false);
}

/* --- calls that need an existing name ------------------------------------ */

static uint64_t kind_needed(const struct load_request *r)
{
	switch (r->op) {
	case OP_OPENDIR:
	case OP_SCANDIR:
	case OP_CHDIR:
		return KIND_DIRECTORY;
	case OP_READLINK:
		return KIND_LINK;
	case OP_TRUNCATE:
		return KIND_FILE;
	default:
		return KIND_UNKNOWN;
	}
}

static bool look_apply(struct fs_model *m, const struct load_request *r)
{
	bool follow = r->op != OP_READLINK && !(r->flags & AT_SYMLINK_NOFOLLOW);
	struct found f = path_find(m, r->name, follow, has_arrived(r));
	name_report(m, &f, false);
	if (!has_succeeded(r))
		return failure_fits(m, r, &f) &&
		       (f.how != FOUND_OBJECT || attribute_apply(m, r, f.object));
	if (!found_must_exist(m, &f))
		return false;
	if (f.how != FOUND_OBJECT) {
		if (r->op == OP_OPENDIR)
			slot_opened(m, r->slot);
		return true;
	}
	uint64_t kind = kind_needed(r);
	if (kind != KIND_UNKNOWN && !object_must_be(m, f.object, kind))
		return false;
	if (r->op == OP_TRUNCATE)
		size_change(m, f.object, r->length);
	if (r->op == OP_SCANDIR || r->op == OP_WALK)
		entries_report(m, f.object);
	if (r->op == OP_OPENDIR && r->slot) {
		slot_opened(m, r->slot);
		word_set(m, m->slot_word[r->slot] + SLOT_OBJECT, f.object);
	}
	return attribute_apply(m, r, f.object);
}

/* --- open ---------------------------------------------------------------- */

static bool is_temporary(const struct load_request *r)
{
	return (r->flags & O_TMPFILE) == O_TMPFILE;
}

/* Finds the opened file. Returns false if the open cannot have succeeded. Reports a created file as
 * a change of its name. */
static bool opened_find(struct fs_model *m, const struct load_request *r, struct found *f)
{
	bool makes = r->flags & O_CREAT, only = makes && r->flags & O_EXCL;
	if (is_temporary(r)) {
		*f = (struct found){.how = FOUND_OBJECT, .object = object_new(m, KIND_FILE, true)};
		return true;
	}
	const struct slot_file *file = &m->s->file[r->name];
	bool may_be_new = f->how == FOUND_NOTHING || (f->how == FOUND_UNKNOWN &&
		(only || m->listed || (file->created && !file->required)));
	if (only && f->how == FOUND_OBJECT && !m->force)
		return false;
	if (makes && (may_be_new || (only && f->how == FOUND_OBJECT))) {
		f->object = object_new(m, KIND_FILE, true);
		name_set(m, f, f->object);
		f->how = FOUND_OBJECT;
		return true;
	}
	name_report(m, f, false);
	return found_must_exist(m, f);
}

static bool open_failed(struct fs_model *m, const struct load_request *r, struct found *f)
{
	name_report(m, f, false);
	if (r->rvalue == -EEXIST)
		return found_must_exist(m, f);
	if (r->flags & O_CREAT && !way_error(f) && f->how == FOUND_NOTHING)
		return r->rvalue != -ENOENT && r->rvalue != -EISDIR && r->rvalue != -ENOTDIR
			   ? true
			   : m->force;
	if (r->flags & O_CREAT && !way_error(f) && r->rvalue == -ENOENT)
		return m->force;
	return failure_fits(m, r, f);
}

/* Binds the slot to the object. A reused slot (slots_reuse) had another object before. */
static void slot_object_set(struct fs_model *m, const struct load_request *r, uint32_t object)
{
	word_set(m, m->slot_word[r->slot] + SLOT_OBJECT, object);
	word_set(m, m->slot_word[r->slot] + SLOT_POSITION, r->op == OP_OPEN ? 0 : UNKNOWN);
}

static bool open_apply(struct fs_model *m, const struct load_request *r)
{
	bool follow =
	    !(r->flags & O_NOFOLLOW) && (r->flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL);
	struct found f = path_find(m, r->name, follow, has_arrived(r));
	if (!has_succeeded(r))
		return open_failed(m, r, &f);
	if (!opened_find(m, r, &f))
		return false;
	if (f.how != FOUND_OBJECT) {
		slot_opened(m, r->slot);
		slot_object_set(m, r, 0);
		return true;
	}
	uint32_t access = r->flags & O_ACCMODE;
	if (r->flags & O_DIRECTORY && !is_temporary(r) &&
	    !object_must_be(m, f.object, KIND_DIRECTORY))
		return false;
	if (access != O_RDONLY && !object_must_be(m, f.object, KIND_FILE))
		return false;
	if (r->flags & O_TRUNC && access != O_RDONLY)
		size_change(m, f.object, 0);
	if (r->slot) {
		slot_opened(m, r->slot);
		slot_object_set(m, r, f.object);
	}
	return attribute_apply(m, r, f.object);
}

/* --- creation and removal ------------------------------------------------ */

static bool make_apply(struct fs_model *m, const struct load_request *r)
{
	struct found f = path_find(m, r->name, false, has_arrived(r));
	if (!has_succeeded(r)) {
		name_report(m, &f, false);
		if (r->rvalue == -EEXIST)
			return found_must_exist(m, &f);
		int way = way_error(&f);
		return way < 0 || m->force ||
		       (way ? r->rvalue == -way : r->rvalue != -ENOENT && r->rvalue != -ENOTDIR);
	}
	if (!found_must_not_exist(m, &f))
		return false;
	if (!f.name)
		return true;
	uint64_t kind = r->op == OP_MKDIR     ? KIND_DIRECTORY
			: r->op == OP_SYMLINK ? KIND_LINK
					      : KIND_FILE;
	uint32_t object = object_new(m, kind, true), len;
	if (r->op == OP_SYMLINK) {
		const char *text = load_heap(m->l, r, &len);
		m->word[object + WORD_LINK] = text ? path_of_text(m, text, len) : UNKNOWN;
	}
	name_set(m, &f, object);
	return true;
}

static bool emptiness_fits(struct fs_model *m, uint32_t object, bool empty)
{
	uint64_t entries = m->word[object + WORD_ENTRIES];
	entries_report(m, object);
	if (entries == UNKNOWN || (entries == 0) == empty)
		return true;
	if (m->force && empty)
		word_set(m, object + WORD_ENTRIES, 0);
	return m->force;
}

static bool remove_apply(struct fs_model *m, const struct load_request *r)
{
	struct found f = path_find(m, r->name, false, has_arrived(r));
	if (!has_succeeded(r)) {
		name_report(m, &f, false);
		if (r->rvalue == -ENOTEMPTY && found_must_exist(m, &f) && f.how == FOUND_OBJECT)
			return emptiness_fits(m, f.object, false);
		return failure_fits(m, r, &f);
	}
	if (!found_must_exist(m, &f))
		return false;
	if (f.how != FOUND_OBJECT || !f.name)
		return true;
	bool directory = r->op == OP_RMDIR || r->flags & AT_REMOVEDIR;
	if (directory &&
	    (!object_must_be(m, f.object, KIND_DIRECTORY) || !emptiness_fits(m, f.object, true)))
		return false;
	if (!directory && m->word[f.object + WORD_KIND] == KIND_DIRECTORY && !m->force)
		return false;
	name_set(m, &f, ABSENT);
	if (directory)
		attribute_report(m, f.object, true);
	return true;
}

/* --- two names ----------------------------------------------------------- */

static uint64_t kind_of(const struct fs_model *m, const struct found *f)
{
	return f->how == FOUND_OBJECT ? m->word[f->object + WORD_KIND] : KIND_UNKNOWN;
}

/* Checks a rename or link: a directory has a single name, replaces only directories, and is
 * replaced only by directories. */
static bool pair_kinds_fit(struct fs_model *m, const struct load_request *r, struct found *a,
			   struct found *b)
{
	uint64_t from = kind_of(m, a), to = kind_of(m, b);
	bool from_other = from != KIND_DIRECTORY && from != KIND_UNKNOWN,
	     to_other = to != KIND_DIRECTORY && to != KIND_UNKNOWN;
	if (r->op == OP_LINK && r->rvalue == -EPERM)
		return !from_other && found_must_not_exist(m, b);
	if (r->op == OP_RENAME && r->rvalue == -EISDIR)
		return from != KIND_DIRECTORY && !to_other && found_must_exist(m, b);
	if (r->op == OP_RENAME && r->rvalue == -ENOTDIR)
		return !from_other && to != KIND_DIRECTORY && found_must_exist(m, b);
	return true;
}

static bool pair_failed(struct fs_model *m, const struct load_request *r, struct found *a,
			struct found *b)
{
	name_report(m, a, false);
	name_report(m, b, false);
	if (r->rvalue == -EEXIST || r->rvalue == -ENOTEMPTY) {
		if (!found_must_exist(m, a) || !found_must_exist(m, b))
			return false;
		return r->rvalue != -ENOTEMPTY || b->how != FOUND_OBJECT ||
		       emptiness_fits(m, b->object, false);
	}
	/* link(2) looks up the old name before the directories of the new name, and rename(2) after
	 * them */
	if (r->op == OP_LINK && r->rvalue == -ENOENT &&
	    (a->how == FOUND_NOTHING || a->how == FOUND_UNKNOWN) && way_error(b))
		return found_must_not_exist(m, a);
	int way = way_error(a) ? way_error(a) : way_error(b);
	if (way)
		return way < 0 || m->force || r->rvalue == -way;
	if (r->rvalue == -ENOENT)
		return found_must_not_exist(m, a);
	return (a->how != FOUND_NOTHING && pair_kinds_fit(m, r, a, b)) || m->force;
}

static bool names_exchange(struct fs_model *m, struct found *a, struct found *b)
{
	uint32_t first = a->object;
	name_set(m, a, b->object);
	name_set(m, b, first);
	return true;
}

static bool rename_done(struct fs_model *m, const struct load_request *r, struct found *a,
			struct found *b)
{
	if ((r->flags & NO_REPLACE && !found_must_not_exist(m, b)) ||
	    (way_error(b) > 0 && !m->force))
		return false;
	if (r->flags & EXCHANGE)
		return found_must_exist(m, b) &&
		       (b->how != FOUND_OBJECT || names_exchange(m, a, b));
	/* both names refer to the same file: rename(2) does nothing */
	if (b->how == FOUND_OBJECT && b->object == a->object) {
		name_report(m, a, false);
		name_report(m, b, false);
		return true;
	}
	bool directory = m->word[a->object + WORD_KIND] == KIND_DIRECTORY;
	if (b->how == FOUND_OBJECT && m->word[b->object + WORD_KIND] == KIND_DIRECTORY &&
	    !emptiness_fits(m, b->object, true))
		return false;
	if (b->how == FOUND_OBJECT && directory && m->word[b->object + WORD_KIND] == KIND_FILE &&
	    !m->force)
		return false;
	name_set(m, b, a->object);
	name_set(m, a, ABSENT);
	return true;
}

static bool pair_apply(struct fs_model *m, const struct load_request *r)
{
	const struct load_more *more = load_more(m->l, r);
	if (!more || more->name == NONE32)
		return true;
	bool follow = r->op == OP_LINK && r->flags & AT_SYMLINK_FOLLOW;
	if (r->op == OP_LINK && r->slot) { /* by descriptor */
		struct found made = path_find(m, more->name, false, has_arrived(r));
		if (!found_must_not_exist(m, &made))
			return false;
		name_set(m, &made, (uint32_t)m->word[m->slot_word[r->slot] + SLOT_OBJECT]);
		return true;
	}
	struct found a = path_find(m, r->name, follow, has_arrived(r)),
		     b = path_find(m, more->name, false, has_arrived(r));
	if (!has_succeeded(r))
		return pair_failed(m, r, &a, &b);
	if (!found_must_exist(m, &a))
		return false;
	if (a.how != FOUND_OBJECT)
		return true;
	if (r->op == OP_RENAME)
		return rename_done(m, r, &a, &b);
	if (!found_must_not_exist(m, &b))
		return false;
	name_report(m, &a, false);
	name_set(m, &b, a.object);
	return true;
}

/* --- one request --------------------------------------------------------- */

/* Returns the name that a call creates; NONE32: none, or a directory. */
static uint32_t name_made(const struct fs_model *m, const struct load_request *r)
{
	const struct load_more *more = load_more(m->l, r);
	if (r->op == OP_RENAME || r->op == OP_LINK)
		return more ? more->name : NONE32;
	const bool makes = r->op == OP_SYMLINK || r->op == OP_MKNOD ||
			   ((r->op == OP_OPEN || r->op == OP_FOPEN) && r->flags & O_CREAT);
	return makes ? r->name : NONE32;
}

/* Whether the call is refused because of a trailing slash, whatever exists there. The slash is kept
 * in the path if the call may have failed because of it. */
static bool is_refused(const struct fs_model *m, const struct load_request *r)
{
	const uint32_t made = has_succeeded(r) ? NONE32 : name_made(m, r);
	const size_t len = made == NONE32 ? 0 : strlen(m->s->file[made].name);
	return len > 1 && m->s->file[made].name[len - 1] == '/';
}

static bool name_apply(struct fs_model *m, const struct load_request *r)
{
	if (is_refused(m, r)) {
		const struct found f = path_find(m, r->name, false, false);
		name_report(m, &f, false);
		if (r->op == OP_RENAME || r->op == OP_LINK) {
			const struct found made = path_find(m, name_made(m, r), false, false);
			name_report(m, &made, false);
		}
		return true;
	}
	switch (r->op) {
	case OP_OPEN:
	case OP_FOPEN:
	case OP_FREOPEN:
		return open_apply(m, r);
	case OP_MKDIR:
	case OP_MKNOD:
	case OP_SYMLINK:
		return make_apply(m, r);
	case OP_UNLINK:
	case OP_RMDIR:
		return remove_apply(m, r);
	case OP_RENAME:
	case OP_LINK:
		return pair_apply(m, r);
	default:
		return look_apply(m, r);
	}
}

bool fs_model_apply(struct fs_model *m, uint32_t i)
{
	const struct load_request *r = &m->l->request[i];
	size_t mark = fs_model_mark(m), n_events = m->events ? m->events->n : 0;
	if (m->events)
		fs_event_add(m->events, FS_EVENT_REQUEST, i, false, 0, NULL);
	if (r->skipped)
		return true;
	bool ok = op_info(r->op)->uses & OP_HAS_PATH && !load_is_touch(r)
		      ? r->name == NONE32 || name_apply(m, r)
		      : data_apply(m, r);
	if (!ok && m->force)
		return true;
	if (!ok) {
		fs_model_back(m, mark);
		if (m->events)
			m->events->n = n_events;
	}
	return ok;
}
