import { active, kernel, range, type Grid1 } from '@filigree/lang/kernels';
import type { FieldDecl } from '@filigree/sparse/fields';

/** Kernels of which windows are made: they fill a sparse field, change it, and copy it to one beside it. */
export const chainOn = (x: FieldDecl, y: FieldDecl) => ({
  init: kernel([x, 'i32'], (x: Grid1, n: number) => {
    for (const i of range(n)) x[i] = i;
  }),
  inc: kernel([x], (x: Grid1) => {
    for (const i of active(x)) x[i] += 1;
  }),
  double: kernel([x], (x: Grid1) => {
    for (const i of active(x)) x[i] *= 2;
  }),
  copy: kernel([x, y], (x: Grid1, y: Grid1) => {
    for (const i of active(x)) y[i] = x[i];
  }),
});
