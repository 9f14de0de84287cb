/*
 * Python: initialised with what programs use most, then frozen; a run configures that start anew.
 *
 * guest_prepare brings the interpreter up as `python3` does, but for what a command line, an environment
 * and standard streams add, and lets start.py import modules and put them aside. guest_entry reads the
 * command line as python3 does (PyConfig), applies it to the running interpreter, which CPython allows
 * (Py_InitializeFromConfig, a second time), and runs Py_RunMain. A run that was not prepared (cold, for options that an
 * initialised interpreter cannot take) is Py_BytesMain.
 */
#define Py_BUILD_CORE 1
#include <Python.h>

#include "internal/pycore_atexit.h"
#include "internal/pycore_initconfig.h"
#include "internal/pycore_interp.h"
#include "internal/pycore_moduleobject.h"
#include "internal/pycore_pylifecycle.h"
#include "internal/pycore_pystate.h"
#include "internal/pycore_runtime.h"

#include <locale.h>

#define LIBRARY L"/usr/lib/python3.13"

PyObject *PyInit__nacre(void);
PyObject *PyInit__sqlite3(void);
PyObject *PyInit__bz2(void);
PyObject *PyInit__lzma(void);

int make_immortal(void);
void settle_objects(void);

static int prepared;
static PyObject *start; /* the namespace of start.py, once prepared */

static const char start_text[] = {
#include "start.inc"
	0};

static int add_modules(void)
{
	return PyImport_AppendInittab("_nacre", PyInit__nacre) || PyImport_AppendInittab("_sqlite3", PyInit__sqlite3) ||
	       PyImport_AppendInittab("_bz2", PyInit__bz2) || PyImport_AppendInittab("_lzma", PyInit__lzma);
}

/* Where things are: what getpath.py would find out. */
static PyStatus set_paths(PyConfig *c)
{
	static const wchar_t *const paths[] = {L"/usr/lib/python313.zip", LIBRARY, LIBRARY L"/lib-dynload"};
	PyStatus s = _PyStatus_OK();
	struct {
		wchar_t **to;
		const wchar_t *text;
	} v[] = {{&c->prefix, L"/usr"}, {&c->base_prefix, L"/usr"}, {&c->exec_prefix, L"/usr"}, {&c->base_exec_prefix, L"/usr"},
		 {&c->executable, L"/usr/bin/python3"}, {&c->base_executable, L"/usr/bin/python3"}, {&c->stdlib_dir, LIBRARY},
		 {&c->platlibdir, L"lib"}};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]) && !_PyStatus_EXCEPTION(s); i++)
		s = PyConfig_SetString(c, v[i].to, v[i].text);
	c->module_search_paths_set = 1;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]) && !_PyStatus_EXCEPTION(s); i++)
		s = PyWideStringList_Append(&c->module_search_paths, paths[i]);
	return s;
}

/* ---- Before it is frozen ------------------------------------------------------------------------------ */

static int initialize(void)
{
	PyPreConfig pre;
	PyConfig c;
	PyStatus s;

	PyPreConfig_InitIsolatedConfig(&pre);
	pre.utf8_mode = 0;
	pre.configure_locale = 1; /* without an environment that is C.UTF-8 */
	s = Py_PreInitialize(&pre);
	if (_PyStatus_EXCEPTION(s))
		return -1;
	PyConfig_InitIsolatedConfig(&c);
	c.install_signal_handlers = 1;
	c.pathconfig_warnings = 0;
	c.use_hash_seed = 1; /* what is hashed now stays: docs/differences.md */
	c.hash_seed = 0;
	s = set_paths(&c);
	if (!_PyStatus_EXCEPTION(s))
		s = Py_InitializeFromConfig(&c);
	PyConfig_Clear(&c);
	if (_PyStatus_EXCEPTION(s)) {
		fprintf(stderr, "python3: %s\n", s.err_msg ? s.err_msg : "initialisation failed");
		return -1;
	}
	return 0;
}

static PyObject *call(const char *name)
{
	PyObject *f = PyDict_GetItemString(start, name);

	return f ? PyObject_CallNoArgs(f) : NULL;
}

int guest_prepare(void)
{
	PyObject *code, *r;

	if (add_modules() || initialize())
		return -1;
	start = PyDict_New();
	if (!start || PyDict_SetItemString(start, "__builtins__", PyEval_GetBuiltins()) || PyDict_SetItemString(start, "__name__", PyUnicode_FromString("nacre_start")))
		return -1;
	code = Py_CompileString(start_text, "<nacre>", Py_file_input);
	r = code ? PyEval_EvalCode(code, start, start) : NULL;
	if (!r) {
		PyErr_Print();
		return -1;
	}
	prepared = 1;
	Py_DECREF(r);
	Py_DECREF(code);
	if (make_immortal() < 0)
		return -1;
	settle_objects();
	return 0;
}

/* ---- A run ----------------------------------------------------------------------------------------------- */

/* The first of three variables that is set. */
static const char *first_of(const char *a, const char *b, const char *c)
{
	const char *names[] = {a, b, c};

	for (int i = 0; i < 3; i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return value;
	}
	return NULL;
}

/* The command line on what is there. 0, or the exit status of a run that ends at once. */
static int configure(int argc, char **argv, int *status)
{
	PyPreConfig *pre = &_PyRuntime.preconfig;
	const char *locale;
	PyConfig c;
	PyStatus s;

	/* The image was made without an environment; a run has one. As CPython does it (PEP 538, 540): text is UTF-8 in any case,
	 * and what is not is let through in a locale that is not for it. */
	locale = first_of("LC_ALL", "LC_CTYPE", "LANG");
	pre->utf8_mode = locale && strcmp(locale, "C.UTF-8") != 0 && strcmp(locale, "C.utf8") != 0;
	if (pre->utf8_mode && first_of("LC_ALL", "LC_ALL", "LC_ALL"))
		setlocale(LC_CTYPE, "C");
	pre->isolated = 0;
	pre->use_environment = 1;
	pre->parse_argv = 1;
	PyConfig_InitPythonConfig(&c);
	c.use_hash_seed = 1;
	c.hash_seed = 0;
	c.install_signal_handlers = 1;
	s = PyConfig_SetBytesArgv(&c, argc, argv);
	if (!_PyStatus_EXCEPTION(s))
		s = set_paths(&c);
	if (!_PyStatus_EXCEPTION(s))
		s = Py_InitializeFromConfig(&c);
	PyConfig_Clear(&c);
	if (_PyStatus_IS_EXIT(s)) {
		*status = s.exitcode;
		return 1;
	}
	if (_PyStatus_EXCEPTION(s)) {
		fprintf(stderr, "Fatal Python error: %s: %s\n", s.func ? s.func : "", s.err_msg ? s.err_msg : "");
		*status = 1;
		return 1;
	}
	return 0;
}

int guest_entry(int argc, char **argv)
{
	int status;
	PyObject *r;

	posix_start();
	if (!prepared) {
		if (add_modules())
			return 1;
		return Py_BytesMain(argc, argv);
	}
	if (configure(argc, argv, &status))
		return status;
	r = call("begin");
	if (!r) {
		PyErr_Print();
		return 1;
	}
	Py_DECREF(r);
	return Py_RunMain();
}

/* ---- Its end ------------------------------------------------------------------------------------------------ */

int __real_Py_FinalizeEx(void);

/* Of the interpreter that is thrown away with its memory only what a program can see is taken down: threads are
 * waited for, atexit is run, what the program made is destroyed, files are flushed. */
int __wrap_Py_FinalizeEx(void)
{
	PyThreadState *t = _PyThreadState_GET();
	PyObject *r;
	long status = 0;

	if (!prepared)
		return __real_Py_FinalizeEx();
	r = call("before_exit");
	if (!r)
		PyErr_Clear();
	Py_XDECREF(r);
	_PyAtExit_Call(t->interp);
	r = call("end");
	if (r && PyLong_Check(r))
		status = PyLong_AsLong(r);
	if (!r)
		PyErr_Clear();
	return (int)status;
}

void __real_Py_Exit(int status);

void __wrap_Py_Exit(int status)
{
	if (!prepared)
		__real_Py_Exit(status);
	if (__wrap_Py_FinalizeEx() < 0)
		status = 120;
	exit(status);
}
