/* wait is in posix.h, which comes first. */
