import { readFileSync } from 'node:fs';
import koffi from 'koffi';
import { fail } from '@filigree/ir';

const GLOBAL = 0x119b;
const ARG_ADDRESS = 0x1196;
const ARG_TYPE = 0x1198;
const sizes = { char: 1, uchar: 1, short: 2, ushort: 2, int: 4, uint: 4, float: 4, long: 8, ulong: 8, double: 8 };

/**
 * The first device of OpenCL, as Filigree drives GPUs. Memory is shared virtual memory, so that a buffer is an address. Errors:
 * `opencl/driver` where there is no library, platform or device, `opencl/compile`, `opencl/call`.
 */
export const openclDriver = async (path = process.env['FILIGREE_OPENCL'] ?? 'libOpenCL.so.1') => {
  const library = open(path);
  const functions = new Map();
  const raw = (name, result, types) => {
    const key = `${name} ${types.join()}`;
    if (!functions.has(key)) functions.set(key, library.func(name, result, types));
    return functions.get(key);
  };
  const call = (name, types, ...args) => check(name, raw(name, 'int', types)(...args));
  const made = (name, types, ...args) => {
    const status = new Int32Array(1);
    const handle = raw(name, 'uint64_t', [...types, 'void *'])(...args, status);
    check(name, status[0]);
    return BigInt(handle);
  };
  const text = (name, owner, which, first = []) => {
    const types = ['uint64_t', ...first.map(() => 'uint'), 'uint', 'size_t', 'void *', 'void *'];
    const into = new Uint8Array(1024);
    call(name, types, owner, ...first, which, into.length, into, null);
    return new TextDecoder().decode(into.subarray(0, into.indexOf(0)));
  };
  const number = (name, owner, which, first = []) => {
    const types = ['uint64_t', ...first.map(() => 'uint'), 'uint', 'size_t', 'void *', 'void *'];
    const into = new Uint32Array(1);
    call(name, types, owner, ...first, which, 4, into, null);
    return into[0];
  };

  const platform = firstOf((into, count) =>
    raw('clGetPlatformIDs', 'int', ['uint', 'void *', 'void *'])(1, into, count),
  );
  const device = firstOf((into, count) =>
    raw('clGetDeviceIDs', 'int', ['uint64_t', 'uint64_t', 'uint', 'void *', 'void *'])(platform, ALL, 1, into, count),
  );
  const devices = BigUint64Array.of(device);
  const context = made(
    'clCreateContext',
    ['void *', 'uint', 'void *', 'void *', 'void *'],
    null,
    1,
    devices,
    null,
    null,
  );
  const queue = made('clCreateCommandQueue', ['uint64_t', 'uint64_t', 'uint64_t'], context, device, 0n);
  const finish = () => call('clFinish', ['uint64_t'], queue);

  /** What each argument is: an address, or so many bytes. */
  const argumentsOf = (kernel) =>
    Array.from({ length: number('clGetKernelInfo', kernel, 0x1191) }, (_, k) =>
      number('clGetKernelArgInfo', kernel, ARG_ADDRESS, [k]) === GLOBAL
        ? 0
        : sizes[text('clGetKernelArgInfo', kernel, ARG_TYPE, [k])],
    );
  const known = new Map();
  return {
    device: { name: text('clGetDeviceInfo', device, 0x102b), processors: number('clGetDeviceInfo', device, 0x1002) },
    allocate: (bytes) => {
      const at = Number(
        raw('clSVMAlloc', 'uint64_t', ['uint64_t', 'uint64_t', 'size_t', 'uint'])(context, 1n, Math.max(1, bytes), 0),
      );
      return at !== 0
        ? at
        : fail('load/memory', `the device of OpenCL has no ${bytes} bytes left`, { remedy: 'use smaller buffers' });
    },
    release: (at) => {
      finish();
      raw('clSVMFree', 'void', ['uint64_t', 'uint64_t'])(context, BigInt(at));
    },
    clear: (at, bytes) => {
      if (bytes > 0)
        call('clEnqueueSVMMemFill', fillTypes, queue, BigInt(at), new Uint8Array(1), 1, bytes, 0, null, null);
    },
    read: (from, into) => copy(call, queue, into, BigInt(from), into.length, readTypes),
    write: (to, from) => copy(call, queue, BigInt(to), from, from.length, writeTypes),
    open: (file) => {
      const source = readFileSync(file, 'utf8');
      const options = source.slice(3, source.indexOf('\n'));
      const program = made(
        'clCreateProgramWithSource',
        ['uint64_t', 'uint', 'const char **', 'void *'],
        context,
        1,
        [source],
        null,
      );
      const built = raw('clBuildProgram', 'int', ['uint64_t', 'uint', 'void *', 'str', 'void *', 'void *']);
      if (built(program, 1, devices, `${options} -cl-kernel-arg-info`, null, null) !== 0) {
        const log = new Uint8Array(1 << 16);
        call(
          'clGetProgramBuildInfo',
          ['uint64_t', 'uint64_t', 'uint', 'size_t', 'void *', 'void *'],
          program,
          device,
          0x1183,
          log.length,
          log,
          null,
        );
        fail(
          'opencl/compile',
          `the compiler of the device refuses ${file}:\n${new TextDecoder().decode(log).replaceAll('\0', '').slice(0, 2000)}`,
          {
            remedy: 'if the flags are yours, check them; otherwise this is a defect of the table of spellings',
          },
        );
      }
      return {
        kernel: (name) => {
          const kernel = made('clCreateKernel', ['uint64_t', 'str'], program, name);
          known.set(kernel, argumentsOf(kernel));
          return kernel;
        },
        close: () => call('clReleaseProgram', ['uint64_t'], program),
      };
    },
    launch: (kernel, blocks, threads, frame) => {
      const places = new BigUint64Array(frame.buffer, frame.byteOffset, frame.byteLength / 8);
      known.get(kernel).forEach((bytes, k) => {
        if (bytes > 0) call('clSetKernelArg', argTypes, kernel, k, bytes, places[k]);
        else
          call(
            'clSetKernelArgSVMPointer',
            ['uint64_t', 'uint', 'uint64_t'],
            kernel,
            k,
            koffi.decode(places[k], 'uint64_t'),
          );
      });
      const sizes = BigUint64Array.of(BigInt(blocks * threads), BigInt(Math.min(threads, MOST_TOGETHER)));
      call(
        'clEnqueueNDRangeKernel',
        launchTypes,
        queue,
        kernel,
        1,
        null,
        sizes.subarray(0, 1),
        sizes.subarray(1),
        0,
        null,
        null,
      );
    },
    finish,
    finishAsync: () =>
      new Promise((resolve, reject) => {
        raw('clFinish', 'int', ['uint64_t']).async(queue, (error, result) => {
          try {
            if (error) throw error;
            resolve(check('clFinish', result));
          } catch (e) {
            reject(e);
          }
        });
      }),
    addressOf: (bytes) => koffi.address(bytes),
  };
};

/* A processor lays out what the threads of a block have for themselves side by side on one stack. */
const MOST_TOGETHER = 16;
const ALL = 0xffffffffn;
const argTypes = ['uint64_t', 'uint', 'size_t', 'uint64_t'];
const fillTypes = ['uint64_t', 'uint64_t', 'void *', 'size_t', 'size_t', 'uint', 'void *', 'void *'];
const readTypes = ['uint64_t', 'int', 'void *', 'uint64_t', 'size_t', 'uint', 'void *', 'void *'];
const writeTypes = ['uint64_t', 'int', 'uint64_t', 'void *', 'size_t', 'uint', 'void *', 'void *'];
const launchTypes = ['uint64_t', 'uint64_t', 'uint', 'void *', 'void *', 'void *', 'uint', 'void *', 'void *'];

const copy = (call, queue, to, from, bytes, types) => {
  if (bytes > 0) call('clEnqueueSVMMemcpy', types, queue, 1, to, from, bytes, 0, null, null);
};

const open = (path) => {
  try {
    return koffi.load(path);
  } catch (e) {
    return fail('opencl/driver', `the library of OpenCL is not on this machine: ${e.message}`, {
      remedy: 'install an OpenCL driver (apt-get install ocl-icd-libopencl1 pocl-opencl-icd), or set FILIGREE_OPENCL',
    });
  }
};

const firstOf = (ask) => {
  const [into, count] = [new BigUint64Array(1), new Uint32Array(1)];
  return ask(into, count) === 0 && count[0] > 0
    ? into[0]
    : fail('opencl/driver', 'OpenCL has no device on this machine', {
        remedy: 'install a driver, such as pocl-opencl-icd for processors',
      });
};

const check = (name, result) =>
  result === 0
    ? undefined
    : fail('opencl/call', `${name} failed: error ${result}`, { remedy: 'see what OpenCL says of this number' });
