/* The module _nacre: what start.py and the modules in lib/ need of the host and of CPython's inside. */
#define Py_BUILD_CORE 1
#include <Python.h>

#include "internal/pycore_initconfig.h"
#include "internal/pycore_interp.h"
#include "internal/pycore_moduleobject.h"
#include "internal/pycore_pyerrors.h"
#include "internal/pycore_pystate.h"

#include <fcntl.h>
#include <time.h>

#include "host.h"

extern char **environ;


/* {b'NAME': b'value'} as posix.environ is at start. */
static PyObject *environment(void)
{
	PyObject *d = PyDict_New();

	for (char **e = environ; d && e && *e; e++) {
		const char *eq = strchr(*e, '=');
		PyObject *k, *v;

		if (!eq)
			continue;
		k = PyBytes_FromStringAndSize(*e, eq - *e);
		v = PyBytes_FromString(eq + 1);
		if (!k || !v || !PyDict_SetDefault(d, k, v))
			Py_CLEAR(d);
		Py_XDECREF(k);
		Py_XDECREF(v);
	}
	return d;
}

/* As at a start of CPython's own: "UTF-8", which the locale says, is Python's "utf-8". */
static void name_codec(wchar_t **encoding)
{
	PyObject *given = PyUnicode_FromWideChar(*encoding, -1), *codecs = PyImport_ImportModule("_codecs");
	PyObject *codec = given && codecs ? PyObject_CallMethod(codecs, "lookup", "O", given) : NULL;
	PyObject *name = codec ? PyObject_GetAttrString(codec, "name") : NULL;
	wchar_t *wide = name ? PyUnicode_AsWideCharString(name, NULL) : NULL, *copy = wide ? _PyMem_RawWcsdup(wide) : NULL;

	if (copy) {
		PyMem_RawFree(*encoding);
		*encoding = copy;
	}
	PyErr_Clear();
	PyMem_Free(wide);
	Py_XDECREF(name);
	Py_XDECREF(codec);
	Py_XDECREF(codecs);
	Py_XDECREF(given);
}

static PyObject *config(PyObject *self, PyObject *args)
{
	PyConfig *c = (PyConfig *)_PyInterpreterState_GetConfig(_PyInterpreterState_GET());

	(void)self, (void)args;
	name_codec(&c->filesystem_encoding);
	return Py_BuildValue("uuiiiuN", c->stdio_encoding, c->stdio_errors, c->buffered_stdio, c->site_import, c->user_site_directory,
			     c->pythonpath_env, environment());
}

static PyObject *is_dir(PyObject *self, PyObject *path)
{
	struct host_stat st;
	const char *name = PyUnicode_AsUTF8(path);

	(void)self;
	if (!name)
		return NULL;
	return PyBool_FromLong(host_stat(HOST_CWD, name, 0, &st) == 0 && S_ISDIR((mode_t)st.mode));
}

static PyObject *time_ns(PyObject *self, PyObject *args)
{
	struct timespec t;

	(void)self, (void)args;
	clock_gettime(CLOCK_REALTIME, &t);
	return PyLong_FromLongLong((long long)t.tv_sec * 1000000000 + t.tv_nsec);
}

static PyObject *clear_module(PyObject *self, PyObject *module)
{
	(void)self;
	if (PyModule_Check(module))
		_PyModule_Clear(module);
	Py_RETURN_NONE;
}

/* Reports the exception that is being handled, as CPython does at its end. */
static PyObject *unflushed(PyObject *self, PyObject *args)
{
	(void)self, (void)args;
	PyErr_SetRaisedException(PyErr_GetHandledException());
	PyErr_FormatUnraisable("Exception ignored on flushing sys.stdout");
	Py_RETURN_NONE;
}

/* ---- Procs ---------------------------------------------------------------------------------------------- */

/* The bytes of a sequence of bytes as C strings; the bytes stay borrowed from the sequence. NULL with an error. */
static char **strings(PyObject *sequence, PyObject **keep)
{
	PyObject *fast = PySequence_Fast(sequence, "a sequence of bytes is needed");
	Py_ssize_t n;
	char **v;

	if (!fast)
		return NULL;
	n = PySequence_Fast_GET_SIZE(fast);
	v = PyMem_Calloc((size_t)n + 1, sizeof(*v));
	for (Py_ssize_t i = 0; v && i < n; i++)
		if (PyBytes_AsStringAndSize(PySequence_Fast_GET_ITEM(fast, i), &v[i], NULL) < 0) {
			PyMem_Free(v);
			Py_DECREF(fast);
			return NULL;
		}
	if (!v)
		PyErr_NoMemory();
	*keep = fast;
	return v;
}

#define FD_LAST 1024

/* spawn(path, argv, env, moves, group, cwd, close, keep): moves is a sequence of (from, to); with close, descriptors above 2
 * that are not in keep are closed in the child. The pid, or minus the error's number. */
static PyObject *spawn(PyObject *self, PyObject *args)
{
	static struct host_move moves[FD_LAST + 64];
	const char *path, *cwd;
	PyObject *argv, *env, *list, *keep, *held[2] = {NULL, NULL};
	struct host_spawn s = {0};
	int group, shut, r = -ENOMEM;

	(void)self;
	if (!PyArg_ParseTuple(args, "yOOO!izpO!", &path, &argv, &env, &PyTuple_Type, &list, &group, &cwd, &shut, &PyTuple_Type, &keep))
		return NULL;
	if (PyTuple_GET_SIZE(list) > 16 || PyTuple_GET_SIZE(keep) > 48)
		return PyLong_FromLong(-E2BIG);
	for (int fd = 3; shut && fd < FD_LAST; fd++) {
		int flags = host_fd_flags(fd);

		if (flags >= 0 && !(flags & HOST_CLOEXEC))
			moves[s.nmoves++] = (struct host_move){-1, fd};
	}
	for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keep); i++) {
		int fd = (int)PyLong_AsLong(PyTuple_GET_ITEM(keep, i));

		moves[s.nmoves++] = (struct host_move){fd, fd};
	}
	for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(list); i++) {
		struct host_move *m = &moves[s.nmoves++];

		if (!PyArg_ParseTuple(PyTuple_GET_ITEM(list, i), "ii", &m->from, &m->to))
			return NULL;
	}
	s.path = path;
	s.moves = moves;
	s.group = group;
	s.cwd = cwd;
	s.argv = strings(argv, &held[0]);
	s.env = s.argv ? env == Py_None ? environ : strings(env, &held[1]) : NULL;
	if (s.env)
		r = host_spawn(&s);
	PyMem_Free((void *)s.argv);
	if (s.env != environ)
		PyMem_Free((void *)s.env);
	Py_XDECREF(held[0]);
	Py_XDECREF(held[1]);
	return PyErr_Occurred() ? NULL : PyLong_FromLong(r);
}

static PyObject *file_control(PyObject *self, PyObject *args)
{
	int fd, command, arg = 0, r;

	(void)self;
	if (!PyArg_ParseTuple(args, "ii|i", &fd, &command, &arg))
		return NULL;
	r = fcntl(fd, command, arg);
	return r < 0 ? PyErr_SetFromErrno(PyExc_OSError) : PyLong_FromLong(r);
}

static PyObject *get_limit(PyObject *self, PyObject *args)
{
	uint64_t v[2];
	int which;

	(void)self;
	if (!PyArg_ParseTuple(args, "i", &which))
		return NULL;
	if (host_rlimit(which, v) < 0)
		Py_RETURN_NONE;
	/* -1: none */
	return Py_BuildValue("LL", (long long)v[0], (long long)v[1]);
}

static PyObject *set_limit(PyObject *self, PyObject *args)
{
	long long soft, hard;
	int which;

	(void)self;
	if (!PyArg_ParseTuple(args, "iLL", &which, &soft, &hard))
		return NULL;
	return PyLong_FromLong(-host_set_rlimit(which, (uint64_t)soft, (uint64_t)hard));
}

/* ---- scrypt's mixing ------------------------------------------------------------------------------------ */

#define ROT(x, n) ((x) << (n) | (x) >> (32 - (n)))

static void quarter(uint32_t *x, int a, int b, int c, int d)
{
	x[b] ^= ROT(x[a] + x[d], 7);
	x[c] ^= ROT(x[b] + x[a], 9);
	x[d] ^= ROT(x[c] + x[b], 13);
	x[a] ^= ROT(x[d] + x[c], 18);
}

static void salsa20_8(uint32_t *to)
{
	uint32_t x[16];

	memcpy(x, to, sizeof(x));
	for (int i = 0; i < 4; i++) {
		quarter(x, 0, 4, 8, 12), quarter(x, 5, 9, 13, 1), quarter(x, 10, 14, 2, 6), quarter(x, 15, 3, 7, 11);
		quarter(x, 0, 1, 2, 3), quarter(x, 5, 6, 7, 4), quarter(x, 10, 11, 8, 9), quarter(x, 15, 12, 13, 14);
	}
	for (int i = 0; i < 16; i++)
		to[i] += x[i];
}

/* One block of 2 r parts of 64 bytes; `to` gets the even parts, then the odd ones. */
static void mix_block(const uint32_t *from, uint32_t *to, size_t r)
{
	uint32_t x[16];

	memcpy(x, from + (2 * r - 1) * 16, sizeof(x));
	for (size_t i = 0; i < 2 * r; i++) {
		for (int k = 0; k < 16; k++)
			x[k] ^= from[i * 16 + (size_t)k];
		salsa20_8(x);
		memcpy(to + (i / 2 + i % 2 * r) * 16, x, sizeof(x));
	}
}

/* scrypt_mix(block, n): RFC 7914's ROMix, in place. */
static PyObject *scrypt_mix(PyObject *self, PyObject *args)
{
	Py_buffer b;
	unsigned n;
	uint32_t *v, *x, *y;
	size_t words;

	(void)self;
	if (!PyArg_ParseTuple(args, "w*I", &b, &n))
		return NULL;
	words = (size_t)b.len / 4;
	if (b.len % 128 || !words || n > (1u << 30) / words || !(v = PyMem_Malloc((n + 2) * words * 4))) {
		PyBuffer_Release(&b);
		return PyErr_NoMemory();
	}
	x = v + (size_t)n * words;
	y = x + words;
	memcpy(x, b.buf, words * 4);
	for (unsigned i = 0; i < n; i++) {
		memcpy(v + i * words, x, words * 4);
		mix_block(v + i * words, x, words / 32);
	}
	for (unsigned i = 0; i < n; i++) {
		const uint32_t *j = v + (x[words - 16] & (n - 1)) * words;

		for (size_t k = 0; k < words; k++)
			y[k] = x[k] ^ j[k];
		mix_block(y, x, words / 32);
	}
	memcpy(b.buf, x, words * 4);
	PyMem_Free(v);
	PyBuffer_Release(&b);
	Py_RETURN_NONE;
}

/* bzip2, when it finds that it has made a mistake. */
void bz_internal_error(int code)
{
	(void)code;
	abort();
}

static PyMethodDef methods[] = {
	{"scrypt_mix", scrypt_mix, METH_VARARGS, NULL},
	{"config", config, METH_NOARGS, NULL},
	{"is_dir", is_dir, METH_O, NULL},
	{"time_ns", time_ns, METH_NOARGS, NULL},
	{"clear_module", clear_module, METH_O, NULL},
	{"unflushed", unflushed, METH_NOARGS, NULL},
	{"spawn", spawn, METH_VARARGS, NULL},
	{"fcntl", file_control, METH_VARARGS, NULL},
	{"getrlimit", get_limit, METH_VARARGS, NULL},
	{"setrlimit", set_limit, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_nacre", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__nacre(void)
{
	return PyModule_Create(&module);
}
