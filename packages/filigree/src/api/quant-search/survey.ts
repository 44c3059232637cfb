import { combined, fail, isFloat, opTable, orThrow, walk, type Extension } from '@filigree/ir';
import { active, at, kernel, lowerKernels, withFrontEnd, type KernelDef } from '@filigree/lang/kernels';
import { componentsOf, fieldDialects, valueName, type AnyField, type Layout } from '@filigree/sparse/fields';
import type { FieldProgram } from '../program.js';
import type { Surveyed } from './formats-for.js';

/** Kernels that give the greatest of all numbers of a field, and the greatest of their negatives. */
export const surveyKernels = (fields: readonly AnyField[]): Readonly<Record<string, KernelDef>> =>
  Object.fromEntries(
    fields.flatMap((f) => [
      [`search_greatest_${f.name}`, extreme(f, 1)],
      [`search_least_${f.name}`, extreme(f, -1)],
      [`search_count_${f.name}`, count(f)],
    ]),
  );

/** What kernels of a program that has these see of fields. */
export class Survey {
  private readonly seen: Map<string, { least: number; greatest: number; count: number }>;

  constructor(
    private readonly sim: Pick<FieldProgram, 'run'>,
    private readonly fields: readonly AnyField[],
  ) {
    this.seen = new Map(fields.map((f) => [f.name, { least: 0, greatest: 0, count: 0 }]));
  }

  /** Looks at some of the fields. Error: `search/values`. */
  look(names: ReadonlySet<string>): void {
    for (const f of this.fields) {
      if (!names.has(f.name)) continue;
      const seen = this.seen.get(f.name)!;
      const found = [this.sim.run[`search_greatest_${f.name}`](), -this.sim.run[`search_least_${f.name}`]()];
      if (!found.every((value) => Math.abs(value) < LARGEST))
        fail('search/values', `field '${f.name}' has no range: it holds what is no finite number`, {
          remedy: 'look what the program computes there, or do not let it be stored in few bits',
        });
      seen.greatest = Math.max(seen.greatest, found[0]);
      seen.least = Math.min(seen.least, found[1]);
      seen.count = Math.max(seen.count, this.sim.run[`search_count_${f.name}`]());
    }
  }

  /** A range that holds zero and all that was seen. */
  of(field: AnyField): Surveyed {
    return { field, ...this.seen.get(field.name)! };
  }

  /** The most elements of a field that were active. */
  count(field: AnyField): number {
    return this.seen.get(field.name)!.count;
  }
}

/** The fields that each kernel writes, by the names of both. */
export const writesOf = async (
  kernels: Readonly<Record<string, KernelDef>>,
  layout: Layout,
  fields: readonly AnyField[],
  extensions: readonly Extension[] = [],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const { module } = await withFrontEnd(() => orThrow(lowerKernels(kernels, layout, 'kernels', extensions)));
  const table = opTable([...new Set([...fieldDialects(layout), ...(combined(extensions).dialects ?? [])])]);
  const names = new Map(
    fields.flatMap((f) =>
      componentsOf(f).map((c) => {
        const path = layout.fields.get(c.name)!.path;
        return [valueName(layout.nodes[path[path.length - 1]]), f.name] as const;
      }),
    ),
  );
  return new Map(
    module.kernels.map(({ name, body }) => {
      const written = new Set<string>();
      walk(body, (op) => {
        for (const { kind, buffer } of table.get(op.name)?.effects(op) ?? []) {
          const field = kind === 'read' || buffer === undefined ? undefined : names.get(buffer);
          if (field !== undefined) written.add(field);
        }
      });
      return [name, written];
    }),
  );
};

const extreme = (f: AnyField, sign: 1 | -1): KernelDef => {
  const one = sign > 0 ? (e: number) => e : (e: number) => -e;
  const several = sign > 0 ? (e: Several) => e.greatest() : (e: Several) => -e.least();
  const top = f.is === 'scalar' ? one : several;
  const from = isFloat(f.type) ? (f.type === 'f64' ? -LARGEST : -LARGEST_F32) : -(2 ** 31);
  const float = f.type === 'f64' ? 'f64' : 'f32';
  return kernel([f] as never, { float, scope: { active, at, top, from }, name: 'extreme' }, ((f: never) => {
    let most = from;
    for (const I of active(f)) most = Math.max(most, top(at(f, I) as never));
    return most;
  }) as never) as KernelDef;
};

const count = (f: AnyField): KernelDef =>
  kernel([f] as never, { scope: { active }, name: 'count' }, ((f: never) => {
    let elements = 0;
    for (const _ of active(f)) elements += 1;
    return elements;
  }) as never) as KernelDef;

interface Several {
  greatest(): number;
  least(): number;
}

const LARGEST = 1e300;
const LARGEST_F32 = 3e38;
