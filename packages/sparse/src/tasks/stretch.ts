import type { AccessesOf, Control, Op, OpDef } from '@filigree/ir';

/** From the first element to the last. */
export type Stretch = readonly [number, number];

/** What is asked of ops. */
export interface Asking {
  readonly def: (op: Op) => OpDef | undefined;
  readonly control: (op: Op) => Control | undefined;
  readonly accesses: AccessesOf;
}

/** Stretches of the iterations of a loop, from the first on, as text; undefined where one touches nothing. */
export const stretchesText = (stretches: readonly (Stretch | undefined)[]): string =>
  Array.from(stretches, (s) => s?.join(':') ?? '').join();

/** The stretches that a text tells, if it is of such and each iteration has one. */
export const stretchesIn = (text: string): readonly Stretch[] | undefined =>
  /^\d+:\d+(,\d+:\d+)*$/.test(text)
    ? text.split(',').map((s) => s.split(':').map(Number) as unknown as Stretch)
    : undefined;
