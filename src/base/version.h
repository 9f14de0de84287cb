/*
 * version.h - the version that --version prints and the library reports.
 *
 * Layer     base
 */
#ifndef NACRE_BASE_VERSION_H
#define NACRE_BASE_VERSION_H

#ifndef NACRE_VERSION_TEXT
#define NACRE_VERSION_TEXT "0.1.0"
#endif

#endif
