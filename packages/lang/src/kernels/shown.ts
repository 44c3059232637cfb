import type { Loc } from '@filigree/ir';
import { shown } from '../source/place.js';
import type { Unit } from './code/origin.js';
import { unitOf } from './elaborate/context/unit.js';
import type { KernelDef } from './kernel.js';

/** Shows a place that ops of a kernel name: where it is in the file of its author, if that is found, and the lines around. */
export type Shown = (loc: Loc) => { readonly loc: Loc; readonly frame?: string } | undefined;

/** The places of a kernel, and of the functions that it is given to inline. */
export const shownIn = ({ name, fn, scope, at }: KernelDef): Shown => {
  let units: readonly Unit[] | undefined;
  const all = (): readonly Unit[] => {
    const own = unitOf(fn as AnyFunction, scope, { at, called: name, near: [] });
    const inlined = Object.values(scope).flatMap((f) => (isFunction(f) ? readable(f, own.files) : []));
    return [own, ...inlined];
  };
  return (loc) => {
    const found = (units ??= all()).find(
      ({ text: { parsed }, frames }) => parsed.source.file === loc.file && loc.line <= frames.split('\n').length,
    );
    return found && shown(found.text.parsed.source, loc, found.frames);
  };
};

type AnyFunction = (...args: never[]) => unknown;

const isFunction = (f: unknown): f is AnyFunction => typeof f === 'function';

/* What has no text, or none that is understood, is in no kernel. */
const readable = (f: AnyFunction, near: readonly string[]): readonly Unit[] => {
  try {
    return [unitOf(f, {}, { near })];
  } catch {
    return [];
  }
};
