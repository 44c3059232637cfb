import {
  declareBuffer,
  mapKernels,
  pass,
  rewriteOps,
  type Builder,
  type Loc,
  type Module,
  type Op,
  type Pass,
  type Value,
} from '@filigree/ir';
import { fieldDialects, storedOf, wordFields, type Storage, type Stored } from '@filigree/sparse/fields';
import { emitCounts } from './emit-counts.js';
import { COUNTS, keyOfLoss, lossAttr, lossesName, lossPlaces, type LossPlace } from './losses.js';

/**
 * Counts what kernels lose where they store numbers in few bits, for each kernel, field and line of the source: how many numbers
 * overflowed, saturated, were flushed or none, and the largest relative error of the others. Of numbers that share an exponent those count as
 * saturated that would be so alone.
 *
 * Takes ops on fields as they were written; of sums and other updates it counts what they leave, and of those that wrap that they did. Leaves the counts in a buffer,
 * behind those that the module has, and its places in the attribute `losses`.
 */
export const countLosses = (storage: Storage): Pass<Module> => {
  const { layout } = storage;
  const dialects = fieldDialects(layout);
  const name = lossesName(storage);
  return pass('count-losses', (module) => {
    const places = new PlaceTable(lossPlaces(module));
    const buffers = module.buffers.filter((b) => b.name !== name);
    const counts = (): Module['buffers'][number] =>
      declareBuffer(name, 'i32', Math.max(1, places.all.length) * COUNTS, 'output');
    const counted = mapKernels(module, (kernel) =>
      rewriteOps(
        kernel,
        dialects,
        (op, ctx) => {
          const writes = writesOf(storage, op);
          if (writes.length === 0) return undefined;
          return ctx.build((b) => {
            const results = b.append(op);
            const left = op.name === 'field.atomic' ? [combined(b, op, results[0])] : op.operands;
            const together = writes.map(({ stored, operand }) => ({
              value: left[operand],
              stored,
              ...(addsCodes(op, stored) && { sum: { before: results[0], addend: op.operands[0] } }),
            }));
            for (const [n, { field }] of writes.entries())
              emitCounts(b, name, places.number(kernel.name, field, op.loc), { ...together[n], together });
            return results;
          });
        },
        [...buffers, counts()],
      ),
    );
    if (places.all.length === 0) return module;
    return {
      ...counted,
      buffers: [...buffers, counts()],
      attrs: { ...module.attrs, losses: places.all.map(lossAttr) },
    };
  });
};

interface Write {
  readonly field: string;
  readonly stored: Stored;
  /** The operand that is stored. */
  readonly operand: number;
}

/** What an op writes to fields that are stored in few bits. */
const writesOf = ({ layout }: Storage, op: Op): readonly Write[] => {
  if (!WRITES.has(op.name)) return [];
  const names = op.name === 'field.store_word' ? wordFields(op) : [String(op.attrs.field)];
  return names.flatMap((field, operand) => {
    const stored = storedOf(layout, field);
    return stored ? [{ field, stored, operand }] : [];
  });
};

const WRITES: ReadonlySet<string> = new Set(['field.store', 'field.store_word', 'field.atomic']);

const addsCodes = ({ name, attrs }: Op, { format }: Stored): boolean =>
  name === 'field.atomic' && attrs.kind === 'add' && format.addend !== undefined;

/** What an atomic operation leaves. */
const combined = (b: Builder, { attrs, operands: [value] }: Op, before: Value): Value =>
  attrs.kind === 'exchange' ? value : b[attrs.kind as 'add' | 'min' | 'max' | 'and' | 'or' | 'xor'](before, value);

/** Numbers places; equal ones get one number. */
class PlaceTable {
  readonly all: LossPlace[];
  private readonly numbers = new Map<string, number>();

  constructor(known: readonly LossPlace[]) {
    this.all = [...known];
    known.forEach((place, n) => this.numbers.set(keyOfLoss(place), n));
  }

  number(kernel: string, field: string, loc: Loc | undefined): number {
    const place: LossPlace = { kernel, field, ...(loc && { loc }) };
    const key = keyOfLoss(place);
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    this.numbers.set(key, this.all.length);
    return this.all.push(place) - 1;
  }
}
