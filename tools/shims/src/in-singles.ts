import { type Module, type TypedArray } from '@filigree/ir';

/** A module and its inputs with f32 wherever it has f64: for devices that have no other. */
export const inSingles = <P extends { readonly module: Module; readonly inputs: Readonly<Record<string, TypedArray>> }>(
  program: P,
): P => replaced(program, new Map()) as P;

/* Values are known by their identity, so that of each is made one. */
const replaced = (x: unknown, made: Map<object, unknown>): unknown => {
  if (x === 'f64') return 'f32';
  if (typeof x !== 'object' || x === null) return x;
  if (made.has(x)) return made.get(x);
  if (ArrayBuffer.isView(x)) {
    const single = x instanceof Float64Array ? Float32Array.from(x) : x;
    made.set(x, single);
    return single;
  }
  const copy: Record<string, unknown> | unknown[] = Array.isArray(x) ? [] : {};
  made.set(x, copy);
  for (const [key, value] of Object.entries(x)) (copy as Record<string, unknown>)[key] = replaced(value, made);
  return copy;
};
