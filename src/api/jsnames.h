/* jsnames.h - the names that a JavaScript program has already. */
#ifndef NACRE_API_JSNAMES_H
#define NACRE_API_JSNAMES_H

#include "../base/base.h"

/* A word of the language, a global of JavaScript's or of Node's, a name of CommonJS's, a module that -e finds by its name. */
bool js_name_is_taken(const char *s, size_t n);

#endif
