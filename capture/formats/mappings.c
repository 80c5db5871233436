/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The built-in mapping files (NAME.map beside this file), each with a row in the table of formats,
 * and the format for a mapping file whose path the user gives. */

#include "capture/formats/mapping.h"
#include "common/embed.h"

static int builtin_parse(struct mapping *m, const char *name, const char *text, struct err *e)
{
	int ret = mapping_parse(m, name, text, e);
	return ret ? err_context(e, "the built-in mapping") : 0;
}

static int builtin_bid(const char *name, const char *text, const unsigned char *head, size_t len)
{
	struct mapping m;
	int bid = builtin_parse(&m, name, text, NULL) ? 0 : mapping_bid(&m, head, len);
	mapping_release(&m);
	return bid;
}

/* Parses the built-in text, or the file at o->mapping if `text` is NULL. */
static int parse_and_open(const char *name, const char *text, struct trace **t, const char *path,
			  const struct trace_open_options *o, struct err *e)
{
	struct mapping *m = xmalloc(sizeof *m);
	int ret = text ? builtin_parse(m, name, text, e) : mapping_load(m, o->mapping, e);
	if (!ret)
		return mapping_open(t, m, path, o, e);
	mapping_release(m);
	free(m);
	return ret;
}

static int builtin_write(const char *name, const char *text, struct trace *t, const char *path,
			 struct trace_export_report *report, struct err *e)
{
	struct mapping m;
	int ret = builtin_parse(&m, name, text, e);
	ret = ret ? ret : mapping_write(&m, t, path, report, e);
	mapping_release(&m);
	return ret;
}

#define READER(NAME)                                                                               \
	EMBED(mapping_text_##NAME, "capture/formats/" #NAME ".map");                               \
	static int bid_##NAME(const unsigned char *head, size_t len, const char *path)             \
	{                                                                                          \
		(void)path;                                                                        \
		return builtin_bid(#NAME, mapping_text_##NAME, head, len);                         \
	}                                                                                          \
	static int open_##NAME(struct trace **t, const char *path,                                 \
			       const struct trace_open_options *o, struct err *e)                  \
	{                                                                                          \
		return parse_and_open(#NAME, mapping_text_##NAME, t, path, o, e);                  \
	}
#define WRITER(NAME)                                                                               \
	static int write_##NAME(struct trace *t, const char *path,                                 \
				struct trace_export_report *report, struct err *e)                 \
	{                                                                                          \
		return builtin_write(#NAME, mapping_text_##NAME, t, path, report, e);              \
	}
#define ROW(NAME, HELP, WRITE)                                                                     \
	const struct trace_format format_##NAME = {                                                \
	    .name = #NAME, .help = HELP, .bid = bid_##NAME, .open = open_##NAME, .write = WRITE}

READER(msr)
WRITER(msr)
ROW(msr, "MSR Cambridge block traces: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime",
    write_msr);

READER(snia)
WRITER(snia)
ROW(snia, "SNIA block traces in hfplayer's form: #DUMP_OFFSET.I,ELAPSED_USECS.D,...", write_snia);

READER(alibaba)
ROW(alibaba, "Alibaba block traces: device,R/W,offset,length,time in us", NULL);

READER(tencent)
ROW(tencent, "Tencent CBS traces: time in s,offset,size,R/W as 0/1,volume", NULL);

READER(spc)
WRITER(spc)
ROW(spc, "SPC 1.0.1: ASU,LBA,size,R/W,time in s", write_spc);

READER(systor)
ROW(systor, "Systor'17 traces: time,response time,R/W,LUN,offset,size", NULL);

READER(fiu)
ROW(fiu, "FIU traces: time in ns, pid, process, lba, size, R/W, major, minor, md5", NULL);

READER(twitter)
ROW(twitter, "Twitter cache traces: time in s,key,key size,value size,client,operation,TTL", NULL);

READER(cachelib)
ROW(cachelib, "Meta CacheLib kvcache traces: op_time,key,key_size,op,op_count,size,...", NULL);

READER(ibmcos)
ROW(ibmcos, "IBM object store traces: time in ms, REST operation, object, size, first, last byte",
    NULL);

/* --- a mapping file of the user ------------------------------------------ */

static int path_bid(const unsigned char *head, size_t len, const char *path)
{
	(void)head;
	(void)len;
	(void)path;
	return 0; /* opened only with --mapping or --from mapping */
}

static int path_open(struct trace **t, const char *path, const struct trace_open_options *o,
		     struct err *e)
{
	if (!o->mapping)
		return err_set(e, EINVAL, "%s: the format mapping needs a mapping file (--mapping)",
			       path);
	return parse_and_open(NULL, NULL, t, path, o, e);
}

const struct trace_format format_mapping = {
    .name = "mapping",
    .help = "delimited text whose columns a mapping file describes",
    .bid = path_bid,
    .open = path_open,
};
