import { fail } from '@filigree/ir';

/** Whether a value is a list of objects with a list of this name, as kernels and plans are. */
export const isListOf = (list: unknown, part: string): boolean =>
  Array.isArray(list) && list.every((x: Record<string, unknown> | undefined) => Array.isArray(x?.[part]));

/** Throws `tensor/dtype` on what no tensor is made of. */
export const checkDtype = (dtype: unknown): void => {
  if (dtype !== 'f32' && dtype !== 'f64')
    fail('tensor/dtype', `kernels on tensors do not work on '${String(dtype)}'`, {
      remedy: "give dtype: 'f32' or 'f64'",
    });
};
