import {
  isOwn,
  isVector,
  type Diagnostic,
  type Diagnostics,
  type Extension,
  type Module,
  type Op,
  type Region,
  type Type,
  type Value,
  bringsOp,
  error,
  extensionText,
  isFloat,
  scalarOf,
  typeText,
} from '@filigree/ir';
import { unlowered } from '../legalize/own-types.js';
import { isWordType } from '../legalize/whole-words.js';
import type { CFamilyDialect } from './dialect.js';
import { structuredOps } from './kernel/emit-kernel.js';

/**
 * Whether a dialect of the C family can write this module: every op has a spelling and every type a name. Reports each op
 * and type once, where it stands first: `emit/unsupported-op`, `emit/unsupported-type`, `emit/vector`.
 *
 * @param extensions those whose ops the module may have, to say whose an op is that cannot be written
 */
export const checkKernels = (
  module: Module,
  dialect: CFamilyDialect,
  extensions: readonly Extension[] = [],
): Diagnostics => {
  const found = new Map<string, Diagnostic>();
  const report = (d: Diagnostic): void => {
    if (!found.has(d.code + d.message)) found.set(d.code + d.message, d);
  };
  const type = (t: Type, loc?: Op['loc']): void => {
    if (isOwn(t)) report(unlowered(t));
    else if (isVector(t) && !(dialect.vector && (isFloat(t) || isWordType(scalarOf(t)))))
      report(
        error('emit/vector', `${dialect.name} takes no values of type ${typeText(t)}`, {
          loc,
          remedy: 'run scalarizeVectors or splitVectors first',
        }),
      );
    else if (dialect.scalar[scalarOf(t)] === undefined)
      report(
        error('emit/unsupported-type', `${dialect.name} has no ${scalarOf(t)}`, {
          loc,
          remedy: dialect.instead?.[scalarOf(t)] ?? 'use another type or another backend',
        }),
      );
  };
  const value = (v: Value): void => type(v.type);
  const walk = (region: Region): void => {
    region.params.forEach(value);
    for (const op of region.ops) {
      for (const v of op.results) type(v.type, op.loc);
      if (!structuredOps.has(op.name) && dialect.spellings[op.name] === undefined)
        report(unwritten(op, dialect, bringsOp(extensions, op.name)));
      op.regions.forEach(walk);
    }
  };
  /* Kernels first: their ops know where in the source a type comes from. */
  for (const k of module.kernels) walk(k.body);
  for (const k of module.kernels) k.params.forEach(value);
  for (const b of module.buffers) type(b.type);
  return [...found.values()];
};

const unwritten = (op: Op, { name }: CFamilyDialect, by: Extension | undefined): Diagnostic =>
  by
    ? error('emit/unsupported-op', `${name} cannot write ${op.name}, which extension ${extensionText(by)} brings`, {
        loc: op.loc,
        remedy: `lower it to core ops first, or let the extension spell it: { spellings: { '${op.name}': { core: (b, op) => … } } }`,
      })
    : error('emit/unsupported-op', `${name} cannot write ${op.name}`, {
        loc: op.loc,
        remedy: 'lower it to core ops first',
      });
