import { checkOptions, fail, option, type OptionSpec } from '@filigree/ir';
import { adjointField } from '@filigree/autodiff/fields';
import { componentsOf, isField, type AnyField, type FieldDecl } from '@filigree/sparse/fields';
import type { HostFieldOf } from '../fields/host-field.js';
import type { FieldProgram } from '../program/field-program.js';
import { checkFields, checkForward } from './checked.js';
import type { ByArgument, ByArray } from './tape-deck.js';

/** What is differentiated, and by what. */
export interface GradientOptions<W extends Readonly<Record<string, AnyField>>> {
  /** The field in whose first element `forward` leaves what is to be differentiated. */
  readonly loss: FieldDecl;
  /** The fields by which, by names of one's own. */
  readonly wrt: W;
}

/** What is asked of a program that is differentiated. */
type Differentiated = Pick<FieldProgram, 'tape' | 'field' | 'storage'> & Partial<Pick<FieldProgram, 'tangents'>>;

/** A value and its derivatives. */
export interface ValueAndGradient<W extends Readonly<Record<string, AnyField>>> {
  readonly value: number;
  /** By each element of the fields, as they were before `forward`: the host's view of their adjoints, until the next call. */
  readonly gradient: { readonly [N in keyof W]: HostFieldOf<W[N]> };
  /** By scalar arguments of launches, by kernel and parameter, summed over its launches. */
  readonly byArgument: ByArgument;
  /** By elements of arrays that launches were given, by kernel and parameter, summed over its launches. */
  readonly byArray: ByArray;
  /** Bytes of what was recorded. */
  readonly tapeBytes: number;
}

/**
 * Runs a simulation and differentiates a number that it computes (thesis §3.4): `forward` launches kernels by `sim.run`, these are
 * recorded, and their adjoints run backwards. The program is made with `differentiate`.
 *
 * Numbers that reach the host and come back as arguments or elements are constants: nothing is differentiated through them.
 * Kernels read in the end what they read at first: what is overwritten meanwhile is to be another element, such as that of
 * another step. Errors: `tape/…`, `adjoint/…`, and what launches report.
 */
export const valueAndGradient = <const W extends Readonly<Record<string, AnyField>>>(
  sim: Differentiated,
  forward: () => void,
  given: GradientOptions<W>,
): ValueAndGradient<W> => {
  const options = checkOptions<GradientOptions<W>>('valueAndGradient', given, gradientSpec);
  const found: { value?: number } = {};
  const derivatives = differentiated('valueAndGradient', sim, forward, options, (at) => {
    found.value = sim.field(options.loss).get(at) as number;
  });
  return { value: found.value!, ...derivatives };
};

/**
 * As `valueAndGradient`, for whoever does not ask for the value: with a queue, launches of `forward` of which only the value needs what
 * they compute are dropped when a later one overwrites it.
 */
export const gradient = <const W extends Readonly<Record<string, AnyField>>>(
  sim: Differentiated,
  forward: () => void,
  given: GradientOptions<W>,
): Omit<ValueAndGradient<W>, 'value'> =>
  differentiated(
    'gradient',
    sim,
    forward,
    checkOptions<GradientOptions<W>>('gradient', given, gradientSpec),
    () => undefined,
  );

/**
 * @param what the function that was called
 * @param look called between what was recorded and its adjoints, with the index of the loss
 */
const differentiated = <W extends Readonly<Record<string, AnyField>>>(
  what: string,
  sim: Differentiated,
  forward: () => void,
  { loss, wrt }: GradientOptions<W>,
  look: (at: readonly number[]) => void,
): Omit<ValueAndGradient<W>, 'value'> => {
  const tape =
    sim.tape ??
    fail('tape/none', 'the program was not made to be differentiated', {
      remedy: 'make it with program({ …, differentiate: true })',
    });
  sim.tangents?.refuse(
    'a gradient is asked for',
    'call valueAndGradient outside of valueAndTangent; second derivatives are those of hessianProduct',
  );
  checkForward(what, forward);
  checkFields(what, 'wrt', wrt);
  const by = Object.entries(wrt) as readonly (readonly [string, AnyField])[];
  for (const f of [loss, ...by.map(([, f]) => f)]) checkDifferentiated(f, tape.fields);
  const recorded = tape.record(forward);
  const sources = by.flatMap(([, f]) => componentsOf(f).map((c) => c.name));
  if (!tape.dependents(recorded, sources).has(loss.name)) refuseIndependent(loss, sources);
  const first = sim.storage.layout.fields.get(loss.name)!.axes.map(() => 0);
  look(first);
  tape.clear(recorded, loss.name);
  tape.begin(loss.name, () => sim.field(adjointField(loss)).set(first, 1));
  const { bytes, ...byArguments } = tape.backward(recorded, loss.name, sources);
  return {
    gradient: Object.fromEntries(
      by.map(([name, f]) => [name, sim.field(adjointField(f))]),
    ) as ValueAndGradient<W>['gradient'],
    ...byArguments,
    tapeBytes: recorded.bytes + bytes,
  };
};

export const refuseIndependent = (loss: FieldDecl, sources: readonly string[]): never =>
  fail('tape/independent', `'${loss.name}' depends on none of ${sources.map((s) => `'${s}'`).join(', ')}`, {
    remedy:
      'launch the kernels that compute it within forward, differentiate the fields between too, and give those that it follows from',
  });

const checkDifferentiated = (f: AnyField, known: Readonly<Record<string, string>>): void => {
  if (!isField(f) || !componentsOf(f).every((c) => Object.hasOwn(known, c.name)))
    fail('tape/field', `${isField(f) ? `field '${f.name}'` : String(f)} is not differentiated in this program`, {
      remedy: 'name it in the program: { differentiate: [x, loss] }',
    });
};

const gradientSpec: OptionSpec<GradientOptions<Readonly<Record<string, AnyField>>>> = {
  loss: option.object('a field', 'is', 'name'),
  wrt: option.record(option.object('a field', 'is', 'name')),
};
