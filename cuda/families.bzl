"""The families of kernels: cuda/NAME has the kernels of NAME, go/NAME what launches them.

A new family is added here, and is then in the images, in the emulators, and in the bundle for a GPU host.
"""

FAMILIES = [
    "csr",
    "gemm",
]
