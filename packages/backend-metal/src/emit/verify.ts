import { type Diagnostic, type Diagnostics, error } from '@filigree/ir';
import { MOST_BINDINGS } from './dialect.js';

/**
 * What only a compiler of the language itself would refuse, read off the text: `metal/address-space` where a pointer does not say in which
 * memory it points, `metal/bindings` where a kernel binds more than Metal can, or two things to one place, `metal/double` where numbers are of
 * a type that it does not have.
 */
export const verifyMetal = (text: string): Diagnostics => {
  const code = text.replace(/\/\/.*$/gm, '');
  return [
    ...doubles(code),
    ...pointers(code),
    ...[...code.matchAll(/^kernel void (\w+)\((.*)\) \{$/gm)].flatMap(bindings),
  ];
};

/* `constant`, `device` and `thread` are where kernels here may point; a template's pointer is what it is given. */
const pointers = (code: string): readonly Diagnostic[] => {
  const bare = [
    ...code.matchAll(
      /(?<!\b(?:device|constant|thread) (?:const )?)\b(?:const )?(?:bool|u?char|u?short|u?int|u?long|float|atomic_u?int)\s*\*\s*(?!\()/g,
    ),
  ]
    .filter(({ index }) => !/\b(?:device|constant|thread) $/.test(code.slice(0, index)))
    .map(([text]) => text.trim());
  return bare.length === 0
    ? []
    : [defect('metal/address-space', `a pointer '${bare[0]}' does not say in which memory it points`)];
};

const bindings = ([, name, params]: RegExpMatchArray): readonly Diagnostic[] => {
  const places = [...params!.matchAll(/\[\[buffer\((\d+)\)\]\]/g)].map(([, n]) => Number(n));
  if (new Set(places).size < places.length) return [defect('metal/bindings', `${name} binds two things to one place`)];
  const unbound = params!.split(', ').filter((p) => !p.includes('[['));
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
