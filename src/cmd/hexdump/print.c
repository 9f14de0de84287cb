/*
 * print.c - a block of bytes by hexdump's format strings.
 *
 * In the last block, what would come after the end of the input is blanks as wide as the conversion.
 */
#include "hexdump.h"

static uint64_t load(const char *s, size_t size)
{
	uint64_t v = 0;

	for (size_t i = 0; i < size; i++)
		v |= (uint64_t)(unsigned char)s[i] << (8 * i);
	return v;
}

/* The printf conversion of a piece, with `letters` at its end. */
static const char *spec(char *buf, const struct hex_piece *q, const char *letters)
{
	size_t n = 0;

	buf[n++] = '%';
	if (q->minus)
		buf[n++] = '-';
	if (q->plus)
		buf[n++] = '+';
	if (q->space)
		buf[n++] = ' ';
	if (q->alt)
		buf[n++] = '#';
	if (q->zero)
		buf[n++] = '0';
	if (q->precision >= 0)
		n += fmt_buf(buf + n, 40, "%d.%d", q->width, q->precision);
	else if (q->width)
		n += fmt_buf(buf + n, 40, "%d", q->width);
	memcpy(buf + n, letters, strlen(letters) + 1);
	return buf;
}

static void put_text(struct hexdump *h, const struct hex_piece *q, const char *s)
{
	char buf[64];

	u_printf(h->out, spec(buf, q, "s"), s);
}

static void put_escaped(struct hexdump *h, const struct hex_piece *q, unsigned char c)
{
	static const char bytes[] = "\0\a\b\f\n\r\t\v", letters[] = "0abfnrtv";
	const char *hit = memchr(bytes, c, 8);
	char text[4] = {(char)c, '\0'};

	if (hit) {
		text[0] = '\\';
		text[1] = letters[hit - bytes];
		text[2] = '\0';
	} else if (!ascii_print(c)) {
		fmt_buf(text, sizeof(text), "%03o", c);
	}
	put_text(h, q, text);
}

static void put_named(struct hexdump *h, const struct hex_piece *q, unsigned char c)
{
	static const char names[][4] = {
		"nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "lf", "vt", "ff",
		"cr", "so", "si", "dle", "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em",
		"sub", "esc", "fs", "gs", "rs", "us",
	};
	char text[4] = {(char)c, '\0'};

	if (c < 32)
		memcpy(text, names[c], sizeof(text));
	else if (c == 127)
		memcpy(text, "del", sizeof(text));
	else if (!ascii_print(c))
		fmt_buf(text, sizeof(text), "%02x", c);
	put_text(h, q, text);
}

static void put_float(struct hexdump *h, const struct hex_piece *q, const char *s)
{
	char buf[64], letters[2] = {q->conversion, '\0'};
	double d;
	float f;

	if (q->size == 4) {
		memcpy(&f, s, sizeof(f));
		d = (double)f;
	} else {
		memcpy(&d, s, sizeof(d));
	}
	u_printf(h->out, spec(buf, q, letters), d);
}

static void put_conversion(struct hexdump *h, const struct hex_piece *q, const char *s, uint64_t address)
{
	char buf[64], letters[4] = {'l', 'l', q->conversion, '\0'};
	unsigned char c = (unsigned char)*s;
	uint64_t v;

	switch (q->kind) {
	case HEX_TEXT: break;
	case HEX_ADDRESS: u_printf(h->out, spec(buf, q, letters), (long long)address); break;
	case HEX_CHAR: u_printf(h->out, spec(buf, q, "c"), c); break;
	case HEX_ESCAPED: put_escaped(h, q, c); break;
	case HEX_PRINTABLE: u_printf(h->out, spec(buf, q, "c"), ascii_print(c) ? c : '.'); break;
	case HEX_NAMED: put_named(h, q, c); break;
	case HEX_SIGNED:
		v = load(s, q->size) << (64 - 8 * q->size);
		u_printf(h->out, spec(buf, q, letters), (long long)((int64_t)v >> (64 - 8 * q->size)));
		break;
	case HEX_UNSIGNED: u_printf(h->out, spec(buf, q, letters), (long long)load(s, q->size)); break;
	case HEX_FLOAT: put_float(h, q, s); break;
	case HEX_STRING: put_text(h, q, s); break;
	}
}

static void put_piece(struct hexdump *h, const struct hex_piece *q, const char *s, uint64_t address, bool last)
{
	u_put(h->out, q->before.ptr, q->before.len);
	if (h->ended && address >= h->end_address && q->kind != HEX_TEXT)
		u_printf(h->out, "%*s", q->width, "");
	else
		put_conversion(h, q, s, address);
	u_put(h->out, q->after.ptr, last && !q->next ? q->after_trimmed : q->after.len);
}

static void print_format(struct hexdump *h, const struct hex_format *f, const char *s)
{
	uint64_t address = h->address;

	for (const struct hex_unit *u = f->units; u && !u->at_end; u = u->next) {
		for (uint64_t i = 0; i < u->repeat; i++) {
			sys_checkpoint(h->p);
			for (const struct hex_piece *q = u->pieces; q; q = q->next) {
				put_piece(h, q, s, address, i + 1 == u->repeat);
				address += q->size;
				s += q->size;
			}
		}
	}
}

void hex_print_block(struct hexdump *h, const char *block)
{
	for (const struct hex_format *f = h->first; f; f = f->next)
		print_format(h, f, block);
}

void hex_print_end(struct hexdump *h)
{
	if (!h->end || (!h->ended && !h->address))
		return;
	if (!h->ended)
		h->end_address = h->address;
	for (const struct hex_piece *q = h->end->pieces; q; q = q->next) {
		u_put(h->out, q->before.ptr, q->before.len);
		if (q->kind == HEX_ADDRESS)
			put_conversion(h, q, "", h->end_address);
		u_put(h->out, q->after.ptr, q->after.len);
	}
}
