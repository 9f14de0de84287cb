/* sendfile is in posix.h, which comes first. */
