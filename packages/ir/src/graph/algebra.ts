import type { ScalarAlgebra } from '../scalar/algebra.js';
import { scalarOp, scalarOps } from '../scalar/scalar-op.js';
import { ADD, ARMS, CONSTANT, DIV, MUL, SELECT } from './codes.js';
import type { Graph } from './graph.js';
import { Sym, symbolicMath, type Num } from './symbol.js';

/**
 * The algebra of scalars on a graph: its operations make nodes. It is for code that a compiler writes, such as derivatives, and there is no plain
 * function whose last bit it must keep: with every arithmetic of the graph, 0·x is 0 and x + 0 is x.
 */
export const algebraOfGraph = (graph: Graph): ScalarAlgebra<Sym> => {
  const id = (x: Sym | number): number => (typeof x === 'number' ? graph.constant(x) : x.id);
  const named = Object.fromEntries(
    scalarOps
      .filter((o) => o.arity > 0 && o.code !== SELECT && o.code !== ARMS)
      .map(({ name, code }) => [
        name,
        (a: Sym | number, b: Sym | number = 0) => new Sym(graph, applyWithoutZeros(graph, code, id(a), id(b))),
      ]),
  );
  const of = (x: Num): Sym => (typeof x === 'number' ? new Sym(graph, graph.constant(x)) : x);
  return {
    ...named,
    sub: (a, b) => new Sym(graph, applyWithoutZeros(graph, ADD, id(a), graph.neg(id(b)))),
    gt: (a, b) => new Sym(graph, graph.apply(LT, id(b), id(a))),
    ge: (a, b) => new Sym(graph, graph.apply(LE, id(b), id(a))),
    select: (c, a, b) => new Sym(graph, graph.select(id(c), id(a), id(b))),
    /* A power by a known small integer is what a programmer would write. */
    pow: (a, b) => of(symbolicMath.pow(new Sym(graph, id(a)), numberOf(graph, b))),
  };
};

/**
 * `graph.apply`, which with arithmetic that keeps to a plain function keeps 0·x and x + 0 too, since x may be infinite or −0: here they are 0 and x. Both
 * arms of a selection come as one `arms` node.
 */
export const applyWithoutZeros = (graph: Graph, code: number, a: number, b: number): number => {
  if (code === ADD) {
    if (isZero(graph, a)) return b;
    if (isZero(graph, b)) return a;
  }
  if ((code === MUL && (isZero(graph, a) || isZero(graph, b))) || (code === DIV && isZero(graph, a)))
    return graph.constant(0);
  if (code === SELECT) return graph.select(a, graph.left[b], graph.right[b]);
  return graph.apply(code, a, b);
};

const isZero = (graph: Graph, id: number): boolean => graph.op[id] === CONSTANT && graph.constantValue(id) === 0;

const numberOf = (graph: Graph, x: Sym | number): Num =>
  typeof x !== 'number' && graph.isConstant(x.id) ? graph.constantValue(x.id) : x;

const LT = scalarOp('lt').code;
const LE = scalarOp('le').code;
