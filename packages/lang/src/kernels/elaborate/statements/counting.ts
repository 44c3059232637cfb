import type { AnyNode } from 'acorn';
import type { Local } from '../../code/code.js';
import { intervalOf } from '../../code/interval.js';
import { literal, type Literal, type Scalar, type Temp } from '../../code/scalar.js';
import { compute, originOf, type Context } from '../context/context.js';
import { checkedStart, loopInterval } from './loop-variable.js';
import { isLiteral, type Bounds } from '../context/term.js';

/** A bound as what a loop counts by, as those of parallel loops are: of u32 too, and whole numbers that were computed as floats, `-Math.ceil(w / 2)`. */
const asCount = (cx: Context, s: AnyNode, bound: Scalar): Scalar =>
  isLiteral(bound)
    ? wholeOf(bound)
    : bound.type === 'i32'
      ? bound
      : cx.session.cast(originOf(cx, s), bound, 'i32', intervalOf(bound));

const wholeOf = (bound: Literal): Literal =>
  bound.type === undefined && Number.isInteger(bound.value) ? literal(bound.value) : bound;

/** A loop that counts; `inside` emits its body, and is given the number that it has come to. */
export const counting = (cx: Context, s: AnyNode, name: string, bounds: Bounds, inside: (i: Temp) => void): void => {
  const at = originOf(cx, s);
  const { session } = cx;
  const known = isLiteral(bounds.step);
  const start = known ? bounds.from : checkedStart(cx, s, bounds);
  const [from, to, step] = [start, bounds.to, bounds.step].map((bound) => asCount(cx, s, bound));
  const local: Local = session.local(name, { name, type: 'i32' });
  session.emit(at, { do: 'declare', locals: [local] });
  session.emit(at, { do: 'write', local, value: from });
  let test: Scalar = literal(true);
  const within = loopInterval(from, to);
  const read = (inBody = false): Temp => {
    const temp: Temp = { is: 'temp', type: 'i32', ...(inBody && within ? { within } : {}) };
    session.emit(at, { do: 'read', to: temp, local });
    return temp;
  };
  const before = session.record(() => (test = compute(cx, s, 'lt', read(), to)));
  const body = session.record(() => inside(read(true)));
  const update = session.record(() => {
    const i = read();
    const next = compute(cx, s, 'add', i, step);
    /* A sum that is too large for its type is no more than what it was. */
    const value = known ? next : compute(cx, s, 'select', compute(cx, s, 'gt', next, i), next, to);
    session.emit(at, { do: 'write', local, value });
  });
  const counted = isLiteral(step) && Number(step.value) > 0;
  session.emit(at, {
    do: 'loop',
    test: before,
    condition: test,
    body,
    update,
    ...(counted ? { counted: { local, bound: to, inclusive: false, step: Number(step.value) } } : {}),
  });
};
