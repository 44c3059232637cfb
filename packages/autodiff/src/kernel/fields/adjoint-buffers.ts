import { isFloat, walk, type Buffer, type Kernel, type Module } from '@filigree/ir';

/**
 * The adjoints of the buffers of floats that a kernel uses, by the name of the buffer: of what it keeps for itself, and of arrays that it is given, whose adjoints
 * are what the host wants to know.
 */
export const adjointBuffers = ({ buffers }: Module, { name, body }: Kernel): ReadonlyMap<string, Buffer> => {
  const used = new Set<unknown>();
  walk(body, (op) => void used.add(op.attrs.buffer));
  return new Map(
    buffers
      .filter((b) => (b.role === 'temp' || isArgument(b)) && isFloat(b.type) && used.has(`@${b.name}`))
      .map((b) => [
        b.name,
        { ...b, name: `${name}_${b.name}_adjoint`, role: isArgument(b) ? ('output' as const) : ('temp' as const) },
      ]),
  );
};

/** Whether a buffer is an array that a launch is given. */
const isArgument = ({ role }: Buffer): boolean => role === 'inout' || role === 'input';
