import { SUB, type Graph, type Recorder } from '@filigree/ir';
import { ADD } from '../../decompose/codes.js';
import type { Elements } from '../elements/elements.js';
import { Assembled } from './assembled.js';
import { Calls } from './calls.js';
import { LoopStack } from './loop-stack.js';
import { isOfElements, Made } from './made.js';
import { Stretches } from './stretches.js';

/**
 * Records what loops of rewritten code do (ARCHITECTURE.md, Specialisation): operations of a stretch that begins where a loop does are compared with those of stretches before, and what repeats
 * often becomes elements, added to `all`, else nodes.
 */
export const recorderOf = (graph: Graph, all: Elements[]): Recorder => {
  const stretches = new Stretches(graph);
  const made = new Made(graph, stretches);
  const assembled = new Assembled(graph, all, stretches, made);
  const find = (values: Int32Array): void => {
    const read = made.isEmpty ? NONE : values.filter((v) => isOfElements(made.knownOf(v)));
    if (read.length > 0) assembled.standFor(read);
    const rest = read.length === 0 ? values : values.filter((v) => made.nodeOf(v) < 0);
    if (rest.length === 0) return;
    if (rest.length <= FEW && rest.every((v) => made.isShort(v))) made.make(rest, find);
    else assembled.assemble(rest);
  };
  const loops = new LoopStack(stretches, (first, least, ended) => {
    const repeats = assembled.repeats(first, least, ended);
    if (!repeats) made.makeAll(first, find);
    return repeats;
  });
  const calls = new Calls(graph, stretches);
  const isOpen = (value: number): boolean => stretches.cursor !== 0 && value >= stretches.base;
  const isAnyOpen = (values: Int32Array): boolean => {
    for (let i = 0; i < values.length; i++) if (values[i] < 0 && isOpen(~values[i])) return true;
    return false;
  };
  const unknownOf = (values: Int32Array): Int32Array => {
    const unknown = new Int32Array(values.length);
    let n = 0;
    for (let i = 0; i < values.length; i++)
      if (values[i] < 0 && (made.isEmpty || made.nodeOf(~values[i]) < 0)) unknown[n++] = ~values[i];
    return unknown.subarray(0, n);
  };
  const asNodes = (values: Int32Array): Int32Array => {
    const nodes = values.slice();
    for (let i = 0; i < nodes.length; i++) if (nodes[i] < 0) nodes[i] = made.nodeOf(~nodes[i]);
    return nodes;
  };
  const nodesOf = (values: Int32Array): Int32Array => {
    if (isAnyOpen(values)) loops.interrupted();
    const unknown = unknownOf(values);
    if (unknown.length > 0) find(unknown);
    return asNodes(values);
  };
  const stretchOf = (value: number): number => (isOpen(value) ? stretches.length : stretches.runs.stretchOf(value));
  return {
    take: (code, a, b) => {
      if (stretches.cursor === 0) return 0;
      const known = stretches.follow(code, a, b);
      if (known !== 0) return known;
      if (!stretches.isFull) return stretches.branch(code, a, b);
      loops.tooLong();
      return stretches.cursor === 0 ? 0 : stretches.take(code, a, b);
    },
    nodesOf,
    together: (values) => {
      let stretch = -1;
      for (let i = 0; i < values.length; i++) {
        if (values[i] >= 0) continue;
        const own = stretchOf(~values[i]);
        if (stretch >= 0 && own !== stretch) return nodesOf(values);
        stretch = own;
      }
      return values;
    },
    made: (values) => {
      const nodes = asNodes(values);
      let n = 0;
      for (let i = 0; i < nodes.length; i++) if (nodes[i] >= 0) nodes[n++] = nodes[i];
      return nodes.slice(0, n);
    },
    codeOf: (value) => {
      const code = made.codeOf(value);
      return code === SUB ? ADD : code;
    },
    call: (f, args) => calls.run(f, args),
    step: (text, site) => loops.step(text, site),
    done: (text, site) => loops.done(text, site),
  };
};

const NONE = new Int32Array(0);

/** So many values that are asked for together are made as nodes. */
const FEW = 64;
