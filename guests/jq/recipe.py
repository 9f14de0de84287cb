"""jq 1.7.1 with oniguruma. No patches: its builtins are included into builtins.c."""
import os

ONIG = '''regparse regcomp regexec regenc regerror regext regsyntax regtrav regversion st reggnu unicode unicode_unfold_key
unicode_fold1_key unicode_fold2_key unicode_fold3_key utf8 ascii onig_init'''.split()
JQ = 'bytecode compile execute jv jv_alloc jv_aux jv_dtoa jv_dtoa_tsd jv_file jv_parse jv_print jv_unicode lexer linker locfile parser util'.split()
# Of those jq's configure asks for, what wasi-libc has.
MATH = '''acos acosh asin asinh atan2 atan atanh cbrt ceil copysign cos cosh erf erfc exp10 exp2 exp expm1 fabs fdim floor fma fmax fmin
fmod frexp hypot j0 j1 jn ldexp lgamma log10 log1p log2 log logb modf lgamma_r nearbyint nextafter nexttoward pow remainder rint round scalbln
scalbn ilogb sin sinh sqrt tan tanh tgamma trunc y0 y1 yn'''.split()
HAVE = '''LIBONIG MEMMEM TIMEGM GMTIME_R LOCALTIME_R GMTIME STRPTIME STRFTIME SETENV GETTIMEOFDAY ISATTY TM_TM_GMT_OFF ALLOCA ALLOCA_H ATEXIT
PTHREAD PTHREAD_KEY_CREATE PTHREAD_ONCE'''.split()


def wasm(b):
    jq, onig = b.source('jq'), os.path.join(b.source('oniguruma'), 'src')
    with open(os.path.join(jq, 'src', 'builtin.jq'), encoding='utf-8') as f:
        text = f.read().rstrip('\n')
    b.write('i/src/builtin.inc', ''.join('"' + line.replace('\\', '\\\\').replace('"', '\\"') + '\\n"\n' for line in text.split('\n')))
    b.write('i/src/version.h', '#define JQ_VERSION "1.7.1"\n')
    b.write('i/src/config_opts.inc', '#define JQ_CONFIG "--with-oniguruma=builtin"\n')
    made = os.path.join(b.out, 'i')
    b.compile([os.path.join(onig, s + '.c') for s in ONIG], ['-DHAVE_CONFIG_H', f'-I{b.here}', f'-I{onig}'])
    flags = ['-DHAVE_' + f.upper() for f in MATH + HAVE] + ['-DUSE_DECNUM=1', '-DDECUSE64=1', '-DIEEE_8087=1', f'-I{made}', f'-I{made}/src',
                                                           f'-I{jq}', f'-I{jq}/src', f'-I{jq}/src/decNumber', f'-I{onig}']
    b.compile([(os.path.join(jq, 'src', s + '.c'), ['-include', os.path.join(b.here, 'jq_limits.h'), '-DMAX_PARSING_DEPTH=limits_nesting()'] if s == 'jv_parse' else [])
               for s in JQ] + [os.path.join(jq, 'src', 'decNumber', s + '.c') for s in ('decContext', 'decNumber')] +
              [(os.path.join(jq, 'src', 'main.c'), ['-Dmain=jq_main'])], flags)
    b.compile([os.path.join(b.here, 'builtins.c'), os.path.join(b.here, 'limits.c'), os.path.join(b.here, 'guest.c'), os.path.join(b.common, 'start.c')], flags)
    b.link(stack=4 << 20, more=['-Wl,' + ','.join(f'--wrap={f}' for f in ('__wasi_fd_read', 'jq_compile_args', 'jq_yylex', 'jv_nomem_handler'))])
