/*
 * What the image holds lives for ever: its objects are made immortal, as CPython's own None and True are.
 *
 * Counting references writes to every object that is only looked at, and a page that is written to is a page of each instance's
 * own. Nothing of the image is ever freed anyway: a run's memory is thrown away as a whole.
 */
#define Py_BUILD_CORE 1
#include <Python.h>

#include "internal/pycore_code.h"
#include "internal/pycore_object.h"

#include "settle.h"

static struct {
	PyObject **v;
	size_t n, cap;
	int failed;
} found;

static int mark(PyObject *op, void *arg)
{
	(void)arg;
	if (!op || op->ob_refcnt == _Py_IMMORTAL_REFCNT || found.failed)
		return 0;
	if (found.n == found.cap) {
		size_t cap = found.cap ? found.cap * 2 : 65536;
		PyObject **more = realloc(found.v, cap * sizeof(*more));

		if (!more) {
			found.failed = 1;
			return 0;
		}
		found.v = more;
		found.cap = cap;
	}
	op->ob_refcnt = _Py_IMMORTAL_REFCNT;
	found.v[found.n++] = op;
	return 0;
}

static int mark_tracked(PyObject *op, void *arg)
{
	mark(op, arg);
	return 1;
}

/* What it refers to, also where the collector has no need to look. */
static void visit(PyObject *op)
{
	PyObject *key, *value;
	Py_ssize_t at = 0;

	if (PyObject_IS_GC(op) && Py_TYPE(op)->tp_traverse)
		Py_TYPE(op)->tp_traverse(op, mark, NULL);
	if (PyDict_Check(op))
		while (PyDict_Next(op, &at, &key, &value)) {
			mark(key, NULL);
			mark(value, NULL);
		}
	if (PyCode_Check(op)) {
		PyCodeObject *c = (PyCodeObject *)op;
		PyObject *parts[] = {c->co_consts, c->co_names, c->co_exceptiontable, c->co_localsplusnames, c->co_localspluskinds,
				     c->co_filename, c->co_name, c->co_qualname, c->co_linetable};

		for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
			mark(parts[i], NULL);
	}
	if (PyType_Check(op) && PyType_HasFeature((PyTypeObject *)op, Py_TPFLAGS_HEAPTYPE)) {
		PyHeapTypeObject *t = (PyHeapTypeObject *)op;

		mark(t->ht_name, NULL);
		mark(t->ht_qualname, NULL);
	}
	if (PyUnicode_Check(op))
		PyObject_Hash(op); /* remembered in it */
}

/* 0, or -1 without memory. */
int make_immortal(void)
{
	PyUnstable_GC_VisitObjects(mark_tracked, NULL);
	for (size_t i = 0; i < found.n && !found.failed; i++)
		visit(found.v[i]);
	if (found.v)
		memset(found.v, 0, found.cap * sizeof(*found.v));
	free(found.v);
	return found.failed ? -1 : 0;
}

/* The same for the free places in Python's own pools. */
void settle_objects(void)
{
	char *end;

	settle_heap();
	end = settle_end();
	for (size_t n = 8; end && n <= 512; n += 8) {
		char *p = PyObject_Malloc(n);

		while (p && p < end)
			p = PyObject_Malloc(n);
	}
}
