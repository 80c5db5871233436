/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/kernel/btf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/xalloc.h"

#define BTF_FILE "/sys/kernel/btf/vmlinux"
#define BTF_BYTES_MAX (256u << 20)

struct btf {
	unsigned char *data;
	size_t n_bytes;
	const char *names; /* names[n_names], ends with a NUL */
	size_t n_names;
	const struct btf_type **type; /* type[n]; [0] is void */
	size_t n;
};

static int file_read(struct btf *b, struct err *e)
{
	const int fd = open(BTF_FILE, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : 1;
	size_t cap = 0;
	while (got > 0 && b->n_bytes < BTF_BYTES_MAX) {
		if (b->n_bytes == cap)
			b->data = xreallocarray(b->data, cap = cap ? cap * 2 : 8 << 20, 1);
		got = read(fd, b->data + b->n_bytes, cap - b->n_bytes);
		b->n_bytes += got > 0 ? (size_t)got : 0;
	}
	const int code = errno;
	if (fd >= 0)
		close(fd);
	return got < 0 ? err_sys(e, code, "reading the kernel's type information %s", BTF_FILE) : 0;
}

/* The number of bytes after a type's header. */
static size_t rest_of(const struct btf_type *t)
{
	const size_t n = BTF_INFO_VLEN(t->info);
	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO:
		return n * 2 * sizeof(uint32_t);
	case BTF_KIND_DATASEC:
	case BTF_KIND_ENUM64:
		return n * 3 * sizeof(uint32_t);
	default:
		return 0;
	}
}

static int types_index(struct btf *b, struct err *e)
{
	struct btf_header h;
	size_t cap = 0;
	if (b->n_bytes < sizeof h)
		return err_set(e, EBADMSG, "%s is cut short", BTF_FILE);
	memcpy(&h, b->data, sizeof h);
	const uint64_t types = (uint64_t)h.hdr_len + h.type_off,
		       names = (uint64_t)h.hdr_len + h.str_off, end = types + h.type_len;
	if (h.magic != BTF_MAGIC || end > b->n_bytes || names + h.str_len > b->n_bytes ||
	    !h.str_len || b->data[names + h.str_len - 1])
		return err_set(e, EBADMSG, "%s has type information of an unknown form",
			       BTF_FILE);
	b->names = (const char *)b->data + names;
	b->n_names = h.str_len;
	GROW(b->type, b->n, cap);
	b->type[b->n++] = NULL;
	for (uint64_t at = types; at + sizeof(struct btf_type) <= end;) {
		const struct btf_type *t = (const void *)(b->data + at);
		at += sizeof *t + rest_of(t);
		if (at > end)
			break;
		GROW(b->type, b->n, cap);
		b->type[b->n++] = t;
	}
	return 0;
}

int btf_open(struct btf **out, struct err *e)
{
	struct btf *b = xcalloc(1, sizeof *b);
	int rc = file_read(b, e);
	rc = rc ? rc : types_index(b, e);
	*out = rc ? NULL : b;
	if (rc)
		btf_close(b);
	return rc;
}

void btf_close(struct btf *b)
{
	if (!b)
		return;
	free(b->type);
	free(b->data);
	free(b);
}

static bool is_called(const struct btf *b, uint32_t at, const char *name, size_t len)
{
	return at < b->n_names && !strncmp(b->names + at, name, len) && !b->names[at + len];
}

/* The type without typedefs and qualifiers; NULL: void, or there is none. */
static const struct btf_type *plain(const struct btf *b, uint32_t id)
{
	for (int i = 0; i < 32 && id && id < b->n; i++) {
		const unsigned int kind = BTF_INFO_KIND(b->type[id]->info);
		if (kind != BTF_KIND_TYPEDEF && kind != BTF_KIND_VOLATILE &&
		    kind != BTF_KIND_CONST && kind != BTF_KIND_TYPE_TAG)
			return b->type[id];
		id = b->type[id]->type;
	}
	return NULL;
}

static bool is_structure(const struct btf_type *t)
{
	const unsigned int kind = t ? BTF_INFO_KIND(t->info) : BTF_KIND_UNKN;
	return kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION;
}

static bool member_find(const struct btf *b, const struct btf_type *t, const char *name, int depth,
			struct btf_field *to)
{
	const struct btf_member *m = (const void *)(t + 1);
	const size_t len = strcspn(name, ".");
	const bool last = !name[len];
	for (size_t i = 0; i < BTF_INFO_VLEN(t->info); i++) {
		const uint32_t bits =
		    BTF_INFO_KFLAG(t->info) ? BTF_MEMBER_BIT_OFFSET(m[i].offset) : m[i].offset;
		const struct btf_type *inner = plain(b, m[i].type);
		const bool named = m[i].name_off && is_called(b, m[i].name_off, name, len);
		if (named && last) {
			const bool pointer = inner && BTF_INFO_KIND(inner->info) == BTF_KIND_PTR;
			*to = (struct btf_field){(int)(bits / 8), pointer ? (int)sizeof(void *)
								  : inner ? (int)inner->size
									  : 0};
			return true;
		}
		if ((named || !m[i].name_off) && is_structure(inner) && depth < 8 &&
		    member_find(b, inner, named ? name + len + 1 : name, depth + 1, to)) {
			to->offset += (int)(bits / 8);
			return true;
		}
	}
	return false;
}

bool btf_member(const struct btf *b, const char *structure, const char *member,
		struct btf_field *to)
{
	for (size_t i = 1; i < b->n; i++)
		if (is_structure(b->type[i]) &&
		    is_called(b, b->type[i]->name_off, structure, strlen(structure)))
			return member_find(b, b->type[i], member, 0, to);
	return false;
}
