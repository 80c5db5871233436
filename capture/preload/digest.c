/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256 digest (FIPS 180-4) of a file's content, before the program uses the file for the first
 * time. The implementation is local, because the library must not call another library in the
 * traced program. All traced processes share a table of digested files, so each file is read only
 * once. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "capture/file_list.h"
#include "capture/preload/core.h"

enum { PART = 1 << 18, BUSY = 1, DONE = 2, STATES = 3, PROBES = 256, WAIT_MS = 10000 };

/* --- SHA-256 -------------------------------------------------------------- */

struct sha256 {
	uint32_t h[8];
	uint64_t n; /* bytes */
};

static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t word_rotate(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static void block_add(uint32_t h[8], const uint8_t *p)
{
	uint32_t w[64], s[8];
	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
		       (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
	for (int i = 16; i < 64; i++)
		w[i] = w[i - 16] +
		       (word_rotate(w[i - 15], 7) ^ word_rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       w[i - 7] +
		       (word_rotate(w[i - 2], 17) ^ word_rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
	memcpy(s, h, sizeof s);
	for (int i = 0; i < 64; i++) {
		uint32_t t1 =
		    s[7] + (word_rotate(s[4], 6) ^ word_rotate(s[4], 11) ^ word_rotate(s[4], 25)) +
		    ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
		uint32_t t2 =
		    (word_rotate(s[0], 2) ^ word_rotate(s[0], 13) ^ word_rotate(s[0], 22)) +
		    ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
		memmove(s + 1, s, 7 * sizeof *s);
		s[4] += t1;
		s[0] = t1 + t2;
	}
	for (int i = 0; i < 8; i++)
		h[i] += s[i];
}

static void sha256_begin(struct sha256 *s)
{
	static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	memcpy(s->h, first, sizeof first);
	s->n = 0;
}

/* Adds the last part. `p` has room for 128 bytes after its n bytes. All parts except the last
 * consist of whole blocks. */
static void sha256_last(struct sha256 *s, uint8_t *p, size_t n)
{
	uint64_t bits = (s->n + n) * 8;
	size_t at = 0, end = (n + 9 + 63) / 64 * 64;
	memset(p + n, 0, end - n);
	p[n] = 0x80;
	for (int i = 0; i < 8; i++)
		p[end - 1 - (size_t)i] = (uint8_t)(bits >> 8 * i);
	for (; at < end; at += 64)
		block_add(s->h, p + at);
}

/* Returns the number of bytes read, up to n, or a negative errno. */
static long read_whole(long fd, uint8_t *to, size_t n)
{
	size_t done = 0;
	while (done < n) {
		long got = RAW(SYS_read, fd, to + done, n - done);
		if (got == -EINTR)
			continue;
		if (got < 0)
			return got;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (long)done;
}

static bool file_digest(long fd, uint8_t *part, uint8_t digest[LOG_DIGEST_BYTES], uint64_t *size)
{
	struct sha256 s;
	long got;
	sha256_begin(&s);
	while ((got = read_whole(fd, part, PART)) == PART) {
		for (size_t at = 0; at < PART; at += 64)
			block_add(s.h, part + at);
		s.n += PART;
	}
	if (got < 0)
		return false;
	*size = s.n + (uint64_t)got;
	for (size_t at = 0; at + 64 <= (size_t)got; at += 64)
		block_add(s.h, part + at);
	size_t rest = (size_t)got & 63;
	s.n += (uint64_t)got - rest;
	sha256_last(&s, part + ((size_t)got - rest), rest);
	for (int i = 0; i < LOG_DIGEST_BYTES; i++)
		digest[i] = (uint8_t)(s.h[i / 4] >> (24 - 8 * (i & 3)));
	return true;
}

/* Whether the file has more than FILESET_HOLES_FILLED bytes of holes. Reading them would take a
 * long time: files with holes can be larger than the file system. */
static bool has_long_holes(long fd, const struct statx *x)
{
	uint64_t n_bytes = 0;
	if (x->stx_size <= FILESET_HOLES_FILLED || x->stx_blocks * 512 >= x->stx_size)
		return false;
	for (uint64_t at = 0; at < x->stx_size && n_bytes <= FILESET_HOLES_FILLED;) {
		const long hole = RAW(SYS_lseek, fd, at, SEEK_HOLE);
		if (hole < 0 || (uint64_t)hole >= x->stx_size)
			break;
		const long data = RAW(SYS_lseek, fd, hole, SEEK_DATA);
		at = data < 0 ? x->stx_size : (uint64_t)data;
		n_bytes += at - (uint64_t)hole;
	}
	RAW(SYS_lseek, fd, 0, SEEK_SET);
	return n_bytes > FILESET_HOLES_FILLED;
}

/* --- each file only once ------------------------------------------------ */

static uint64_t key_of(const struct statx *x)
{
	uint64_t v = x->stx_ino * 0x9e3779b97f4a7c15u ^
		     ((uint64_t)x->stx_dev_major << 32 | x->stx_dev_minor) * 0xff51afd7ed558ccdu;
	v = (v ^ v >> 31) & ~(uint64_t)STATES;
	return v ? v : ~(uint64_t)STATES;
}

/* Waits while another process reads the file, because the file must not change during that time. */
static void wait_until_done(_Atomic uint64_t *at, uint64_t key)
{
	const struct timespec nap = {0, 1000000};
	for (int i = 0; i < WAIT_MS && atomic_load(at) == (key | BUSY); i++)
		RAW(SYS_nanosleep, &nap, NULL);
}

/* Returns the file's entry in the table if this process must read the file, otherwise NULL. */
static _Atomic uint64_t *entry_claim(struct log_control *c, uint64_t key)
{
	for (uint64_t i = 0; i < PROBES; i++) {
		_Atomic uint64_t *at = &c->digested[(key / (STATES + 1) + i) % LOG_DIGESTS];
		uint64_t is = 0;
		if (atomic_compare_exchange_strong(at, &is, key | BUSY))
			return at;
		if ((is & ~(uint64_t)STATES) != key)
			continue;
		wait_until_done(at, key);
		return NULL;
	}
	return NULL;
}

void digest_note(struct log_control *c, int dir, const char *path, const char *shown, int shown_dir,
		 const struct statx *x)
{
	uint8_t digest[LOG_DIGEST_BYTES];
	uint64_t size = 0, now = clock_now(&capture_clock);
	_Atomic uint64_t *place = entry_claim(c, key_of(x));
	if (!place)
		return;
	long part = RAW(SYS_mmap, NULL, PART + 128, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long fd = RAW(SYS_openat, dir, path,
		      O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	const bool sparse = fd >= 0 && has_long_holes(fd, x);
	const bool known = fd >= 0 && !sparse && !(part < 0 && part > -4096) &&
			   file_digest(fd, (uint8_t *)part, digest, &size);
	if (fd >= 0)
		RAW(SYS_close, fd);
	if (!(part < 0 && part > -4096))
		RAW(SYS_munmap, part, PART + 128);
	if (known || sparse) {
		const struct note n = {.begin = now,
				       .end = now,
				       .op = LOG_DIGEST_OF,
				       .dir = shown_dir,
				       .path = shown,
				       .length = size,
				       .extra = digest,
				       .extra_len = known ? sizeof digest : 0};
		capture_note(&n);
	}
	atomic_store(place, key_of(x) | DONE);
}
