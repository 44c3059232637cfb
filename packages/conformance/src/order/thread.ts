import {
  type Kernel,
  type Machine,
  type Op,
  type OpTable,
  type Region,
  type RuntimeValue,
  type Scalar,
  bufferName,
  fail,
} from '@filigree/ir';

/** What a thread asks of memory. */
export type Request =
  | { readonly do: 'load'; readonly place: string }
  | { readonly do: 'store'; readonly place: string; readonly value: number }
  | { readonly do: 'update'; readonly place: string; readonly next: (old: number) => number | undefined }
  | { readonly do: 'fence'; readonly order: string }
  /** Waits for others in step; `given` are the operands. */
  | { readonly do: 'meet'; readonly op: Op; readonly given: readonly RuntimeValue[] };

/** What is answered: what is in memory, or what others in step have. */
export type Answer = RuntimeValue;

/**
 * A kernel step by step: it stops where it touches memory or meets threads in step, and goes on with what is there. Error: `order/op` for other than i32
 * in memory.
 *
 * @param lane its number among threads in step
 */
export function* threadOf(
  kernel: Kernel,
  args: readonly Scalar[],
  table: OpTable,
  lane = 0,
): Generator<Request, void, Answer> {
  const values = new Map<number, RuntimeValue>(kernel.params.map((p, k) => [p.id, args[k]]));
  const machine: Machine = {
    buffer: (name) => fail('order/op', `an op reads @${name} by itself`),
    region: () => fail('order/op', 'an op runs its region by itself'),
    trap: (op, message) => fail('interpret/trap', `${op.name}: ${message}`, { loc: op.loc }),
  };
  const of = (op: Op): RuntimeValue[] => op.operands.map((v) => values.get(v.id)!);
  function* region(r: Region, given: readonly RuntimeValue[]): Generator<Request, readonly RuntimeValue[], Answer> {
    r.params.forEach((p, k) => values.set(p.id, given[k]));
    for (const op of r.ops) {
      if (table.get(op.name)?.traits.terminator === true) return of(op);
      const results = yield* step(op);
      op.results.forEach((v, k) => values.set(v.id, results[k]));
    }
    return [];
  }
  function* step(op: Op): Generator<Request, readonly RuntimeValue[], Answer> {
    const given = of(op);
    const place = (at: number): string => `${bufferName(op)}[${String(given[at])}]`;
    switch (op.name) {
      case 'mem.load':
        return [yield { do: 'load', place: place(0) }];
      case 'mem.store':
        yield { do: 'store', place: place(1), value: Number(given[0]) };
        return [];
      case 'mem.atomic':
        return [
          yield { do: 'update', place: place(1), next: (old) => updates[String(op.attrs.kind)](old, Number(given[0])) },
        ];
      case 'mem.cas':
        return [
          yield {
            do: 'update',
            place: place(2),
            next: (old) => (old === Number(given[0]) ? Number(given[1]) : undefined),
          },
        ];
      case 'mem.fence':
        yield { do: 'fence', order: String(op.attrs.order) };
        return [];
      case 'gpu.lane':
        return [lane];
      case 'gpu.here':
      case 'gpu.ballot':
      case 'gpu.shuffle':
        return [yield { do: 'meet', op, given }];
      case 'scf.if':
        return yield* region(op.regions[given[0] === true ? 0 : 1], []);
      case 'scf.for': {
        let carried: readonly RuntimeValue[] = given.slice(3);
        for (let i = Number(given[0]); i < Number(given[1]); i += Number(given[2]))
          carried = yield* region(op.regions[0], [i, ...carried]);
        return carried;
      }
      case 'scf.while': {
        let carried: readonly RuntimeValue[] = given;
        for (;;) {
          const [goes, ...next] = yield* region(op.regions[0], carried);
          if (goes !== true) return next;
          carried = yield* region(op.regions[1], next);
        }
      }
      default:
        return table.get(op.name)!.evaluate(op, given, machine);
    }
  }
  yield* region(kernel.body, []);
}

const updates: Readonly<Record<string, (old: number, v: number) => number>> = {
  add: (old, v) => (old + v) | 0,
  min: Math.min,
  max: Math.max,
  and: (old, v) => old & v,
  or: (old, v) => old | v,
  xor: (old, v) => old ^ v,
  exchange: (_, v) => v,
};
