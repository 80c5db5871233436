/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The paths of a trace. */

#include "common/fnv1a.h"
#include "replay/load/initial.h"
#include "replay/load/slots_private.h"

/* Returns the path without a leading "/" or "./": such spellings refer to the same file. */
static const char *plain_name(const char *path)
{
	for (;;) {
		if (path[0] == '/')
			path++;
		else if (path[0] == '.' && path[1] == '/')
			path += 2;
		else
			return *path ? path : ".";
	}
}

static bool is_below(const char *path, const char *directory)
{
	size_t len = strlen(directory);
	return !strncmp(path, directory, len) && (!path[len] || path[len] == '/');
}

/* Returns why a file is not replayed: files below /proc, /sys and /dev are not, except shared
 * memory in /dev/shm. */
static uint8_t name_skip_reason(const struct finder *f, const char *name)
{
	static const char *const made_up[] = {"proc", "sys", "dev", NULL};
	const char *root = plain_name(f->root);
	size_t len = strcmp(root, ".") ? strlen(root) : 0;
	if (len && !is_below(root, "proc") && !is_below(root, "sys") && !is_below(root, "dev"))
		return SKIP_NONE;
	/* if the root is not "/", it decides; otherwise the path itself decides */
	const char *whole = len ? root : name;
	if (is_below(whole, "dev/shm") && (len || whole[7]))
		return SKIP_NONE;
	for (const char *const *m = made_up; *m; m++)
		if (is_below(whole, *m) && (len || whole[strlen(*m)]))
			return SKIP_SYSTEM;
	return SKIP_NONE;
}

static uint64_t name_hash(const char *name, size_t len, bool is_path)
{
	return fnv1a(is_path ? FNV1A_START : 0x9e3779b97f4a7c15u, name, len);
}

static bool name_is(const struct slot_file *file, const char *name, size_t len, bool is_path)
{
	return !strncmp(file->name, name, len) && !file->name[len] &&
	       (file->skipped == SKIP_OBJECT) == !is_path;
}

uint32_t name_find(struct finder *f, const char *text, enum name_kind kind)
{
	struct slots *s = f->s;
	const bool is_path = kind != NAME_OBJECT;
	const char *name = is_path ? plain_name(text) : text;
	size_t len = strlen(name);
	while (kind == NAME_PATH && len > 1 && name[len - 1] == '/')
		len--;
	for (uint64_t hash = name_hash(name, len, is_path);; hash++) {
		uint32_t *known = u64_map_at(&f->file_of_name, hash, s->n_files);
		if (*known < s->n_files) {
			if (name_is(&s->file[*known], name, len, is_path))
				return *known;
			continue; /* another name of the same hash */
		}
		GROW(s->file, s->n_files, s->files_cap);
		struct slot_file *file = &s->file[s->n_files];
		*file = (struct slot_file){.name = xasprintf("%.*s", (int)len, name)};
		file->skipped = is_path ? name_skip_reason(f, file->name) : SKIP_OBJECT;
		return s->n_files++;
	}
}

/* A trailing slash belongs to the name if the request may have failed because of it. */
static enum name_kind path_kind(const struct load_request *r)
{
	const bool slash =
	    r->rvalue < 0 && r->rvalue > -4096 && op_slash_decides(r->op, (int)-r->rvalue);
	return slash ? NAME_PATH_AND_SLASH : NAME_PATH;
}

/* Returns the name of a path. A relative path is joined to the working directory, if the trace also
 * has absolute paths. */
static uint32_t name_joined(struct finder *f, const struct load_request *r, const char *path)
{
	uint32_t process = process_of(f, r);
	const char *base = f->s->process[process].directory;
	if (path[0] == '/' || !base)
		return name_find(f, path, path_kind(r));
	SCOPED_FREE char *joined = xasprintf("%s/%s", base, path);
	return name_find(f, joined, path_kind(r));
}

uint32_t name_of_text(struct finder *f, const struct load_request *r, const char *path)
{
	return f->absolute ? name_joined(f, r, path)
			   : name_find(f, path, path_kind(r));
}

uint32_t name_of_request(struct finder *f, const struct load_request *r)
{
	uint32_t *known = r->object < f->n_objects ? &f->file_of_object[r->object] : NULL;
	if (!known)
		return NONE32;
	const enum name_kind kind = path_kind(r);
	if (*known != NONE32 && kind == NAME_PATH)
		return *known;
	const struct trace_object *o = trace_object(f->t, r->object);
	if (!o || !o->name || (o->kind != OBJECT_PATH && o->kind != OBJECT_FD))
		return NONE32;
	uint32_t process = process_of(f, r);
	if (f->absolute && o->kind == OBJECT_PATH && o->name[0] != '/' &&
	    f->s->process[process].directory)
		/* not cached: the name depends on the process and the time */
		return name_joined(f, r, o->name);
	uint32_t file = name_find(f, o->name, o->kind == OBJECT_PATH ? kind : NAME_OBJECT);
	if ((!f->absolute || o->name[0] == '/') && kind == NAME_PATH)
		*known = file;
	return file;
}

void directory_change(struct finder *f, const struct load_request *r, uint32_t file)
{
	uint32_t process = process_of(f, r);
	char **directory = &f->s->process[process].directory;
	if (!f->absolute || file == NONE32 || r->rvalue < 0)
		return;
	free(*directory);
	*directory = xstrdup(f->s->file[file].name);
}

/* --- links --------------------------------------------------------------- */

bool load_follows_link(const struct load_request *r)
{
	switch (r->op) {
	case OP_RENAME:
	case OP_SYMLINK:
	case OP_READLINK:
	case OP_UNLINK:
	case OP_MKDIR:
	case OP_RMDIR:
	case OP_MKNOD:
		return false;
	case OP_LINK:
		return r->flags & AT_SYMLINK_FOLLOW;
	case OP_OPEN:
		return !(r->flags & O_NOFOLLOW);
	default:
		return !(r->flags & AT_SYMLINK_NOFOLLOW);
	}
}

/* Appends the path to which the link leads. It is below the root if the text of the link has ".."
 * only at its start. */
static void target_name(struct strbuf *to, const char *path, const char *text)
{
	const char *slash = text[0] == '/' ? NULL : strrchr(path, '/');
	for (; slash && !strncmp(text, "../", 3); text += 3)
		slash = memrchr(path, '/', (size_t)(slash - path));
	strbuf_reset(to);
	strbuf_add(to, path, slash ? (size_t)(slash + 1 - path) : 0);
	strbuf_addstr(to, plain_name(text));
}

void names_of_system(struct finder *f)
{
	const struct fileset *listed = &trace_meta(f->t)->files;
	SCOPED_STRBUF target = STRBUF_INIT;
	for (size_t i = 0; i < listed->n; i++) {
		const char *text = fileset_link(listed, i);
		if (!text)
			continue;
		target_name(&target, listed->entry[i].path, text);
		if (name_skip_reason(f, target.s) != SKIP_SYSTEM)
			continue;
		const uint32_t file = name_find(f, listed->entry[i].path, NAME_PATH);
		f->s->file[file].to_system = true;
	}
}

/* --- facts about names --------------------------------------------------- */

static void names_list(struct finder *f)
{
	const struct fileset *listed = &trace_meta(f->t)->files;
	uint32_t n_used = f->s->n_files;
	for (size_t i = 0; i < listed->n && n_used; i++) {
		const bool link = fileset_link(listed, i) != NULL;
		if (listed->entry[i].directory && !link)
			continue;
		const uint32_t file = name_find(f, listed->entry[i].path, NAME_PATH);
		if (link) {
			f->s->file[file].maybe_link = true;
			continue;
		}
		f->s->file[file].listed = true;
	}
}

/* Marks the files that existed before the trace. */
static void names_require(const struct finder *f)
{
	const struct initial *i = f->s->initial;
	for (uint32_t k = 0; k < i->n; k++) {
		const char *path = i->entry[k].path;
		const size_t len = strlen(path);
		const uint32_t *known;
		for (uint64_t hash = name_hash(path, len, true);
		     (known = u64_map_find(&f->file_of_name, hash)) != NULL; hash++)
			if (name_is(&f->s->file[*known], path, len, true)) {
				f->s->file[*known].required = true;
				break;
			}
	}
}

static uint64_t hash_of_last(const char *name)
{
	const char *last = strrchr(name, '/');
	last = last ? last + 1 : name;
	return fnv1a(FNV1A_START, last, strlen(last));
}

static void leads_mark(struct finder *f)
{
	struct slots *s = f->s;
	SCOPED_STRBUF path = STRBUF_INIT;
	const char *before = NULL; /* its directory has been marked */
	size_t before_len = 0;
	for (uint32_t i = 0, n = s->n_files; i < n; i++) {
		const char *name = s->file[i].name, *slash = strrchr(name, '/');
		const size_t len = slash ? (size_t)(slash - name) : 0;
		if (!slash || (before && len == before_len && !memcmp(before, name, len)))
			continue;
		before = name;
		before_len = len;
		strbuf_reset(&path);
		strbuf_add(&path, name, len);
		for (;;) {
			uint32_t parent = name_find(f, path.s, NAME_PATH);
			char *up = strrchr(path.s, '/');
			if (s->file[parent].leads)
				break;
			s->file[parent].leads = true;
			if (!up)
				break;
			*up = '\0';
		}
	}
}

/* Marks the paths that may be links: symlink, rename and link give a link a name. The rename of a
 * directory changes all components but the last. So every path with the last component of a link
 * may be a link. */
static void links_mark(struct finder *f)
{
	struct slots *s = f->s;
	SCOPED(u64_map_release) struct u64_map ends = {.cell = NULL};
	leads_mark(f);
	for (uint32_t i = 0; i < s->n_files; i++)
		if (s->file[i].maybe_link)
			u64_map_at(&ends, hash_of_last(s->file[i].name), 1);
	for (uint32_t i = 0; i < f->l->n; i++) {
		const struct load_request *r = &f->l->request[i];
		const struct load_more *m = load_more(f->l, r);
		if (r->name == NONE32)
			continue;
		const char *name = s->file[r->name].name;
		bool is_link = r->op == OP_SYMLINK || (r->op == OP_READLINK && r->rvalue >= 0);
		if (is_link)
			u64_map_at(&ends, hash_of_last(name), 1);
		if ((r->op == OP_RENAME || r->op == OP_LINK) && m && m->name != NONE32 &&
		    u64_map_find(&ends, hash_of_last(name)))
			u64_map_at(&ends, hash_of_last(s->file[m->name].name), 1);
		if (r->op == OP_RENAME && r->flags & RENAME_EXCHANGE && m && m->name != NONE32 &&
		    u64_map_find(&ends, hash_of_last(s->file[m->name].name)))
			u64_map_at(&ends, hash_of_last(name), 1);
	}
	s->any_links = ends.n > 0;
	for (uint32_t i = 0; i < s->n_files && s->any_links; i++)
		s->file[i].maybe_link = u64_map_find(&ends, hash_of_last(s->file[i].name)) != NULL;
}

void names_mark(struct finder *f)
{
	names_list(f);
	links_mark(f);
	names_require(f);
}
