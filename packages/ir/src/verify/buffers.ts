import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { type Buffer, SCRATCH_BYTES } from '../kernel/op.js';
import type { Module } from '../kernel/module.js';
import { byteSize, isScalarType } from '../kernel/type.js';
import { arrayConstructor } from '../kernel/typed-array.js';
import { isIdentifier } from './identifier.js';

/** Checks the declarations of a module's buffers and the data of const ones. */
export const verifyBuffers = (module: Module, report: (d: Diagnostic) => void): void => {
  const names = new Set<string>();
  for (const b of module.buffers) {
    if (names.has(b.name))
      report(error('verify/duplicate-buffer', `two buffers are named @${b.name}`, { remedy: 'rename one' }));
    names.add(b.name);
    const problem = declarationProblem(b);
    if (problem !== undefined)
      report(error('verify/buffer', `buffer @${b.name}: ${problem[0]}`, { remedy: problem[1] }));
    else if (b.role === 'scratch' && b.length * byteSize(b.type) > SCRATCH_BYTES)
      report(
        error(
          'verify/scratch-size',
          `scratch buffer @${b.name} takes ${b.length * byteSize(b.type)} bytes, more than ${SCRATCH_BYTES}`,
          { remedy: 'work on smaller blocks, or make it a temp buffer' },
        ),
      );
    else dataProblem(b, report);
  }
};

const roles: readonly string[] = ['input', 'output', 'inout', 'temp', 'const', 'scratch'];

/** What is wrong with a declaration, and what to do. */
const declarationProblem = (b: Buffer): readonly [message: string, remedy: string] | undefined => {
  const named = 'use letters, digits and _';
  if (!isIdentifier(b.name)) return ['the name is not an identifier', named];
  if (!isScalarType(b.type)) return [`there is no scalar type ${String(b.type)}`, 'use one such as f32, f64 or i32'];
  if (!Number.isSafeInteger(b.length) || b.length < 0)
    return [`the length must be a non-negative integer, it is ${b.length}`, 'give it as a number of elements'];
  if (!roles.includes(b.role)) return [`there is no role ${String(b.role)}`, `use one of ${roles.join(', ')}`];
  if (b.memory === undefined) return undefined;
  if (!isIdentifier(b.memory)) return ['the name of its memory is not an identifier', named];
  return b.role === 'const' || b.role === 'scratch'
    ? [`a ${b.role} buffer shares no memory`, 'drop its memory, or give it another role']
    : undefined;
};

const dataProblem = (b: Buffer, report: (d: Diagnostic) => void): void => {
  const say = (message: string, remedy: string): void =>
    report(error('verify/buffer-data', `buffer @${b.name}: ${message}`, { remedy }));
  if (b.role !== 'const') {
    if (b.data !== undefined) say(`role ${b.role} has no data of its own`, 'make it const, or drop the data');
    return;
  }
  const expected = arrayConstructor(b.type);
  if (b.data === undefined) say('const without data', `give it a ${expected.name} of length ${b.length}`);
  else if (!(b.data instanceof expected))
    say(`${b.type} with data in a ${(b.data as object).constructor.name}`, `use a ${expected.name}`);
  else if (b.data.length !== b.length)
    say(`length ${b.length} with ${b.data.length} elements of data`, 'make them agree');
  else if (b.type === 'i1' && b.data.some((x: number | bigint) => x !== 0 && x !== 1))
    say('i1 data other than 0 and 1', 'write 0 or 1');
};
