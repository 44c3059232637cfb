import { adjointField, tangentField } from '@filigree/autodiff/fields';
import { checkOptions, fail, option, type OptionSpec } from '@filigree/ir';
import { componentsOf, isField, type AnyField, type FieldDecl } from '@filigree/sparse/fields';
import type { HostFieldOf } from '../fields/host-field.js';
import type { FieldProgram } from '../program/field-program.js';
import { PRIME } from './primed.js';
import { checkFields, checkForward } from './checked.js';
import type { AlongArguments } from './tangent-deck.js';
import type { ByArgument, ByArray } from './tape-deck.js';
import { refuseIndependent, type ValueAndGradient } from './value-and-gradient.js';

/** What is differentiated twice: by what, and along what. */
export interface ProductOptions<W extends Readonly<Record<string, AnyField>>> {
  /** The field in whose first element `forward` leaves what is to be differentiated. */
  readonly loss: FieldDecl;
  /** The fields by which, by names of one's own. */
  readonly wrt: W;
  /** Sets the direction, as the tangents of fields before `forward`, which are zero elsewhere: `(t) => t(x).set([3], 1)`. */
  readonly along?: (tangentsOf: <F extends AnyField>(field: F) => HostFieldOf<F>) => void;
  /** How arguments of launches change along the direction: `{ step: { dt: 1 } }`, the same in all launches of a kernel; of an array its elements. */
  readonly arguments?: AlongArguments;
}

/** A value, how it changes, and how that changes along a direction. */
export interface HessianProduct<W extends Readonly<Record<string, AnyField>>> extends ValueAndGradient<W> {
  /** How the value changes along the direction. */
  readonly slope: number;
  /** How `gradient` changes along the direction: the product of the second derivatives with it. The host's view, until the next call. */
  readonly product: ValueAndGradient<W>['gradient'];
  /** How `byArgument` and `byArray` change along it. */
  readonly productByArgument: ByArgument;
  readonly productByArray: ByArray;
}

/**
 * Runs a simulation and differentiates a number that it computes twice: the product of its Hessian with a direction, which Newton's method with conjugate gradients asks for, costs as much as a few runs, however many
 * elements there are. Launches run with their tangents along the direction and are recorded, and the adjoints of both run backwards (reverse over forward mode). The program is made with
 * `hessianProducts`.
 *
 * What holds for `valueAndGradient` holds here. Steps of the host have no second derivatives. Errors: `product/…`, `tape/…`, `adjoint/…`, `tangent/…`, and what launches report.
 */
export const hessianProduct = <const W extends Readonly<Record<string, AnyField>>>(
  sim: Pick<FieldProgram, 'tape' | 'tangents' | 'second' | 'field' | 'storage'>,
  forward: () => void,
  given: ProductOptions<W>,
): HessianProduct<W> => {
  const {
    loss,
    wrt,
    along,
    arguments: changes = {},
  } = checkOptions<ProductOptions<W>>('hessianProduct', given, spec());
  const [{ tangents }, tape] = [sim, sim.second];
  if (!tangents || !tape)
    return fail('product/none', 'the program was not made for second derivatives', {
      remedy: 'make it with program({ …, hessianProducts: true })',
    });
  sim.tape?.recorder.refuse('second derivatives are asked for', 'call hessianProduct outside of valueAndGradient');
  checkForward('hessianProduct', forward);
  checkFields('hessianProduct', 'wrt', wrt);
  const checked = <F extends AnyField>(f: F): F => {
    if (!isField(f) || !componentsOf(f).every((c) => Object.hasOwn(tape.fields, c.name)))
      fail(
        'product/field',
        `${isField(f) ? `field '${f.name}'` : String(f)} is not differentiated twice in this program`,
        {
          remedy: 'name it in the program: { hessianProducts: [x, loss] }',
        },
      );
    return f;
  };
  const by = Object.entries(wrt) as readonly (readonly [string, AnyField])[];
  for (const f of [loss, ...by.map(([, f]) => f)]) checked(f);
  const first = sim.storage.layout.fields.get(loss.name)!.axes.map(() => 0);
  const slopeOf = tangentField(loss);
  tangents.clear();
  along?.((f) => sim.field(tangentField(checked(f))));
  const { result: recorded } = tangents.run(() => tape.record(forward), changes);
  const sources = by.flatMap(([, f]) => componentsOf(f).map((c) => c.name));
  const both = [...sources, ...sources.map((s) => tangents.fields[s])];
  if (!tape.dependents(recorded, both).has(slopeOf.name)) refuseIndependent(loss, sources);
  const [value, slope] = [loss, slopeOf].map((f) => sim.field(f).get(first) as number);
  tape.clear(recorded, slopeOf.name);
  sim.field(adjointField(slopeOf)).set(first, 1);
  const found = tape.backward(recorded, slopeOf.name, both);
  const [productByArgument, byArgument] = apart(found.byArgument, tangents.primals);
  const [productByArray, byArray] = apart(found.byArray, tangents.primals);
  const views = (fieldOf: (f: AnyField) => AnyField) =>
    Object.fromEntries(by.map(([name, f]) => [name, sim.field(fieldOf(f))])) as HessianProduct<W>['gradient'];
  return {
    value,
    slope,
    gradient: views((f) => adjointField(tangentField(f))),
    byArgument,
    byArray,
    product: views(adjointField),
    productByArgument,
    productByArray,
    tapeBytes: recorded.bytes + found.bytes,
  };
};

type Named<V> = Readonly<Record<string, Readonly<Record<string, V>>>>;

/** Derivatives by arguments, and those by their tangents, by the kernels and names that users gave. */
const apart = <V>(all: Named<V>, primals: ReadonlyMap<string, string>): readonly [Named<V>, Named<V>] => {
  const [own, primed]: Record<string, Record<string, V>>[] = [{}, {}];
  for (const [kernel, by] of Object.entries(all))
    for (const [name, value] of Object.entries(by)) {
      const isPrimed = name.endsWith(PRIME);
      ((isPrimed ? primed : own)[primals.get(kernel)!] ??= {})[isPrimed ? name.slice(0, -PRIME.length) : name] = value;
    }
  return [own, primed];
};

const spec = <W extends Readonly<Record<string, AnyField>>>(): OptionSpec<ProductOptions<W>> => ({
  loss: option.object('a field', 'is', 'name'),
  wrt: option.record(option.object('a field', 'is', 'name')) as OptionSpec<ProductOptions<W>>['wrt'],
  along: option.callback,
  arguments: option.record(option.anything),
});
