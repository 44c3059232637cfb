import { fail } from '../diagnostics/diagnostic.js';
import type { AccessesOf } from '../kernel/access.js';
import type { Control } from '../kernel/control.js';
import type { Dialect, OpDef, OwnTypeDef } from '../kernel/dialect.js';
import { isFloat } from '../kernel/type.js';
import type { Op } from '../kernel/op.js';

/**
 * A dialect from its definitions of ops, and of types of its own, each named `dialect.name`. Throws `DiagnosticError` `dialect/name` on a name of
 * another dialect, `dialect/clash` on one that is used twice.
 */
export const dialect = (name: string, ops: readonly OpDef[], types: readonly OwnTypeDef[] = []): Dialect => ({
  name,
  ops: byName(name, 'op', ops),
  ...(types.length > 0 && { types: byName(name, 'type', types) }),
});

const byName = <D extends { readonly name: string }>(
  name: string,
  what: string,
  defs: readonly D[],
): Readonly<Record<string, D>> => {
  const table: Record<string, D> = {};
  for (const def of defs) {
    if (!def.name.startsWith(`${name}.`))
      fail('dialect/name', `${what} '${def.name}' does not belong to dialect '${name}'`, {
        remedy: `name it '${name}.…'`,
      });
    if (Object.hasOwn(table, def.name)) clash(def.name, what);
    table[def.name] = def;
  }
  return table;
};

/** Definitions by op name. */
export type OpTable = ReadonlyMap<string, OpDef>;

/** One table of the ops of several dialects. Throws `DiagnosticError` `dialect/clash` if two define the same op. */
export const opTable = (dialects: readonly Dialect[]): OpTable => {
  let at = tables;
  for (const d of dialects) {
    const next: Tables = at.with.get(d) ?? { with: new WeakMap() };
    at.with.set(d, next);
    at = next;
  }
  return (at.table ??= tableOf(dialects));
};

/** Tables made before, found dialect by dialect: every pass asks for one, for every kernel. */
interface Tables {
  table?: OpTable;
  readonly with: WeakMap<Dialect, Tables>;
}

const tables: Tables = { with: new WeakMap() };

const tableOf = (dialects: readonly Dialect[]): OpTable => {
  const table = new Map<string, OpDef>();
  for (const d of new Set(dialects)) {
    for (const def of Object.values(d.ops)) {
      if (table.has(def.name)) clash(def.name);
      table.set(def.name, def);
    }
  }
  return table;
};

/** How control flows through the regions of ops, as these definitions say. */
export const controlBy =
  (table: OpTable): ControlOf =>
  (op) =>
    op.regions.length === 0 ? undefined : table.get(op.name)?.control?.(op);

/** How control flows through the regions of an op; undefined where nobody says so, and for ops without regions. */
export type ControlOf = (op: Op) => Control | undefined;

/** What ops touch, as these definitions say. */
export const accessesBy =
  (table: OpTable): AccessesOf =>
  (op) => {
    const def = table.get(op.name);
    return def && (def.accesses?.(op) ?? nowhere);
  };

const nowhere: readonly never[] = [];

/**
 * Whether this op may trap when run. The trait belongs to the definition; division and remainder carry it for the sake
 * of integers and cannot trap on floats.
 */
export const mayTrap = (def: OpDef, op: Op): boolean =>
  def.traits.mayTrap === true && !(def.traits.elementwise === true && op.operands.every((v) => isFloat(v.type)));

const clash = (name: string, what = 'op'): never =>
  fail('dialect/clash', `${what} '${name}' is defined twice`, {
    remedy: `rename one of the ${what}s, or pass only one of the dialects`,
  });
