"""bzip2 and liblzma, as Python's _bz2 and _lzma need them."""
import glob
import os

BZIP2 = 'blocksort bzlib compress crctable decompress huffman randtable'.split()
# Threads, small tables instead of large ones, programs that make tables, other machines' code.
LZMA_OUT = ('_mt.c', '_small.c', 'tablegen.c', 'hardware_cputhreads.c', 'hardware_physmem.c', 'outqueue.c', 'consts_gen.c')
CODERS = 'LZMA1 LZMA2 X86 ARM ARM64 ARMTHUMB IA64 POWERPC RISCV SPARC DELTA'.split()
CONFIG = '''#define HAVE_CHECK_CRC32 1
#define HAVE_CHECK_CRC64 1
#define HAVE_CHECK_SHA256 1
#define HAVE_ENCODERS 1
#define HAVE_DECODERS 1
#define HAVE_LZIP_DECODER 1
#define HAVE_MF_HC3 1
#define HAVE_MF_HC4 1
#define HAVE_MF_BT2 1
#define HAVE_MF_BT3 1
#define HAVE_MF_BT4 1
#define HAVE_INTTYPES_H 1
#define HAVE_STDBOOL_H 1
#define HAVE_STDINT_H 1
#define HAVE__BOOL 1
#define HAVE_STRING_H 1
#define PACKAGE_NAME "XZ Utils"
#define PACKAGE_BUGREPORT ""
#define PACKAGE_URL ""
#define ASSUME_RAM 128
#define NDEBUG 1
''' + ''.join(f'#define HAVE_ENCODER_{c} 1\n#define HAVE_DECODER_{c} 1\n' for c in CODERS)


def compile_libraries(b):
    """The flags that the modules need."""
    bzip2, xz = b.source('bzip2'), os.path.join(b.source('xz'), 'src')
    lzma = os.path.join(xz, 'liblzma')
    b.compile([os.path.join(bzip2, f + '.c') for f in BZIP2], ['-DBZ_NO_STDIO', '-DBZ_DEBUG=0'])
    config = os.path.dirname(b.write('lzma/config.h', CONFIG))
    files = sorted(f for f in glob.glob(os.path.join(lzma, '*', '*.c')) if not f.endswith(LZMA_OUT))
    folders = [config, os.path.join(lzma, 'api'), os.path.join(xz, 'common'), *(os.path.join(lzma, d) for d in
               ('common', 'check', 'lz', 'rangecoder', 'lzma', 'delta', 'simple'))]
    b.compile(files, ['-DHAVE_CONFIG_H', '-DTUKLIB_SYMBOL_PREFIX=lzma_', *(f'-I{f}' for f in folders)])
    return [f'-I{bzip2}', f'-I{os.path.join(lzma, "api")}']
