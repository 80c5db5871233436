/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the ranks of workload mpi-io. */
#include "microbench/parallel/mpi/rank.h"
#include "microbench/parallel/ranks.h"

/* Checks the result of the last call and the number of bytes that it transferred. */
static int result_check(int code, const char *what, const char *path, MPI_Status *status,
			uint64_t n_bytes, struct err *e)
{
	char text[MPI_MAX_ERROR_STRING];
	int n = 0, moved = 0;
	if (code != MPI_SUCCESS) {
		MPI_Error_string(code, text, &n);
		return err_set(e, EIO, "%s: %s failed: %.*s", path, what, n, text);
	}
	if (status)
		MPI_Get_count(status, MPI_BYTE, &moved);
	if (status && (uint64_t)moved != n_bytes)
		return err_set(e, EIO, "%s: %s moved %d of %llu bytes", path, what, moved,
			       (unsigned long long)n_bytes);
	return 0;
}

static MPI_Offset offset_of(const struct rank *r, int of, uint64_t k)
{
	const struct microbench_config *c = r->run.config;
	return (MPI_Offset)(block_interleaved(c, (unsigned int)of, k) * c->block_bytes);
}

/* All ranks must make collective calls. After a failure the others would wait forever, so the
 * failing rank ends the job. */
static int blocks_move(const struct rank *r, MPI_File file, const char *path, void *buffer,
		       struct err *e)
{
	const struct microbench_config *c = r->run.config;
	const int n = (int)c->block_bytes, next = (r->number + 1) % r->n_ranks;
	MPI_Status status;
	int ret = 0;
	for (uint64_t k = 0; !ret && k < c->n_requests; k++) {
		int code = MPI_File_write_at_all(file, offset_of(r, r->number, k), buffer, n,
						 MPI_BYTE, &status);
		ret = result_check(code, "MPI_File_write_at_all", path, &status, c->block_bytes, e);
	}
	ret = ret ? ret : result_check(MPI_File_sync(file), "MPI_File_sync", path, NULL, 0, e);
	for (uint64_t k = 0; !ret && k < c->n_requests; k++) {
		int code =
		    MPI_File_read_at_all(file, offset_of(r, next, k), buffer, n, MPI_BYTE, &status);
		ret = result_check(code, "MPI_File_read_at_all", path, &status, c->block_bytes, e);
	}
	for (uint64_t k = 0; !ret && k < c->n_requests; k++) {
		int code = MPI_File_read_at(file, offset_of(r, r->number, k), buffer, n, MPI_BYTE,
					    &status);
		ret = result_check(code, "MPI_File_read_at", path, &status, c->block_bytes, e);
	}
	return ret;
}

int rank_mpi_io(const struct rank *r, struct err *e)
{
	const struct microbench_config *c = r->run.config;
	SCOPED_FREE char *path = xasprintf("%s/mpi-io/data", c->dir);
	SCOPED_FREE void *buffer = xmalloc(c->block_bytes);
	MPI_File file;
	bench_content_fill(buffer, c->block_bytes, c->seed + (uint64_t)r->number);
	int ret =
	    result_check(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file),
			 "MPI_File_open", path, NULL, 0, e);
	if (!ret) {
		ret = blocks_move(r, file, path, buffer, e);
		if (ret)
			rank_abort(r, e);
		MPI_File_close(&file);
	}
	return ret;
}
