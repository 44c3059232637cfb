import { codeFrame, type Loc } from '@filigree/ir';
import type { KernelDef } from '@filigree/lang/kernels';

/** The lines around a place in a kernel's source, as far as its text is known. */
export type Frames = (loc: Loc) => string | undefined;

/** The frames of a kernel, and of the functions that it is given to inline. */
export const framesOf = ({ name, fn, scope, at }: KernelDef): Frames => {
  const inlined = Object.values(scope).filter((f): f is AnyFunction => typeof f === 'function');
  const texts = [
    { file: at?.file ?? (fn.name || name), first: at?.line ?? 1, text: at ? indented(textOf(fn), at) : textOf(fn) },
    ...inlined.map((f) => ({ file: f.name, first: 1, text: textOf(f) })),
  ];
  return (loc) => {
    const found = texts.find(
      ({ file, first, text }) => file === loc.file && loc.line >= first && loc.line <= text.split('\n').length,
    );
    return found && codeFrame(found.text, loc);
  };
};

type AnyFunction = (...args: never[]) => unknown;

const textOf = (f: AnyFunction): string => Function.prototype.toString.call(f);

/** A function's text where it stands in its file, as far as that is known: after empty lines. */
const indented = (text: string, at: Loc): string => '\n'.repeat(at.line - 1) + ' '.repeat(at.column - 1) + text;
