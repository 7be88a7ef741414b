/* The object that is called, and the module that makes it. */

static PyObject *mapping_of(Check *check, PyObject *mapping, const char *which)
{
    if (PyDict_Check(mapping))
        return Py_NewRef(mapping);
    {
        PyObject *name = PyUnicode_FromString(which), *made;
        if (name == NULL)
            return NULL;
        made = PyObject_CallFunctionObjArgs(check->plain_mapping, mapping, name, NULL);
        Py_DECREF(name);
        return made;
    }
}

static PyObject *verdict(Check *check, Frame *f)
{
    PyObject *kept[KEPT + 1] = {NULL};
    int result = holds(f, check->cells, kept);
    release(kept, KEPT);
    if (result == 1)
        Py_RETURN_TRUE;
    if (PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_Exception))
            return NULL;
        PyErr_Clear();
    }
    Py_RETURN_FALSE;
}

static PyObject *check_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    Check *check = (Check *)self;
    Py_ssize_t n = PyVectorcall_NARGS(nargsf);
    PyObject *quiet = NULL;
    Frame f = {check, NULL, NULL, NULL, 0, 0, 0, &quiet};
    PyObject *locals = NULL, *globals = NULL, *given = NULL, *result;
#if PARAMETERS >= 0
    if (n != PARAMETERS) {
        PyErr_Format(PyExc_TypeError, "check() takes %d values, not %zd", PARAMETERS, n);
        return NULL;
    }
    if (kwnames != NULL && PyTuple_GET_SIZE(kwnames) > 0) {
        if (PyTuple_GET_SIZE(kwnames) != 1 || PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, 0), "globals") != 0) {
            PyErr_SetString(PyExc_TypeError, "check() takes no keyword but globals");
            return NULL;
        }
        given = args[n];
    }
    f.values = args;
#else
    if ((kwnames != NULL && PyTuple_GET_SIZE(kwnames) > 0) || n < 1 || n > 2) {
        PyErr_Format(PyExc_TypeError, "check() takes the locals and the globals of a frame by position, not %zd arguments", n);
        return NULL;
    }
    given = n > 1 ? args[1] : NULL;
    if (PyDict_CheckExact(args[0]))
        f.locals = args[0];
    else if ((f.locals = locals = mapping_of(check, args[0], "locals")) == NULL)
        return NULL;
#endif
    if (READS_GLOBALS && given != NULL && given != Py_None) {
        if (PyDict_CheckExact(given))
            f.globals = given;
        else if ((f.globals = globals = mapping_of(check, given, "globals")) == NULL) {
            Py_XDECREF(locals);
            return NULL;
        }
    }
#if TENSORS
    read_thread_keys(&f);
#endif
    result = verdict(check, &f);
    Py_XDECREF(locals);
    Py_XDECREF(globals);
    return result;
}

static int check_traverse(PyObject *self, visitproc visit, void *arg)
{
    Check *check = (Check *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(check->dict);
    Py_VISIT(check->held);
    Py_VISIT(check->ambient.snapshot);
    for (Py_ssize_t i = 0; i < check->access_count; i++) {
        Py_VISIT(check->accesses[i].found);
        Py_VISIT(check->accesses[i].cls);
        Py_VISIT(check->accesses[i].owner);
    }
    return 0;
}

static int check_clear(PyObject *self)
{
    Check *check = (Check *)self;
    Py_CLEAR(check->dict);
    Py_CLEAR(check->ambient.snapshot);
    for (Py_ssize_t i = 0; i < check->access_count; i++) {
        Access *a = &check->accesses[i];
        a->version = 0;
        Py_CLEAR(a->found);
        Py_CLEAR(a->cls);
        Py_CLEAR(a->owner);
    }
    return 0;
}

static void check_dealloc(PyObject *self)
{
    Check *check = (Check *)self;
    PyTypeObject *cls = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    check_clear(self);
    Py_CLEAR(check->held);
    Py_CLEAR(check->source);
    PyMem_Free(check->cells);
    PyMem_Free(check->accesses);
    PyMem_Free(check->keys);
    cls->tp_free(self);
    Py_DECREF(cls);
}

static PyMemberDef check_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Check, vectorcall), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(Check, dict), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

/* The text with its comments is made when somebody asks for it. */
static PyObject *check_source(PyObject *self, void *unused)
{
    Check *check = (Check *)self;
    (void)unused;
    if (check->source == NULL) {
        PyObject *text = PyObject_CallNoArgs(check->make_source);
        if (text == NULL)
            return NULL;
        Py_XSETREF(check->source, text);
    }
    return Py_NewRef(check->source);
}

static PyGetSetDef check_getset[] = {
    {"source", check_source, NULL, "The text of what was built.", NULL},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot check_slots[] = {
    {Py_tp_call, (void *)PyVectorcall_Call},
    {Py_tp_traverse, (void *)check_traverse},
    {Py_tp_clear, (void *)check_clear},
    {Py_tp_dealloc, (void *)check_dealloc},
    {Py_tp_members, check_members},
    {Py_tp_getset, check_getset},
    {Py_tp_doc, (void *)"A compiled set of guards."},
    {0, NULL},
};

static PyType_Spec check_spec = {
    .name = "guardlang.generated.Check",
    .basicsize = sizeof(Check),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = check_slots,
};

/* Fill a cell from its letter and its content: an object, an int, a float, or the name of an attribute. */
static int fill_cell(Check *check, Py_ssize_t i, char letter, PyObject *content)
{
    Cell *cell = &check->cells[i];
    switch (letter) {
    case 'i':
        cell->whole = PyLong_AsLongLong(content);
        return PyErr_Occurred() ? -1 : 0;
    case 'd':
        cell->real = PyFloat_AsDouble(content);
        return PyErr_Occurred() ? -1 : 0;
    case 'a':
        cell->access = &check->accesses[check->access_count++];
        cell->access->name = content;
        return 0;
    case 'k':
        for (Py_ssize_t i = 0; i < check->key_count; i++)
            if (check->keys[i].matches == content) {
                cell->keys = &check->keys[i];
                return 0;
            }
        cell->keys = &check->keys[check->key_count++];
        cell->keys->matches = content;
        return 0;
    case 's':
        cell->ambient = &check->ambient;
        check->ambient.ask = content;
        return 0;
    default:
        cell->object = content;
        return 0;
    }
}

/* make(letters, contents, names, plain_mapping, resolve, read_attribute, read_item, item_by_position, library, make_source): a check. */
static PyObject *make(PyObject *module, PyObject *args)
{
    PyObject *cls = PyObject_GetAttrString(module, "Check");
    PyObject *letters, *contents, *told;
    Check *check;
    Py_ssize_t n;
    if (cls == NULL)
        return NULL;
    check = (Check *)((PyTypeObject *)cls)->tp_alloc((PyTypeObject *)cls, 0);
    Py_DECREF(cls);
    if (check == NULL)
        return NULL;
    check->vectorcall = check_call;
    if (!PyArg_ParseTuple(args, "SO!O!OOOOOOO", &letters, &PyTuple_Type, &contents, &PyTuple_Type, &check->names,
                          &check->plain_mapping, &check->resolve, &check->read_attribute, &check->read_item,
                          &check->item_by_position, &told, &check->make_source)) {
        Py_DECREF(check);
        return NULL;
    }
#if TENSORS
    if (configure(told) < 0) {
        Py_DECREF(check);
        return NULL;
    }
#endif
    check->held = Py_NewRef(args);
    n = PyTuple_GET_SIZE(contents);
    if (PyBytes_GET_SIZE(letters) != n || n != CELLS) {
        PyErr_Format(PyExc_SystemError, "this check has %d cells, not %zd", CELLS, n);
        Py_DECREF(check);
        return NULL;
    }
    check->cells = PyMem_Calloc((size_t)n + 1, sizeof(Cell));
    check->accesses = PyMem_Calloc((size_t)n + 1, sizeof(Access));
    check->keys = PyMem_Calloc((size_t)n + 1, sizeof(KeyNames));
    check->count = n;
    if (check->cells == NULL || check->accesses == NULL || check->keys == NULL) {
        Py_DECREF(check);
        return PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < n; i++)
        if (fill_cell(check, i, PyBytes_AS_STRING(letters)[i], PyTuple_GET_ITEM(contents, i)) < 0) {
            Py_DECREF(check);
            return NULL;
        }
    return (PyObject *)check;
}

static PyMethodDef module_methods[] = {
    {"make", make, METH_VARARGS, "Return a check with these constants."},
    {NULL, NULL, 0, NULL},
};

static int module_exec(PyObject *module)
{
    PyObject *cls = PyType_FromSpec(&check_spec);
    int failed = cls == NULL || PyModule_AddObjectRef(module, "Check", cls) < 0;
    Py_XDECREF(cls);
    return failed ? -1 : 0;
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, (void *)module_exec},
    {0, NULL},
};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT, .m_name = "guardlang_check", .m_methods = module_methods, .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit_guardlang_check(void)
{
    return PyModuleDef_Init(&module_definition);
}
