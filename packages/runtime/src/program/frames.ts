import { codeFrame, type Loc } from '@filigree/ir';
import { writtenOf, type KernelDef } from '@filigree/lang/kernels';

/** The lines around a place in a kernel's source, as far as its text is known. */
export type Frames = (loc: Loc) => string | undefined;

/** The frames of a kernel, and of the functions that it is given to inline. */
export const framesOf = ({ name, fn, scope, at }: KernelDef): Frames => {
  const inlined = Object.values(scope).filter((f): f is AnyFunction => typeof f === 'function');
  const texts = [sourceText(fn, fn.name || name, at), ...inlined.map((f) => sourceText(f, f.name))];
  return (loc) => {
    const found = texts.find(
      ({ file, first, text }) => file === loc.file && loc.line >= first && loc.line <= text.split('\n').length,
    );
    return found && codeFrame(found.text, loc);
  };
};

type AnyFunction = (...args: never[]) => unknown;

const sourceText = (f: AnyFunction, called: string, given?: Loc): { file: string; first: number; text: string } => {
  const written = writtenOf(f);
  const at = given ?? written.at;
  const { text } = written;
  return { file: at?.file ?? called, first: at?.line ?? 1, text: at ? indented(text, at) : text };
};

/** A function's text where it stands in its file, as far as that is known: after empty lines. */
const indented = (text: string, at: Loc): string => '\n'.repeat(at.line - 1) + ' '.repeat(at.column - 1) + text;
