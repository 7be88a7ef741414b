/* What the generated functions are made of: reads, comparisons and numbers, each with the meaning that guardlang gives it.
 *
 * Every object in a variable of a generated function is a strong reference, kept in the slots v[] and released on the way out, because
 * a lookup in a dict may run the `__eq__` of a stored key. A reading function returns a new reference, or NULL where the read is
 * undefined, with or without an error set. A condition is 1 or 0, or ASK where it takes Python to tell. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>
#include <math.h>
#include <stdint.h>

#define ASK (-1)
#define DEEPEST 90

/* Where an attribute of the instances of one class is found, as long as nobody changes the class. */
enum Place {
    UNKNOWN,       /* ask Python each time */
    OWN,           /* in the instance dict or nowhere */
    OWN_OR_CLASS,  /* in the instance dict, else what the class holds */
    OWN_OR_NEVER,  /* in the instance dict, else it is a method: undefined */
    GETTER,        /* a descriptor in C that only reads */
    OF_CLASS       /* the object is a class, and this is what it gives */
};

typedef struct {
    PyObject *name;
    PyObject *found;         /* what the class holds */
    PyTypeObject *cls;       /* the exact class whose instances are read */
    PyTypeObject *owner;     /* for OF_CLASS: the class that is read */
    unsigned int version, owner_version;
    enum Place place;
} Access;

/* The dispatch keys of tensors that have the names that a guard wants. */
typedef struct {
    PyObject *matches;
    uint64_t bits;
    int known;
} KeyNames;

/* Guards on ambient state that held when `snapshot` was taken: functions, tuples of operands and results in turn. */
typedef struct {
    PyObject *ask, *snapshot;
} Ambient;

typedef union {
    PyObject *object;
    long long whole;
    double real;
    Access *access;
    KeyNames *keys;
    Ambient *ambient;
} Cell;

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *dict;
    PyObject *held;          /* keeps alive what the cells point to */
    PyObject *names;         /* of the parameters, for a positional check */
    PyObject *source, *make_source;
    PyObject *plain_mapping, *resolve, *read_attribute, *read_item, *item_by_position, *call_reader;
    Py_ssize_t count, access_count, key_count;
    Cell *cells;
    Access *accesses;
    KeyNames *keys;
    Ambient ambient;
} Check;

typedef struct {
    Check *check;
    PyObject *locals, *globals;  /* dicts, or NULL for no names */
    PyObject *const *values;     /* of the parameters */
    uint64_t added_keys, removed_keys;  /* the dispatch keys that the thread adds and takes away */
    int knows_keys;
    PyObject **quiet;            /* the last dict that was found quiet; forgotten when Python runs */
} Frame;


/* Roots. */

static inline PyObject *local_of(const Frame *f, PyObject *name)
{
    PyObject *x = PyDict_GetItemWithError(f->locals, name);
    return Py_XNewRef(x);
}

static inline PyObject *global_of(const Frame *f, PyObject *name)
{
    return f->globals == NULL ? NULL : Py_XNewRef(PyDict_GetItemWithError(f->globals, name));
}

/* Return whether a guard that is left to Python holds. */
static int ask(const Frame *f, PyObject *guard)
{
    PyObject *locals = f->locals, *result = NULL;
    int holds;
    if (PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_Exception))
            return 0;
        PyErr_Clear();
    }
    if (f->values != NULL) {
        locals = PyDict_New();
        for (Py_ssize_t i = 0; locals != NULL && i < PyTuple_GET_SIZE(f->check->names); i++)
            if (PyDict_SetItem(locals, PyTuple_GET_ITEM(f->check->names, i), f->values[i]) < 0)
                Py_CLEAR(locals);
        if (locals == NULL)
            return 0;
    }
    else
        Py_INCREF(locals);
    *f->quiet = NULL;
    result = PyObject_CallFunctionObjArgs(guard, locals, f->globals == NULL ? Py_None : f->globals, NULL);
    Py_DECREF(locals);
    holds = result == Py_True;
    Py_XDECREF(result);
    return holds;
}

static PyObject *call_1(const Frame *f, PyObject *function, PyObject *a)
{
    *f->quiet = NULL;
    return PyObject_CallOneArg(function, a);
}

static PyObject *call_2(const Frame *f, PyObject *function, PyObject *a, PyObject *b)
{
    *f->quiet = NULL;
    return PyObject_CallFunctionObjArgs(function, a, b, NULL);
}

static PyObject *call_3(const Frame *f, PyObject *function, PyObject *a, PyObject *b, PyObject *c)
{
    *f->quiet = NULL;
    return PyObject_CallFunctionObjArgs(function, a, b, c, NULL);
}


/* Attributes. */

/* The version of a class changes whenever the class or one of its bases does; 0 is no version. The tests of the package make sure. */
static inline unsigned int version_of(PyTypeObject *cls)
{
    return cls->tp_version_tag;
}

static unsigned int give_version(PyTypeObject *cls)
{
#if PY_VERSION_HEX >= 0x030C0000
    PyUnstable_Type_AssignVersionTag(cls);
#else
    static PyObject *nothing = NULL;
    if (nothing == NULL)
        nothing = PyUnicode_InternFromString("__no_such_name__");
    if (nothing != NULL) {
        PyObject *found = PyType_Type.tp_getattro((PyObject *)cls, nothing);
        Py_XDECREF(found);
    }
    PyErr_Clear();
#endif
    return PyType_HasFeature(cls, Py_TPFLAGS_VALID_VERSION_TAG) ? cls->tp_version_tag : 0;
}

/* Return the instance dict, NULL when there is none; new reference. */
static inline PyObject *own_dict(PyObject *x)
{
#if PY_VERSION_HEX < 0x030D0000
    PyObject **place = _PyObject_GetDictPtr(x);
    return place == NULL ? NULL : Py_XNewRef(*place);
#else
    PyObject *own = PyObject_GenericGetDict(x, NULL);
    if (own == NULL && PyErr_ExceptionMatches(PyExc_AttributeError))
        PyErr_Clear();
    return own;
#endif
}

static inline PyObject *own_entry(PyObject *x, PyObject *name)
{
    PyObject *own = own_dict(x), *entry;
    if (own == NULL)
        return NULL;
    entry = PyDict_Check(own) ? Py_XNewRef(PyDict_GetItemWithError(own, name)) : NULL;
    Py_DECREF(own);
    return entry;
}

/* Find out where the attribute of this object's class is, and keep it for the next object of the class. */
static int resolve_access(const Frame *f, Access *a, PyObject *x)
{
    PyTypeObject *cls = Py_TYPE(x);
    PyTypeObject *owner = PyType_Check(x) ? (PyTypeObject *)x : NULL;
    PyObject *found, *old_found = a->found, *old_cls = (PyObject *)a->cls, *old_owner = (PyObject *)a->owner;
    unsigned int version = give_version(cls), owner_version = owner == NULL ? 0 : give_version(owner);
    long place = UNKNOWN;
    PyObject *answer = call_2(f, f->check->resolve, x, a->name);
    if (answer == NULL)
        return -1;
    found = Py_NewRef(PyTuple_GET_ITEM(answer, 1));
    place = PyLong_AsLong(PyTuple_GET_ITEM(answer, 0));
    Py_DECREF(answer);
    if (version == 0 || (owner != NULL && owner_version == 0) || version != version_of(cls))
        place = UNKNOWN;
    a->place = (enum Place)place;
    a->version = version;
    a->owner_version = owner_version;
    a->found = found;
    a->cls = (PyTypeObject *)Py_NewRef(cls);
    a->owner = (PyTypeObject *)Py_XNewRef(owner);
    Py_XDECREF(old_found);
    Py_XDECREF(old_cls);
    Py_XDECREF(old_owner);
    return 0;
}

static inline int is_current(const Access *a, PyObject *x)
{
    PyTypeObject *cls = Py_TYPE(x);
    if (a->cls != cls || version_of(cls) != a->version || a->version == 0)
        return 0;
    return a->owner == NULL || ((PyObject *)a->owner == x && version_of(a->owner) == a->owner_version);
}

static PyObject *attribute_of(const Frame *f, PyObject *x, Access *a)
{
    PyObject *found, *result;
    if (!is_current(a, x) && resolve_access(f, a, x) < 0)
        return NULL;
    switch (a->place) {
    case OWN:
    case OWN_OR_NEVER:
        return own_entry(x, a->name);
    case OWN_OR_CLASS:
        found = Py_NewRef(a->found);
        result = own_entry(x, a->name);
        if (result != NULL || PyErr_Occurred()) {
            Py_DECREF(found);
            return result;
        }
        return found;
    case GETTER:
        found = Py_NewRef(a->found);
        result = Py_TYPE(found)->tp_descr_get(found, x, (PyObject *)Py_TYPE(x));
        Py_DECREF(found);
        return result;
    case OF_CLASS:
        return Py_NewRef(a->found);
    default:
        return call_2(f, f->check->read_attribute, x, a->name);
    }
}

static int has_attribute(const Frame *f, PyObject *x, Access *a)
{
    PyObject *result = attribute_of(f, x, a);
    if (result == NULL && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_Exception))
            return ASK;
        PyErr_Clear();
    }
    Py_XDECREF(result);
    return result != NULL;
}


/* Items. */

/* Return whether a lookup in a dict runs no code of a key's type: CPython compares the key with stored keys of the same hash. */
static int is_quiet(const Frame *f, PyObject *d)
{
    Py_ssize_t place = 0;
    PyObject *key;
    if (*f->quiet == d)
        return 1;
    while (PyDict_Next(d, &place, &key, NULL))
        if (!PyUnicode_CheckExact(key) && !PyLong_CheckExact(key) && key != Py_None && !PyBool_Check(key) && !PyBytes_CheckExact(key)
            && !PyFloat_CheckExact(key))
            return 0;
    *f->quiet = d;
    return 1;
}

/* Return the value of a key by CPython's own lookup; an error of a stored key's own comparison means that there is none. */
static inline PyObject *entry_of(PyObject *d, PyObject *key)
{
    PyObject *value = PyDict_GetItemWithError(d, key);
    if (value == NULL && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception))
        PyErr_Clear();
    return Py_XNewRef(value);
}

static PyObject *item_at(const Frame *f, PyObject *x, PyObject *key, Py_ssize_t i)
{
    if (PyTuple_Check(x)) {
        Py_ssize_t n = PyTuple_GET_SIZE(x);
        i += i < 0 ? n : 0;
        return i >= 0 && i < n ? Py_NewRef(PyTuple_GET_ITEM(x, i)) : NULL;
    }
    if (PyList_Check(x)) {
        Py_ssize_t n = PyList_GET_SIZE(x);
        i += i < 0 ? n : 0;
        return i >= 0 && i < n ? Py_NewRef(PyList_GET_ITEM(x, i)) : NULL;
    }
    if (PyDict_CheckExact(x))
        return entry_of(x, key);
    return call_2(f, f->check->read_item, x, key);
}

static inline PyObject *item_of(const Frame *f, PyObject *x, PyObject *key)
{
    if (PyDict_CheckExact(x))
        return entry_of(x, key);
    return call_2(f, f->check->read_item, x, key);
}

/* Return the key or the value at a position of a dict. */
static PyObject *item_by_position(const Frame *f, PyObject *d, PyObject *position, Py_ssize_t i, PyObject *which, int keys)
{
    if (PyDict_CheckExact(d)) {
        Py_ssize_t place = 0;
        PyObject *key, *value;
        i += i < 0 ? PyDict_GET_SIZE(d) : 0;
        if (i >= 0)
            while (PyDict_Next(d, &place, &key, &value))
                if (i-- == 0)
                    return Py_NewRef(keys ? key : value);
        return NULL;
    }
    return call_3(f, f->check->item_by_position, d, position, which);
}

static PyObject *referent_of(const Frame *f, PyObject *w, PyObject *dereference)
{
    if (PyWeakref_CheckRefExact(w)) {
#if PY_VERSION_HEX >= 0x030D0000
        PyObject *x = NULL;
        return PyWeakref_GetRef(w, &x) == 1 ? x : Py_NewRef(Py_None);
#else
        return Py_NewRef(PyWeakref_GetObject(w));
#endif
    }
    return call_1(f, dereference, w);
}


/* Numbers: an int in a machine word or a float; OTHER where Python must compute. */

enum Kind { OTHER, WHOLE, REAL };

typedef struct {
    enum Kind kind;
    long long whole;
    double real;
} Number;

static inline Number other(void) { Number n = {OTHER, 0, 0.0}; return n; }
static inline Number whole(long long value) { Number n = {WHOLE, 0, 0.0}; n.whole = value; return n; }
static inline Number real(double value) { Number n = {REAL, 0, 0.0}; n.real = value; return n; }

static inline Number number_of(PyObject *x)
{
    if (PyLong_CheckExact(x) || PyBool_Check(x)) {
        int overflow;
        long long value = PyLong_AsLongLongAndOverflow(x, &overflow);
        return overflow ? other() : whole(value);
    }
    return PyFloat_CheckExact(x) ? real(PyFloat_AS_DOUBLE(x)) : other();
}

static inline double as_real(Number a) { return a.kind == WHOLE ? (double)a.whole : a.real; }
static inline int are_whole(Number a, Number b) { return a.kind == WHOLE && b.kind == WHOLE; }
static inline int are_numbers(Number a, Number b) { return a.kind != OTHER && b.kind != OTHER; }

static inline Number add(Number a, Number b)
{
    long long r;
    if (are_whole(a, b))
        return __builtin_add_overflow(a.whole, b.whole, &r) ? other() : whole(r);
    return are_numbers(a, b) ? real(as_real(a) + as_real(b)) : other();
}

static inline Number subtract(Number a, Number b)
{
    long long r;
    if (are_whole(a, b))
        return __builtin_sub_overflow(a.whole, b.whole, &r) ? other() : whole(r);
    return are_numbers(a, b) ? real(as_real(a) - as_real(b)) : other();
}

static inline Number multiply(Number a, Number b)
{
    long long r;
    if (are_whole(a, b))
        return __builtin_mul_overflow(a.whole, b.whole, &r) ? other() : whole(r);
    return are_numbers(a, b) ? real(as_real(a) * as_real(b)) : other();
}

static inline Number divide(Number a, Number b)
{
    if (!are_numbers(a, b) || as_real(b) == 0.0)
        return other();
    if (are_whole(a, b)) {
        const long long exactly = 1LL << 53;
        if (a.whole > exactly || a.whole < -exactly || b.whole > exactly || b.whole < -exactly)
            return other();
    }
    return real(as_real(a) / as_real(b));
}

/* Python rounds down where C rounds to zero. */
static inline Number floor_divide(Number a, Number b)
{
    long long quotient;
    if (!are_whole(a, b) || b.whole == 0 || b.whole == -1)
        return are_whole(a, b) && b.whole == -1 ? subtract(whole(0), a) : other();
    quotient = a.whole / b.whole;
    return whole(quotient - (a.whole % b.whole != 0 && (a.whole < 0) != (b.whole < 0)));
}

static inline Number modulo(Number a, Number b)
{
    long long rest;
    if (!are_whole(a, b) || b.whole == 0)
        return other();
    if (b.whole == -1)
        return whole(0);
    rest = a.whole % b.whole;
    return whole(rest != 0 && (rest < 0) != (b.whole < 0) ? rest + b.whole : rest);
}

static inline Number power(Number a, Number b)
{
    Number result = whole(1);
    if (!are_whole(a, b) || b.whole < 0 || b.whole > 64)
        return other();
    for (long long i = 0; i < b.whole; i++)
        result = multiply(result, a);
    return result;
}

static inline Number shift_left(Number a, Number b)
{
    if (!are_whole(a, b) || b.whole < 0 || b.whole > 62)
        return other();
    return multiply(a, whole(1LL << b.whole));
}

static inline Number shift_right(Number a, Number b)
{
    if (!are_whole(a, b) || b.whole < 0)
        return other();
    return floor_divide(a, b.whole > 62 ? whole(LLONG_MAX) : whole(1LL << b.whole));
}

static inline Number bit_and(Number a, Number b) { return are_whole(a, b) ? whole(a.whole & b.whole) : other(); }
static inline Number bit_or(Number a, Number b) { return are_whole(a, b) ? whole(a.whole | b.whole) : other(); }
static inline Number bit_xor(Number a, Number b) { return are_whole(a, b) ? whole(a.whole ^ b.whole) : other(); }
static inline Number invert(Number a) { return a.kind == WHOLE ? whole(~a.whole) : other(); }

static inline Number negative(Number a)
{
    return a.kind == REAL ? real(-a.real) : subtract(whole(0), a);
}

static inline Number absolute(Number a)
{
    return a.kind == REAL ? real(fabs(a.real)) : a.kind == WHOLE && a.whole < 0 ? negative(a) : a;
}

static inline Number to_whole(Number a, double (*rounded)(double))
{
    double r;
    if (a.kind != REAL)
        return a;
    r = rounded(a.real);
    return r > -4e18 && r < 4e18 ? whole((long long)r) : other();
}

static inline Number to_real(Number a) { return a.kind == WHOLE ? real((double)a.whole) : a; }

static inline Number square_root(Number a)
{
    return a.kind != OTHER && as_real(a) >= 0.0 ? real(sqrt(as_real(a))) : other();
}

/* Return the sign of a - b for an int and a float, by value; 2 for a NaN. */
static int order_of(long long a, double b)
{
    double cut;
    if (b != b)
        return 2;
    if (b >= 9223372036854775808.0)
        return -1;
    if (b < -9223372036854775808.0)
        return 1;
    cut = trunc(b);
    if (a != (long long)cut)
        return a < (long long)cut ? -1 : 1;
    return b > cut ? -1 : b < cut ? 1 : 0;
}

static inline int order(Number a, Number b)
{
    int sign;
    if (are_whole(a, b))
        return a.whole < b.whole ? -1 : a.whole > b.whole;
    if (a.kind == WHOLE)
        return order_of(a.whole, b.real);
    if (b.kind == WHOLE) {
        sign = order_of(b.whole, a.real);
        return sign == 2 ? 2 : -sign;
    }
    return a.real < b.real ? -1 : a.real > b.real ? 1 : a.real == b.real ? 0 : 2;
}

static inline int equal_numbers(Number a, Number b) { return are_numbers(a, b) ? order(a, b) == 0 : ASK; }
static inline int number_is(Number a, long long wanted)
{
    return a.kind == WHOLE ? a.whole == wanted : equal_numbers(a, whole(wanted));
}
static inline int less(Number a, Number b) { return are_numbers(a, b) ? order(a, b) == -1 : ASK; }

static inline int at_most(Number a, Number b)
{
    int sign;
    if (!are_numbers(a, b))
        return ASK;
    sign = order(a, b);
    return sign == -1 || sign == 0;
}

static inline Number smaller(Number a, Number b) { return are_numbers(a, b) ? (order(b, a) == -1 ? b : a) : other(); }
static inline Number larger(Number a, Number b) { return are_numbers(a, b) ? (order(b, a) == 1 ? b : a) : other(); }
static inline int is_nan(Number a) { return a.kind == OTHER ? ASK : a.kind == REAL && a.real != a.real; }

static Number length_of(PyObject *x)
{
    if (PyList_Check(x))
        return whole(PyList_GET_SIZE(x));
    if (PyTuple_Check(x))
        return whole(PyTuple_GET_SIZE(x));
    if (PyDict_Check(x))
        return whole(PyDict_GET_SIZE(x));
    if (PyUnicode_Check(x))
        return whole(PyUnicode_GET_LENGTH(x));
    if (PyAnySet_Check(x))
        return whole(PySet_GET_SIZE(x));
    if (PyBytes_Check(x))
        return whole(PyBytes_GET_SIZE(x));
    return other();
}


/* Equality of values. */

static inline int is_scalar(PyObject *x)
{
    return x == Py_None || PyLong_CheckExact(x) || PyBool_Check(x) || PyFloat_CheckExact(x) || PyUnicode_CheckExact(x)
        || PyBytes_CheckExact(x);
}

static inline int is_number(PyObject *x)
{
    return PyLong_CheckExact(x) || PyBool_Check(x) || PyFloat_CheckExact(x);
}

static inline int equal_whole(PyObject *x, long long wanted)
{
    Number n = number_of(x);
    if (n.kind != OTHER)
        return equal_numbers(n, whole(wanted));
    return is_scalar(x) ? 0 : ASK;
}

static inline int equal_real(PyObject *x, double wanted)
{
    Number n = number_of(x);
    if (n.kind != OTHER)
        return equal_numbers(n, real(wanted));
    return is_scalar(x) && !PyLong_CheckExact(x) ? 0 : ASK;
}

static inline int equal_text(PyObject *x, PyObject *wanted)
{
    if (x == wanted)
        return 1;
    if (PyUnicode_CheckExact(x))
        return PyUnicode_GET_LENGTH(x) == PyUnicode_GET_LENGTH(wanted) && PyUnicode_Compare(x, wanted) == 0;
    return is_scalar(x) ? 0 : ASK;
}

/* One object stands for the value, and its own comparison is in C: torch.dtype, torch.device. */
static int equal_native(PyObject *x, PyObject *wanted)
{
    if (x == wanted)
        return 1;
    if (Py_TYPE(x) == Py_TYPE(wanted)) {
        int same = PyObject_RichCompareBool(x, wanted, Py_EQ);
        if (same < 0)
            PyErr_Clear();
        return same;
    }
    return is_scalar(x) ? 0 : ASK;
}

static int equal_scalars(PyObject *a, PyObject *b)
{
    if (is_number(a) && is_number(b)) {
        Number m = number_of(a), n = number_of(b);
        int same;
        if (are_numbers(m, n))
            return order(m, n) == 0;
        same = PyObject_RichCompareBool(a, b, Py_EQ);
        if (same < 0)
            PyErr_Clear();
        return same;
    }
    if (PyUnicode_CheckExact(a) && PyUnicode_CheckExact(b))
        return equal_text(a, b);
    if (PyBytes_CheckExact(a) && PyBytes_CheckExact(b))
        return PyBytes_GET_SIZE(a) == PyBytes_GET_SIZE(b) && memcmp(PyBytes_AS_STRING(a), PyBytes_AS_STRING(b), PyBytes_GET_SIZE(a)) == 0;
    return a == b;
}

static inline int is_row(PyObject *x) { return PyTuple_CheckExact(x) || PyList_CheckExact(x); }
static inline Py_ssize_t row_size(PyObject *x) { return Py_SIZE(x); }
static inline PyObject *row_item(PyObject *x, Py_ssize_t i)
{
    return PyTuple_CheckExact(x) ? PyTuple_GET_ITEM(x, i) : PyList_GET_ITEM(x, i);
}

/* An element that is no value makes the comparison undefined wherever it stands, so all are looked at. Runs no Python code. */
static int equal_values(PyObject *a, PyObject *b, int depth)
{
    int all = 1;
    if (is_scalar(a) && is_scalar(b))
        return equal_scalars(a, b);
    if (!is_row(a) || Py_TYPE(a) != Py_TYPE(b) || row_size(a) != row_size(b) || depth > DEEPEST)
        return ASK;
    for (Py_ssize_t i = 0; i < row_size(a); i++) {
        int same = equal_values(row_item(a, i), row_item(b, i), depth + 1);
        if (same < 0)
            return ASK;
        all &= same;
    }
    return all;
}

static inline int equal_objects(PyObject *a, PyObject *b) { return equal_values(a, b, 0); }

static int exact_real(double a, double b)
{
    if (a != a || b != b)
        return a != a && b != b && signbit(a) == signbit(b);
    return a == b && signbit(a) == signbit(b);
}

static int exact_values(PyObject *a, PyObject *b, int depth)
{
    if (Py_TYPE(a) != Py_TYPE(b))
        return 0;
    if (PyFloat_CheckExact(a))
        return exact_real(PyFloat_AS_DOUBLE(a), PyFloat_AS_DOUBLE(b));
    if (is_scalar(a))
        return equal_scalars(a, b);
    if (PyType_Check(a))
        return a == b;
    if (!is_row(a) || depth > DEEPEST)
        return ASK;
    if (row_size(a) != row_size(b))
        return 0;
    for (Py_ssize_t i = 0; i < row_size(a); i++) {
        int same = exact_values(row_item(a, i), row_item(b, i), depth + 1);
        if (same != 1)
            return same;
    }
    return 1;
}

static inline int exact_objects(PyObject *a, PyObject *b) { return exact_values(a, b, 0); }

static int less_objects(PyObject *a, PyObject *b, int or_equal)
{
    if (PyUnicode_CheckExact(a) && PyUnicode_CheckExact(b)) {
        int sign = PyUnicode_Compare(a, b);
        return or_equal ? sign <= 0 : sign < 0;
    }
    return or_equal ? at_most(number_of(a), number_of(b)) : less(number_of(a), number_of(b));
}

/* Return whether the keys of a dict are these strings, in order. */
static int keys_are(PyObject *d, PyObject *names)
{
    Py_ssize_t place = 0, i = 0, n = PyTuple_GET_SIZE(names);
    PyObject *key;
    int all = 1;
    if (!PyDict_CheckExact(d))
        return ASK;
    while (PyDict_Next(d, &place, &key, NULL)) {
        if (!PyUnicode_CheckExact(key))
            return ASK;
        all = all && i < n && equal_text(key, PyTuple_GET_ITEM(names, i)) == 1;
        i++;
    }
    return all && i == n;
}


/* Membership. */

static inline PyObject *state_of(const Frame *f, PyObject *reader)
{
    *f->quiet = NULL;
    return PyObject_CallNoArgs(reader);
}

static int is_key(const Frame *f, PyObject *d, PyObject *key)
{
    int found;
    if (!PyDict_Check(d) || !is_quiet(f, d))
        return ASK;
    found = PyDict_Contains(d, key);
    if (found < 0)
        PyErr_Clear();
    return found;
}

static int is_among(PyObject *x, PyObject *row)
{
    int unknown = !is_scalar(x);
    if (!is_row(row) || unknown)
        return ASK;
    for (Py_ssize_t i = 0; i < row_size(row); i++) {
        PyObject *item = row_item(row, i);
        int same = is_scalar(item) ? equal_scalars(x, item) : is_row(item) ? ASK : ASK;
        if (same == 1)
            return 1;
        unknown |= same < 0;
    }
    return unknown ? ASK : 0;
}

/* The set is a constant of values. */
static int is_in_set(PyObject *x, PyObject *set)
{
    int found;
    if (!is_scalar(x) || (PyFloat_CheckExact(x) && PyFloat_AS_DOUBLE(x) != PyFloat_AS_DOUBLE(x)))
        return ASK;
    found = PySet_Contains(set, x);
    if (found < 0)
        PyErr_Clear();
    return found;
}


/* Identity. */

static int all_same(PyObject *const *x, Py_ssize_t n)
{
    for (Py_ssize_t i = 1; i < n; i++)
        if (x[i] != x[0])
            return 0;
    return 1;
}

#define FEW 8
#define TABLE 512

static int all_distinct(PyObject *const *x, Py_ssize_t n)
{
    PyObject *table[TABLE];
    uintptr_t size = 4;
    if (n <= FEW || n > TABLE / 2) {
        for (Py_ssize_t i = 1; i < n; i++)
            for (Py_ssize_t j = 0; j < i; j++)
                if (x[i] == x[j])
                    return 0;
        return 1;
    }
    while (size < (uintptr_t)n * 2)
        size *= 2;
    memset(table, 0, size * sizeof *table);
    for (Py_ssize_t i = 0; i < n; i++) {
        uintptr_t place = ((uintptr_t)x[i] >> 4 ^ (uintptr_t)x[i] >> 10) & (size - 1);
        for (; table[place] != NULL; place = (place + 1) & (size - 1))
            if (table[place] == x[i])
                return 0;
        table[place] = x[i];
    }
    return 1;
}

static inline void release(PyObject **v, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++)
        Py_XDECREF(v[i]);
}

static inline int not_(int condition) { return condition < 0 ? condition : !condition; }
static inline int truth_of(PyObject *x) { return x == Py_True ? 1 : x == Py_False ? 0 : ASK; }
static inline int is_instance(PyObject *x, PyObject *cls) { return PyType_IsSubtype(Py_TYPE(x), (PyTypeObject *)cls); }

/* Return whether nothing has changed since the guards on ambient state held, else whether they hold now. */
static int ambient_holds(const Frame *f, Ambient *a)
{
    PyObject *snapshot = a->snapshot, *answer;
    int holds = 1;
    if (snapshot != NULL) {
        Py_INCREF(snapshot);
        for (Py_ssize_t i = 0; holds && i + 2 < PyTuple_GET_SIZE(snapshot); i += 3) {
            PyObject *operands = PyTuple_GET_ITEM(snapshot, i + 1);
            answer = PyObject_Vectorcall(PyTuple_GET_ITEM(snapshot, i), &PyTuple_GET_ITEM(operands, 0), PyTuple_GET_SIZE(operands), NULL);
            holds = answer == PyTuple_GET_ITEM(snapshot, i + 2);
            Py_XDECREF(answer);
        }
        Py_DECREF(snapshot);
        if (holds)
            return 1;
        PyErr_Clear();
    }
    *f->quiet = NULL;
    answer = PyObject_CallNoArgs(a->ask);
    if (answer == NULL)
        return 0;
    holds = PyTuple_GET_ITEM(answer, 0) == Py_True;
    if (PyTuple_GET_ITEM(answer, 1) != Py_None) {
        snapshot = a->snapshot;
        a->snapshot = Py_NewRef(PyTuple_GET_ITEM(answer, 1));
        Py_XDECREF(snapshot);
    }
    Py_DECREF(answer);
    return holds;
}

/* Steps of a generated function: each leaves it when the check has failed. */

#define READ(slot, read) if (((slot) = (read)) == NULL) goto out
#define MUST(condition) if (!(condition)) goto out
#define HOLDS(condition, guard) { int holds_ = (condition); if (holds_ != 1 && (holds_ == 0 || !ask(f, (guard)))) goto out; }
#define CALL(part) if (!(part)) goto out
