import { reachable, scalarOps, type Builder, type Value } from '@filigree/ir';
import { ADD, AND_LIKE, ARITY, ARMS, CONSTANT, NEG, SELECT, VARIABLE } from '../decompose/codes.js';
import type { Template } from '../harvest/template.js';

/**
 * Emits a template's expressions as ops: operands before users, each node once; a sum with a negated term becomes a
 * subtraction.
 *
 * @param variable the value of template variable k
 */
export const emitExpression = (
  b: Builder,
  template: Template,
  dtype: 'f32' | 'f64',
  variable: (k: number) => Value,
): Value[] => {
  const { graph, roots } = template;
  const live = reachable(graph, roots);
  const values: (Value | undefined)[] = [];
  const number = (id: number): Value => asNumber(b, valueOf(id), dtype);
  const truth = (id: number): Value => asTruth(b, valueOf(id), dtype);
  /* Signs that a subtraction absorbs are never computed; others are made when first asked for. */
  const valueOf = (id: number): Value => (values[id] ??= b.neg(number(graph.left[id])));

  for (let id = 0; id < graph.length; id++) {
    if (live[id] === 0) continue;
    const code = graph.op[id];
    const x = graph.left[id];
    const y = graph.right[id];
    if (code === VARIABLE) values[id] = variable(graph.variableIndex(id));
    else if (code === CONSTANT) values[id] = b.constant(graph.constantValue(id), dtype);
    else if (code === ARMS || code === NEG) continue;
    else if (code === SELECT) values[id] = b.select(truth(x), number(graph.left[y]), number(graph.right[y]));
    else if (code === ADD && graph.op[y] === NEG) values[id] = b.sub(number(x), number(graph.left[y]));
    else if (code === ADD && graph.op[x] === NEG) values[id] = b.sub(number(y), number(graph.left[x]));
    else {
      const { kernelOp, name } = scalarOps[code];
      const of = AND_LIKE[code] === 1 ? truth : number;
      const operands = ARITY[code] === 2 ? [of(x), of(y)] : [of(x)];
      values[id] = b.value(kernelOp, operands, kernelOp === 'arith.cmp' ? { predicate: name } : {});
    }
  }
  return roots.map((id) => number(id));
};

const asNumber = (b: Builder, v: Value, dtype: 'f32' | 'f64'): Value =>
  v.type === 'i1' ? b.select(v, b.constant(1, dtype), b.constant(0, dtype)) : v;

const asTruth = (b: Builder, v: Value, dtype: 'f32' | 'f64'): Value =>
  v.type === 'i1' ? v : b.cmp('ne', v, b.constant(0, dtype));
