"""What programs under JAX, Autograd or PyTorch have in common that are measured on one thread; to be imported before numpy."""

import os
import sys
import time

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("OMP_NUM_THREADS", "1")


def library_of(name, dtype):
    """The library of that name, its numpy and its version; ends with status 3 where there is none."""
    try:
        if name == "jax":
            import jax

            jax.config.update("jax_enable_x64", dtype == "f64")
            jax.config.update("jax_platforms", "cpu")
            import jax.numpy as np

            return jax, np, jax.__version__
        if name == "torch":
            import torch

            torch.set_num_threads(1)
            torch.set_default_dtype(torch.float64 if dtype == "f64" else torch.float32)
            return torch, torch, torch.__version__
        from importlib.metadata import version

        import autograd
        import autograd.numpy as np

        return autograd, np, version("autograd")
    except ImportError:
        sys.exit(3)


def least(run):
    """Milliseconds of the quickest of five runs, after a first one."""
    run()
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        run()
        times.append(1e3 * (time.perf_counter() - begin))
    return min(times)
