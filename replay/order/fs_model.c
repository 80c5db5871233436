/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/order/fs_model.h"

#include "capture/fileset/fileset.h"
#include "common/fnv1a.h"
#include "replay/order/fs_model_private.h"

#define LINKS_MAX 10 /* links followed in one path */
#define DOTS 2 /* "." and ".." in a listing */
/* number of entries that fit the C library's buffer of 32 KiB, whatever the length of their
 * names */
#define LISTED_MAX 110

/* --- words --------------------------------------------------------------- */

static uint32_t words_new(struct fs_model *m, uint32_t n)
{
	uint32_t first = m->n_words;
	while (m->words_cap - first < n) {
		m->words_cap = m->words_cap ? m->words_cap * 2 : 1024;
		m->word = xreallocarray(m->word, m->words_cap, sizeof *m->word);
	}
	memset(m->word + first, 0, n * sizeof *m->word);
	m->n_words += n;
	return first;
}

static void undo_note(struct fs_model *m, uint32_t word, uint64_t old)
{
	APPEND(m->undo, m->n_undo, m->undo_cap, (struct fs_undo){word, old});
}

void word_set(struct fs_model *m, uint32_t word, uint64_t value)
{
	if (m->word[word] == value)
		return;
	if (m->journal)
		undo_note(m, word, m->word[word]);
	m->word[word] = value;
}

/* Makes an object reusable, unless there are words of its names or attributes, which are found by
 * its number. */
static void object_free(struct fs_model *m, uint32_t object)
{
	if (m->word[object + WORD_LINK] != UNKNOWN)
		return;
	m->word[object] = m->unused;
	m->unused = object;
}

void fs_model_back(struct fs_model *m, size_t mark)
{
	while (m->n_undo > mark) {
		const struct fs_undo *u = &m->undo[--m->n_undo];
		if (u->word & UNDO_MADE)
			object_free(m, u->word & ~UNDO_MADE);
		else
			m->word[u->word] = u->old;
	}
}

/* Makes an object. `complete`: the trace created it, so if it is a directory it has no unknown
 * entries. */
uint32_t object_new(struct fs_model *m, uint64_t kind, bool complete)
{
	uint32_t object = m->unused;
	if (object)
		m->unused = (uint32_t)m->word[object];
	else
		object = words_new(m, OBJECT_WORDS);
	if (m->journal)
		undo_note(m, object | UNDO_MADE, 0);
	m->word[object + WORD_SIZE] = complete && kind == KIND_FILE ? 0 : UNKNOWN;
	m->word[object + WORD_KIND] = kind;
	m->word[object + WORD_LINK] = UNKNOWN;
	m->word[object + WORD_ENTRIES] = complete ? 0 : UNKNOWN;
	m->word[object + WORD_LISTED] = complete ? DOTS : UNKNOWN;
	return object;
}

/* Notes that there are words that are found by the object's number. Call it before they are
 * made. */
static void object_has_more(struct fs_model *m, uint32_t object)
{
	if (m->word[object + WORD_LINK] == UNKNOWN)
		m->word[object + WORD_LINK] = HAS_MORE; /* not undone by fs_model_back() */
}

/* --- components and paths ------------------------------------------------ */

static uint32_t component_find(struct fs_model *m, const char *text, size_t len)
{
	for (uint64_t hash = fnv1a(FNV1A_START, text, len);; hash++) {
		uint32_t *known = u64_map_at(&m->component_of, hash, m->n_components);
		if (*known < m->n_components) {
			const struct fs_text *other = &m->component_text[*known];
			if (other->len == len && !memcmp(other->text, text, len))
				return *known;
			continue;
		}
		APPEND(m->component_text, m->n_components, m->components_cap,
		       (struct fs_text){text, (uint32_t)len});
		return m->n_components - 1;
	}
}

/* Appends the components of a path. ".." removes the component before it. */
static struct fs_path components_add(struct fs_model *m, const char *text, size_t len)
{
	struct fs_path p = {.first = m->n_path_components, .absolute = len && text[0] == '/'};
	for (size_t at = 0, end; at < len; at = end + 1) {
		const char *slash = memchr(text + at, '/', len - at);
		end = slash ? (size_t)(slash - text) : len;
		if (end == at || (end == at + 1 && text[at] == '.'))
			continue;
		if (end == at + 2 && text[at] == '.' && text[at + 1] == '.') {
			p.n -= p.n > 0;
			m->n_path_components = p.first + p.n;
			continue;
		}
		APPEND(m->component, m->n_path_components, m->path_components_cap,
		       (struct fs_component){.text = component_find(m, text + at, end - at)});
		p.n++;
	}
	return p;
}

uint32_t path_of_text(struct fs_model *m, const char *text, uint32_t len)
{
	APPEND(m->path, m->n_paths, m->paths_cap, components_add(m, text, len));
	return m->n_paths - 1;
}

/* Returns the name of a component in a directory. Each component caches its name in the last
 * directory. */
static uint32_t name_of(struct fs_model *m, uint32_t directory, uint32_t component)
{
	struct fs_component *c = &m->component[component];
	if (c->directory == directory)
		return c->name;
	uint32_t *at = u64_map_at(&m->entry, u64_pair(directory, c->text), 0);
	if (!*at) {
		object_has_more(m, directory);
		*at = words_new(m, 1);
		bool complete = m->word[directory + WORD_ENTRIES] != UNKNOWN;
		m->word[*at] = complete ? ABSENT : m->listed ? ASSUMED : UNKNOWN;
	}
	c->directory = directory;
	c->name = *at;
	return *at;
}

uint32_t xattr_word(struct fs_model *m, uint32_t object, const char *name, uint32_t len)
{
	uint32_t component = component_find(m, name, len);
	uint32_t *at = u64_map_at(&m->xattr, u64_pair(object, component), 0);
	if (!*at) {
		object_has_more(m, object);
		*at = words_new(m, 1);
		m->word[*at] = m->word[object + WORD_ENTRIES] != UNKNOWN ? 0 : UNKNOWN;
	}
	return *at;
}

/* --- events -------------------------------------------------------------- */

void fs_event_add(struct fs_events *t, enum fs_event_kind kind, uint32_t what, bool change,
		  size_t n, const uint64_t more[])
{
	if (t->cap - t->n < n + 1) {
		t->cap = t->cap * 2 + 1024;
		t->word = xreallocarray(t->word, t->cap, sizeof *t->word);
	}
	t->word[t->n++] = (uint64_t)change << 40 | (uint64_t)kind << 32 | what;
	for (size_t i = 0; i < n; i++)
		t->word[t->n++] = more[i];
}

/* --- look-ups ------------------------------------------------------------ */

void name_report(struct fs_model *m, const struct found *f, bool change)
{
	if (!f->name)
		return;
	event_report(m, FS_EVENT_NAME, f->name, change);
	if (change && f->directory)
		event_report(m, FS_EVENT_ENTRIES, f->directory + WORD_ENTRIES, true);
}

bool object_must_be(struct fs_model *m, uint32_t object, uint64_t kind)
{
	uint64_t is = m->word[object + WORD_KIND];
	if (is != kind && is != KIND_UNKNOWN && !m->force)
		return false;
	if (is == KIND_UNKNOWN || m->force)
		word_set(m, object + WORD_KIND, kind);
	return true;
}

struct walk {
	struct fs_model *m;
	bool succeeded;
	int n_links;
};

static struct found path_walk(struct walk *w, uint32_t from, uint32_t path, bool follow);

static struct found link_follow(struct walk *w, uint32_t directory, uint32_t link)
{
	uint64_t target = w->m->word[link + WORD_LINK];
	if (target >= w->m->n_paths || ++w->n_links > LINKS_MAX)
		return (struct found){.how = FOUND_VAGUE};
	return path_walk(w, w->m->path[target].absolute ? w->m->root : directory, (uint32_t)target,
			 true);
}

/* Enters the directory of a name within a path. Returns FOUND_OBJECT if the name is a directory. */
static struct found directory_enter(struct walk *w, struct found at)
{
	struct fs_model *m = w->m;
	uint64_t meaning = m->word[at.name];
	name_report(m, &at, false);
	if (meaning == UNKNOWN && !w->succeeded)
		return (struct found){.how = FOUND_VAGUE};
	if (meaning == ASSUMED && !w->succeeded)
		return (struct found){.how = FOUND_NO_WAY};
	if (meaning == UNKNOWN || meaning == ASSUMED ||
	    (meaning == ABSENT && m->force && w->succeeded)) {
		meaning = object_new(m, KIND_DIRECTORY, false);
		word_set(m, at.name, meaning);
	}
	if (meaning == ABSENT)
		return (struct found){.how = FOUND_NO_WAY};
	at.object = (uint32_t)meaning;
	if (m->word[at.object + WORD_KIND] == KIND_LINK) {
		at = link_follow(w, at.directory, at.object);
		name_report(m, &at, false);
	}
	if (at.how == FOUND_UNKNOWN && w->succeeded)
		found_must_exist(m, &at);
	if (at.how == FOUND_UNKNOWN)
		return (struct found){.how = FOUND_VAGUE};
	if (at.how != FOUND_OBJECT)
		return (struct found){.how = at.how == FOUND_NOTHING ? FOUND_NO_WAY : at.how};
	if (m->word[at.object + WORD_KIND] == KIND_UNKNOWN && w->succeeded)
		word_set(m, at.object + WORD_KIND, KIND_DIRECTORY);
	return m->word[at.object + WORD_KIND] == KIND_FILE
		   ? (struct found){.how = FOUND_NOT_DIRECTORY}
		   : at;
}

static struct found path_walk(struct walk *w, uint32_t from, uint32_t path, bool follow)
{
	struct fs_model *m = w->m;
	const struct fs_path p = m->path[path];
	struct found at = {.how = FOUND_OBJECT, .object = from};
	for (uint32_t i = 0; i < p.n; i++) {
		uint32_t directory = at.object;
		at = (struct found){.how = FOUND_OBJECT, .name = name_of(m, directory, p.first + i),
				    .directory = directory};
		if (i + 1 < p.n) {
			at = directory_enter(w, at);
			if (at.how != FOUND_OBJECT)
				return at;
		}
	}
	if (!at.name)
		return at;
	uint64_t meaning = m->word[at.name];
	at.how = meaning == UNKNOWN || meaning == ASSUMED ? FOUND_UNKNOWN
		 : meaning == ABSENT                      ? FOUND_NOTHING
							  : FOUND_OBJECT;
	at.object = at.how == FOUND_OBJECT ? (uint32_t)meaning : 0;
	if (at.how == FOUND_OBJECT && follow && m->word[at.object + WORD_KIND] == KIND_LINK) {
		name_report(m, &at, false);
		return link_follow(w, at.directory, at.object);
	}
	return at;
}

struct found path_find(struct fs_model *m, uint32_t path, bool follow, bool succeeded)
{
	struct walk w = {.m = m, .succeeded = succeeded};
	return path_walk(&w, m->root, path, follow);
}

bool found_must_exist(struct fs_model *m, struct found *f)
{
	if (f->how == FOUND_OBJECT || f->how == FOUND_VAGUE)
		return true;
	if (f->how != FOUND_UNKNOWN && !(m->force && f->name))
		return m->force;
	f->object = object_new(m, KIND_UNKNOWN, false);
	f->how = FOUND_OBJECT;
	word_set(m, f->name, f->object);
	return true;
}

bool found_must_not_exist(struct fs_model *m, struct found *f)
{
	if ((f->how == FOUND_OBJECT || f->how == FOUND_NO_WAY || f->how == FOUND_NOT_DIRECTORY) &&
	    !m->force)
		return false;
	if ((f->how == FOUND_UNKNOWN || f->how == FOUND_OBJECT) && f->name)
		word_set(m, f->name, ABSENT);
	return true;
}

static void count_change(struct fs_model *m, uint32_t word, bool made, bool removed)
{
	const uint64_t n = m->word[word];
	if (n != UNKNOWN && made)
		word_set(m, word, n + 1);
	if (n != UNKNOWN && removed)
		word_set(m, word, n ? n - 1 : 0);
}

void name_set(struct fs_model *m, const struct found *f, uint64_t meaning)
{
	if (!f->name)
		return;
	uint64_t is = m->word[f->name], was = is == ASSUMED || is == UNKNOWN ? ABSENT : is;
	const bool made = was == ABSENT && meaning != ABSENT,
		   removed = was != ABSENT && meaning == ABSENT;
	count_change(m, f->directory + WORD_ENTRIES, made, removed);
	count_change(m, f->directory + WORD_LISTED, made, removed);
	word_set(m, f->name, meaning);
	name_report(m, f, true);
}

/* --- start and end ------------------------------------------------------- */

static struct found entry_find(struct fs_model *m, const char *path)
{
	return path_find(m, path_of_text(m, path, (uint32_t)strlen(path)), false, true);
}

/* Adds an entry of the table of files. `first`: index of the first name of the same file. */
static void entry_listed(struct fs_model *m, const struct fileset *before, size_t i, size_t first)
{
	const char *link = fileset_link(before, i);
	struct found f = entry_find(m, before->entry[i].path);
	if (first != i) {
		const struct found other = entry_find(m, before->entry[first].path);
		if (f.how == FOUND_UNKNOWN && f.name && other.how == FOUND_OBJECT)
			word_set(m, f.name, other.object);
		return;
	}
	if (!found_must_exist(m, &f) || f.how != FOUND_OBJECT)
		return;
	word_set(m, f.object + WORD_KIND,
		 link                         ? KIND_LINK
		 : before->entry[i].directory ? KIND_DIRECTORY
					      : KIND_FILE);
	word_set(m, f.object + WORD_SIZE, before->entry[i].size);
	if (link)
		word_set(m, f.object + WORD_LINK, path_of_text(m, link, (uint32_t)strlen(link)));
}

/* Counts the entries of listings. The first readdir of a listing reads all its entries into the C
 * library's buffer, if they fit. So the number of calls shows how many entries the directory
 * has. */
static void listings_find(struct fs_model *m)
{
	struct fs_listing {
		/* first NONE32: the listing has not begun; n 0: its entries are not counted */
		uint32_t first, n;
	};
	SCOPED_FREE struct fs_listing *of_slot = xcalloc((size_t)m->s->n + 1, sizeof *of_slot);
	for (uint32_t i = 0; i < m->l->n; i++) {
		const struct load_request *r = &m->l->request[i];
		struct fs_listing *x = &of_slot[r->slot];
		if (r->op == OP_OPENDIR || r->op == OP_FDOPENDIR || r->op == OP_REWINDDIR)
			*x = (struct fs_listing){NONE32, 0};
		if (r->op == OP_SEEKDIR || (r->op == OP_READDIR && (r->skipped || r->rvalue < 0)))
			*x = (struct fs_listing){i, 0};
		if (r->op != OP_READDIR)
			continue;
		if (x->first == NONE32)
			x->first = i;
		if (r->rvalue == 0 && x->n && x->n <= LISTED_MAX)
			*u64_map_at(&m->listing, x->first, 0) = x->n;
		if (r->rvalue == 0)
			x->n = 0;
		else if (x->n || x->first == i)
			x->n++;
	}
}

static void slot_begin(struct fs_model *m, uint32_t slot)
{
	const struct slot *b = &m->s->slot[slot];
	uint32_t words = m->slot_word[slot];
	m->word[words + SLOT_POSITION] = b->placed ? b->position : UNKNOWN;
	if (!b->at_setup || b->skipped || b->file == NONE32)
		return;
	struct found f = path_find(m, b->file, true, true);
	if (found_must_exist(m, &f) && f.how == FOUND_OBJECT)
		m->word[words + SLOT_OBJECT] = f.object;
}

void fs_model_init(struct fs_model *m, const struct load *l, const struct slots *s)
{
	*m = (struct fs_model){.l = l, .s = s};
	words_new(m, 1); /* 0 means no object and no name */
	m->slot_word = xcalloc(s->n + 1, sizeof *m->slot_word);
	m->state_word = words_new(m, s->n);
	for (uint32_t i = 0; i < s->n; i++)
		m->word[m->state_word + i] =
		    i == 0 || s->slot[i].at_setup ? SLOT_OPEN : SLOT_NOT_YET;
	for (uint32_t i = 0; i < s->n; i++)
		if (!slot_is_copy(s, i))
			m->slot_word[i] = words_new(m, SLOT_WORDS);
	m->event_base = m->n_words;
	m->root = object_new(m, KIND_DIRECTORY, false);
	for (uint32_t i = 0; i < s->n_files; i++)
		path_of_text(m, s->file[i].name, (uint32_t)strlen(s->file[i].name));
	m->listed = s->before && s->before->n;
	SCOPED_FREE uint32_t *first = m->listed ? fileset_first_names(s->before) : NULL;
	for (size_t i = 0; m->listed && i < s->before->n; i++)
		entry_listed(m, s->before, i, first[i]);
	for (uint32_t i = 0; i < s->n; i++)
		if (slot_is_copy(s, i))
			m->slot_word[i] = m->slot_word[s->slot[i].origin];
		else if (i)
			slot_begin(m, i);
	listings_find(m);
	m->journal = true;
}

void fs_model_release(struct fs_model *m)
{
	FREE_EACH(m->component_text, m->component, m->path, m->word, m->undo, m->slot_word);
	U64_MAPS_RELEASE(&m->entry, &m->xattr, &m->listing, &m->component_of);
	*m = (struct fs_model){.l = NULL};
}
