import type { DataType, Recording, Step } from './recording.js';

/**
 * Why a recording is nothing to go by on another device, or undefined where it is: two recordings of one program, its threads in other orders, must
 * ask for the same, and what is read must be numbers of which it is known when they are right.
 *
 * @param tolerance how much of the largest number of an array may lie between two of them
 */
export const disagreement = (
  a: Recording,
  b: Recording,
  tolerance: Readonly<Partial<Record<DataType, number>>>,
): string | undefined => {
  if (a.steps.some((s) => s.call === 'read' && s.type === 'bytes' && s.data.length > STATUS))
    return 'the host reads memory in which several types lie, so rounding cannot be told from an error';
  if (a.steps.length !== b.steps.length || a.steps.some((s, k) => shape(s) !== shape(b.steps[k])))
    return 'what it launches depends on the order of threads';
  const far = a.steps.some((s, k) => {
    const t = b.steps[k];
    return 'data' in s && 'data' in t && !near(s.data, t.data, s.type, tolerance[s.type] ?? 0);
  });
  return far ? 'its numbers depend on the order of threads' : undefined;
};

/* Bytes of the word that says whether a kernel trapped. */
const STATUS = 4;

const shape = (step: Step): string =>
  JSON.stringify(step, (key, value: unknown) =>
    key === 'data' ? undefined : value instanceof Uint8Array ? [...value] : value,
  );

const near = (a: Uint8Array, b: Uint8Array, type: DataType, tolerance: number): boolean => {
  if (a.length !== b.length) return false;
  const [x, y] = [a, b].map((bytes) => floats(bytes, type));
  const most = y.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
  return x.every((v, k) => Object.is(v, y[k]) || Math.abs(v - y[k]) <= tolerance * most);
};

/* What is not of floats is equal only where its bytes are, and then its numbers. */
const floats = (bytes: Uint8Array, type: DataType): readonly number[] => {
  const { buffer } = bytes.slice();
  return [...(type === 'f64' ? new Float64Array(buffer) : type === 'f32' ? new Float32Array(buffer) : bytes)];
};
