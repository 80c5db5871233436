/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names replaced by keyed hashes (HMAC-SHA-256, RFC 2104 and FIPS 180-4, by libgcrypt): each part of a path for itself, so that
 * directories stay directories, and a rename of one moves what is in it. Without the key nothing can be looked up by guessing. */
#ifndef COMMANDS_ANONYMISE_H
#define COMMANDS_ANONYMISE_H

#include "capture/fileset/fileset.h"
#include "common/err.h"
#include "common/strbuf.h"

struct anonymiser;

/* `key_path`: a file of 16 bytes at least; NULL: a random key that nobody ever sees. */
int anonymiser_open(struct anonymiser **a, const char *key_path, struct err *e);
void anonymiser_close(struct anonymiser *a);

/* Appends the new name: slashes, "." and ".." stay, every other part becomes 20 hexadecimal digits (80 bits). */
int anonymise_path(struct anonymiser *a, const char *path, struct strbuf *out, struct err *e);

/* The same of an extended attribute's name: its class ("user.", "security.", ...) stays. */
int anonymise_attribute(struct anonymiser *a, const char *name, struct strbuf *out, struct err *e);

/* A copy of the list with new names, also of what links point at. Ownership: anonymise_fileset_release. */
int anonymise_fileset(struct anonymiser *a, const struct fileset *from, struct fileset *to, struct err *e);
void anonymise_fileset_release(struct fileset *f);

#endif
