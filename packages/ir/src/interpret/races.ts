import type { OpTable } from '../dialects/op-table.js';
import { lanes } from '../dialects/define.js';
import type { Machine, OpDef, RuntimeValue, Scalar } from '../kernel/dialect.js';
import type { Module } from '../kernel/module.js';
import type { Op } from '../kernel/op.js';
import { walk } from '../rewrite/walk.js';

/** Whether a module has loops that are divided among a team. */
export const hasTeams = (module: Module): boolean => {
  let found = false;
  for (const { body } of module.kernels) walk(body, (op) => void (found ||= isTeamLoop(op)));
  return found;
};

/** Ops as they are, which watch what the iterations of loops for teams touch: two that touch one element trap, unless both read it or both are atomic. */
export const watchingRaces = (table: OpTable): OpTable => {
  /* Of the loop that runs, which iteration touched what first; nothing outside of such loops. */
  let now: Iteration | undefined;
  const watched = new Map<string, OpDef>();
  for (const [name, def] of table) {
    const { bind: _, ...rest } = def;
    watched.set(name, {
      ...rest,
      evaluate: (op, args, machine) => {
        if (isTeamLoop(op)) {
          const outer = now;
          const inside: Iteration = (now = { number: -1, touched: new Map() });
          try {
            return def.evaluate(
              op,
              args,
              eachTime(machine, () => inside.number++),
            );
          } finally {
            now = outer;
          }
        }
        if (now) touch(now, def, op, args, machine);
        return def.evaluate(op, args, machine);
      },
    });
  }
  return watched;
};

/** Whether the iterations of a loop are divided among the team that runs an iteration of the parallel loop around it. */
const isTeamLoop = (op: Op): boolean => op.name === 'scf.for' && op.attrs.team === true;

/** One iteration of a loop for a team, and what it and those before it touched. */
interface Iteration {
  number: number;
  readonly touched: Map<string, Map<Scalar, Touched>>;
}

/** Who touched an element first, whether others did, and how. */
interface Touched {
  readonly first: number;
  several: boolean;
  kind: 'read' | 'write' | 'atomic';
}

const touch = (now: Iteration, def: OpDef, op: Op, args: readonly RuntimeValue[], machine: Machine): void => {
  for (const { kind, place, index, count } of def.accesses?.(op) ?? []) {
    if (kind === 'hint' || index.length !== 1) continue;
    let places = now.touched.get(place);
    if (!places) now.touched.set(place, (places = new Map()));
    for (const from of lanes(args[op.operands.indexOf(index[0])]))
      for (let n = 0; n < count; n++) {
        const at = Number(from) + n;
        const before = places.get(at);
        if (!before) {
          places.set(at, { first: now.number, several: false, kind });
          continue;
        }
        const other = before.first !== now.number || before.several;
        if (other && (kind !== before.kind || kind === 'write'))
          machine.trap(
            op,
            `iterations ${before.first} and ${now.number} of the loop for a team both touch element ${at} of @${place}, and not both to read it or by atomics`,
          );
        before.several ||= before.first !== now.number;
        if (kind !== before.kind) before.kind = 'write';
      }
  }
};

/** A machine that says when it runs a region of a loop. */
const eachTime = (machine: Machine, begins: () => void): Machine => ({
  buffer: (name) => machine.buffer(name),
  scratch: (name) => machine.scratch?.(name),
  trap: (op, message) => machine.trap(op, message),
  region: (region, args) => {
    begins();
    return machine.region(region, args);
  },
});
