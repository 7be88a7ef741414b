"""Frames as JSON: `{"L": {...}, "G": {...}, "S": {...}}`, the locals, globals and ambient state by name.

Plain JSON means what it says: objects are dicts with str keys in their order, arrays are lists, `1` is an int and `1.0` a float.
For the rest there are tagged objects:

| written | is |
|---|---|
| `{"$tuple": [1, 2]}`, `{"$set": [1]}`, `{"$frozenset": [1]}` | a tuple, a set, a frozenset |
| `{"$dict": [[1, "a"], [2, "b"]]}` | a dict with any keys, in this order |
| `{"$dict": {"$k": 1}}`, `{"$list": [1]}`, `{"$str": "a"}` | a dict whose keys may start with `$`; a list, a str |
| `{"$float": "nan"}` (`-nan`, `inf`, `-inf`), `{"$int": "0xff"}` | the floats that JSON lacks; an int of any size |
| `{"$complex": [1, -2.5]}`, `{"$bytes": "68 69"}` | a complex number; bytes as hexadecimal digits |
| `{"$range": [0, 8, 2]}`, `{"$slice": [0, null, 1]}` | a range, a slice |
| `{"$iterator": [1, 2]}` | an iterator over a list, tuple or range |
| `{"$constant": "Ellipsis"}` | `Ellipsis` or `NotImplemented` |
| `{"$name": "torch.float32"}` | the object of a name |
| `{"$object": {"depth": 3}, "$type": "model.Net"}` | an object with attributes |
| `{"$tensor": {"shape": [2, 3], "dtype": "torch.float32"}, "$type": "torch.Tensor"}` | a described tensor |
| `{"$call": "torch.device", "$arguments": ["cpu"]}` | a value of a registered type |
| `{..., "$label": "a"}`, `{"$ref": "a"}` | any of the above with a label; the same object once more |

`"$type"` beside a container or number makes it one of a derived class, with `"$attributes"` of its own.

**Names** stand for one object each, in the frame and in the guards: an object of the caller's `objects`, a builtin, what the part
`"names": {"limits.DEPTH": 3}` of the file says, or a stand-in that is made when a name is first met. So a guard
`type(L['x']) is torch.Tensor` can be checked against a tensor of `"$type": "torch.Tensor"` where there is no torch. Names must be
spelled alike. A stand-in is a class; its bases are given by `"types": {"model.Net": ["torch.nn.Module"]}`.

**Tensors** have the fields `shape`, `stride` (contiguous if left out), `storage_offset` (0), `requires_grad` (false), `dtype`,
`device`, `layout`, `dispatch_keys`, `data_ptr`, `itemsize`, `storage` (a label that tensors over the same memory share), `extent`
(bytes in it) and `attributes`. A fact that was not described is undefined, as is one that is null. A described tensor is never a
real one: where a program has real tensors, give the frame as `module:function`.

Reading imports, calls and evaluates nothing that a text names. `program_frame` is the one exception: it imports the module that
its caller names.
"""

from __future__ import annotations

from guardlang.framefile.described import DescribedTensor, install_constructors
from guardlang.framefile.files import decode, load_frame
from guardlang.framefile.program import import_module, is_program_path, object_at, program_frame, program_names
from guardlang.framefile.reader import FORMAT, FrameFile, read_frame
from guardlang.framefile.standins import Names, constructors_in, names_in
from guardlang.framefile.writer import dump_frame

__all__ = [
    "FORMAT",
    "DescribedTensor",
    "FrameFile",
    "Names",
    "constructors_in",
    "decode",
    "dump_frame",
    "import_module",
    "install_constructors",
    "is_program_path",
    "load_frame",
    "names_in",
    "object_at",
    "program_frame",
    "program_names",
    "read_frame",
]
