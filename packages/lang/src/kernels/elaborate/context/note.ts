import type { AnyNode } from 'acorn';
import type { Place } from '../../code/code.js';
import { locationOf } from '../../code/origin.js';
import { literal, type Scalar, type Temp } from '../../code/scalar.js';
import { ROOM_OF_NOTES, type NoteKind } from '../../notes.js';
import { compute, originOf, type Context } from './context.js';

/** Takes a note where the kernel is debugged. */
export const note = (cx: Context, e: AnyNode, kind: NoteKind, values: readonly Scalar[]): void => {
  const { session } = cx;
  if (!session.debug) return;
  const at = originOf(cx, e);
  session.notes ??= { count: session.bufferName('noted'), numbers: session.bufferName('notes'), sites: [] };
  const { count, numbers, sites } = session.notes;
  const site = sites.length;
  sites.push({ ...kind, values: values.length, loc: locationOf(at) });
  const place = (buffer: string, type: 'i32' | 'f64', index: Scalar): Place => ({
    of: 'buffer',
    buffer,
    type,
    index: [index],
  });
  const first: Temp = { is: 'temp', type: 'i32' };
  session.emit(at, {
    do: 'atomic',
    to: first,
    place: place(count, 'i32', literal(0)),
    kind: 'add',
    value: literal(1 + values.length),
  });
  const fits = compute(cx, e, 'lt', first, literal(ROOM_OF_NOTES - values.length));
  const then = session.record(() =>
    [literal(site + 1), ...values].forEach((value, k) => {
      const index = compute(cx, e, 'add', first, literal(k));
      session.emit(at, { do: 'store', place: place(numbers, 'f64', index), value, noted: true });
    }),
  );
  session.emit(at, { do: 'if', condition: fits, then, otherwise: [] });
};
