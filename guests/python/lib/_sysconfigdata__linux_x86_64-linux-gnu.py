build_time_vars = {
    'prefix': '/usr', 'exec_prefix': '/usr', 'VERSION': '3.13', 'LDVERSION': '3.13', 'ABIFLAGS': '', 'MACHDEP': 'linux',
    'MULTIARCH': 'x86_64-linux-gnu', 'SOABI': 'cpython-313-x86_64-linux-gnu', 'EXT_SUFFIX': '.cpython-313-x86_64-linux-gnu.so',
    'SHLIB_SUFFIX': '.so', 'Py_DEBUG': 0, 'Py_ENABLE_SHARED': 0, 'Py_GIL_DISABLED': 0, 'WITH_PYMALLOC': 1, 'HAVE_FORK': 0,
    'BINDIR': '/usr/bin', 'LIBDEST': '/usr/lib/python3.13', 'INCLUDEPY': '/usr/include/python3.13', 'CC': '', 'CFLAGS': '', 'LDFLAGS': '',
}
