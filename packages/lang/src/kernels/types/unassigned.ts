import type { Diagnostic } from '@filigree/ir';
import { someInstruction, type Block, type Instruction, type Label, type Local } from '../code/code.js';
import { diagnosticAt } from '../code/origin.js';

/**
 * Reads of variables that were declared without a value, and that some way to the read gives none. TypeScript would read
 * `undefined` there; a kernel has no such value.
 */
export const unassignedReads = (code: Block): readonly Diagnostic[] => {
  if (!someInstruction(code, (i) => i.do === 'declare' && i.locals.some((l) => l.unset))) return [];
  const walk = new Walk();
  walk.block(code, new Set());
  return [...walk.found.values()];
};

/** Which of these variables have a value; undefined where the code never comes to. */
type Assigned = ReadonlySet<Local> | undefined;

class Walk {
  readonly found = new Map<Local, Diagnostic>();
  private readonly exits = new Map<Label, Assigned>();

  block(code: Block, before: Assigned): Assigned {
    let now = before;
    for (const i of code) {
      if (now === undefined) return undefined;
      now = this.instruction(i, now);
    }
    return now;
  }

  private instruction(i: Instruction, now: ReadonlySet<Local>): Assigned {
    switch (i.do) {
      case 'declare':
        return i.locals.some((l) => now.has(l)) ? new Set([...now].filter((l) => !i.locals.includes(l))) : now;
      case 'write':
        return i.local.unset && !now.has(i.local) ? new Set([...now, i.local]) : now;
      case 'read':
        if (!i.maybe || i.maybe.isValue) this.read(i.local, i, now);
        return now;
      case 'reduce':
        this.read(i.reduction.local, i, now);
        return now;
      case 'if':
        return both(this.block(i.then, now), this.block(i.otherwise, now));
      case 'block': {
        const end = this.block(i.body, now);
        return both(end, this.exits.get(i.label));
      }
      case 'exit':
        this.exits.set(i.label, both(now, this.exits.get(i.label)));
        return undefined;
      case 'loop': {
        const tested = this.block(i.test, now);
        this.block(i.update, this.block(i.body, tested));
        return i.condition.is === 'literal' && i.condition.value === true ? undefined : tested;
      }
      case 'one-of':
        return this.block(i.body, now);
      case 'given':
      case 'parallel':
        this.block(i.body, now);
        return now;
      default:
        return now;
    }
  }

  private read(local: Local, i: Instruction, now: ReadonlySet<Local>): void {
    if (!local.unset || now.has(local) || this.found.has(local)) return;
    const message = `\`${local.name}\` has no value here on some way through the kernel`;
    this.found.set(
      local,
      diagnosticAt(
        i.at,
        'error',
        'lang/unassigned',
        message,
        'give it one where it is declared: let x = 0, new Array(n).fill(0)',
      ),
    );
  }
}

const both = (a: Assigned, b: Assigned): Assigned =>
  a === undefined || a === b ? b : b === undefined ? a : new Set([...a].filter((l) => b.has(l)));
