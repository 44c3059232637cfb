import type { AnyNode } from 'acorn';
import type { Block } from '../../code/code.js';
import type { Scalar } from '../../code/scalar.js';
import { compute, originOf, type Context } from '../context/context.js';

/** The right side runs only if the left does not decide; if it is cheap and free of effects, both are computed. */
export const shortCircuit = (cx: Context, node: AnyNode, left: Scalar, and: boolean, right: () => Scalar): Scalar => {
  const { session } = cx;
  let result: Scalar = left;
  const block = session.record(() => (result = right()));
  if (isSimple(block)) {
    session.append(block);
    return compute(cx, node, and ? 'and' : 'or', left, result);
  }
  const at = originOf(cx, node);
  const local = session.local('condition', { name: 'condition', type: 'i1', unnamed: true });
  session.emit(at, { do: 'declare', locals: [local] });
  session.emit(at, { do: 'write', local, value: left });
  const run: Block = [...block, { do: 'write', local, value: result, at }];
  session.emit(at, { do: 'if', condition: left, then: and ? run : [], otherwise: and ? [] : run });
  const to = { is: 'temp', type: 'i1' } as const;
  session.emit(at, { do: 'read', to, local });
  return to;
};

const MANY = 8;

/* A truth value is one already, and a number becomes one by a comparison. */
const isSimple = (block: Block): boolean =>
  block.filter((i) => i.do !== 'compute' || i.operator !== 'truth').length <= MANY &&
  block.every((i) => i.do === 'read' || (i.do === 'compute' && i.operator !== 'idiv' && i.operator !== 'rem'));
