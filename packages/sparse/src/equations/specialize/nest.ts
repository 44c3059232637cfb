import { components } from '../language/components.js';
import type { AffineProgram } from '../read/program.js';
import { rangesOf } from '../evaluate/query.js';
import { dependencesOf, type Dependence } from './dependences.js';

/** The order of a specialised program: loops that stay sequential, and statements over what is left of their iterations. */
export type Nest =
  | {
      readonly kind: 'loop';
      readonly depth: number;
      readonly min: number;
      readonly max: number;
      readonly name: string;
      readonly body: readonly Nest[];
    }
  /** All iterations of a statement under the loops around it; in any order where `free`. */
  | {
      readonly kind: 'statement';
      readonly statement: number;
      readonly depth: number;
      readonly free: boolean;
      readonly simd: boolean;
    };

/**
 * Loop distribution: statements that do not depend on one another in a cycle run one after the other, each over all of its
 * iterations; the others share the outermost loop, and the same holds within.
 */
export const nestsOf = (program: AffineProgram, accumulates: (statement: number) => boolean): readonly Nest[] => {
  const edges = dependencesOf(program);
  return distribute(
    program,
    edges,
    program.statements.map((_, k) => k),
    0,
    accumulates,
  );
};

const distribute = (
  program: AffineProgram,
  edges: readonly Dependence[],
  among: readonly number[],
  depth: number,
  accumulates: (statement: number) => boolean,
): readonly Nest[] => {
  const inside = edges.filter((e) => e.depth >= depth && among.includes(e.from) && among.includes(e.to));
  const readers = (k: number): number[] =>
    inside.flatMap((e) => (e.to === among[k] && e.from !== e.to ? [among.indexOf(e.from)] : []));
  return components(among.length, readers).map((component): Nest => {
    const members = component.map((k) => among[k]);
    if (members.length === 1) {
      const [k] = members;
      const own = inside.filter((e) => e.from === k && e.to === k);
      const last = program.statements[k].iterators.length - 1;
      return {
        kind: 'statement',
        statement: k,
        depth,
        /* Only sums are taken in another order. */
        free: own.length === 0 || accumulates(k),
        simd: own.every((e) => e.depth !== last),
      };
    }
    const ranges = members.flatMap((k) => {
      const s = program.statements[k];
      return s.domain.flatMap((set) => rangesOf(set, s.iterators.length)?.[depth] ?? []);
    });
    return {
      kind: 'loop',
      depth,
      min: Math.min(...ranges.map((r) => r.min)),
      max: Math.max(...ranges.map((r) => r.max)),
      name: program.statements[members[0]].iterators[depth],
      body: distribute(program, edges, members, depth + 1, accumulates),
    };
  });
};
