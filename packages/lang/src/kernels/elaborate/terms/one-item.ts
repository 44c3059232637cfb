import type { AnyNode } from 'acorn';
import type { Block, Local } from '../../code/code.js';
import type { Scalar } from '../../code/scalar.js';
import { originOf, type Context } from '../context/context.js';
import type { Slot, Term } from '../context/term.js';

/** The variables of an array of many numbers, which may be memory; undefined of any other. */
export const manyNumbers = (slots: readonly Slot[]): readonly Local[] | undefined => {
  const settled = slots.map((slot) => (slot.is === 'pending' && slot.slot ? slot.slot : slot));
  const [first] = settled;
  if (first.is !== 'variable') return undefined;
  const locals = settled.flatMap((slot) =>
    slot.is === 'variable' && slot.shape.length === 0 && !slot.missing && slot.type === first.type ? slot.locals : [],
  );
  return new Set(locals).size === slots.length ? locals : undefined;
};

/** Reads one of these variables, where `body` has looked at each of them to find its value. */
export const readOne = (
  cx: Context,
  node: AnyNode,
  locals: readonly Local[],
  index: Scalar,
  body: Block,
  value: Term,
): void => {
  const read = body.find((i) => i.do === 'read' && i.local === locals[0]);
  if (value.is !== 'temp' || read?.do !== 'read') return cx.session.append(body);
  const gives = { value, first: read.to };
  cx.session.emit(originOf(cx, node), { do: 'one-of', locals, index, body, first: [read], gives });
};
