import { type Diagnostic, type Diagnostics, error } from '@filigree/ir';
import { MOST_BINDINGS, TEAM_BYTES } from './dialect.js';

/**
 * What only a compiler of the language itself would refuse, or a device would do wrong, read off the text: `metal/address-space` where a pointer
 * does not say in which memory it points, or a function that is no kernel declares what a team shares; `metal/threadgroup-memory` where a kernel
 * shares more than 32 KiB; `metal/barrier` where not all threads of a team come to a barrier; `metal/bindings` where a kernel binds more than
 * Metal can, or two things to one place; `metal/double` where numbers are of a type that it does not have.
 */
export const verifyMetal = (text: string): Diagnostics => {
  const code = text.replace(/\/\/.*$/gm, '');
  return [
    ...doubles(code),
    ...pointers(code),
    ...[...code.matchAll(/^(kernel|static inline) (.*) \{\n((?:[^}].*\n|\n)*)\}/gm)].flatMap(([, kind, head, body]) => [
      ...shared(kind === 'kernel', nameIn(head!), body!),
      ...barriers(nameIn(head!), body!.split('\n')),
    ]),
    ...[...code.matchAll(/^kernel void (\w+)\((.*)\) \{$/gm)].flatMap(bindings),
  ];
};

const nameIn = (head: string): string => /(\w+)\(/.exec(head)?.[1] ?? head;

/** What a function declares for a team: kernels alone may, and not too much. */
const shared = (isKernel: boolean, name: string, body: string): readonly Diagnostic[] => {
  const arrays = [...body.matchAll(/^ *threadgroup (\w+) (\w+)\[(\d+)\];$/gm)];
  if (arrays.length === 0) return [];
  if (!isKernel)
    return [defect('metal/address-space', `${name} declares '${arrays[0]![2]}' for a team, and is no kernel`)];
  const bytes = arrays.reduce(
    (sum, [, type, , length]) => sum + Math.ceil((bytesOf(type!) * Number(length)) / 16) * 16,
    0,
  );
  return bytes <= TEAM_BYTES
    ? []
    : [
        error('metal/threadgroup-memory', `${name} shares ${bytes} bytes in a team, and Metal has ${TEAM_BYTES}`, {
          remedy: 'make the tiles that a team works on smaller',
        }),
      ];
};

const bytesOf = (type: string): number =>
  /char|bool/.test(type) ? 1 : /short/.test(type) ? 2 : /long/.test(type) ? 8 : 4;

/** Barriers in a block that threads of a team come to differently: its first line asks for the number of a thread in its team. */
const barriers = (name: string, lines: readonly string[]): readonly Diagnostic[] => {
  const blocks: boolean[] = [];
  for (const text of lines) {
    if (/^ *\}/.test(text)) blocks.pop();
    const apart = blocks.includes(true) || /\bmember\b/.test(text);
    if (apart && text.includes('threadgroup_barrier'))
      return [defect('metal/barrier', `${name} has a barrier to which not all threads of a team come`)];
    if (text.endsWith('{')) blocks.push(/\bmember\b/.test(text));
  }
  return [];
};

/* `constant`, `device`, `thread` and `threadgroup` are where kernels here may point; a template's pointer is what it is given. */
const pointers = (code: string): readonly Diagnostic[] => {
  const bare = [
    ...code.matchAll(
      /(?<!\b(?:device|constant|thread|threadgroup) (?:const )?)\b(?:const )?(?:bool|u?char|u?short|u?int|u?long|float|atomic_u?int)\s*\*\s*(?!\()/g,
    ),
  ]
    .filter(({ index }) => !/\b(?:device|constant|thread|threadgroup) $/.test(code.slice(0, index)))
    .map(([text]) => text.trim());
  return bare.length === 0
    ? []
    : [defect('metal/address-space', `a pointer '${bare[0]}' does not say in which memory it points`)];
};

const bindings = ([, name, params]: RegExpMatchArray): readonly Diagnostic[] => {
  const places = [...params!.matchAll(/\[\[buffer\((\d+)\)\]\]/g)].map(([, n]) => Number(n));
  if (new Set(places).size < places.length) return [defect('metal/bindings', `${name} binds two things to one place`)];
  const unbound = params!.split(', ').filter((p) => p !== '' && !p.includes('[['));
  if (unbound.length > 0) return [defect('metal/bindings', `${name} does not say where '${unbound[0]}' is bound`)];
  return places.length <= MOST_BINDINGS
    ? []
    : [
        error(
          'metal/bindings',
          `${name} takes ${places.length} buffers and numbers, and Metal binds ${MOST_BINDINGS}`,
          {
            remedy: 'split the kernel, or put several buffers into one',
          },
        ),
      ];
};

const doubles = (code: string): readonly Diagnostic[] => {
  const found = /\b(?:double|long long|long double)\b/.exec(code)?.[0];
  return found === undefined ? [] : [defect('metal/double', `the type '${found}' is not one of Metal's`)];
};

const defect = (code: string, message: string): Diagnostic =>
  error(code, message, { remedy: 'this is a defect of the emitter: please report it with the sources' });
