import * as E from 'fp-ts/lib/Either.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DiagnosticError, type Kernel, type Module } from '@filigree/ir';
import {
  edgesOf,
  GRAPH_PASSES,
  graphOf,
  kernelOf,
  noOwners,
  plan,
  type Graph,
  type GraphPass,
  type Launch,
  type Owners,
  type Plan,
} from '@filigree/sched';
import type { CutKernels } from '@filigree/sparse/tasks';
import { worlds } from './random-window.js';

const passNames = Object.keys(GRAPH_PASSES) as GraphPass[];
const subsets = passNames.reduce<GraphPass[][]>((all, p) => [...all, ...all.map((s) => [...s, p])], [[]]);

/** Which kernels are launched, with which argument. */
const sequence = fc.array(fc.record({ kernel: fc.nat(3), arg: fc.integer({ min: 1, max: 3 }) }), {
  minLength: 1,
  maxLength: 7,
});

type Sequence = readonly { readonly kernel: number; readonly arg: number }[];

const planOf = (owners: Owners, launches: readonly Launch[], { setting }: CutKernels, without: GraphPass[]): Plan => {
  const made = plan(owners, launches, setting, { without });
  if (E.isLeft(made)) throw new DiagnosticError(made.left);
  return made.right;
};

const launchesOf = (module: Module, { tasks }: CutKernels, list: Sequence): Launch[] =>
  list.map(({ kernel }) => ({ tasks: tasks.get(module.kernels[kernel % module.kernels.length].name)! }));

const runGraph = ({ nodes }: Graph, list: Sequence, run: (kernel: Kernel, args: readonly number[]) => void): void => {
  for (const node of nodes) {
    const { kernel, args } = kernelOf(node, 'node');
    run(
      kernel,
      args.map((a) => list[a.launch].arg),
    );
  }
};

/** Another order of the nodes that keeps all edges. */
const reordered = (graph: Graph, seed: readonly number[]): { readonly graph: Graph; readonly order: number[] } => {
  const edges = edgesOf(graph);
  const order: number[] = [];
  const left = new Set(graph.nodes.keys());
  for (let k = 0; left.size > 0; k++) {
    const free = [...left].filter((n) => edges[n].every((m) => !left.has(m)));
    const next = free[(seed[k % seed.length] ?? 0) % free.length];
    order.push(next);
    left.delete(next);
  }
  return { graph: { ...graph, nodes: order.map((n) => graph.nodes[n]) }, order };
};

describe.each(worlds)('random programs $name', ({ modules, cut, open }) => {
  it('compute the same under every subset of the passes, over several windows', () => {
    let fewer = 0;
    fc.assert(
      fc.property(modules, fc.array(sequence, { minLength: 1, maxLength: 3 }), (module, windows) => {
        const cutModule = cut(module);
        const eager = open(cutModule.setting);
        for (const list of windows)
          for (const { kernel, arg } of list) eager.run(module.kernels[kernel % module.kernels.length], [arg]);
        for (const without of subsets) {
          const planned = open(cutModule.setting);
          let owners = noOwners;
          for (const list of windows) {
            const made = planOf(owners, launchesOf(module, cutModule, list), cutModule, without);
            fewer += made.before.nodes.length - made.graph.nodes.length;
            runGraph(made.graph, list, planned.run);
            owners = made.owners;
          }
          expect(planned.contents()).toEqual(eager.contents());
        }
      }),
      { numRuns: 60 },
    );
    expect(fewer).toBeGreaterThan(0);
  });

  it('do the same in any order that keeps the edges, and have the same edges then', () => {
    fc.assert(
      fc.property(modules, sequence, fc.array(fc.nat(20), { minLength: 1, maxLength: 20 }), (module, list, seed) => {
        const cutModule = cut(module);
        const graph = graphOf(noOwners, launchesOf(module, cutModule, list));
        const { graph: other, order } = reordered(graph, seed);
        const named = edgesOf(other).map((before, n) => [order[n], before.map((m) => order[m]).sort((x, y) => x - y)]);
        const wanted = edgesOf(graph).map((before, n) => [n, before]);
        expect(named.sort(([x], [y]) => (x as number) - (y as number))).toEqual(wanted);
        const [one, two] = [graph, other].map((g) => {
          const { run, contents } = open(cutModule.setting);
          runGraph(g, list, run);
          return contents();
        });
        expect(two).toEqual(one);
      }),
      { numRuns: 60 },
    );
  });
});
