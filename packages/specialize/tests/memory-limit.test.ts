import { describe, expect, it } from 'vitest';
import { symbolicMath as m, type Num } from '@filigree/ir';
import {
  describeElements,
  plainElements,
  templatePicture,
  trace,
  type ElementsWord,
  type Program,
} from '@filigree/specialize';
import { right } from './support.js';

/* Each of many elements makes sixty nodes, which as a loop are six million bytes and more. */
const COUNT = 4000;
const body = (x: Num[], elements: ElementsWord): Num[] => {
  const out = new Array<Num>(COUNT).fill(0);
  elements(COUNT, { x, out }, ({ x, out }, e) => {
    let value: Num = x[e];
    for (let k = 0; k < 30; k++) value = m.sin(m.mul(value, k + 2.5));
    out[e] = value;
  });
  return out;
};
const program = (elements?: ElementsWord): Program => ({
  inputs: { x: COUNT },
  run: ({ x }, context) => ({ out: body(x as Num[], elements ?? context.elements) }),
});

describe('a limit of memory', () => {
  it('ends what would take more in a diagnostic', () => {
    const traced = trace({ maxMB: 2 }).run(program(plainElements));
    expect(traced._tag === 'Left' && traced.left[0].code).toBe('memory/limit');
  });

  it('is far from what elements take', () => {
    const { graph, elements } = right(trace({ maxMB: 2 }).run(program()));
    expect(graph.length).toBeLessThan(2 * COUNT + 200);
    expect(elements.map((e) => e.count)).toEqual([COUNT]);
  });
});

describe('elements to look at', () => {
  const { graph, inputs, elements } = right(trace().run(program()));
  const described = describeElements(graph, inputs, elements[0]);

  it('have their operations, operands first, and the arrays that leaves read', () => {
    expect(described.title).toContain(`${COUNT} elements of 60 operations, 1 leaves and 1 values`);
    expect(described.operations[0].operands).toEqual(['x.0', '2.5']);
    const ids = described.operations.map((o) => o.id);
    expect(
      described.operations.every((o, k) => o.operands.every((p) => typeof p === 'string' || ids.indexOf(p) < k)),
    ).toBe(true);
    expect(described.operations.filter((o) => o.isRoot).map((o) => o.name)).toEqual(['sin']);
  });

  it('have a picture with a word for each operation', () => {
    expect(templatePicture(described)?.match(/>sin</g)?.length).toBe(30);
  });
});
