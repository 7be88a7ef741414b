/* Tensors whose facts are read in place. What this rests on is found and verified by guardlang.pytorch.native before it is used. */

#include <dlfcn.h>

typedef int32_t (*Fact)(void *handle, void *answer);

#define STRIDED 0 /* as the C interface numbers layouts; verified with the rest */

/* What `configure` is told. */
static struct {
    PyTypeObject *types[2];
    Py_ssize_t offset;           /* of the handle in the Python object */
    Py_ssize_t keys_offset;      /* of the dispatch keys in the tensor; -1 when unknown */
    uint64_t plain_keys, hidden_keys;
    uint64_t included, excluded; /* what the thread's own keys are combined with */
    void *library;
    char symbol[128];
    Fact dim, sizes, strides, storage_offset, dtype, device_type, device_index, layout, is_contiguous;
    _Bool (*requires_grad)(void *impl);
} library;

typedef struct {
    void *handle;                /* NULL for what is not read natively */
    PyObject *object;
    uint64_t keys;
    int64_t dim;
    int64_t *sizes, *strides;
} Tensor;

static inline void *impl_of(const Tensor *t) { return *(void **)t->handle; }

static inline void open_tensor(Tensor *t, PyObject *x)
{
    void *handle = (char *)x + library.offset;
    t->handle = NULL;
    t->object = x;
    if ((Py_TYPE(x) != library.types[0] && Py_TYPE(x) != library.types[1]) || library.dim == NULL || *(void **)handle == NULL)
        return;
    if (library.keys_offset >= 0) {
        t->keys = *(uint64_t *)(*(char **)handle + library.keys_offset);
        if (t->keys & ~library.plain_keys)
            return;
    }
    else {
        int32_t layout;
        if (library.layout(handle, &layout) != 0 || layout != STRIDED)
            return;
    }
    if (library.dim(handle, &t->dim) == 0 && library.sizes(handle, &t->sizes) == 0 && library.strides(handle, &t->strides) == 0)
        t->handle = handle;
}

static inline Number ndim_of(const Tensor *t) { return t->handle == NULL ? other() : whole(t->dim); }

static inline Number size_of(const Tensor *t, int64_t i)
{
    if (t->handle == NULL)
        return other();
    i += i < 0 ? t->dim : 0;
    return i >= 0 && i < t->dim ? whole(t->sizes[i]) : other();
}

static inline Number stride_of(const Tensor *t, int64_t i)
{
    if (t->handle == NULL)
        return other();
    i += i < 0 ? t->dim : 0;
    return i >= 0 && i < t->dim ? whole(t->strides[i]) : other();
}

static inline Number storage_offset_of(const Tensor *t)
{
    int64_t offset;
    return t->handle == NULL || library.storage_offset(t->handle, &offset) != 0 ? other() : whole(offset);
}

static inline int fact_is(const Tensor *t, Fact fact, long long wanted)
{
    int32_t answer;
    return t->handle == NULL || fact(t->handle, &answer) != 0 ? ASK : answer == wanted;
}

static inline int dtype_is(const Tensor *t, long long wanted) { return fact_is(t, library.dtype, wanted); }
static inline int layout_is(const Tensor *t, long long wanted) { return fact_is(t, library.layout, wanted); }

static inline int device_is(const Tensor *t, long long kind, long long index)
{
    int same = fact_is(t, library.device_type, kind);
    return same == 1 ? fact_is(t, library.device_index, index) : same;
}

static inline int is_contiguous(const Tensor *t)
{
    _Bool answer;
    return t->handle == NULL || library.is_contiguous(t->handle, &answer) != 0 ? ASK : answer;
}

static inline int requires_grad_is(const Tensor *t, long long wanted)
{
    return t->handle == NULL ? ASK : library.requires_grad(impl_of(t)) == wanted;
}

/* The keys that the thread adds and takes away. */
static _Thread_local const uint64_t *thread_keys = NULL;

static void read_thread_keys(Frame *f)
{
    const uint64_t *own = thread_keys;
    if (own == NULL && library.library != NULL)
        own = thread_keys = dlsym(library.library, library.symbol);
    if (own == NULL)
        return;
    f->knows_keys = 1;
    f->added_keys = own[0] ^ library.included;
    f->removed_keys = (own[1] ^ library.excluded) | library.hidden_keys;
}

/* Return whether a tensor has the wanted dispatch keys in effect. The names of one set of bits never change, so they are asked once. */
static inline int has_keys(const Frame *f, const Tensor *t, KeyNames *wanted)
{
    uint64_t bits;
    PyObject *answer;
    if (t->handle == NULL || !f->knows_keys)
        return ASK;
    bits = (t->keys | f->added_keys) & ~f->removed_keys;
    if (wanted->known && wanted->bits == bits)
        return 1;
    answer = call_1(f, wanted->matches, t->object);
    if (answer == NULL)
        return ASK;
    Py_DECREF(answer);
    if (answer != Py_True)
        return 0;
    wanted->known = 1;
    wanted->bits = bits;
    return 1;
}

static int configure(PyObject *told)
{
    PyObject *first, *second;
    const char *path, *symbol;
    unsigned long long address[10];
    if (told == Py_None || library.dim != NULL)
        return 0;
    if (!PyArg_ParseTuple(told, "OOnnKKssKKKKKKKKKKKK", &first, &second, &library.offset, &library.keys_offset, &library.plain_keys,
                          &library.hidden_keys, &path, &symbol, &library.included, &library.excluded, &address[0], &address[1],
                          &address[2], &address[3], &address[4], &address[5], &address[6], &address[7], &address[8], &address[9]))
        return -1;
    library.types[0] = (PyTypeObject *)Py_NewRef(first);
    library.types[1] = (PyTypeObject *)Py_NewRef(second);
    if (*path && strlen(symbol) < sizeof library.symbol) {
        library.library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
        strcpy(library.symbol, symbol);
    }
    library.sizes = (Fact)(uintptr_t)address[1];
    library.strides = (Fact)(uintptr_t)address[2];
    library.storage_offset = (Fact)(uintptr_t)address[3];
    library.dtype = (Fact)(uintptr_t)address[4];
    library.device_type = (Fact)(uintptr_t)address[5];
    library.device_index = (Fact)(uintptr_t)address[6];
    library.layout = (Fact)(uintptr_t)address[7];
    library.is_contiguous = (Fact)(uintptr_t)address[8];
    library.requires_grad = (_Bool (*)(void *))(uintptr_t)address[9];
    library.dim = (Fact)(uintptr_t)address[0];
    return 0;
}
