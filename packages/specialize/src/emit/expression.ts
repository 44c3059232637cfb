import { fail, reachable, scalarOps, type Builder, type Value } from '@filigree/ir';
import { ADD, AND_LIKE, ARITY, ARMS, CONSTANT, NEG, SELECT, VARIABLE } from '../decompose/codes.js';
import type { Template } from '../harvest/template.js';

/** Ops of a kernel written as trees, beyond which compilers take hours; and of all kernels together, which are objects in memory. */
const MAX_TREE_OPS = 100_000;
const MAX_ALL_OPS = 10 * MAX_TREE_OPS;

/** Refuses templates that would take too many operations as trees. */
export const checkTrees = (templates: readonly Template[]): void => {
  let all = 0;
  for (const template of templates) {
    const own = treeOps(template);
    all += own;
    if (own > MAX_TREE_OPS || all > MAX_ALL_OPS)
      fail(
        'emit/too-large',
        own > MAX_TREE_OPS
          ? `written as trees, one kernel takes more than ${MAX_TREE_OPS} operations`
          : `written as trees, the kernels take more than ${MAX_ALL_OPS} operations`,
        { remedy: 'leave local decomposition on' },
      );
  }
};

/**
 * Emits a template's expressions as ops, operands before users; a sum with a negated term becomes a subtraction.
 *
 * @param variable the value of template variable k
 * @param local whether what repeats within the template is evaluated once (§4.2.2)
 */
export const emitExpression = (
  b: Builder,
  template: Template,
  dtype: 'f32' | 'f64',
  variable: (k: number) => Value,
  local = true,
): Value[] => {
  const { graph } = template;
  const emitNode = (id: number, operands: readonly Value[]): Value => {
    const code = graph.op[id];
    if (code === VARIABLE) return variable(graph.variableIndex(id));
    if (code === CONSTANT) return b.constant(graph.constantValue(id), dtype);
    if (code === NEG) return b.neg(asNumber(b, operands[0], dtype));
    if (code === ADD && isDifference(template, id))
      return b.sub(asNumber(b, operands[0], dtype), asNumber(b, operands[1], dtype));
    if (code === SELECT)
      return b.select(asTruth(b, operands[0], dtype), asNumber(b, operands[1], dtype), asNumber(b, operands[2], dtype));
    const { kernelOp, name } = scalarOps[code];
    const as = AND_LIKE[code] === 1 ? asTruth : asNumber;
    return b.value(
      kernelOp,
      operands.map((v) => as(b, v, dtype)),
      kernelOp === 'arith.cmp' ? { predicate: name } : {},
    );
  };
  const values = local ? emitOnce(template, emitNode) : emitTrees(template, emitNode);
  return values.map((v) => asNumber(b, v, dtype));
};

type EmitNode = (id: number, operands: readonly Value[]) => Value;

const emitOnce = (template: Template, emitNode: EmitNode): Value[] => {
  const { graph, roots } = template;
  const live = reachable(graph, roots);
  const values: (Value | undefined)[] = [];
  /* Signs that a subtraction absorbs are never computed; others are made when first asked for. */
  const valueOf = (id: number): Value => (values[id] ??= emitNode(id, operandsOf(template, id).map(valueOf)));
  for (let id = 0; id < graph.length; id++) {
    const code = graph.op[id];
    if (live[id] === 1 && code !== ARMS && code !== NEG) valueOf(id);
  }
  return roots.map(valueOf);
};

/** Every use evaluates its operands anew. */
const emitTrees = (template: Template, emitNode: EmitNode): Value[] =>
  template.roots.map((root) => {
    const values: Value[] = [];
    /* A node and, below zero, a node whose operands have been evaluated. */
    const stack = [root];
    while (stack.length > 0) {
      const top = stack.pop()!;
      const id = top < 0 ? ~top : top;
      const operands = operandsOf(template, id);
      if (top < 0 || operands.length === 0) values.push(emitNode(id, values.splice(values.length - operands.length)));
      else stack.push(~id, ...[...operands].reverse());
    }
    return values[0];
  });

const treeOps = (template: Template): number => {
  const { graph, roots } = template;
  const size = new Float64Array(graph.length);
  for (let id = 0; id < graph.length; id++) {
    if (graph.op[id] === ARMS) continue;
    size[id] = operandsOf(template, id).reduce((n, x) => n + size[x], 1);
  }
  return roots.reduce((n, id) => n + size[id], 0);
};

/** Nodes whose values the op of a node takes; of a difference, what is added and what is subtracted. */
const operandsOf = (template: Template, id: number): readonly number[] => {
  const { op, left, right } = template.graph;
  const [x, y] = [left[id], right[id]];
  if (op[id] === SELECT) return [x, left[y], right[y]];
  if (op[id] === ADD && op[y] === NEG) return [x, left[y]];
  if (op[id] === ADD && op[x] === NEG) return [y, left[x]];
  const arity = ARITY[op[id]];
  return arity === 2 ? [x, y] : arity === 1 ? [x] : [];
};

const isDifference = ({ graph }: Template, id: number): boolean =>
  graph.op[graph.left[id]] === NEG || graph.op[graph.right[id]] === NEG;

const asNumber = (b: Builder, v: Value, dtype: 'f32' | 'f64'): Value =>
  v.type === 'i1' ? b.select(v, b.constant(1, dtype), b.constant(0, dtype)) : v;

/* Neither 0 nor NaN. */
const asTruth = (b: Builder, v: Value, dtype: 'f32' | 'f64'): Value =>
  v.type === 'i1' ? v : b.cmp('lt', b.constant(0, dtype), b.value('math.abs', [v]));
