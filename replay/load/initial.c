/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/sort.h"
#include "replay/load/initial_private.h"

#include "capture/fileset/fileset.h"
#include "common/fnv1a.h"

/* --- nodes and names ----------------------------------------------------- */

void initial_require(struct walker *w, uint32_t node, enum initial_kind kind)
{
	if (!node)
		return;
	struct node *n = &w->m.node[node];
	if (kind != INITIAL_UNKNOWN && n->kind != INITIAL_DIRECTORY && n->kind != INITIAL_LINK)
		n->kind = kind;
	if (n->maybe)
		return;
	for (; node != NODE_ROOT && node && w->m.node[node].initial && w->m.node[node].name;
	     node = w->m.node[node].parent)
		w->m.node[node].required = true;
}

static const char *path_of(const struct walker *w, uint32_t name)
{
	return name == NONE32 ? NULL : w->s->file[name].name;
}

static void require_parent(struct walker *w, const char *path)
{
	const char *last;
	size_t len;
	initial_require(w, name_model_parent(&w->m, path, &last, &len), INITIAL_DIRECTORY);
}

static void name_remove(struct walker *w, const char *path)
{
	name_model_set(&w->m, path, NODE_NONE);
}

/* Notes that the name did not exist before, because the trace creates it. Another request may still
 * show that it did. */
static void name_absent(struct walker *w, const char *path)
{
	uint32_t node = name_model_find(&w->m, path, false);
	if (node && w->m.node[node].initial)
		w->m.node[node].absent = true;
}

/* Notes that the request created the name: the name did not exist before, but its directory did. */
static uint32_t name_create(struct walker *w, const char *path, enum initial_kind kind)
{
	require_parent(w, path);
	name_absent(w, path);
	uint32_t made = name_model_make(&w->m, kind);
	name_model_set(&w->m, path, made);
	return made;
}

/* --- failed requests ----------------------------------------------------- */

static bool ends_in_slash(const char *path)
{
	const size_t len = strlen(path);
	return len > 1 && path[len - 1] == '/';
}

enum prefix_state {
	PREFIX_DIRECTORY, /* every component before the last is known to be a directory */
	PREFIX_UNKNOWN,   /* the type of some component is unknown */
	PREFIX_FILE,      /* some component is known not to be a directory */
};

/* Examines the components before the last one, one after the other: a look-up of the whole path
 * would turn unknown nodes into directories. */
static enum prefix_state prefix_state_of(struct walker *w, const char *path)
{
	SCOPED_FREE char *text = xstrdup(path);
	enum prefix_state prefix_state = PREFIX_DIRECTORY;
	bool unknown = false;
	for (char *slash = strchr(text + 1, '/');
	     slash && slash[strspn(slash, "/")] && prefix_state == PREFIX_DIRECTORY;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		const uint32_t node = unknown ? NODE_NONE : name_model_find(&w->m, text, true);
		if (node && w->m.node[node].kind == INITIAL_FILE)
			prefix_state = PREFIX_FILE;
		else if (unknown)
			prefix_state = PREFIX_UNKNOWN;
		unknown = !node || w->m.node[node].kind != INITIAL_DIRECTORY;
		*slash = '/';
	}
	return prefix_state;
}

/* Handles a failure with a trailing slash. open, symlink and mknod always refuse such a path,
 * because they create no directories: such failures show nothing. */
static void failed_by_trailing_slash(struct walker *w, const struct load_request *r,
				     const char *path)
{
	if (prefix_state_of(w, path) == PREFIX_FILE)
		return;
	const uint32_t node = name_model_find(&w->m, path, true);
	if (r->rvalue == -ENOTDIR)
		initial_require(w, node, INITIAL_FILE);
	else if ((r->rvalue == -EISDIR && !(r->op == OP_OPEN && r->flags & O_CREAT)) ||
		 (r->rvalue == -EINVAL && r->op == OP_READLINK))
		initial_require(w, node, INITIAL_DIRECTORY);
}

static bool removes_directory(const struct load_request *r)
{
	return r->op == OP_RMDIR || (r->op == OP_UNLINK && r->flags & AT_REMOVEDIR);
}

/* Handles ENOTEMPTY: if the trace created none of the directory's present entries, the directory
 * contained a file at first. */
static void failed_not_empty(struct walker *w, uint32_t node)
{
	initial_require(w, node, INITIAL_DIRECTORY);
	if (!node || !w->m.node[node].initial || w->m.node[node].not_empty)
		return;
	for (uint32_t i = 0; i < w->m.n_bonds; i++) {
		const struct bond *b = &w->m.bond[i];
		if (b->directory == node && b->node && !w->m.node[b->node].initial)
			return;
	}
	w->m.node[node].not_empty = true;
}

/* Handles ENOTDIR. If the request needs a directory, the file at its path is not a directory.
 * Otherwise the parent of its path is not a directory, provided that all components above the
 * parent are known. */
static void failed_no_directory(struct walker *w, const struct load_request *r, const char *path)
{
	const bool wants = r->op == OP_OPENDIR || r->op == OP_SCANDIR || r->op == OP_CHDIR ||
			   (r->op == OP_OPEN && r->flags & O_DIRECTORY) || removes_directory(r);
	const char *slash = strrchr(path, '/');
	const enum prefix_state prefix_state = prefix_state_of(w, path);
	if (r->op == OP_RENAME || r->op == OP_LINK || prefix_state == PREFIX_FILE)
		return;
	if (wants) {
		/* a link that the call does not follow is not a directory either, and stays a
		 * link */
		initial_require(w, name_model_find(&w->m, path, load_follows_link(r)),
				INITIAL_FILE);
	} else if (prefix_state == PREFIX_DIRECTORY && slash && slash > path) {
		SCOPED_FREE char *parent = xstrdup(path);
		parent[slash - path] = '\0';
		initial_require(w, name_model_find(&w->m, parent, true), INITIAL_FILE);
	}
}

static void failure_seen(struct walker *w, const struct load_request *r, const char *path)
{
	bool follow = !(r->flags & AT_SYMLINK_NOFOLLOW) || r->op == OP_OPEN;
	bool makes = r->op == OP_MKDIR || r->op == OP_SYMLINK || r->op == OP_MKNOD ||
		     r->op == OP_LINK || r->op == OP_RENAME;
	const struct load_more *m = load_more(w->l, r);
	if (ends_in_slash(path)) {
		failed_by_trailing_slash(w, r, path);
	} else if (r->rvalue == -ENOENT && !makes && !(r->flags & O_CREAT && r->op == OP_OPEN)) {
		uint32_t node = name_model_find(&w->m, path, follow);
		if (node && w->m.node[node].initial && !w->m.node[node].required &&
		    w->m.node[node].kind == INITIAL_UNKNOWN) {
			name_absent(w, path);
			name_remove(w, path);
		}
	} else if (r->rvalue == -ENOTEMPTY && removes_directory(r)) {
		failed_not_empty(w, name_model_find(&w->m, path, true));
	} else if (r->rvalue == -ENOTEMPTY && r->op == OP_RENAME && m && m->name != NONE32) {
		failed_not_empty(w, name_model_find(&w->m, path_of(w, m->name), false));
		initial_require(w, name_model_find(&w->m, path, false), INITIAL_DIRECTORY);
	} else if (r->rvalue == -EISDIR && r->op == OP_RENAME) {
		initial_require(w, name_model_find(&w->m, path, false), INITIAL_FILE);
		if (m && m->name != NONE32)
			initial_require(w, name_model_find(&w->m, path_of(w, m->name), false),
					INITIAL_DIRECTORY);
	} else if (r->rvalue == -EEXIST) {
		const char *target =
		    (r->op == OP_LINK || r->op == OP_RENAME) && m && m->name != NONE32
			? path_of(w, m->name)
			: path;
		initial_require(w, name_model_find(&w->m, target, false),
				r->op == OP_MKDIR ? INITIAL_UNKNOWN : INITIAL_FILE);
	} else if (r->rvalue == -EISDIR ||
		   (r->rvalue == -EINVAL && removes_directory(r))) {
		initial_require(w, name_model_find(&w->m, path, true), INITIAL_DIRECTORY);
	} else if (r->rvalue == -ENOTDIR) {
		failed_no_directory(w, r, path);
	} else if (r->rvalue == -EINVAL && r->op == OP_READLINK) {
		initial_require(w, name_model_find(&w->m, path, false), INITIAL_FILE);
	} else if (r->rvalue == -ENODATA || r->rvalue == -EOPNOTSUPP) {
		initial_require(w, name_model_find(&w->m, path, follow), INITIAL_UNKNOWN);
	} else if (r->rvalue == -ELOOP && r->op == OP_OPEN && r->flags & O_NOFOLLOW) {
		const uint32_t node = name_model_find(&w->m, path, false);
		initial_require(w, node,
				node && w->m.node[node].kind == INITIAL_UNKNOWN ? INITIAL_LINK
										: INITIAL_UNKNOWN);
	}
}

/* --- paths --------------------------------------------------------------- */

static void open_seen(struct walker *w, const struct load_request *r, const char *path)
{
	uint32_t flags = r->op == OP_OPENDIR ? O_DIRECTORY : r->flags, node = NODE_NONE;
	bool temporary = (flags & O_TMPFILE) == O_TMPFILE;
	enum initial_kind kind = flags & O_DIRECTORY ? INITIAL_DIRECTORY : INITIAL_UNKNOWN;
	if (flags & O_ACCMODE || flags & O_TRUNC)
		kind = INITIAL_FILE;
	if (temporary) {
		initial_require(w, name_model_find(&w->m, path, true), INITIAL_DIRECTORY);
		node = name_model_make(&w->m, INITIAL_FILE);
	} else if (flags & O_CREAT && flags & O_EXCL) {
		node = name_create(w, path, INITIAL_FILE);
	} else {
		node = name_model_find(&w->m, path, !(flags & O_NOFOLLOW));
		if (node == NODE_NONE)
			node = name_create(w, path, kind);
		else if (flags & O_CREAT) {
			require_parent(w, path); /* the file itself may have existed */
			w->m.node[node].absent = w->m.node[node].maybe =
			    w->m.node[node].initial && !w->m.node[node].required;
		}
		else
			initial_require(w, node, kind);
		struct node *n = &w->m.node[node];
		if (n->kind == INITIAL_UNKNOWN)
			n->kind = kind;
		n->truncated |= (flags & O_TRUNC) != 0;
	}
	w->slot[w->s->slot[r->slot].origin] =
	    (struct open_state){node, 0, !(flags & O_APPEND), false};
}

static void rename_seen(struct walker *w, const struct load_request *r, const char *path)
{
	const struct load_more *m = load_more(w->l, r);
	if (!m || m->name == NONE32)
		return;
	const char *to = path_of(w, m->name);
	uint32_t node =
	    name_model_find(&w->m, path, r->op == OP_LINK && r->flags & AT_SYMLINK_FOLLOW);
	uint32_t there =
	    r->op == OP_RENAME && r->flags & 2 ? name_model_find(&w->m, to, false) : NODE_NONE;
	initial_require(w, node, INITIAL_UNKNOWN);
	require_parent(w, to);
	if (!there)
		name_absent(w, to);
	if (there)
		initial_require(w, there, INITIAL_UNKNOWN);
	if (node == NODE_NONE)
		node = name_model_make(&w->m, INITIAL_UNKNOWN);
	if (r->op == OP_RENAME)
		name_model_set(&w->m, path, there);
	name_model_set(&w->m, to, node);
	if (r->op == OP_RENAME && w->m.node[node].kind == INITIAL_DIRECTORY) {
		const char *last;
		size_t len;
		uint32_t parent = name_model_parent(&w->m, to, &last, &len);
		if (parent && !w->m.node[node].name)
			w->m.node[node].parent = parent;
	}
}

void initial_attribute_seen(struct walker *w, const struct load_request *r, uint32_t node)
{
	uint32_t len;
	const char *name = load_heap(w->l, r, &len);
	struct node *n = initial_node(w, node);
	bool reads = r->op == OP_GETXATTR || r->op == OP_FGETXATTR;
	if (!name || !n || r->rvalue < 0 || strncmp(name, "user.", 5) || strlen(name) != len)
		return;
	const uint64_t hash = fnv1a(FNV1A_START ^ (uint64_t)node * 0x9e3779b97f4a7c15u, name, len);
	uint32_t *known = u64_map_at(&w->named, hash, 0);
	char *path = *known || !n->initial ? NULL : name_model_first_path(&w->m, node);
	*known = 1;
	if (!path || r->op == OP_SETXATTR || r->op == OP_FSETXATTR) {
		free(path);
		return;
	}
	APPEND(w->out->attribute, w->out->n_attributes, w->out->attributes_cap,
	       (struct initial_attribute){path, xstrdup(name), reads ? (uint64_t)r->rvalue : 1});
}

static void link_read(struct walker *w, uint32_t node, const char *text)
{
	struct node *n = &w->m.node[node];
	char *path = n->initial && n->followed ? name_model_first_path(&w->m, node) : NULL;
	n->link = xstrdup(text);
	if (!path)
		return;
	APPEND(w->late, w->n_late, w->late_cap, (struct late_link){path, xstrdup(text)});
}

/* Handles a link by descriptor: the file of the slot gets a name. */
static void slot_linked(struct walker *w, const struct load_request *r)
{
	const struct load_more *m = load_more(w->l, r);
	const uint32_t node = w->slot[w->s->slot[r->slot].origin].node;
	if (!m || m->name == NONE32)
		return;
	require_parent(w, path_of(w, m->name));
	name_absent(w, path_of(w, m->name));
	name_model_set(&w->m, path_of(w, m->name),
		       node == NODE_NONE ? name_model_make(&w->m, INITIAL_FILE) : node);
}

static void path_seen(struct walker *w, const struct load_request *r)
{
	const char *path = path_of(w, r->name);
	if (r->op == OP_LINK && r->slot && !r->skipped) {
		slot_linked(w, r);
		return;
	}
	if (!path || r->skipped)
		return;
	if (r->rvalue < 0) {
		failure_seen(w, r, path);
		return;
	}
	uint32_t node, len;
	const char *link;
	switch (r->op) {
	case OP_OPEN:
	case OP_FOPEN:
	case OP_FREOPEN:
	case OP_OPENDIR:
		open_seen(w, r, path);
		return;
	case OP_MKDIR:
		name_create(w, path, INITIAL_DIRECTORY);
		return;
	case OP_MKNOD:
		name_create(w, path, INITIAL_FILE);
		return;
	case OP_SYMLINK:
		node = name_create(w, path, INITIAL_LINK);
		w->m.node[node].link =
		    load_heap(w->l, r, &len) ? xstrdup(load_heap(w->l, r, &len)) : NULL;
		return;
	case OP_RENAME:
	case OP_LINK:
		rename_seen(w, r, path);
		return;
	case OP_UNLINK:
	case OP_RMDIR:
		node = name_model_find(&w->m, path, false);
		initial_require(w, node,
				removes_directory(r) ? INITIAL_DIRECTORY : INITIAL_UNKNOWN);
		if (node) { /* the trace lacks the removal of its other files */
			w->m.node[node].not_empty = false;
			w->m.node[node].size_shown = true;
		}
		name_remove(w, path);
		return;
	case OP_READLINK:
		node = name_model_find(&w->m, path, false);
		initial_require(w, node, INITIAL_LINK);
		if (node && !w->m.node[node].link &&
		    (uint64_t)r->rvalue > w->m.node[node].link_bytes)
			w->m.node[node].link_bytes = (uint64_t)r->rvalue;
		link = load_heap(w->l, r, &len);
		if (node && !w->m.node[node].link && link && len == (uint64_t)r->rvalue &&
		    strlen(link) == len)
			link_read(w, node, link);
		return;
	case OP_SCANDIR:
	case OP_CHDIR:
	case OP_WALK:
		initial_require(w, name_model_find(&w->m, path, true),
				r->op == OP_WALK ? INITIAL_UNKNOWN : INITIAL_DIRECTORY);
		return;
	case OP_TRUNCATE:
		node = name_model_find(&w->m, path, true);
		initial_require(w, node, INITIAL_FILE);
		if (node)
			w->m.node[node].truncated = true;
		return;
	default:
		node = name_model_find(&w->m, path, !(r->flags & AT_SYMLINK_NOFOLLOW));
		initial_require(w, node, INITIAL_UNKNOWN);
		if (node && r->op == OP_ACCESS && r->length & X_OK)
			w->m.node[node].executable = true;
		if (op_info(r->op)->uses & OP_HEAP_NAME)
			initial_attribute_seen(w, r, node);
	}
}

/* --- the list of files --------------------------------------------------- */

static void listed_take(struct walker *w, const struct fileset *f)
{
	SCOPED(u64_map_release) struct u64_map known = {.cell = NULL};
	for (uint32_t i = 0; i < f->n; i++) {
		const uint32_t first = fileset_first_name(f, &known, i);
		const char *link = fileset_link(f, i);
		const char *path = f->entry[i].path;
		uint32_t node = name_model_find(&w->m, f->entry[first].path, false);
		if (first != i)
			name_model_set(&w->m, path, node);
		if (node == NODE_NONE || first != i)
			continue;
		struct node *n = &w->m.node[node];
		n->listed = true;
		n->kind = link                    ? INITIAL_LINK
			  : f->entry[i].directory ? INITIAL_DIRECTORY
						  : INITIAL_FILE;
		if (link && !n->link)
			n->link = xstrdup(link);
	}
}

/* The target of a link. If the trace lacks it, a text with as many letters as readlink returned. */
static char *link_text(const struct node *n)
{
	uint64_t len = n->link_bytes && n->link_bytes < 4096 ? n->link_bytes : 1;
	if (n->kind != INITIAL_LINK)
		return NULL;
	if (n->link)
		return xstrdup(n->link);
	char *text = xmalloc(len + 1);
	memset(text, 'x', len);
	text[len] = '\0';
	return text;
}

ORDER_BY_TEXT(compare_entry, struct initial_entry, path)

static void absent_take(struct walker *w)
{
	struct initial *out = w->out;
	for (uint32_t i = NODE_ROOT + 1; i < w->m.n; i++) {
		const struct node *n = &w->m.node[i];
		char *path = n->initial && n->absent && !n->required && !n->listed
				 ? name_model_first_path(&w->m, i)
				 : NULL;
		if (!path)
			continue;
		APPEND(out->absent, out->n_absent, out->absent_cap, path);
	}
}

/* Adds a file to each directory that was not empty, if the trace shows none of its files. */
static void contents_require(struct walker *w)
{
	const uint32_t n = w->m.n;
	for (uint32_t i = NODE_ROOT + 1; i < n; i++)
		if (w->m.node[i].initial && (w->m.node[i].required || w->m.node[i].listed))
			w->m.node[w->m.node[i].parent].not_empty = false;
	for (uint32_t i = NODE_ROOT + 1; i < n; i++) {
		if (!w->m.node[i].not_empty)
			continue;
		const uint32_t file = name_model_make(&w->m, INITIAL_FILE);
		w->m.node[file].initial = w->m.node[file].required = true;
		w->m.node[file].parent = i;
		w->m.node[file].name = xstrdup("unknown");
		name_model_enter(&w->m, i, "unknown", strlen("unknown"), file);
	}
}

static void entries_take(struct walker *w)
{
	struct initial *out = w->out;
	for (uint32_t i = NODE_ROOT + 1; i < w->m.n; i++) {
		const struct node *n = &w->m.node[i];
		char *path = n->initial && n->required ? name_model_first_path(&w->m, i) : NULL;
		if (!path)
			continue;
		APPEND(out->entry, out->n, out->cap, (struct initial_entry){
			.path = path,
			.kind = n->kind == INITIAL_UNKNOWN ? INITIAL_FILE : n->kind,
			.size = n->size,
			.link = link_text(n),
			.listed = n->listed,
			.executable = n->executable,
			.data_sought = n->data_sought,
			.hole = n->hole,
			.n_holes = n->n_holes,
		});
		w->m.node[i].hole = NULL; /* the entry owns it now */
	}
	SORT(out->entry, out->n, compare_entry);
}

static void sizes_count(struct walker *w)
{
	for (uint32_t i = NODE_ROOT + 1; i < w->m.n; i++) {
		const struct node *n = &w->m.node[i];
		w->out->n_sizes_unknown += n->initial && (n->maybe || n->blocks_changed) &&
					   !n->size_shown && !n->truncated;
	}
}

ORDER_BY_TEXT(compare_late, struct late_link, path)

/* Adds the links in the order of their paths, because the path of a link may contain another
 * link. Frees them. */
static void late_links_take(struct walker *w, struct late_link *late, uint32_t n)
{
	SORT(late, n, compare_late);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t node = name_model_find(&w->m, late[i].path, false);
		struct node *of = initial_node(w, node);
		if (!of || of->link || of->listed)
			continue;
		of->kind = INITIAL_LINK;
		of->link = xstrdup(late[i].text);
	}
	for (uint32_t i = 0; i < n; i++)
		FREE_EACH(late[i].path, late[i].text);
	free(late);
}

static void requests_walk(struct walker *w, const struct trace_meta *meta, struct late_link *late,
			  uint32_t n_late)
{
	const struct load *l = w->l;
	w->out = xcalloc(1, sizeof *w->out);
	w->slot = xcalloc((size_t)w->s->n + 1, sizeof *w->slot);
	name_model_init(&w->m);
	listed_take(w, &meta->files);
	late_links_take(w, late, n_late);
	/* a file that is open before the first request existed before it */
	for (uint32_t i = 1; i < w->s->n; i++)
		if (w->s->slot[i].at_setup)
			initial_state(w, i);
	for (uint32_t i = 0; i < l->n; i++) {
		const struct load_request *r = &l->request[i];
		const struct op_info *o = op_info(r->op);
		w->request = i;
		initial_reads_take(w, r->begin_ns);
		if (load_is_touch(r) && !r->skipped)
			initial_was_read(w, initial_state(w, r->slot)->node, r->offset + 1);
		else if (o->uses & OP_HAS_PATH)
			path_seen(w, r);
		else if (o->uses & OP_HAS_FD && !r->skipped)
			initial_descriptor_seen(w, r);
	}
	initial_reads_take(w, INT64_MAX);
	contents_require(w);
	entries_take(w);
	absent_take(w);
	if (!meta->files.n)
		sizes_count(w);
	free(w->read);
	w->out->names = xmalloc(sizeof *w->out->names);
	*w->out->names = w->m;
	u64_map_release(&w->named);
	free(w->slot);
}

/* Walks the trace a second time if it followed links before a request showed that they are
 * links. */
struct initial *initial_find(const struct load *l, const struct slots *s,
			     const struct trace_meta *meta)
{
	struct walker w = {.late = NULL};
	struct late_link *late = NULL;
	uint32_t n_late = 0;
	for (int pass = 0; pass < 2 && (!pass || n_late); pass++) {
		initial_free(w.out);
		w = (struct walker){.l = l, .s = s};
		requests_walk(&w, meta, late, n_late);
		late = w.late;
		n_late = w.n_late;
	}
	for (uint32_t i = 0; i < n_late; i++)
		FREE_EACH(late[i].path, late[i].text);
	free(late);
	return w.out;
}

void initial_names_free(struct initial *i)
{
	if (i->names)
		name_model_release(i->names);
	free(i->names);
	i->names = NULL;
}

void initial_free(struct initial *i)
{
	if (!i)
		return;
	initial_names_free(i);
	for (uint32_t k = 0; k < i->n; k++)
		FREE_EACH(i->entry[k].path, i->entry[k].link, i->entry[k].hole);
	for (uint32_t k = 0; k < i->n_attributes; k++)
		FREE_EACH(i->attribute[k].path, i->attribute[k].name);
	free(i->entry);
	for (uint32_t k = 0; k < i->n_absent; k++)
		free(i->absent[k]);
	FREE_EACH(i->attribute, i->absent, i);
}
