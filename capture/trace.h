/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace: what a program, or a replayer, did, one fixed-size record a request. The model
 * everything else stands on.
 *
 * A reference and a replay are both traces. Record i of a replay trace replays record i of its
 * input, whatever the order in which they ran; in a reference the records are in issue order
 * (begin, ties by thread's own order). `seq` is the record's index in the trace it was first
 * written to, and survives slicing.
 *
 * Times are ns of CLOCK_MONOTONIC relative to the trace's epoch (meta.epoch_ns); TIME_NONE where
 * unknown. Source: metrology paper, section III-A (events <f,b,e,c>) and Table I. */
#ifndef CAPTURE_TRACE_H
#define CAPTURE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/fileset/fileset.h"
#include "common/err.h"

#define TIME_NONE INT64_MIN
/* known times lie within +-73 years, so that differences never overflow */
#define TRACE_TIME_MAX (INT64_C(1) << 61)
#define TRACE_WALL_MAX ((INT64_C(1) << 62) - 1) /* and the wall clock within 146 years of 1970 */
#define OBJECT_NONE UINT32_MAX
#define HEAP_NONE UINT32_MAX

/* Operations; op.h has one table row each (name, family, which fields it uses). Numbers are part of
 * the file format: never renumber, only append. */
enum trace_op {
	OP_INVALID = 0,
	OP_OPEN = 1,  /* object: path; fd: result; flags: O_*; mode in `length` */
	OP_CLOSE = 2, /* fd */
	/* fd, length; offset: the position it started from, where known, else OFFSET_NONE */
	OP_READ = 3,
	OP_WRITE = 4,
	OP_PREAD = 5,
	OP_PWRITE = 6,
	OP_LSEEK = 7, /* offset, flags: whence; rvalue: new position */
	OP_FSYNC = 8,
	OP_FDATASYNC = 9,
	/* what the fields of these hold is in their rows (op.c), and in doc/formats/trace.md */
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
	/* no calls, but what the kernel's page cache did for the thread: instants, captured through
	   tracepoints */
	OP_PAGE_FAULT = 111,
	OP_PAGE_CACHE_ADD = 112,
	/* no calls, but what passes between the requests of a node of a parallel application
	   (capture/causality/causality.h) */
	/* length: ns that the node computed; offset: what it waited besides, OFFSET_NONE unknown */
	OP_COMPUTE = 113,
	OP_SIGNAL = 114, /* length: number of the node that waits for this */
	/* length: number of the node that this waits for; the k-th of a pair answers its k-th
	   signal */
	OP_WAIT = 115,
	OP_N
};
#define OFFSET_NONE UINT64_MAX

struct trace_record {
	uint64_t seq;
	int64_t begin_ns, end_ns; /* stamps just around the call */
	/* when the replayer meant to issue it; TIME_NONE in references and at full speed */
	int64_t intended_ns;
	int64_t dispatch_ns;	  /* block level: handed to the device; else TIME_NONE */
	uint64_t offset, length;  /* bytes */
	int64_t rvalue;		  /* as the call returned it: -1 with error set, or the result */
	uint32_t pid, tid;	  /* as traced; a replay keeps its input's */
	uint32_t object;	  /* index into the object table, or OBJECT_NONE */
	int32_t fd;		  /* descriptor number as traced, -1 where there is none */
	uint32_t flags;
	uint32_t heap;	/* reference into the side heap in units of 8 bytes, or HEAP_NONE */
	uint16_t op;	/* enum trace_op */
	uint16_t error; /* errno, 0 on success */
	/* written last; TRACE_COMMIT when the record is whole. Readers never return others */
	uint32_t commit;
};
#define TRACE_COMMIT 0x5641u
_Static_assert(sizeof(struct trace_record) == 96, "the record is part of the file format");

enum object_kind { OBJECT_PATH = 1, OBJECT_FD = 2, OBJECT_DEVICE = 3 };

struct trace_object {
	enum object_kind kind;
	/* path relative to the trace's root, or device name; UTF-8 or any bytes, NUL-terminated */
	const char *name;
};

enum trace_level { LEVEL_SYSCALL = 1, LEVEL_BLOCK = 2 };

/* Strings are borrowed from the writer's caller, or from the reader until trace_close. NULL where
 * unknown. */
struct trace_meta {
	enum trace_level level;
	/* CLOCK_MONOTONIC at time 0 of the trace, within +-TRACE_TIME_MAX */
	int64_t epoch_ns;
	/* CLOCK_REALTIME at the same instant, within +-TRACE_WALL_MAX; 0 unknown */
	int64_t wall_epoch_ns;
	const char *clock;	   /* "tsc", "monotonic", or the foreign format's own */
	/* measured, or the format's: half-width of a Type B component */
	double clock_resolution_ns;
	double clock_read_cost_ns;
	const char *host, *command, *captured_by;
	/* directory the object paths are relative to, as given when recorded */
	const char *root;
	uint64_t n_events_lost;	 /* > 0: the trace is incomplete, every report says so */
	/* it has no end (the reader says so), or was made of one that has none: incomplete, nobody
	 * knows by how much */
	bool cut;
	uint64_t seed;		 /* of the workload, 0 none */
	/* further facts of the writer as one JSON object (options, off-CPU time, ...) or NULL */
	const char *extra_json;
	struct fileset files;	 /* the state needed before the first request; n = 0: unknown */
};

/* --- writing ------------------------------------------------------------- */

struct trace_writer;

struct trace_write_options {
	bool compress;	   /* zstd by block: for finished traces, never while a run is measured */
	int compress_level; /* 0: the default, 3 */
	/* leave out the fsync at the end (a run's scratch trace, removed after its summary) */
	bool no_sync;
	bool no_part;	    /* what is not whole is removed, never left as a killed writer's */
	/* how messages name the file, where it has another name until it is whole; NULL: PATH */
	const char *shown;
};

/* Whether a trace can be written to PATH, as far as that can be known before anything is done.
 * Nothing is created. Errors: of the system; EISDIR, EINVAL for a block device, - (standard output)
 * and an empty name, ESPIPE for a pipe. */
int trace_output_check(const char *path, struct err *e);
/* And whether a file of another name can be put in its place when it is whole. Errors: as
 * trace_output_check; EINVAL where PATH is, or leads to, what must stay what it is
 * (file_is_in_place). */
int trace_output_check_replaced(const char *path, struct err *e);
/* Creates PATH (written in place, append-only, so that a killed writer leaves what it completed). A
 * file there that holds anything stays until the new one is whole, which is written beside it
 * (file_beside.h) where that can be, and then takes its place. Errors: as trace_output_check; of
 * the system, with the path. Ownership: trace_writer_close or trace_writer_abort. */
int trace_writer_open(struct trace_writer **w, const char *path, const struct trace_meta *meta,
		      const struct trace_write_options *o, struct err *e);
/* Interns an object; the same (kind, name) gives the same id. */
int trace_writer_object(struct trace_writer *w, enum object_kind kind, const char *name,
			uint32_t *id, struct err *e);
/* Puts `len` bytes into the side heap; *ref for record.heap. */
int trace_writer_heap(struct trace_writer *w, const void *data, size_t len, uint32_t *ref,
		      struct err *e);
/* Appends records in order; commit is set here, the rest is the caller's. When it returns, the
 * records are in the file (in the page cache), and a kill -9 cannot take them back; only with
 * `compress` they wait for their block to be full. Large appends go fastest, and without a copy
 * where commit is already TRACE_COMMIT in all of a block's records. Errors: of the system (ENOSPC,
 * ...), and then nothing more is written; EINVAL for a record whose operation is none or whose
 * times are beyond TRACE_TIME_MAX: of that call, then, at most whole blocks that end before it are
 * written. */
int trace_writer_append(struct trace_writer *w, const struct trace_record *r, size_t n,
			struct err *e);
/* Replaces the metadata by a later block (epoch or extra facts known only at the end). */
int trace_writer_set_meta(struct trace_writer *w, const struct trace_meta *meta, struct err *e);
/* Writes the end block, fsyncs unless told not to, closes. On an error the trace is as good as a
 * killed writer's, or the file that was there before stays. */
int trace_writer_close(struct trace_writer *w, struct err *e);
/* closes without an end block, or the file that was there stays; NULL is fine */
void trace_writer_abort(struct trace_writer *w);

/* --- reading ------------------------------------------------------------- */

/* opened by any readable format (format.h finds it), read by streaming: memory does not grow with
 * length */
struct trace;

/* Errors: EILSEQ for no trace or an unknown version, EBADMSG for a damaged header (with path and
 * offset). */
int trace_open(struct trace **t, const char *path, struct err *e);
void trace_close(struct trace *t);

/* Borrowed, valid until trace_close. The last metadata block counts. */
const struct trace_meta *trace_meta(const struct trace *t);
/* Number of records, or 0 if only a full pass can tell (foreign formats): *known says. Records in
 * damaged blocks count. It is what the file says: allocate by it only with a checked result. */
uint64_t trace_n_records(const struct trace *t, bool *known);
/* The next record in file order: 1 and *r borrowed until the next call, 0 at the end, or a negative
 * errno. A returned record has a known operation (op_info() of op.h), and times that are TIME_NONE
 * or within TRACE_TIME_MAX; all else is as found: an object may be unknown, an offset and length
 * may be anything. Errors: EBADMSG: a damaged block, named with its offset; calling again goes on
 * behind it. Any other is final. */
int trace_next(struct trace *t, const struct trace_record **r, struct err *e);
/* As many contiguous records as can be had at once: *r[n] borrowed until the next call. Return as
 * trace_next. */
int trace_next_batch(struct trace *t, const struct trace_record **r, size_t *n, struct err *e);
int trace_rewind(struct trace *t, struct err *e);

/* What a parallel application's trace has beside requests (family cause): skipped from now on, and
 * counted, anew after each trace_rewind(). Whoever looks at requests as such asks for it. */
struct trace_causes {
	uint64_t n_computes, n_signals, n_waits;
	double compute_ns; /* of all */
};
void trace_requests_only(struct trace *t, bool on);
const struct trace_causes *trace_causes(const struct trace *t); /* skipped so far; borrowed */

/* NULL for an unknown id */
const struct trace_object *trace_object(const struct trace *t, uint32_t id);
/* Whether the object is a device, by its kind or by its name: below /dev, but not a file of shared
 * memory. False for an unknown id. */
bool trace_object_is_device(const struct trace *t, uint32_t id);
/* The same for a name alone, of `len` bytes. */
bool name_is_device(const char *name, size_t len);
uint32_t trace_n_objects(const struct trace *t); /* so far: grows while streaming */
/* The heap item of a record read so far: *data[*len], borrowed until the next call. *data is NULL
 * where there is none: `ref` is HEAP_NONE, or its block is damaged, which the pass has reported.
 * Returns 0. Errors: the item may exist and cannot be read: of the system, ENOMEM, EIO (also for a
 * file that changed meanwhile), never EBADMSG; *data is NULL then as well. */
int trace_heap(const struct trace *t, uint32_t ref, const void **data, size_t *len, struct err *e)
    __attribute__((warn_unused_result));

struct trace_health {
	bool complete;		   /* it has an end block */
	uint64_t n_blocks_damaged, n_records_uncommitted; /* left out, so far: count after a pass */
};
void trace_health(const struct trace *t, struct trace_health *h);

#endif
