import {
  bufferMap,
  Builder,
  checkOptions,
  controlBy,
  coreDialects,
  definitions,
  derivative,
  fail,
  highestId,
  idsFrom,
  isFloat,
  opTable,
  option,
  type Buffer,
  type Dialect,
  type Kernel,
  type Module,
  type OptionSpec,
  type Value,
} from '@filigree/ir';
import { cse, dce } from '@filigree/opt';
import { fieldDialect, layoutOf, valueName, type Formats } from '@filigree/sparse/fields';
import type { DerivativeTable } from '../../table/derivative.js';
import { derivatives } from '../../table/derivatives.js';
import { activeValues } from '../values/activity.js';
import { againIn } from '../reverse/again.js';
import { foundAgain } from '../values/found-again.js';
import { elementOps } from '../elements/element-ops.js';
import { influenceOf } from '../reverse/influence.js';
import { integerForms } from '../indices/integer-forms.js';
import { loopFacts } from '../indices/loop-facts.js';
import { lost, refuseLost } from '../keep/lost.js';
import { ownedBy, ownsAll } from '../elements/own.js';
import { isRounded } from '../elements/rounded.js';
import { runPasses } from '../run-passes.js';
import { coordinatesOf } from '../elements/touched.js';
import { refuseUnknownOps } from '../values/unknown-ops.js';
import type { Forward } from './forward.js';
import { forwardRegion } from './region.js';
import { tangentBuffers, twinsIn } from './twins.js';

/** Along what a kernel is differentiated. */
export interface TangentOptions {
  /** The scalar fields that have tangents, each with the field of these. */
  readonly tangents: Readonly<Record<string, string>>;
  /** Dialects of the module's ops beside those of the core and `field`. */
  readonly dialects?: readonly Dialect[];
  /** Formats that fields of the module are stored in. */
  readonly formats?: Formats;
  /** A table to use instead of `derivatives`. */
  readonly table?: DerivativeTable;
  /**
   * Whether the kernel is to be differentiated again: what the program says of derivatives (`derivative.given`) then stands in it, until `withoutGiven`. Default
   * false.
   */
  readonly again?: boolean;
}

/** A kernel with its tangents, and what it takes and gives. */
export interface Tangent {
  /** It does what its primal does, and takes what that takes, and after it the tangents of scalar arguments that are floats. */
  readonly kernel: Kernel;
  /** The buffers of tangents: of what the primal keeps for itself, of arrays, and of what it returns. */
  readonly buffers: readonly Buffer[];
  /** The numbers of the primal's parameters that have tangents, in the order in which these are taken. */
  readonly parameters: readonly number[];
  /** Tangents of the primal's buffers, by name. */
  readonly arrays: ReadonlyMap<string, string>;
}

/**
 * Forward mode of a kernel: it does what its primal does, and beside each float it computes how that changes along a direction, by the derivatives of one
 * operation after the other. Tangents of elements lie in fields of their own and are written where the elements are; so states may be overwritten, and loops
 * need no history.
 *
 * Errors: `tangent/no-rule`, `tangent/no-tangent`, `tangent/lost`, `tangent/extremum`, `tangent/unknown-kernel`, `tangent/moved`.
 *
 * @param module with its layout, on which both lie; its kernel is on fields
 */
export const tangent = (module: Module, name: string, given: TangentOptions): Tangent => {
  const {
    tangents,
    dialects: own = [],
    formats,
    table: rows = derivatives,
    again = false,
  } = checkOptions('tangent', given, spec);
  const layout = layoutOf(module.layout ?? { branches: [] }, formats);
  const primal =
    module.kernels.find((k) => k.name === name) ??
    fail('tangent/unknown-kernel', `there is no kernel '${name}' to differentiate`);
  const dialects = [...coreDialects, fieldDialect(layout), derivative, lost, ...own];
  const table = opTable(dialects);
  const controlOf = controlBy(table);
  const buffers = tangentBuffers(module, primal);
  const elementOf = elementOps(layout, tangents, buffers);
  const place = (field: string): string => valueName(layout.nodes[layout.fields.get(field)!.path.at(-1)!]);
  const places = new Map([
    ...Object.entries(tangents).map(([of, by]) => [place(of), place(by)] as const),
    ...[...buffers].map(([of, by]) => [of, by.name] as const),
  ]);
  refuseUnknownOps(primal, table, rows, places, 'tangent');
  const active = activeValues(primal, elementOf, controlOf, rows, 'tangent');
  const { of: influence } = influenceOf(primal, table, elementOf, controlOf, rows, active);
  const matters = ({ id }: Value): boolean => influence.has(id);
  const made = definitions(primal.body);
  const { constants } = loopFacts(primal, table, controlOf);
  const f: Forward = {
    table,
    derivatives: rows,
    controlOf,
    elementOf,
    twinsOf: twinsIn(tangents, buffers),
    again: againIn(table, elementOf, new Set(), matters),
    found: foundAgain(primal, rows),
    definition: ({ id }) => made.get(id),
    active,
    matters,
    places,
    constants,
    ownedIn: ownedBy(elementOf, constants, integerForms(primal, layout)),
    coordinateOf: coordinatesOf(primal),
    isRounded: ({ attrs }) => isRounded(layout, String(attrs.field)),
    own: new Set(module.buffers.filter((b) => b.role === 'scratch').map((b) => b.name)),
    keepsGiven: again,
    values: new Map(),
    tangents: new Map(),
    region: (b, region, around) => forwardRegion(f, b, region, around),
  };
  const b = new Builder(
    table,
    new Map([...bufferMap(module.buffers), ...bufferMap([...buffers.values()])]),
    idsFrom(highestId(primal) + 1),
  );
  const floats = primal.params.flatMap((p, n) => (isFloat(p.type) ? [n] : []));
  const along = floats.map((n) => {
    const { type, hint } = primal.params[n];
    return b.newValue(type, `${hint ?? n}_tangent`);
  });
  primal.params.forEach((p) => f.values.set(p.id, p));
  floats.forEach((n, k) => f.tangents.set(primal.params[n].id, along[k]));
  const { region: body } = b.region([], () =>
    f.region(b, primal.body, { parallel: false, owns: ownsAll, extrema: new Set(), settles: false }),
  );
  const draft: Kernel = {
    name: `${name}_tangent`,
    params: [...primal.params, ...along],
    body,
    attrs: primal.attrs,
  };
  const [kernel] = runPasses({ ...module, buffers: [...module.buffers, ...buffers.values()], kernels: [draft] }, [
    cse({ dialects }),
    dce({ dialects }),
  ]).kernels;
  refuseLost(name, kernel, 'tangent');
  return {
    kernel,
    buffers: [...buffers.values()],
    parameters: floats,
    arrays: new Map([...buffers].map(([of, { name: by }]) => [of, by])),
  };
};

const spec: OptionSpec<TangentOptions> = {
  tangents: option.record(option.text),
  dialects: option.array('a list of dialects'),
  formats: option.anything,
  table: option.anything,
  again: option.truth,
};
