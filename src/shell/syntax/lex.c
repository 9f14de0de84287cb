/*
 * lex.c - tokens.
 *
 * There is one token of look-ahead, read only when the grammar asks for it; what a word means
 * (reserved word, assignment, pattern) depends on the token before it, as in bash, and on a
 * context that the grammar sets before it asks. A word that is plain text, the common case,
 * costs one pass over its bytes and one copy.
 */
#include "syntax.h"

/* ---- Reserved words ---------------------------------------------------------- */

struct reserved {
	char text[8];
	uint8_t kind;
};

/* By length: `reserved_from` says where each begins. */
static const struct reserved reserved_words[] = {
        {"{", T_LBRACE},      {"}", T_RBRACE},      {"!", T_BANG},          {"if", T_IF},
        {"fi", T_FI},         {"do", T_DO},         {"in", T_IN},           {"[[", T_COND},
        {"]]", T_CONDEND},    {"for", T_FOR},       {"then", T_THEN},       {"else", T_ELSE},
        {"elif", T_ELIF},     {"done", T_DONE},     {"case", T_CASE},       {"esac", T_ESAC},
        {"time", T_TIME},     {"while", T_WHILE},   {"until", T_UNTIL},     {"select", T_SELECT},
        {"coproc", T_COPROC}, {"function", T_FUNCTION},
};
static const uint8_t reserved_from[10] = {0, 0, 3, 9, 10, 17, 19, 21, 21, 22};

static unsigned find_reserved(struct str s)
{
	char key[8] = {0};

	if (s.len > 8)
		return T_WORD;
	for (size_t i = 0; i < s.len; i++)
		key[i] = s.ptr[i];
	for (unsigned i = reserved_from[s.len]; i < reserved_from[s.len + 1]; i++)
		if (memcmp(key, reserved_words[i].text, 8) == 0)
			return reserved_words[i].kind;
	return T_WORD;
}

bool syntax_is_reserved(struct str s)
{
	return s.len && find_reserved(s) != T_WORD;
}

bool syntax_is_name(struct str s)
{
	if (!s.len || ascii_digit((unsigned char)s.ptr[0]))
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (!(CLASS(s.ptr[i]) & C_NAME))
			return false;
	return true;
}

/* `time` begins a pipeline, so it cannot stand inside one. */
static bool time_ok(unsigned last)
{
	return last != T_PIPE && last != T_PIPEAMP && last != T_COPROC && last != T_FI &&
	       last != T_DONE && last != T_ESAC && last != T_RBRACE && last != T_CONDEND;
}

/* The kind of an unquoted literal word. */
static unsigned word_kind(const struct parser *p, struct str s)
{
	unsigned kind;

	if (UNLIKELY(p->accept & ACCEPT_TIMEOPT)) {
		if (p->last == T_TIME && str_is(s, "-p"))
			return T_TIMEOPT;
		if (str_is(s, "--"))
			return T_TIMEIGN;
	}
	if (!p->accept && (p->context == LEX_NORMAL ? !(token_traits[p->last] & TRAIT_ANNOUNCES)
	                                            : p->context > LEX_REGEX))
		return T_WORD;
	kind = find_reserved(s);
	switch (kind) {
	case T_CONDEND:
		return p->context >= LEX_COND && p->context <= LEX_REGEX ? kind : (unsigned)T_WORD;
	case T_ESAC:
		if (p->context == LEX_CASE)
			return kind;
		break;
	case T_IN:
		if (p->accept & ACCEPT_IN)
			return kind;
		break;
	case T_DO:
		if (p->accept & ACCEPT_DO)
			return kind;
		break;
	case T_LBRACE:
		if (p->accept & ACCEPT_BRACE)
			return kind;
		break;
	case T_TIME:
		if (!time_ok(p->last))
			return T_WORD;
		break;
	default: break;
	}
	return lex_reserved_ok(p) ? kind : (unsigned)T_WORD;
}

/* ---- Words ------------------------------------------------------------------- */

/* {name} or {name[sub]} directly before a redirection */
static bool fd_variable(struct parser *p, const char *start)
{
	const char *from = start + 1, *to = from;
	struct assign *a;

	if (*start != '{' || p->at[-1] != '}' || p->at - start < 3)
		return false;
	while (to < p->at && (CLASS(*to) & C_NAME))
		to++;
	if (!syntax_is_name((struct str){from, (size_t)(to - from)}))
		return false;
	a = &p->tok.assign;
	memset(a, 0, sizeof(*a));
	a->name = (struct str){from, (size_t)(to - from)};
	if (to + 1 == p->at)
		return true;
	if (*to != '[' || p->at[-2] != ']' || p->at - to < 4)
		return false;
	from = to + 1;
	to = p->at - 2;
	part_text(p, from, (size_t)(to - from),
	          (struct str){arena_strndup(p->arena, from, (size_t)(to - from)),
	                       (size_t)(to - from)},
	          0);
	a->sub = make_subscript(p, from, (size_t)(to - from),
	                        word_new(p, from, p->scratch_used - sizeof(struct part)));
	return true;
}

/* Whether the word that was just read belongs to the redirection behind it. */
static unsigned fd_kind(struct parser *p, const char *start)
{
	uint64_t n = 0;

	if (p->at == p->limit || (*p->at != '<' && *p->at != '>'))
		return T_WORD;
	if (*start == '{')
		return fd_variable(p, start) ? T_FDVAR : T_WORD;
	for (const char *at = start; at < p->at; at++) {
		if (!ascii_digit(*at))
			return T_WORD;
		n = n * 10 + (uint64_t)(*at - '0');
		if (n > INT32_MAX)
			return T_WORD;
	}
	p->tok.fd = (int32_t)n;
	return T_FD;
}

/* Plain text: one allocation for its only part and its copy. */
static void literal_word(struct parser *p, const char *start, size_t n)
{
	struct part *part = arena_alloc(p->arena, sizeof(*part) + n + 1);
	char *text = (char *)(part + 1);

	memcpy(text, start, n);
	text[n] = '\0';
	*part = (struct part){.raw = start, .raw_len = (uint32_t)n, .text = {text, n}};
	p->tok.word = (struct word){.raw = start,
	                            .raw_len = (uint32_t)n,
	                            .flags = WORD_LITERAL,
	                            .parts = part,
	                            .nparts = 1,
	                            .off = offset_of(p, start),
	                            .text = {text, n}};
}

/* A word of plain text without any special character. */
static unsigned plain_word(struct parser *p, const char *start)
{
	struct str text = {start, (size_t)(p->at - start)};
	unsigned kind = ascii_digit(*start) ? fd_kind(p, start) : (unsigned)T_WORD;

	if (kind == T_WORD) {
		if (UNLIKELY(p->flags & PARSE_ALIASES) && alias_try(p, text, start))
			return T_KINDS;
		kind = word_kind(p, text);
	}
	if (kind == T_WORD)
		literal_word(p, start, text.len);
	p->tok.quoted = false;
	return lex_finish(p, kind, start);
}

/* The word for an argument like name=value of declare: the text before the value and the
 * value's parts. */
static void declaration_word(struct parser *p, const char *start, const char *value,
                             const struct assign *a)
{
	size_t mark = p->scratch_used;
	struct word *w = &p->tok.word;

	p->lit_len = 0;
	lit_add(p, start, (size_t)((a->array ? p->at : value) - start));
	lit_flush(p, false);
	for (uint32_t i = 0; a->value && i < a->value->nparts; i++) {
		const struct part *part = &a->value->parts[i];

		*part_push(p, part->kind, part->raw, part->quoted) = *part;
	}
	word_finish(p, w, start, mark);
	if (a->array)
		w->flags &= ~(uint32_t)(WORD_LITERAL | WORD_RESOLVED);
}

static unsigned assignment(struct parser *p, const char *start)
{
	struct assign *a = p->found;
	const char *value = p->at;

	if (!scan_value(p, a, start))
		return T_ERROR;
	p->tok.quoted = false;
	if (!p->decl_args) {
		p->tok.assign = *a;
		memset(&p->tok.word, 0, sizeof(p->tok.word));
		return lex_finish(p, T_ASSIGN, start);
	}
	declaration_word(p, start, value, a);
	if (p->decl_args == 2) {
		if (a->array) {
			p->tok.word.flags |= WORD_LITERAL;
			p->tok.word.text = p->tok.word.parts[0].text;
		}
		return lex_finish(p, T_WORD, start);
	}
	if (!a->array && !(p->flags & PARSE_NO_BRACES))
		word_braces(p, &p->tok.word);
	p->tok.word.flags |= WORD_ASSIGN;
	p->tok.word.assign = p->tok.word.flags & WORD_BRACE ? NULL : a;
	return lex_finish(p, T_WORD, start);
}

static bool after_redirection(unsigned last)
{
	return last >= T_LESS && last <= T_ANDDGREAT;
}

static bool assignment_ok(const struct parser *p)
{
	if (p->context != LEX_NORMAL || after_redirection(p->last))
		return false;
	return p->cmd_word_next || p->decl_args || (token_traits[p->last] & TRAIT_ANNOUNCES);
}

/* `eval x=$y` splits as any word, only `eval x=(…)` is special. */
static bool only_array(const struct parser *p)
{
	return p->decl_args == 2 && !(p->at < p->limit && *p->at == '(');
}

/* Tildes behind the = of an argument like name=~ are bash's own idea. */
static enum tilde_rule word_tilde_rule(const struct parser *p, const struct word *w)
{
	bool argument = p->context == LEX_NORMAL || p->context == LEX_WORDS;

	return argument && !(w->flags & WORD_BRACE) && !(p->flags & PARSE_POSIX) ? TILDE_WORD
	                                                                         : TILDE_START;
}

static unsigned full_word(struct parser *p, const char *start)
{
	unsigned flags = assignment_ok(p) ? PLAIN_ASSIGN : 0, kind = T_WORD;
	size_t mark = p->scratch_used;
	struct word *w = &p->tok.word;

	if ((p->flags & PARSE_EXTGLOB) || p->context == LEX_PATTERN)
		flags |= PLAIN_EXTGLOB;
	if (p->context == LEX_REGEX)
		flags |= PLAIN_REGEX;
	if (!scan_plain(p, PLAIN_WORD, flags))
		return T_ERROR;
	if (p->found && only_array(p)) {
		p->at = start;
		if (!scan_plain(p, PLAIN_WORD, flags & ~(unsigned)PLAIN_ASSIGN))
			return T_ERROR;
	}
	if (p->found)
		return assignment(p, start);
	word_finish(p, w, start, mark);
	p->tok.quoted = (w->flags & WORD_QUOTED) != 0;
	if (w->flags & (WORD_LITERAL | WORD_RESOLVED) && !p->tok.quoted && w->text.len) {
		kind = fd_kind(p, start);
		if (kind == T_WORD && alias_try(p, w->text, start))
			return T_KINDS;
		if (kind == T_WORD)
			kind = word_kind(p, w->text);
	}
	if (kind == T_WORD && p->context == LEX_REGEX) {
		word_tildes(p, w, TILDE_START);
	} else if (kind == T_WORD) {
		if (!(p->flags & PARSE_NO_BRACES) &&
		    (p->context == LEX_NORMAL || p->context == LEX_WORDS))
			word_braces(p, w);
		word_tildes(p, w, word_tilde_rule(p, w));
	}
	return p->failed ? (unsigned)T_ERROR : lex_finish(p, kind, start);
}

static unsigned lex_word(struct parser *p)
{
	const char *start = p->at, *at = start, *limit = p->limit;

	while (at < limit && !(CLASS(*at) & (C_STOP | C_SPECIAL | C_GLOB)))
		at++;
	if (at == start || (at < limit && !(CLASS(*at) & C_DELIM)) || p->context == LEX_REGEX)
		return full_word(p, start);
	if (at < limit && (*at == '(' || *at == '<' || *at == '>')) {
		if (*at == '(' ? strchr("+@!", at[-1]) != NULL : at + 1 < limit && at[1] == '(')
			return full_word(p, start);
	}
	p->at = at;
	return plain_word(p, start);
}

/* ---- (( … )) ---------------------------------------------------------------------- */

/* (( … )) where a command may begin: the whole of it is one token. T_KINDS: it is none. */
static unsigned double_paren(struct parser *p)
{
	const char *start = p->at, *text, *close;
	size_t mark = p->scratch_used;

	p->at++;
	if (!lex_follows(p, '(') || arith_remembered(p, start)) {
		p->at = start;
		return T_KINDS;
	}
	if (p->last == T_FOR)
		return lex_finish(p, T_DLPAREN, start);
	text = p->at;
	if (!enter(p) || !scan_quoted(p, QUOTED_ARITH))
		return T_ERROR;
	leave(p);
	if (p->at == p->limit) {
		fail_eof(p, start, line_of(p, start), ')');
		return T_ERROR;
	}
	close = skip_cont(p, p->at + 1);
	if (close == p->limit || *close != ')') {
		p->scratch_used = mark;
		arith_remember(p, start);
		p->at = start;
		return T_KINDS;
	}
	word_finish(p, &p->tok.word, text, mark);
	p->tok.word.line = line_of(p, text);
	p->at = close + 1;
	return lex_finish(p, T_DLPAREN, start);
}

/* ---- The next token ---------------------------------------------------------- */

/* What is read again, as a (( that proves to be none, is kept once. */
void keep_trivia(struct parser *p, const char *from, const struct redir *redir)
{
	struct trivia *t;
	uint32_t off = offset_of(p, from);

	if (!(p->flags & PARSE_TRIVIA) || p->fixed || !in_source(p, from) || off < p->trivia_end)
		return;
	t = arena_alloc(p->arena, sizeof(*t));
	*t = (struct trivia){NULL, redir, off, offset_of(p, p->at)};
	p->trivia_end = t->end;
	if (!p->trivia)
		p->trivia_tail = &p->trivia;
	*p->trivia_tail = t;
	p->trivia_tail = &t->next;
}

/* From # to before the end of the line. */
void skip_comment(struct parser *p)
{
	const char *from = p->at, *nl = memchr(from, '\n', (size_t)(p->limit - from));

	p->at = nl ? nl : p->limit;
	if (UNLIKELY(p->flags & PARSE_TRIVIA))
		keep_trivia(p, from, NULL);
}

/* Blanks, comments, backslash-newlines, finished aliases. */
static void skip_blanks(struct parser *p)
{
	for (;;) {
		const char *at = p->at, *limit = p->limit;

		while (at < limit && (*at == ' ' || *at == '\t'))
			at++;
		p->at = at;
		if (at == limit) {
			if (LIKELY(!p->frame))
				return;
			alias_pop(p);
		} else if (*at == '#') {
			skip_comment(p);
		} else if (LIKELY(*at != '\\') || (p->at = skip_cont(p, at)) == at) {
			return;
		}
	}
}

static unsigned lex_end(struct parser *p)
{
	/* bash sees a newline after a last line that has none */
	if (p->last != T_NEWLINE && p->last != T_START && !p->newline_at_end) {
		p->newline_at_end = true;
		if (p->pending)
			heredoc_read(p);
		return p->failed ? (unsigned)T_ERROR : lex_finish(p, T_NEWLINE, p->at);
	}
	return lex_finish(p, T_EOF, p->at);
}

static unsigned lex_newline(struct parser *p)
{
	const char *start = p->at++;

	lex_finish(p, T_NEWLINE, start);
	if (p->pending) {
		heredoc_read(p);
		if (p->failed)
			return T_ERROR;
		p->tok.kind = T_NEWLINE;
		p->tok.start = start;
		p->tok.end = start + 1;
	}
	return T_NEWLINE;
}

/* T_KINDS: an alias was expanded, look again. */
unsigned lex_one(struct parser *p)
{
	unsigned kind;
	char c;

	if (p->at == p->limit)
		return lex_end(p);
	c = *p->at;
	if (c == '\n')
		return lex_newline(p);
	if (!(CLASS(c) & C_DELIM))
		return c == '-' && (p->last == T_LESSAND || p->last == T_GREATAND)
		               ? (p->at++, lex_finish(p, T_DASH, p->at - 1))
		               : lex_word(p);
	if ((c == '<' || c == '>') && p->limit - p->at > 1 && p->at[1] == '(' &&
	    p->context != LEX_REGEX)
		return full_word(p, p->at);
	if (p->context == LEX_REGEX && (c == '(' || c == '|'))
		return full_word(p, p->at);
	if (c == '(' && (lex_reserved_ok(p) || p->last == T_FOR)) {
		kind = double_paren(p);
		if (kind != T_KINDS)
			return kind;
	}
	return lex_operator(p);
}

unsigned token_read(struct parser *p)
{
	unsigned kind;

	if (UNLIKELY(p->failed))
		return T_ERROR;
	do {
		skip_blanks(p);
		kind = UNLIKELY(p->frame != NULL) ? lex_in_alias(p) : lex_one(p);
	} while (UNLIKELY(kind == T_KINDS) && !p->failed);
	if (UNLIKELY(p->failed))
		kind = T_ERROR;
	p->tok.kind = (uint8_t)kind;
	p->have_tok = true;
	p->alias_next = false;
	return kind;
}

void token_drop(struct parser *p)
{
	if (p->failed)
		return;
	p->at = p->tok.end;
	token_take(p);
}

bool token_accept(struct parser *p, unsigned kind)
{
	if (token_peek(p) != kind)
		return false;
	token_take(p);
	return true;
}

bool token_expect(struct parser *p, unsigned kind)
{
	if (token_accept(p, kind))
		return true;
	fail_token(p);
	return false;
}

void skip_newlines(struct parser *p)
{
	uint8_t accept = p->accept;

	while (token_peek(p) == T_NEWLINE) {
		token_take(p);
		p->accept = accept;
	}
}
