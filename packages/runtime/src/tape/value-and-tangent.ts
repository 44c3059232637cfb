import { tangentField } from '@filigree/autodiff/fields';
import { checkOptions, fail, option, type OptionSpec } from '@filigree/ir';
import { componentsOf, isField, type AnyField } from '@filigree/sparse/fields';
import type { HostFieldOf } from '../fields/host-field.js';
import type { FieldProgram } from '../program/field-program.js';
import { checkFields, checkForward } from './checked.js';
import type { AlongArguments } from './tangent-deck.js';

/** What is differentiated, and along what. */
export interface TangentChoices<O extends Readonly<Record<string, AnyField>>> {
  /** The fields whose change is asked for, by names of one's own. */
  readonly of: O;
  /** Sets the tangents of fields, which are zero elsewhere: `(t) => t(x).set([3], 1)`. They are how elements change along the direction. */
  readonly along?: (tangentsOf: <F extends AnyField>(field: F) => HostFieldOf<F>) => void;
  /** How arguments of launches change: `{ step: { dt: 1 } }`, the same in all launches of a kernel; of an array its elements. */
  readonly arguments?: AlongArguments;
}

/** Values and how they change along a direction. */
export interface ValueAndTangent<O extends Readonly<Record<string, AnyField>>> {
  readonly value: { readonly [N in keyof O]: HostFieldOf<O[N]> };
  /** The host's view of the tangents, until the next call. */
  readonly tangent: { readonly [N in keyof O]: HostFieldOf<O[N]> };
  /** How the number that a kernel returned last changes, by kernel. */
  readonly returned: Readonly<Record<string, number>>;
}

/**
 * Runs a simulation, and beside it how everything changes along one direction: derivatives in forward mode, which is a Jacobian times a vector. `forward`
 * launches kernels by `sim.run`. The program is made with `tangents`. One run gives the change of all fields along one direction, where `valueAndGradient`
 * gives that of one number along all.
 *
 * States may be overwritten, and nothing is recorded. Numbers that reach the host and come back are constants. Errors: `tangent/…`, and what launches report.
 */
export const valueAndTangent = <const O extends Readonly<Record<string, AnyField>>>(
  sim: Pick<FieldProgram, 'tangents' | 'tape' | 'field'>,
  forward: () => void,
  given: TangentChoices<O>,
): ValueAndTangent<O> => {
  const { of, along, arguments: byArgument = {} } = checkOptions<TangentChoices<O>>('valueAndTangent', given, spec());
  const deck =
    sim.tangents ??
    fail('tangent/none', 'the program was not made with tangents', {
      remedy: 'make it with program({ …, tangents: true })',
    });
  sim.tape?.recorder.refuse('launches run with their tangents', 'call valueAndTangent outside of valueAndGradient');
  const checked = <F extends AnyField>(f: F): F => {
    if (!isField(f) || !componentsOf(f).every((c) => Object.hasOwn(deck.fields, c.name)))
      fail('tangent/field', `${isField(f) ? `field '${f.name}'` : String(f)} has no tangents in this program`, {
        remedy: 'name it in the program: { tangents: [x, loss] }',
      });
    return f;
  };
  checkForward('valueAndTangent', forward);
  checkFields('valueAndTangent', 'of', of);
  Object.values(of).forEach(checked);
  deck.clear();
  along?.((f) => sim.field(tangentField(checked(f))));
  const { returned } = deck.run(forward, byArgument);
  const views = (field: (f: AnyField) => unknown): never =>
    Object.fromEntries(Object.entries(of).map(([name, f]) => [name, field(f)])) as never;
  return { value: views((f) => sim.field(f)), tangent: views((f) => sim.field(tangentField(f))), returned };
};

const spec = <O extends Readonly<Record<string, AnyField>>>(): OptionSpec<TangentChoices<O>> => ({
  of: option.record(option.object('a field', 'is', 'name')) as OptionSpec<TangentChoices<O>>['of'],
  along: option.callback,
  arguments: option.record(option.anything),
});
