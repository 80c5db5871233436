/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/app/app_files.h"

#include <jansson.h>

#include "capture/look.h"
#include "common/fnv1a.h"

void files_release(struct app_files *f)
{
	for (size_t i = 0; i < f->n; i++)
		FREE_EACH(f->file[i].path, f->file[i].link, f->file[i].hole);
	for (size_t i = 0; i < f->n_renames; i++)
		FREE_EACH(f->rename[i].from, f->rename[i].to);
	free(f->rename);
	for (size_t i = 0; i < f->n_moved; i++)
		free(f->moved[i]);
	FREE_EACH(f->moved, f->file);
	u64_map_release(&f->by_path);
	*f = (struct app_files){.n = 0};
}

/* The entry with this initial path, or NULL. *key: its key in the table, or that of a new entry. */
static struct known_file *entry_of(const struct app_files *f, const char *path, uint64_t *key)
{
	const uint32_t *i;
	for (*key = fnv1a_text(path);
	     (i = u64_map_find(&f->by_path, *key)) != NULL; ++*key)
		if (!strcmp(f->file[*i].path, path))
			return &f->file[*i];
	return NULL;
}

/* The entry of a name, or NULL. */
static struct known_file *file_find(const struct app_files *f, const char *path)
{
	uint64_t key;
	struct known_file *k = entry_of(f, path, &key);
	SCOPED_FREE char *first = k ? NULL : files_first_path(f, path);
	return k ? k : entry_of(f, first, &key);
}

char *files_first_path(const struct app_files *f, const char *path)
{
	char *first = xstrdup(path);
	for (size_t i = f->n_renames; i-- > 0;) {
		const struct known_rename *r = &f->rename[i];
		char *before = path_renamed(first, r->to, r->from, r->exchange);
		if (before)
			free(first);
		first = before ? before : first;
	}
	return first;
}

/* Adds an entry. NULL: the name has an entry already. */
static struct known_file *file_add(struct app_files *f, const char *path)
{
	uint64_t key;
	if (file_find(f, path))
		return NULL;
	char *first = files_first_path(f, path);
	entry_of(f, first, &key);
	GROW(f->file, f->n, f->cap);
	f->file[f->n] = (struct known_file){.path = first};
	u64_map_at(&f->by_path, key, (uint32_t)f->n);
	return &f->file[f->n++];
}

void files_renamed(struct app_files *f, const char *from, const char *to, bool exchange)
{
	uint64_t key;
	const struct known_file *k = entry_of(f, from, &key);
	const bool is_file = k && S_ISREG(k->mode);
	files_made(f, to);
	if (is_file)
		return; /* it has no names below itself */
	GROW(f->rename, f->n_renames, f->renames_cap);
	f->rename[f->n_renames++] = (struct known_rename){xstrdup(from), xstrdup(to), exchange};
}

void files_made(struct app_files *f, const char *path)
{
	file_add(f, path);
}

/* Assigns the result of a call that followed link i to the file that the link's text names. */
static void target_found(struct app_files *f, size_t i, const struct found_file *found)
{
	struct strbuf base = STRBUF_INIT, target = STRBUF_INIT;
	const char *path = f->file[i].path, *text = f->file[i].link, *slash = strrchr(path, '/');
	strbuf_addch(&base, '/');
	strbuf_add(&base, path, slash ? (size_t)(slash - path) : 0);
	path_join(&target, base.s, text, strlen(text));
	if (target.s[1] && strcmp(target.s + 1, path))
		files_found(f, target.s + 1, found, true);
	strbuf_release(&base);
	strbuf_release(&target);
}

/* Stores what a call found. The size is not stored. */
static void found_take(struct known_file *k, const struct found_file *found)
{
	k->mode = found->mode;
	k->counted = found->n_names || !S_ISREG(k->mode);
	k->several_names = found->n_names > 1;
	k->device = found->device;
	k->inode = S_ISREG(k->mode) && found->n_names ? found->inode : 0;
}

void files_found(struct app_files *f, const char *path, const struct found_file *found,
		 bool followed)
{
	struct known_file *k = file_add(f, path);
	if (k) {
		found_take(k, found);
		k->size = found->size;
		k->followed = followed;
		return;
	}
	k = file_find(f, path);
	k->several_names |= k->unknown && S_ISREG(found->mode) && found->n_names > 1;
	if (followed && k->read) {
		k->read = false; /* only once: links may form a circle */
		target_found(f, (size_t)(k - f->file), found);
	} else if (followed) {
		files_followed(f, path);
	}
}

void files_link(struct app_files *f, const char *path, uint64_t size)
{
	struct known_file *before = file_find(f, path), *k = before ? NULL : file_add(f, path);
	if (k) {
		k->mode = S_IFLNK | 0777;
		k->guessed = true;
		k->link = xcalloc(1, (size_t)size + 1);
		memset(k->link, 'x', (size_t)size);
	} else if (before && before->followed) {
		before->unknown = before->no_target = true;
	}
}

void files_followed(struct app_files *f, const char *path)
{
	struct known_file *k = file_find(f, path);
	if (k && k->guessed)
		k->unknown = k->no_target = true;
}

uint32_t files_changed(struct app_files *f, const char *path)
{
	struct known_file *k = file_add(f, path);
	if (!k)
		return 0;
	k->unknown = true;
	return (uint32_t)(k - f->file) + 1;
}

void files_changed_found(struct app_files *f, uint32_t entry, const struct found_file *found)
{
	struct known_file *k = &f->file[entry - 1];
	if (k->mode)
		return;
	found_take(k, found);
	k->unknown &= !S_ISDIR(k->mode);
}

void files_size_known(struct app_files *f, uint32_t entry, uint64_t size)
{
	struct known_file *k = &f->file[entry - 1];
	k->unknown = false;
	k->size = size;
}

bool files_may_be_regular(const struct app_files *f, uint32_t entry)
{
	const struct known_file *k = &f->file[entry - 1];
	const char *path = k->path + (*k->path == '/');
	return (!k->mode || S_ISREG(k->mode)) && strncmp(path, "dev/", 4) &&
	       strncmp(path, "proc/", 5) && strncmp(path, "sys/", 4);
}

/* What calls found at a name before it was known to be a link. It belongs to the target of the
 * link. */
static struct found_file found_of(struct known_file *k)
{
	const struct found_file found = {.mode = k->mode, .size = k->size, .device = k->device,
					 .inode = k->inode,
					 .n_names = k->counted ? 1u + k->several_names : 0};
	k->several_names = false;
	k->inode = 0;
	return found;
}

void files_link_read(struct app_files *f, const char *path, const char *text)
{
	struct known_file *k = file_find(f, path);
	const bool was_followed = k && k->followed;
	if (!k)
		k = file_add(f, path);
	else if (!k->guessed && !k->followed && !k->inferred)
		return;
	const struct found_file found_before = found_of(k);
	k->unknown = k->no_target = !text || !*text;
	k->guessed = k->followed = k->inferred = false;
	free(k->link);
	k->link = text ? xstrdup(text) : NULL;
	k->mode = S_IFLNK | 0777;
	k->size = 0;
	k->read = text != NULL && !was_followed;
	if (text && was_followed)
		target_found(f, (size_t)(k - f->file), &found_before);
}

void files_link_to(struct app_files *f, const char *path, const char *text)
{
	struct known_file *k = file_find(f, path);
	if (k && !k->no_target && (k->unknown || !(k->guessed || k->followed)))
		return;
	k = k ? k : file_add(f, path);
	k->unknown = k->no_target = false;
	const bool was_followed = k->followed;
	const struct found_file found_before = found_of(k);
	free(k->link);
	k->link = xstrdup(text);
	k->mode = S_IFLNK | 0777;
	k->size = 0;
	k->guessed = k->followed = false;
	k->inferred = true;
	k->read = !was_followed;
	if (was_followed)
		target_found(f, (size_t)(k - f->file), &found_before);
}

/* Reads the holes of a record. They must be ascending and inside the file, because the record comes
 * from untrusted memory. */
static void holes_see(struct known_file *k, const struct merge_record *r)
{
	uint64_t end = 0;
	k->n_holes = r->extra_len / sizeof *k->hole;
	k->hole = xcalloc(k->n_holes, sizeof *k->hole);
	memcpy(k->hole, r->extra, k->n_holes * sizeof *k->hole);
	for (size_t i = 0; i < k->n_holes; end = k->hole[i].offset + k->hole[i].length, i++)
		if (k->size > INT64_MAX || k->hole[i].offset < end || k->hole[i].offset > k->size ||
		    k->hole[i].length > k->size - k->hole[i].offset) {
			k->n_holes = 0;
			return;
		}
}

void files_see(struct app_files *f, const char *path, const struct merge_record *r)
{
	struct known_file *k = file_add(f, path);
	if (!k)
		return;
	k->mode = r->r->flags;
	k->size = r->r->length;
	k->holes_cut = r->r->fd & LOOK_HOLES_CUT;
	k->several_names = r->r->fd & LOOK_SEVERAL_NAMES;
	k->device = (uint64_t)r->r->result;
	k->inode = S_ISREG(k->mode) ? r->r->offset : 0;
	if (S_ISLNK(k->mode)) {
		k->link = xstrndup(r->extra, r->extra_len);
	} else if (S_ISREG(k->mode) && r->extra_len >= sizeof *k->hole) {
		holes_see(k, r);
	}
}

void files_digest(struct app_files *f, const char *path, const struct merge_record *r)
{
	struct known_file *k = file_find(f, path);
	f->n_undigested += !r->extra_len;
	if (!k || k->has_digest || !S_ISREG(k->mode) || k->size != r->r->length ||
	    r->extra_len != sizeof k->digest)
		return;
	k->has_digest = true;
	memcpy(k->digest, r->extra, sizeof k->digest);
}

static int compare_paths(const void *a, const void *b)
{
	const struct known_file *const *x = a, *const *y = b;
	return strcmp((*x)->path, (*y)->path);
}

/* Whether the path is below a directory that did not exist before. Then the file came with the
 * directory. */
static bool below_made(const struct app_files *f, const char *path)
{
	bool made = false;
	uint64_t key;
	SCOPED_FREE char *parent = xstrdup(path);
	for (char *slash = strrchr(parent, '/'); slash && !made; slash = strrchr(parent, '/')) {
		*slash = '\0';
		const struct known_file *k = entry_of(f, parent, &key);
		made = k && !k->mode && !k->unknown;
	}
	return made;
}

/* Whether this is a link in /proc to a descriptor of a process. */
static bool is_descriptor(const struct known_file *k)
{
	const char *path = k->path + (*k->path == '/');
	return S_ISLNK(k->mode) && !strncmp(path, "proc/", 5) && strstr(path, "/fd/");
}

static bool is_wanted(const struct app_files *f, const struct known_file *k)
{
	if (k->unknown || below_made(f, k->path) || is_descriptor(k))
		return false;
	return (S_ISREG(k->mode) || S_ISDIR(k->mode) || (S_ISLNK(k->mode) && *k->link)) &&
	       strcmp(k->path, ".");
}

/* Among the names of the same file as `k`, the file whose state was recorded first. Its link count
 * is used, because a program may have removed or added names before the other names were
 * examined. */
static const struct known_file *first_name(const struct app_files *f, struct u64_map *first,
					   const struct known_file *k)
{
	if (!k->inode)
		return k;
	const uint32_t i = (uint32_t)(k - f->file),
		       at = *u64_map_at(first, k->inode ^ k->device << 44, i);
	const struct known_file *other = &f->file[at];
	return other->several_names && other->inode == k->inode && other->device == k->device
		   ? other
		   : k;
}

static void list_take(const struct app_files *f, const struct known_file **order,
		      struct fileset *to)
{
	struct u64_map first = {.cell = NULL};
	for (size_t i = 0; i < f->n; i++) /* in the order of time */
		if (is_wanted(f, &f->file[i]))
			first_name(f, &first, &f->file[i]);
	for (size_t i = 0; i < to->n; i++) {
		const struct known_file *k = first_name(f, &first, order[i]);
		to->entry[i].path = order[i]->path;
		to->entry[i].directory = S_ISDIR(k->mode);
		to->entry[i].size = S_ISREG(k->mode) ? k->size : 0;
		to->detail[i] = (struct fileset_detail){.mode = k->mode & 07777,
							.link = k->link,
							.hole = k->hole,
							.n_holes = k->n_holes,
							.holes_cut = k->holes_cut,
							.has_digest = k->has_digest};
		memcpy(to->detail[i].digest, k->digest, sizeof k->digest);
		if (k->several_names)
			to->detail[i].same_file = (uint32_t)(k - f->file) + 1;
	}
	u64_map_release(&first);
}

/* Numbers files that have several names in the list, from 1 on. Other files get no number. */
static void files_number(struct fileset *s)
{
	struct u64_map n_names = {.cell = NULL}, number = {.cell = NULL};
	uint32_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		++*u64_map_at(&n_names, s->detail[i].same_file, 0);
	for (size_t i = 0; i < s->n; i++) {
		uint32_t *same = &s->detail[i].same_file;
		if (*same && *u64_map_at(&n_names, *same, 0) > 1) {
			*same = *u64_map_at(&number, *same, n + 1);
			n += *same > n;
		} else {
			*same = 0;
		}
	}
	u64_map_release(&n_names);
	u64_map_release(&number);
}

void files_list(struct app_files *f, struct fileset *to)
{
	const struct known_file **order = xcalloc(f->n + 1, sizeof *order);
	*to = (struct fileset){.entry = xcalloc(f->n + 1, sizeof *to->entry),
		.detail = xcalloc(f->n + 1, sizeof *to->detail)};
	for (size_t i = 0; i < f->n; i++)
		if (is_wanted(f, &f->file[i]))
			order[to->n++] = &f->file[i];
	qsort(order, to->n, sizeof *order, compare_paths);
	list_take(f, order, to);
	files_through_links(f, order, to);
	files_number(to);
	free(order);
}

/* Writes the metadata without the list of files. */
static int meta_set_without(struct trace_writer *w, struct trace_meta *meta, struct err *e)
{
	const char *whole = meta->extra_json;
	json_auto_t *extra = whole ? json_loads(whole, 0, NULL) : NULL;
	json_object_del(json_object_get(extra, "capture"), "snapshot");
	SCOPED_FREE char *text = extra ? json_dumps(extra, JSON_COMPACT) : NULL;
	meta->files.n = 0;
	meta->extra_json = text;
	int ret = trace_writer_set_meta(w, meta, e);
	meta->extra_json = whole;
	return ret;
}

int files_meta_set(struct app_files *f, struct trace_writer *w, struct trace_meta *meta,
		   struct files_noted *n, struct err *e)
{
	files_list(f, &meta->files);
	*n = (struct files_noted){.n_files = meta->files.n, .n_undigested = f->n_undigested};
	for (size_t i = 0; i < meta->files.n; i++)
		n->n_holes_cut += meta->files.detail[i].holes_cut;
	int ret = trace_writer_set_meta(w, meta, e);
	if (ret == -EFBIG && meta->files.n) {
		n->n_left_out = meta->files.n;
		ret = meta_set_without(w, meta, e);
	}
	FREE_EACH(meta->files.entry, meta->files.detail);
	meta->files = (struct fileset){.n = 0};
	return ret;
}
