/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of captured content: content is read back as written, equal blocks are stored once, and
 * damage is detected. */
#include <dirent.h>
#include <sys/stat.h>

#include "capture/content/content_format.h"
#include "common/crc32c.h"
#include "tests/unit/capture/sample.h"

#define N_LONG 10000u

static uint8_t long_bytes[N_LONG];
static char path[512];

/* Requests 3 and 9 wrote the same three blocks, request 7 wrote one byte. */
static void sample_write(struct content_facts *facts)
{
	struct err e = ERR_INIT;
	struct content_writer *w;
	uint32_t block[3], again[3], one;
	for (uint32_t i = 0; i < N_LONG; i++)
		long_bytes[i] = (uint8_t)(i * 2654435761u >> 24);
	scratch(path, "content");
	assert_int_equal(content_writer_open(&w, path, &e), 0);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(
		    content_writer_block(w, long_bytes + i * CONTENT_BLOCK,
					 i < 2 ? CONTENT_BLOCK : N_LONG - 2 * CONTENT_BLOCK,
					 &block[i], &e),
		    0);
	assert_int_equal(content_writer_request(w, 3, block, 3, &e), 0);
	assert_int_equal(content_writer_block(w, "x", 1, &one, &e), 0);
	assert_int_equal(content_writer_request(w, 7, &one, 1, &e), 0);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(
		    content_writer_block(w, long_bytes + i * CONTENT_BLOCK,
					 i < 2 ? CONTENT_BLOCK : N_LONG - 2 * CONTENT_BLOCK,
					 &again[i], &e),
		    0);
		assert_int_equal(again[i], block[i]);
	}
	assert_int_equal(content_writer_request(w, 9, again, 3, &e), 0);
	assert_int_equal(content_writer_request(w, 9, again, 3, &e), -EINVAL); /* numbers rise */
	again[0] = one;
	/* a short block in the middle */
	assert_int_equal(content_writer_request(w, 10, again, 3, &e), -EINVAL);
	assert_int_equal(content_writer_close(w, facts, &e), 0);
}

/* The old file stays until the new file replaces it, which happens later than its completion. */
static void an_older_file_is_kept(void **state)
{
	struct err e = ERR_INIT;
	struct content *c;
	struct content_facts old, new;
	(void)state;
	sample_write(&old);
	for (int i = 0; i < 3; i++) {
		struct content_writer *w;
		assert_int_equal(content_writer_open(&w, path, &e), 0);
		if (i)
			assert_int_equal(content_writer_finish(w, &new, &e), 0);
		assert_int_equal(content_open(&c, path, &e), 0);
		assert_memory_equal(content_facts(c)->name, old.name, CONTENT_NAME_BYTES);
		content_close(c);
		if (i == 2)
			assert_int_equal(content_writer_close(w, NULL, &e), 0);
		else
			content_writer_abort(w);
	}
	assert_int_equal(content_open(&c, path, &e), 0);
	assert_memory_equal(content_facts(c)->name, new.name, CONTENT_NAME_BYTES);
	content_close(c);
	unlink(path);
	char *slash = strrchr(path, '/');
	*slash = 0;
	DIR *d = opendir(path);
	assert_non_null(d);
	for (const struct dirent *entry; (entry = readdir(d));)
		assert_null(
		    strstr(entry->d_name, ".validate-")); /* abandoned files leave nothing behind */
	closedir(d);
	*slash = '/';
}

static void content_is_read_back(void **state)
{
	struct err e = ERR_INIT;
	struct content *c;
	struct content_facts facts;
	struct stat st;
	uint64_t place, n;
	uint8_t got[N_LONG];
	(void)state;
	sample_write(&facts);
	assert_int_equal(facts.n_requests, 3);
	assert_int_equal(facts.n_bytes, 2 * N_LONG + 1);
	assert_int_equal(facts.n_blocks, 4);
	assert_int_equal(facts.n_stored_bytes, N_LONG + 1);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(content_open(&c, path, &e), 0);
	assert_memory_equal(content_facts(c)->name, facts.name, CONTENT_NAME_BYTES);
	assert_false(content_find(c, 2, &place, &n));
	assert_false(content_find(c, 8, &place, &n));
	assert_false(content_find(c, 10, &place, &n));
	for (uint64_t seq = 3; seq <= 9; seq += 6) {
		assert_true(content_find(c, seq, &place, &n));
		assert_int_equal(n, N_LONG);
		for (uint64_t from = 0; from < N_LONG; from += 1777) {
			assert_int_equal(content_read(c, place, from, got, N_LONG - from, &e), 0);
			assert_memory_equal(got, long_bytes + from, N_LONG - from);
		}
	}
	assert_int_equal(content_read(c, place, 1, got, N_LONG, &e), -EINVAL);
	assert_true(content_find(c, 7, &place, &n));
	assert_int_equal(content_read(c, place, 0, got, 1, &e), 0);
	assert_int_equal(got[0], 'x');
	content_close(c);
}

static void byte_flip(off_t at)
{
	uint8_t b;
	int fd = open(path, O_RDWR);
	assert_int_equal(pread(fd, &b, 1, at), 1);
	b ^= 4;
	assert_int_equal(pwrite(fd, &b, 1, at), 1);
	close(fd);
}

static void damage_is_reported(void **state)
{
	struct err e = ERR_INIT;
	struct content *c;
	uint8_t got[N_LONG];
	uint64_t place, n;
	struct stat st;
	(void)state;
	sample_write(NULL);
	assert_int_equal(stat(path, &st), 0);
	for (off_t at = 0; at < st.st_size; at += 61) {
		const bool data = at >= (off_t)sizeof(struct content_header) &&
				  at < (off_t)sizeof(struct content_header) + N_LONG;
		const bool gap = !data &&
				 at < (off_t)(sizeof(struct content_header) + N_LONG + 8) &&
				 at >= (off_t)sizeof(struct content_header);
		byte_flip(at);
		const int ret = content_open(&c, path, &e);
		if (data) {
			assert_int_equal(ret, 0);
			assert_true(content_find(c, 3, &place, &n));
			assert_int_equal(content_read(c, place, 0, got, N_LONG, &e), -EIO);
		} else if (!gap) {
			assert_int_equal(ret, -EINVAL);
		}
		if (!ret)
			content_close(c);
		byte_flip(at);
	}
	for (off_t size = st.st_size - 1; size > 0; size -= 97) {
		assert_int_equal(truncate(path, size), 0);
		assert_int_equal(content_open(&c, path, &e), -EINVAL);
	}
}

/* A header with a valid checksum and numbers chosen to overflow. */
static void more_than_fits_is_refused(void **state)
{
	static const uint64_t numbers[] = {1, 1000, UINT64_C(1) << 60, UINT64_MAX};
	struct err e = ERR_INIT;
	struct content *c;
	struct content_header h, good;
	(void)state;
	sample_write(NULL);
	int fd = open(path, O_RDWR);
	assert_int_equal(pread(fd, &good, sizeof good, 0), sizeof good);
	for (size_t field = 0; field < 4; field++)
		for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
			h = good;
			uint64_t *const at[] = {&h.n_requests, &h.n_references, &h.n_blocks,
						&h.tables_at};
			*at[field] = numbers[i];
			h.header_crc = crc32c(0, &h, offsetof(struct content_header, header_crc));
			assert_int_equal(pwrite(fd, &h, sizeof h, 0), sizeof h);
			assert_int_equal(content_open(&c, path, &e), -EINVAL);
		}
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(content_is_read_back),
	    cmocka_unit_test(an_older_file_is_kept),
	    cmocka_unit_test(damage_is_reported),
	    cmocka_unit_test(more_than_fits_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
