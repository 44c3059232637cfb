import { exitsOf, leaves, type Block, type Instruction, type Label, type Local, type Loop } from '../code/code.js';
import type { Origin } from '../code/origin.js';
import { literal, type Scalar, type Temp } from '../code/scalar.js';

/**
 * Eliminates `block` and `exit`, since kernel IR has structured control flow only. If one arm of a branch always
 * leaves, what follows moves into the other arm; leaving a block at its end needs nothing; everywhere else a flag
 * records that the block was left, and what follows runs only if it is not set.
 */
export const structure = (body: Block, freshLocal: (name: string) => Local): Block =>
  new Structurer(freshLocal).sequence(body, new Set()).block;

/** Code without exits, and the blocks that it may have left early: their flags say so. */
interface Structured {
  readonly block: Block;
  readonly left: ReadonlySet<Label>;
}

type Labels = ReadonlySet<Label>;

const none: Labels = new Set();

class Structurer {
  private readonly flags = new Map<Label, Local>();

  constructor(private readonly freshLocal: (name: string) => Local) {}

  /** `tails`: blocks whose end is also the end of this sequence, which are left by just coming to it. */
  sequence(code: readonly Instruction[], tails: Labels): Structured {
    const out: Instruction[] = [];
    const list = code.flatMap((i) => (i.do === 'one-of' && exitsOf(i).size > 0 ? i.body : [i]));
    for (const [k, i] of list.entries()) {
      if (i.do === 'exit') {
        if (tails.has(i.label)) return { block: out, left: none };
        return { block: [...out, this.raise(i.label, i.at)], left: new Set([i.label]) };
      }
      const escapes = exitsOf(i);
      if (escapes.size === 0) {
        out.push(...this.plain(i));
        continue;
      }
      const rest = list.slice(k + 1);
      const moved = i.do === 'if' ? moveRest(i, rest) : undefined;
      const follows = moved ? [] : rest;
      const first = this.instruction(moved ?? i, follows.length === 0 ? tails : none);
      out.push(...first.block);
      if (follows.length === 0) return { block: out, left: first.left };
      if (first.left.size === 0) continue;
      const after = this.sequence(follows, tails);
      out.push(...this.unlessLeft(first.left, after.block, i.at));
      return { block: out, left: union(first.left, after.left) };
    }
    return { block: out, left: none };
  }

  /** An instruction that leaves nothing but itself. */
  private plain(i: Instruction): Block {
    return this.instruction(i, none).block;
  }

  private instruction(i: Instruction, tails: Labels): Structured {
    switch (i.do) {
      case 'if': {
        const then = this.sequence(i.then, tails);
        const otherwise = this.sequence(i.otherwise, tails);
        return {
          block: [{ ...i, then: then.block, otherwise: otherwise.block }],
          left: union(then.left, otherwise.left),
        };
      }
      case 'block': {
        const inner = this.sequence(i.body, new Set([...tails, i.label]));
        const left = new Set([...inner.left].filter((l) => l !== i.label));
        return { block: inner.left.has(i.label) ? [this.lower(i.label, i.at), ...inner.block] : inner.block, left };
      }
      case 'one-of': {
        const [body, first] = [i.body, i.first].map((block) => this.sequence(block, none).block);
        return { block: [{ ...i, body, first }], left: none };
      }
      case 'given':
      case 'parallel':
        return { block: [{ ...i, body: this.sequence(i.body, none).block }], left: none };
      case 'loop':
        return this.loop(i);
      default:
        return { block: [i], left: none };
    }
  }

  private loop(i: Loop & { readonly at: Origin }): Structured {
    const { at } = i;
    const left = exitsOf(i);
    const body = this.sequence(i.body, none).block;
    const update = this.sequence(i.update, none).block;
    if (left.size === 0) return { block: [{ ...i, test: this.sequence(i.test, none).block, body, update }], left };

    /* Neither the test nor the update runs once the loop is left. */
    const rest = { do: 'loop', body: [...body, ...this.unlessLeft(left, update, at)], update: [], at } as const;
    const test: Instruction[] = [];
    if (i.test.length === 0 && i.condition.is === 'literal') {
      const condition = computed('not', [this.anyOf(left, test, at)], test, at);
      return { block: [{ ...rest, test, condition }], left };
    }
    const goOn = this.freshLocal('goOn');
    const condition: Temp = { is: 'temp', type: 'i1' };
    const decide: Instruction = { do: 'write', local: goOn, value: i.condition, at };
    test.push(
      { do: 'declare', locals: [goOn], at },
      ...this.unlessLeft(left, this.sequence([...i.test, decide], none).block, at),
      { do: 'read', to: condition, local: goOn, at },
    );
    return { block: [{ ...rest, test, condition }], left };
  }

  private flag(label: Label): Local {
    const known = this.flags.get(label) ?? this.freshLocal(label.name);
    this.flags.set(label, known);
    return known;
  }

  private raise(label: Label, at: Origin): Instruction {
    return { do: 'write', local: this.flag(label), value: literal(true), at };
  }

  private lower(label: Label, at: Origin): Instruction {
    return { do: 'declare', locals: [this.flag(label)], at };
  }

  private unlessLeft(labels: Labels, block: Block, at: Origin): Block {
    if (labels.size === 0 || block.length === 0) return block;
    const out: Instruction[] = [];
    const condition = this.anyOf(labels, out, at);
    return [...out, { do: 'if', condition, then: [], otherwise: block, at }];
  }

  /** Whether one of these blocks was left. */
  private anyOf(labels: Labels, out: Instruction[], at: Origin): Temp {
    const flags = [...labels].map((label) => {
      const to: Temp = { is: 'temp', type: 'i1' };
      out.push({ do: 'read', to, local: this.flag(label), at });
      return to;
    });
    return flags.reduce((a, b) => computed('or', [a, b], out, at));
  }
}

const computed = (operator: 'or' | 'not', args: readonly Scalar[], out: Instruction[], at: Origin): Temp => {
  const to: Temp = { is: 'temp', type: 'i1' };
  out.push({ do: 'compute', to, operator, args, at });
  return to;
};

/** If one arm always leaves, what follows the branch belongs in the other. */
const moveRest = (i: Instruction & { do: 'if' }, rest: Block): Instruction | undefined => {
  if (rest.length === 0) return undefined;
  const [then, otherwise] = [leaves(i.then), leaves(i.otherwise)];
  if (then && otherwise) return i;
  if (then) return { ...i, otherwise: [...i.otherwise, ...rest] };
  return otherwise ? { ...i, then: [...i.then, ...rest] } : undefined;
};

const union = (a: Labels, b: Labels): Labels => (b.size === 0 ? a : new Set([...a, ...b]));
