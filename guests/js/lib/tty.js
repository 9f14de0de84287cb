// tty.
module.exports = { isatty: (fd) => Number.isInteger(fd) && fd >= 0 && host.isatty(fd), ReadStream: require('internal/stdio').Input, WriteStream: require('internal/stdio').Output };
