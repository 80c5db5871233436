/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/app/code_scan.h"

bool code_scan_is_known(const char *path)
{
	/* libgomp and libitm wait for locks; sanitizers and profilers read maps; this program has
	 * hooks for liburing and libaio */
	static const char *const names[] = {"libc.so", "libc-", "libpthread", "librt.so", "librt-",
	    "libdl", "libanl", "ld-linux", "ld-", "libvalidate-capture.so",
	    "libvalidate-causality.so", "libgomp.", "libitm.", "libasan.", "libtsan.", "libubsan.",
	    "liblsan.", "libhwasan.", "libunwind", "liburing.", "libaio.", "linux-vdso", NULL};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	for (const char *const *n = names; *n; n++)
		if (!strncmp(name, *n, strlen(*n)))
			return true;
	return false;
}

#if defined(__x86_64__)
#include <capstone/capstone.h>
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum {
	BACK = 48,   /* disassembly begins this many bytes before the instruction */
	/* number of starting points, one byte apart; an instruction has at most 15 bytes */
	STARTS = 16,
	HITS = 11,   /* number of starting points that must reach the instruction */
	LATEST = 600, /* above all numbers of system calls */
};

enum code_number { NUMBER_NONE, NUMBER_KNOWN, NUMBER_MADE };

/* Functions of the library. Only a capture loads it, because its tables have 77,000 relocations, a
 * quarter of the CPU time in which a command starts. */
struct disassembler {
	__typeof__(cs_option) *option;
	__typeof__(cs_open) *open;
	__typeof__(cs_close) *close;
	__typeof__(cs_malloc) *malloc;
	__typeof__(cs_free) *free;
	__typeof__(cs_disasm_iter) *disasm_iter;
	__typeof__(cs_insn_group) *insn_group;
};

struct code_looker {
	struct disassembler d;
	csh handle;
	cs_insn *insn;
};

#define TEXT_OF(x) #x
#define LIBRARY_OF(version) "libcapstone.so." TEXT_OF(version)
#define PACKAGE_OF(version) "libcapstone" TEXT_OF(version)

int code_scanner_open(struct code_scanner *s, struct err *e)
{
	s->library = dlopen(LIBRARY_OF(CS_API_MAJOR), RTLD_NOW | RTLD_LOCAL);
	if (!s->library)
		return err_set(e, ENOENT, "the capture needs the library Capstone to find system "
			"calls in a program's code, but cannot load it (Debian: apt-get install "
			PACKAGE_OF(CS_API_MAJOR) "): %s", dlerror());
	return 0;
}

void code_scanner_close(struct code_scanner *s)
{
	if (s->library)
		dlclose(s->library);
	s->library = NULL;
}

static bool disassembler_find(struct disassembler *d, void *library)
{
	const struct {
		const char *name;
		void *to;
	} functions[] = {
	    {"cs_option", &d->option}, {"cs_open", &d->open}, {"cs_close", &d->close},
	    {"cs_malloc", &d->malloc}, {"cs_free", &d->free},
	    {"cs_disasm_iter", &d->disasm_iter}, {"cs_insn_group", &d->insn_group},
	};
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		void *at = library ? dlsym(library, functions[i].name) : NULL;
		if (!at)
			return false;
		memcpy(functions[i].to, &at, sizeof at);
	}
	return true;
}

/* --- one instruction ----------------------------------------------------- */

static bool sets_number(const cs_x86 *x)
{
	const cs_x86_op *to = &x->operands[0];
	return x->op_count && to->type == X86_OP_REG && to->access & CS_AC_WRITE &&
	       (to->reg == X86_REG_EAX || to->reg == X86_REG_RAX);
}

static enum code_number number_of(const cs_insn *i, int64_t *number)
{
	const cs_x86 *x = &i->detail->x86;
	bool move = i->id == X86_INS_MOV || i->id == X86_INS_MOVABS;
	if (move && x->operands[1].type == X86_OP_IMM) {
		*number = x->operands[1].imm;
		return NUMBER_KNOWN;
	}
	if (i->id == X86_INS_XOR && x->operands[1].type == X86_OP_REG &&
	    x->operands[1].reg == x->operands[0].reg) {
		*number = 0;
		return NUMBER_KNOWN;
	}
	return move || i->id == X86_INS_MOVSXD || i->id == X86_INS_LEA ? NUMBER_MADE : NUMBER_NONE;
}

/* Disassembles from `from` to `at`. False: an instruction overlaps `at`. */
static bool code_reaches(const struct code_looker *l, const uint8_t *from, const uint8_t *at,
			 enum code_number *how, int64_t *number)
{
	*how = NUMBER_NONE;
	while (from < at) {
		size_t room = (size_t)(at - from) + 2;
		uint64_t address = 0;
		if (!l->d.disasm_iter(l->handle, &from, &room, &address, l->insn)) {
			from++; /* invalid instruction: the next byte may begin an instruction */
			*how = NUMBER_NONE;
			continue;
		}
		if (from > at)
			return false;
		if (l->d.insn_group(l->handle, l->insn, CS_GRP_CALL) ||
		    l->d.insn_group(l->handle, l->insn, CS_GRP_RET))
			*how = NUMBER_NONE;
		else if (sets_number(&l->insn->detail->x86))
			*how = number_of(l->insn, number);
	}
	return true;
}

/* --- relevant system calls ----------------------------------------------- */

/* Whether it is a system call on files, like the operations of a trace. Excludes calls that also
 * serve other purposes. */
static bool is_file(int64_t n)
{
	static const short calls[] = {
	    SYS_read, SYS_write, SYS_open, SYS_close, SYS_stat, SYS_fstat, SYS_lstat, SYS_lseek,
	    SYS_pread64, SYS_pwrite64, SYS_readv, SYS_writev, SYS_access, SYS_sendfile, SYS_fsync,
	    SYS_fdatasync, SYS_truncate, SYS_ftruncate, SYS_getdents, SYS_getdents64, SYS_rename,
	    SYS_mkdir, SYS_rmdir, SYS_creat, SYS_link, SYS_unlink, SYS_symlink, SYS_readlink,
	    SYS_chmod, SYS_fchmod, SYS_chown, SYS_fchown, SYS_lchown, SYS_openat, SYS_mkdirat,
	    SYS_mknodat, SYS_fchownat, SYS_newfstatat, SYS_unlinkat, SYS_renameat, SYS_renameat2,
	    SYS_linkat, SYS_symlinkat, SYS_readlinkat, SYS_fchmodat, SYS_faccessat, SYS_preadv,
	    SYS_pwritev, SYS_preadv2, SYS_pwritev2, SYS_fallocate, SYS_copy_file_range, SYS_statx,
	    SYS_splice, SYS_sync_file_range, SYS_io_submit, SYS_io_getevents, 437 /* openat2 */,
	    439 /* faccessat2 */};
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (calls[i] == n)
			return true;
	return false;
}

/* Counts a system call instruction. The first instruction begins at `code`. `compatible`: a 32-bit
 * call, whose numbers are different. */
static void site_count(const struct code_looker *l, const uint8_t *code, const uint8_t *at,
		       bool compatible, struct code_scan *s)
{
	const bool near = at - code < BACK;
	int hits = 0, known = 0, made = 0;
	int64_t number = -1;
	for (int i = 0; i < (near ? 1 : STARTS); i++) {
		enum code_number how;
		hits += code_reaches(l, near ? code : at - BACK + i, at, &how, &number);
		known += how == NUMBER_KNOWN;
		made += how == NUMBER_MADE;
	}
	if (hits < (near ? 1 : HITS) || (!known && !made))
		return;
	if (compatible) /* its two bytes also occur in other data */
		s->n_any += known && number >= 0 && number < LATEST;
	else if (!known)
		s->n_any++;
	else if (number == SYS_io_uring_setup || number == SYS_io_uring_enter ||
		 number == SYS_io_uring_register) {
		s->n_rings++;
		s->n_setups += number == SYS_io_uring_setup;
	} else if (is_file(number))
		s->n_files++;
	else
		s->n_other += number >= 0 && number < LATEST;
}

/* --- the file ------------------------------------------------------------ */

struct code_image {
	const uint8_t *base;
	size_t size;
	Elf64_Ehdr h;
};

static void range_scan(const struct code_looker *l, const struct code_image *m, uint64_t at,
		       uint64_t n, struct code_scan *s)
{
	static const uint8_t instructions[][2] = {{0x0f, 0x05}, {0xcd, 0x80}}; /* syscall, int */
	if (at > m->size || n > m->size - at)
		return;
	const uint8_t *code = m->base + at;
	for (int k = 0; k < 2; k++) {
		const uint8_t *found = code;
		while ((found = memmem(found, n - (size_t)(found - code), instructions[k], 2))) {
			site_count(l, code, found, k == 1, s);
			found++;
		}
	}
}

static bool table_fits(const struct code_image *m, uint64_t at, uint64_t n, uint64_t each,
		       uint64_t expected)
{
	return n && each == expected && at <= m->size && (m->size - at) / each >= n;
}

/* Scans the sections, because a segment may contain code and data. False: the file has no section
 * table. */
static bool sections_scan(const struct code_looker *l, const struct code_image *m,
			  struct code_scan *s)
{
	if (!table_fits(m, m->h.e_shoff, m->h.e_shnum, m->h.e_shentsize, sizeof(Elf64_Shdr)))
		return false;
	for (unsigned int i = 0; i < m->h.e_shnum; i++) {
		Elf64_Shdr x;
		memcpy(&x, m->base + m->h.e_shoff + i * sizeof x, sizeof x);
		if (x.sh_type == SHT_PROGBITS && x.sh_flags & SHF_EXECINSTR)
			range_scan(l, m, x.sh_offset, x.sh_size, s);
	}
	return true;
}

static bool image_scan(const struct code_looker *l, struct code_image *m, struct code_scan *s)
{
	if (m->size < sizeof m->h)
		return false;
	memcpy(&m->h, m->base, sizeof m->h);
	if (memcmp(m->h.e_ident, ELFMAG, SELFMAG) || m->h.e_ident[EI_CLASS] != ELFCLASS64 ||
	    m->h.e_machine != EM_X86_64 ||
	    !table_fits(m, m->h.e_phoff, m->h.e_phnum, m->h.e_phentsize, sizeof(Elf64_Phdr)))
		return false;
	if (sections_scan(l, m, s))
		return true;
	for (unsigned int i = 0; i < m->h.e_phnum; i++) {
		Elf64_Phdr p;
		memcpy(&p, m->base + m->h.e_phoff + i * sizeof p, sizeof p);
		if (p.p_type == PT_LOAD && p.p_flags & PF_X)
			range_scan(l, m, p.p_offset, p.p_filesz, s);
	}
	return true;
}

static bool mapping_scan(void *library, const uint8_t *base, size_t size, struct code_scan *s)
{
	struct code_looker l;
	struct code_image m = {.base = base, .size = size};
	/* own allocation functions, because cs_open() does not check for a lack of memory */
	const cs_opt_mem memory = {xmalloc, xcalloc, xrealloc, free, vsnprintf};
	bool done = false;
	if (!disassembler_find(&l.d, library) ||
	    l.d.option(0, CS_OPT_MEM, (size_t)&memory) != CS_ERR_OK ||
	    l.d.open(CS_ARCH_X86, CS_MODE_64, &l.handle) != CS_ERR_OK)
		return false;
	l.d.option(l.handle, CS_OPT_DETAIL, CS_OPT_ON);
	l.insn = l.d.malloc(l.handle);
	if (l.insn) {
		done = image_scan(&l, &m, s);
		l.d.free(l.insn, 1);
	}
	l.d.close(&l.handle);
	return done;
}

bool code_scan_file(const struct code_scanner *c, const char *path, struct code_scan *s)
{
	struct stat st;
	bool done = false;
	*s = (struct code_scan){0};
	if (stat(path, &st) || !S_ISREG(st.st_mode)) /* opening other files may have effects */
		return false;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
		void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (at != MAP_FAILED) {
			done = mapping_scan(c->library, at, (size_t)st.st_size, s);
			munmap(at, (size_t)st.st_size);
		}
	}
	close(fd);
	return done;
}
#else
int code_scanner_open(struct code_scanner *s, struct err *e)
{
	(void)s, (void)e;
	return 0;
}

void code_scanner_close(struct code_scanner *s)
{
	(void)s;
}

bool code_scan_file(const struct code_scanner *c, const char *path, struct code_scan *s)
{
	(void)c, (void)path;
	*s = (struct code_scan){0};
	return false;
}
#endif
