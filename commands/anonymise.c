/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/slice.h"

#include <gcrypt.h>
#include <sys/random.h>

#include "common/digest.h"
#include "common/files.h"

#define KEY_BYTES_MIN 16
#define KEY_BYTES_MAX 65536
#define HASH_BYTES 10 /* bytes that are used of the hash's 32 bytes */

struct anonymiser {
	gcry_md_hd_t hash;
};

static int hash_failed(gcry_error_t why, struct err *e)
{
	return err_set(e, gcry_err_code(why) == GPG_ERR_ENOMEM ? ENOMEM : EIO,
		       "cannot compute keyed hashes: %s", gcry_strerror(why));
}

static int take_key(struct anonymiser *a, const char *path, struct err *e)
{
	SCOPED_STRBUF key = STRBUF_INIT;
	unsigned char some[32];
	int ret = 0;
	if (path) {
		ret = file_read(path, &key, KEY_BYTES_MAX, e);
		if (!ret && key.len < KEY_BYTES_MIN)
			ret = err_set(e, EINVAL,
				      "%s: a key needs at least %d bytes, and this file has %zu",
				      path, KEY_BYTES_MIN, key.len);
	} else if (getrandom(some, sizeof some, 0) == (ssize_t)sizeof some) {
		strbuf_add(&key, some, sizeof some);
	} else {
		ret = err_sys(e, errno, "cannot get a random key");
	}
	const gcry_error_t why = ret ? 0 : gcry_md_setkey(a->hash, key.s, key.len);
	if (why)
		ret = hash_failed(why, e);
	if (key.len)
		explicit_bzero(key.s, key.len);
	explicit_bzero(some, sizeof some);
	return ret;
}

int anonymiser_open(struct anonymiser **out, const char *key_path, struct err *e)
{
	*out = NULL;
	int ret = digest_ready(e);
	if (ret)
		return ret;
	if (!gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) {
		gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
		gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
	}
	struct anonymiser *a = xcalloc(1, sizeof *a);
	const gcry_error_t why = gcry_md_open(&a->hash, GCRY_MD_SHA256, GCRY_MD_FLAG_HMAC);
	ret = why ? hash_failed(why, e) : 0;
	ret = ret ? ret : take_key(a, key_path, e);
	if (ret)
		anonymiser_close(a);
	else
		*out = a;
	return ret;
}

void anonymiser_close(struct anonymiser *a)
{
	if (!a)
		return;
	gcry_md_close(a->hash);
	free(a);
}

static void add_part(struct anonymiser *a, const char *s, size_t len, struct strbuf *out)
{
	if (!len || (len == 1 && s[0] == '.') || (len == 2 && s[0] == '.' && s[1] == '.')) {
		strbuf_add(out, s, len);
		return;
	}
	gcry_md_reset(a->hash);
	gcry_md_write(a->hash, s, len);
	const unsigned char *h = gcry_md_read(a->hash, GCRY_MD_SHA256);
	for (int i = 0; i < HASH_BYTES; i++)
		strbuf_addf(out, "%02x", h[i]);
}

int anonymise_path(struct anonymiser *a, const char *path, struct strbuf *out, struct err *e)
{
	(void)e;
	for (;;) {
		size_t len = strcspn(path, "/");
		add_part(a, path, len, out);
		if (!path[len])
			return 0;
		strbuf_addch(out, '/');
		path += len + 1;
	}
}

int anonymise_attribute(struct anonymiser *a, const char *name, struct strbuf *out, struct err *e)
{
	static const char *const classes[] = {"user.", "trusted.", "security.", "system.", NULL};
	(void)e;
	for (const char *const *c = classes; *c; c++)
		if (!strncmp(name, *c, strlen(*c))) {
			strbuf_addstr(out, *c);
			name += strlen(*c);
			break;
		}
	add_part(a, name, strlen(name), out);
	return 0;
}

static char *new_path(struct anonymiser *a, const char *path, int *ret, struct err *e)
{
	struct strbuf name = STRBUF_INIT;
	*ret = *ret ? *ret : anonymise_path(a, path, &name, e);
	return strbuf_detach(&name);
}

int anonymise_fileset(struct anonymiser *a, const struct fileset *from, struct fileset *to,
		      struct err *e)
{
	int ret = 0;
	*to = (struct fileset){.entry = xcalloc(from->n ? from->n : 1, sizeof *to->entry)};
	if (from->detail)
		to->detail = xcalloc(from->n ? from->n : 1, sizeof *to->detail);
	for (; to->n < from->n && !ret; to->n++) {
		to->entry[to->n] = from->entry[to->n];
		to->entry[to->n].path = new_path(a, from->entry[to->n].path, &ret, e);
		if (!from->detail)
			continue;
		to->detail[to->n] = from->detail[to->n]; /* holes are borrowed from the original */
		/* a digest would identify the file to a reader with a copy of it */
		to->detail[to->n].has_digest = false;
		const char *link = from->detail[to->n].link;
		to->detail[to->n].link = link ? new_path(a, link, &ret, e) : NULL;
	}
	return ret;
}

void anonymise_fileset_release(struct fileset *f)
{
	for (size_t i = 0; i < f->n; i++)
		FREE_EACH((char *)f->entry[i].path, f->detail ? (char *)f->detail[i].link : NULL);
	FREE_EACH(f->entry, f->detail);
	*f = (struct fileset){0};
}
