// zlib.
module.exports = require('internal/absent').module('zlib', 'gzip and its kind are commands of the shell (child_process.execFileSync)', ['gzip', 'gunzip', 'deflate', 'inflate', 'deflateRaw', 'inflateRaw', 'unzip', 'brotliCompress',
  'brotliDecompress', 'gzipSync', 'gunzipSync', 'deflateSync', 'inflateSync', 'deflateRawSync', 'inflateRawSync', 'unzipSync', 'brotliCompressSync', 'brotliDecompressSync', 'createGzip', 'createGunzip', 'createDeflate',
  'createInflate', 'createUnzip', 'createBrotliCompress', 'createBrotliDecompress'], [], { constants: {} });
