import {
  Builder,
  bufferMap,
  checkOptions,
  controlBy,
  coreDialects,
  fail,
  highestId,
  idsFrom,
  isFloat,
  opTable,
  option,
  walk,
  type Buffer,
  type Dialect,
  type Kernel,
  type Module,
  type OptionSpec,
  type Pass,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import { cse, dce, storeForwarding } from '@filigree/opt';
import { storesApart } from './apart.js';
import { fieldDialect, layoutOf, valueName, type Formats } from '@filigree/sparse/fields';
import { activeValues } from './activity.js';
import { againIn, passingWrites } from './again.js';
import { elementOps, type ElementOpOf } from './element-ops.js';
import { lost, refuseLost } from './lost.js';
import type { Needs } from './needs.js';
import { refuseOverwrites } from './overwrites.js';
import { ownsAll } from './own.js';
import type { Reversal } from './reversal.js';
import { reverseRegion } from './reverse.js';
import { Sums } from './sums.js';

/** What a kernel is differentiated by. */
export interface AdjointOptions {
  /** The scalar fields that are differentiated, each with the field of its adjoint, which lies where the primal lies. */
  readonly adjoints: Readonly<Record<string, string>>;
  /** Dialects of the module's ops beside those of the core and `field`. */
  readonly dialects?: readonly Dialect[];
  /** Formats that fields of the module are stored in. */
  readonly formats?: Formats;
}

/** An adjoint kernel, and what it gives. */
export interface Adjoint {
  /** It takes what its primal takes. */
  readonly kernel: Kernel;
  /** Its buffers: those of the primal, and its own. */
  readonly buffers: readonly Buffer[];
  /** Buffers of one element with the derivatives by scalar arguments of a launch, by the number of the parameter. */
  readonly parameters: ReadonlyMap<number, string>;
  /** The fields that the kernel's results depend on, of those that are differentiated, and those that it gives such results. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** What it needs as the primal left it, and what the primal writes. */
  readonly needs: Needs;
}

/**
 * The adjoint of a kernel (thesis §3.3): it reads what the primal read, and adds to the adjoint of each element it read what that
 * element contributed to the adjoints of those it wrote. Adjoints of elements that it overwrote become zero. Branches stay
 * branches, parallel loops stay parallel, serial loops run backwards; nothing is activated.
 *
 * Primal fields hold what they held after the launch. Errors: `adjoint/no-rule`, `adjoint/no-adjoint`, `adjoint/old-value`,
 * `adjoint/lost`, `adjoint/overwritten`, `adjoint/unknown-kernel`.
 *
 * @param module with its layout, on which both lie; its kernel is on fields
 */
export const adjoint = (module: Module, name: string, given: AdjointOptions): Adjoint => {
  const { adjoints, dialects: own = [], formats } = checkOptions('adjoint', given, adjointSpec);
  const layout = layoutOf(module.layout ?? { branches: [] }, formats);
  const found =
    module.kernels.find((k) => k.name === name) ??
    fail('adjoint/unknown-kernel', `there is no kernel '${name}' to differentiate`);
  const dialects = [...coreDialects, fieldDialect(layout), lost, ...own];
  /* Of equal loads each would become an update of memory. */
  const primal = passes({ ...module, kernels: [storesApart(found)] }, [storeForwarding({ dialects }), cse({ dialects })]).kernels[0];

  const table = opTable(dialects);
  const controlOf = controlBy(table);
  const temps = new Map(
    module.buffers
      .filter((b) => b.role === 'temp' && isFloat(b.type))
      .map((b) => [b.name, { ...b, name: `${b.name}_adjoint` }] as const),
  );
  const elementOf = elementOps(adjoints, temps);
  const active = activeValues(primal, elementOf, controlOf);
  const ids = idsFrom(highestId(primal) + 1);
  const extra: Buffer[] = [];
  const cell = (v: Value, role: Buffer['role'] = 'temp', called = `${name}_sum_${extra.length}`): string => {
    extra.push({ name: called, type: v.type as ScalarType, length: 1, role });
    return called;
  };
  const used = [...temps.values()].filter((b) => touches(primal, b.name.slice(0, -'_adjoint'.length)));
  const parameters = new Map(
    primal.params.flatMap((p, n) =>
      active.has(p.id) ? [[n, cell(p, 'output', `${name}_by_${p.hint ?? n}`)] as const] : [],
    ),
  );
  /* Cells are made while the body is: loads of them have their types from here. */
  const buffers = new Map([...bufferMap(module.buffers), ...bufferMap([...used, ...extra])]);
  const b = new Builder(table, buffers, ids);
  const reversal: Reversal = {
    table,
    controlOf,
    elementOf,
    active,
    again: againIn(table, elementOf, passingWrites(primal.body, elementOf)),
    places: new Set([
      ...Object.keys(adjoints).map((f) => valueName(layout.nodes[layout.fields.get(f)!.path.at(-1)!])),
      ...temps.keys(),
    ]),
    cell: (v) => {
      const made = cell(v);
      buffers.set(made, extra[extra.length - 1]);
      return made;
    },
    region: (builder, region, known, sums, owns) => {
      reversal.again.region(builder, region, known);
      reverseRegion(reversal, builder, region, known, sums, owns);
    },
  };
  const { region: body } = b.region([], () => {
    const params = new Map(primal.params.map((p) => [p.id, p]));
    const sums = new Sums(active);
    for (const temp of used) clear(b, temp);
    reversal.region(b, primal.body, params, sums, ownsAll);
    for (const [n, buffer] of parameters) b.store(buffer, sums.orZero(b, primal.params[n]), b.i32(0));
  });
  const draft: Kernel = { name: `${name}_adjoint`, params: primal.params, body, attrs: primal.attrs };
  const whole = passes({ ...module, buffers: [...module.buffers, ...used, ...extra], kernels: [draft] }, [
    cse({ dialects }),
    dce({ dialects }),
  ]);
  const [kernel] = whole.kernels;
  refuseLost(name, kernel);
  const needs = refuseOverwrites(primal, kernel, elementOf, controlOf);
  const taken = new Set(module.buffers.map((x) => x.name));
  return {
    kernel,
    buffers: whole.buffers.filter((x) => !taken.has(x.name)),
    parameters,
    needs,
    ...flowOf(primal, elementOf, active),
  };
};

const adjointSpec: OptionSpec<AdjointOptions> = {
  adjoints: option.record(option.text),
  dialects: option.array('a list of dialects'),
  formats: option.anything,
};

/** Which fields influence which: those read, and those written with what depends on them. */
const flowOf = (
  { body }: Kernel,
  elementOf: ElementOpOf,
  active: ReadonlySet<number>,
): Pick<Adjoint, 'reads' | 'writes'> => {
  const [reads, writes] = [new Set<string>(), new Set<string>()];
  walk(body, (op) => {
    const element = elementOf(op);
    if (!element?.adjoint || !element.lasting) return;
    if (!element.value) reads.add(String(op.attrs.field));
    else if (active.has(element.value.id)) writes.add(String(op.attrs.field));
  });
  return { reads: [...reads], writes: [...writes] };
};

const passes = (module: Module, list: readonly Pass<Module>[]): Module =>
  list.reduce((m, p) => {
    const done = p.run(m);
    if (done._tag === 'Left') throw new Error(`${p.name}: ${done.left[0].message}`);
    return done.right;
  }, module);

const clear = (b: Builder, { name, type, length }: Buffer): void => {
  if (length === 1) return b.store(name, b.constant(0, type), b.i32(0));
  b.for(b.i32(0), b.i32(length), b.i32(1), { parallel: true }, [], (n) => b.store(name, b.constant(0, type), n));
};

const touches = ({ body }: Kernel, buffer: string): boolean => {
  let found = false;
  walk(body, (op) => void (found ||= op.attrs.buffer === `@${buffer}`));
  return found;
};
