/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace: the requests of a program or a replayer. Each request is a record of fixed size.
 *
 * A reference and a replay are both traces. Record i of a replay trace is the replay of record i of
 * its input, independent of the order in which the requests ran. The records of a reference are in
 * issue order: sorted by begin; records of a thread with equal begins keep their order. `seq` is
 * the index of the record in the trace to which it was first written. Slicing does not change it.
 *
 * Times are ns of CLOCK_MONOTONIC relative to the trace's epoch (meta.epoch_ns), or TIME_NONE if
 * unknown. Source: metrology paper, section III-A (events <f,b,e,c>) and Table I. */
#pragma once

#include "capture/file_list.h"

#define TIME_NONE INT64_MIN
/* known times are within +-73 years, so differences never overflow */
#define TRACE_TIME_MAX (INT64_C(1) << 61)
#define TRACE_WALL_MAX ((INT64_C(1) << 62) - 1) /* the wall clock is within 146 years of 1970 */
#define OBJECT_NONE UINT32_MAX
#define HEAP_NONE UINT32_MAX

/* Operations; op.h has a row for each. The numbers are part of the file format: only append new
 * numbers. */
enum trace_op {
	OP_INVALID = 0,
	OP_OPEN = 1,  /* object: path; fd: result; flags: O_*; mode in `length` */
	OP_CLOSE = 2, /* fd */
	/* fd, length; offset: the position used, or OFFSET_NONE if unknown */
	OP_READ = 3,
	OP_WRITE = 4,
	OP_PREAD = 5,
	OP_PWRITE = 6,
	OP_LSEEK = 7, /* offset, flags: whence; rvalue: new position */
	OP_FSYNC = 8,
	OP_FDATASYNC = 9,
	/* rows in op.c and doc/formats/trace.md describe the fields of the other operations */
	OP_READV = 10,
	OP_WRITEV = 11,
	OP_PREADV = 12,
	OP_PWRITEV = 13,
	OP_PREADV2 = 14,
	OP_PWRITEV2 = 15,
	OP_READAHEAD = 16,
	OP_FADVISE = 17,
	OP_SYNC = 18,
	OP_SYNCFS = 19,
	OP_SYNC_FILE_RANGE = 20,
	OP_TRUNCATE = 21,
	OP_FTRUNCATE = 22,
	OP_FALLOCATE = 23,
	OP_DUP = 24,
	OP_DUP2 = 25,
	OP_FCNTL = 26,
	OP_IOCTL = 27,
	OP_FLOCK = 28,
	OP_LOCKF = 29,
	OP_STAT = 30,
	OP_FSTAT = 31,
	OP_STATX = 32,
	OP_STATFS = 33,
	OP_FSTATFS = 34,
	OP_ACCESS = 35,
	OP_CHMOD = 36,
	OP_FCHMOD = 37,
	OP_CHOWN = 38,
	OP_FCHOWN = 39,
	OP_UTIMENS = 40,
	OP_FUTIMENS = 41,
	OP_GETXATTR = 42,
	OP_FGETXATTR = 43,
	OP_SETXATTR = 44,
	OP_FSETXATTR = 45,
	OP_LISTXATTR = 46,
	OP_FLISTXATTR = 47,
	OP_REMOVEXATTR = 48,
	OP_FREMOVEXATTR = 49,
	OP_RENAME = 50,
	OP_LINK = 51,
	OP_SYMLINK = 52,
	OP_READLINK = 53,
	OP_UNLINK = 54,
	OP_MKDIR = 55,
	OP_RMDIR = 56,
	OP_MKNOD = 57,
	OP_REALPATH = 58,
	OP_CHDIR = 59,
	OP_FCHDIR = 60,
	OP_CHROOT = 61,
	OP_OPENDIR = 62,
	OP_FDOPENDIR = 63,
	OP_READDIR = 64,
	OP_CLOSEDIR = 65,
	OP_REWINDDIR = 66,
	OP_SEEKDIR = 67,
	OP_TELLDIR = 68,
	OP_GETDENTS = 69,
	OP_SCANDIR = 70,
	OP_WALK = 71,
	OP_MMAP = 72,
	OP_MUNMAP = 73,
	OP_MSYNC = 74,
	OP_MADVISE = 75,
	OP_MREMAP = 76,
	OP_SENDFILE = 77,
	OP_COPY_FILE_RANGE = 78,
	OP_SPLICE = 79,
	OP_TEE = 80,
	OP_VMSPLICE = 81,
	OP_FOPEN = 82,
	OP_FDOPEN = 83,
	OP_FREOPEN = 84,
	OP_FCLOSE = 85,
	OP_FREAD = 86,
	OP_FWRITE = 87,
	OP_FGETS = 88,
	OP_FPUTS = 89,
	OP_GETDELIM = 90,
	OP_FGETC = 91,
	OP_FPUTC = 92,
	OP_UNGETC = 93,
	OP_FPRINTF = 94,
	OP_FSCANF = 95,
	OP_FSEEK = 96,
	OP_FTELL = 97,
	OP_FFLUSH = 98,
	OP_SETVBUF = 99,
	OP_IO_SUBMIT = 100,
	OP_IO_GETEVENTS = 101,
	OP_IO_CANCEL = 102,
	OP_IO_URING_ENTER = 103,
	OP_AIO_READ = 104,
	OP_AIO_WRITE = 105,
	OP_AIO_READV = 106,
	OP_AIO_WRITEV = 107,
	OP_AIO_FSYNC = 108,
	OP_AIO_FDATASYNC = 109,
	OP_AIO_OTHER = 110,
	/* not calls: events of the kernel's page cache that a thread caused, from tracepoints */
	OP_PAGE_FAULT = 111,
	OP_PAGE_CACHE_ADD = 112,
	/* not calls: dependencies between the requests of a node of a parallel application
	 * (capture/causality/causality.h) */
	/* length: ns of computation; offset: additional ns in which the node was blocked,
	 * OFFSET_NONE: unknown; flags: enum compute_kind */
	OP_COMPUTE = 113,
	/* length: number of the node that waits for this one; with CAUSE_OF_BARRIER: number of a
	 * barrier */
	OP_SIGNAL = 114,
	/* length: number of the node that this one waits for; the k-th wait of a pair matches the
	 * k-th signal. With CAUSE_OF_BARRIER: number of a barrier; the node waits for all its
	 * signals */
	OP_WAIT = 115,
	OP_N
};
#define OFFSET_NONE UINT64_MAX

/* Activity of a node between two requests, in the flags of OP_COMPUTE. Only COMPUTE_BUSY needs a
 * CPU. */
enum compute_kind {
	COMPUTE_BUSY = 0,     /* the node computes */
	COMPUTE_ASLEEP = 2,   /* the node sleeps until a time */
	COMPUTE_EXTERNAL = 4, /* the node waits for something that is not a node */
};

#define CAUSE_OF_BARRIER 2u /* flag of OP_SIGNAL and OP_WAIT */

struct trace_record {
	uint64_t seq;
	int64_t begin_ns, end_ns; /* stamps immediately around the call */
	/* instant at which the replayer intended to issue the request; TIME_NONE in references and
	 * at full speed */
	int64_t intended_ns;
	/* block level: instant of the dispatch to the device; otherwise TIME_NONE */
	int64_t dispatch_ns;
	uint64_t offset, length;  /* bytes */
	int64_t rvalue;		  /* result of the call: -1 with `error` set, or a value */
	uint32_t pid, tid;	  /* of the traced thread; a replay has the numbers of its input */
	uint32_t object;	  /* id in the object table, or OBJECT_NONE */
	int32_t fd;		  /* number of the descriptor in the traced process, or -1 */
	uint32_t flags;
	uint32_t heap;	/* reference into the side heap in units of 8 bytes, or HEAP_NONE */
	uint16_t op;	/* enum trace_op */
	uint16_t error; /* errno, 0 on success */
	/* written last; TRACE_COMMIT: the record is complete. Readers return complete records
	 * only */
	uint32_t commit;
};
#define TRACE_COMMIT 0x5641u
_Static_assert(sizeof(struct trace_record) == 96, "the record's size is part of the file format");

/* A record with all fields unknown. */
static inline struct trace_record record_unknown(void)
{
	return (struct trace_record){.begin_ns = TIME_NONE,
				     .end_ns = TIME_NONE,
				     .intended_ns = TIME_NONE,
				     .dispatch_ns = TIME_NONE,
				     .object = OBJECT_NONE,
				     .fd = -1,
				     .heap = HEAP_NONE};
}

enum object_kind { OBJECT_PATH = 1, OBJECT_FD = 2, OBJECT_DEVICE = 3 };

struct trace_object {
	enum object_kind kind;
	/* path relative to the trace's root, or device name; any bytes, NUL-terminated */
	const char *name;
};

enum trace_level { LEVEL_SYSCALL = 1, LEVEL_BLOCK = 2 };

/* The strings belong to the writer's caller, or to the reader until trace_close. NULL: unknown. */
struct trace_meta {
	enum trace_level level;
	/* CLOCK_MONOTONIC at time 0 of the trace, within +-TRACE_TIME_MAX */
	int64_t epoch_ns;
	/* CLOCK_REALTIME at the same instant, within +-TRACE_WALL_MAX; 0: unknown */
	int64_t wall_epoch_ns;
	const char *clock;	   /* "tsc", "monotonic", or the name in the foreign format */
	/* measured or stated by the format: half-width of a Type B component */
	double clock_resolution_ns;
	double clock_read_cost_ns;
	const char *host, *command, *captured_by;
	/* directory to which object paths are relative, as given at the recording */
	const char *root;
	uint64_t n_events_lost; /* above 0: the trace is incomplete, and every report states that */
	/* the trace, or the trace from which it was made, has no end: an unknown part is missing */
	bool cut;
	uint64_t seed;		 /* seed of the workload; 0: none */
	/* further facts as one JSON object (options, off-CPU time, ...), or NULL */
	const char *extra_json;
	struct fileset files;	 /* files needed before the first request; n = 0: unknown */
};

/* --- writing ------------------------------------------------------------- */

struct trace_writer;

struct trace_write_options {
	/* zstd, block by block; for finished traces, never while a run is measured */
	bool compress;
	int compress_level; /* 0: the default, 3 */
	/* no fsync at the end: for a scratch trace of a run, which is removed after its summary */
	bool no_sync;
	/* on an error, remove the incomplete file, instead of leaving it like a killed writer */
	bool no_part;
	/* name of the file in messages, if PATH is a temporary name; NULL: PATH */
	const char *shown;
};

/* Checks in advance whether a trace can be written to PATH, without creating anything. Errors: of
 * the system; EISDIR; EINVAL for a block device, "-" (standard output) and an empty name; ESPIPE
 * for a pipe. */
int trace_output_check(const char *path, struct err *e);
/* Checks in addition whether a complete file can be renamed to PATH. Errors: as trace_output_check;
 * EINVAL if PATH is, or leads to, a file that must be written in place (file_is_in_place). */
int trace_output_check_replaced(const char *path, struct err *e);
/* Creates PATH. The file is written in place and append-only, so that the complete records remain
 * if the writer is killed. An existing file with content remains until the new file is complete: if
 * possible, the new file is written beside it (file_beside.h) and then replaces it. Errors: as
 * trace_output_check; of the system, with the path. Ownership: trace_writer_close or
 * trace_writer_abort. */
int trace_writer_open(struct trace_writer **w, const char *path, const struct trace_meta *meta,
		      const struct trace_write_options *o, struct err *e);
/* Adds an object; equal (kind, name) give equal ids. */
int trace_writer_object(struct trace_writer *w, enum object_kind kind, const char *name,
			uint32_t *id, struct err *e);
/* Appends `len` bytes to the side heap. *ref is the value for record.heap. */
int trace_writer_heap(struct trace_writer *w, const void *data, size_t len, uint32_t *ref,
		      struct err *e);
/* Appends records in order and sets their commit words. When it returns, the records are in the
 * file (in the page cache) and survive a kill -9. With `compress`, they are written when their
 * block is full. Large appends are fastest, and are not copied if all records of a block have
 * TRACE_COMMIT already. Errors: of the system (ENOSPC, ...), after which nothing more is written;
 * EINVAL: a record has an unknown operation or a time beyond TRACE_TIME_MAX. Then at most whole
 * blocks before that record are written. */
int trace_writer_append(struct trace_writer *w, const struct trace_record *r, size_t n,
			struct err *e);
/* Appends a metadata block that replaces the earlier metadata, for facts that are known only at the
 * end. */
int trace_writer_set_meta(struct trace_writer *w, const struct trace_meta *meta, struct err *e);
/* Writes the end block, calls fsync unless no_sync is set, and closes the file. After an error, the
 * file is as a killed writer leaves it, or the previous file remains. */
int trace_writer_close(struct trace_writer *w, struct err *e);
/* Closes the file without an end block. A previous file remains. `w` may be NULL. */
void trace_writer_abort(struct trace_writer *w);
/* Closes the writer if `ret` is 0, and otherwise aborts it. `w` may be NULL. Returns `ret`, or the
 * error of closing. */
static inline int trace_writer_end(struct trace_writer *w, int ret, struct err *e)
{
	if (w && !ret)
		return trace_writer_close(w, e);
	trace_writer_abort(w);
	return ret;
}

/* --- reading ------------------------------------------------------------- */

/* An open trace of any readable format (format.h detects it). It is read as a stream, so the memory
 * does not grow with its length. */
struct trace;

struct trace_format;	   /* format.h */
struct trace_open_options; /* format.h */

/* Opens a trace of format `f`, with options (NULL: none). If `f` is NULL, detects the format, or
 * uses "mapping" if the options have a mapping. Errors: as trace_open. */
int trace_open_with(struct trace **t, const struct trace_format *f, const char *path,
		    const struct trace_open_options *o, struct err *e);

/* Opens a trace and detects its format. Errors: EILSEQ: not a trace, or an unknown version;
 * EBADMSG: a damaged header (with path and offset). */
static inline int trace_open(struct trace **t, const char *path, struct err *e)
{
	return trace_open_with(t, NULL, path, NULL, e);
}

/* Opens a trace file of this program. Errors: as trace_open; EILSEQ also for other formats. */
int trace_file_open(struct trace **t, const char *path, struct err *e);

/* Closes and frees the trace, and everything that was borrowed from it. `t` may be NULL. */
void trace_close(struct trace *t);

/* The last metadata block. Borrowed: valid until trace_close. */
const struct trace_meta *trace_meta(const struct trace *t);
/* The number of records, including those in damaged blocks. If only a full pass can tell (foreign
 * formats), returns 0 and sets *known to false. The number comes from the file, so check the result
 * of an allocation of this size. */
uint64_t trace_n_records(const struct trace *t, bool *known);
/* Reads the next record in file order. Returns 1 (*r is valid until the next call), 0 at the end,
 * or a negative errno. A record has a known operation (op_info() of op.h), and times that are
 * TIME_NONE or within TRACE_TIME_MAX. Other fields are not checked: an object may be unknown,
 * offset and length may have any value. Errors: EBADMSG: a damaged block, named with its offset;
 * the next call continues after it. Other errors are final. */
int trace_next(struct trace *t, const struct trace_record **r, struct err *e);
/* Reads the next records that are available at once: *r[n], valid until the next call. Returns as
 * trace_next. */
int trace_next_batch(struct trace *t, const struct trace_record **r, size_t *n, struct err *e);
int trace_rewind(struct trace *t, struct err *e);

/* With `on`, records of FAMILY_CAUSE in the trace of a parallel application are skipped and
 * counted. trace_rewind() resets the counts. For code that processes requests only. */
struct trace_causes {
	uint64_t n_computes, n_signals, n_waits;
	double compute_ns; /* of COMPUTE_BUSY */
};
void trace_requests_only(struct trace *t, bool on);
/* skipped records so far; borrowed */
const struct trace_causes *trace_causes(const struct trace *t);

/* Returns NULL for an unknown id. */
const struct trace_object *trace_object(const struct trace *t, uint32_t id);
/* Whether the object is a device, by its kind or by its name: below /dev, except shared memory.
 * False for an unknown id. */
bool trace_object_is_device(const struct trace *t, uint32_t id);
/* The same for a name of `len` bytes. */
bool name_is_device(const char *name, size_t len);
uint32_t trace_n_objects(const struct trace *t); /* number so far; it grows during a pass */
/* Reads the heap item of a record that was already read: *data[*len], valid until the next call.
 * *data is NULL if `ref` is HEAP_NONE or its block is damaged, which trace_next has reported.
 * Returns 0. Errors: the item cannot be read: of the system, ENOMEM, EIO (also if the file has
 * changed), never EBADMSG. Then *data is NULL, too. */
int trace_heap(const struct trace *t, uint32_t ref, const void **data, size_t *len, struct err *e)
    __attribute__((warn_unused_result));

struct trace_health {
	bool complete;		   /* the file has an end block */
	/* omitted parts so far; final after a pass */
	uint64_t n_blocks_damaged, n_records_uncommitted;
	uint64_t n_unread; /* lines or records of a foreign format that could not be read */
};
/* Parts of the trace that had to be omitted so far. */
void trace_health(const struct trace *t, struct trace_health *h);
