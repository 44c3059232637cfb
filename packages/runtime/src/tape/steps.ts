import { checkOptions, describeValue, fail, option, optionKind, type OptionSpec } from '@filigree/ir';
import { componentsOf, isField, type AnyField } from '@filigree/sparse/fields';
import type { FieldProgram } from '../program/field-program.js';
import { checkForward } from './checked.js';
import { withEncoded } from './with-encoded.js';
import type { TangentDeck } from './tangent-deck.js';
import type { TapeDeck } from './tape-deck.js';

/** What steps pass on, and what of it is kept. */
export interface StepsOptions {
  /** The fields that a step takes from the one before it, and may overwrite: what they hold, and which of their elements are active. */
  readonly state: readonly AnyField[];
  /**
   * Which states are kept for the derivative: `all`; the first of √n segments, whose steps then run again (`root`, as without it); or
   * of this many segments.
   */
  readonly keep?: 'all' | 'root' | number;
}

type Sim = Pick<FieldProgram, 'tape' | 'tangents' | 'field' | 'storage'> & Partial<Pick<FieldProgram, 'second'>>;

/**
 * Steps of a simulation, for `forward` of `valueAndGradient` and `hessianProduct`: n times `step(k)`. States may be overwritten in place: they are
 * brought back for the derivative, and memory grows as √n (thesis App. D). Elsewhere it only runs the steps.
 *
 * Errors: `tape/none`, `tape/state` where a field of the state is not in the program, `tape/keep`, `tape/replay` where steps that run
 * again come to another end.
 */
export const steps = (sim: Sim, n: number, step: (k: number) => void, given: StepsOptions): void => {
  const { state, keep = 'root' } = checkOptions<StepsOptions>('steps', given, spec);
  const twice = sim.second?.recorder.recording() === true;
  const tape = twice ? sim.second : sim.tangents && !sim.tape ? undefined : tapeOf(sim);
  checkForward('steps', step);
  if (!Number.isInteger(n) || n < 0)
    fail('tape/keep', `there are ${describeValue(n)} steps`, { remedy: 'give a whole number from 0' });
  const segments = keep === 'all' ? 0 : keep === 'root' ? Math.ceil(Math.sqrt(n)) : keep;
  if (typeof keep === 'number' && n > 0 && keep > n)
    fail('tape/keep', `${keep} segments of ${n} steps cannot be kept`, {
      remedy: `give a whole number from 1 to ${n}`,
    });
  const names = state.flatMap((f) => stateNames(sim, f));
  if (!tape?.recorder.recording()) {
    for (let k = 0; k < n; k++) step(k);
    return;
  }
  if (n > 0)
    tape.steps({
      n,
      step: twice ? sim.tangents!.later(step) : step,
      segments,
      state: new Set([
        ...withEncoded(sim.storage.layout, twice ? withTangents(names, sim.tangents) : names),
        ...tape.places,
      ]),
      places: tape.places,
    });
};

/** What the host computes in between. */
export interface HostStepOptions {
  /** The fields that it reads and writes. */
  readonly reads: readonly AnyField[];
  readonly writes: readonly AnyField[];
  readonly forward: () => void;
  /**
   * Adds to the adjoints (`adjointField`) of what was read what follows from those of what was written. The latter become zero
   * thereafter, but of fields that are read too, whose adjoints it leaves as they shall be.
   */
  readonly backward: () => void;
  /** Sets the tangents (`tangentField`) of what `forward` will write, before it does: what `valueAndTangent` wants to know. */
  readonly tangent?: () => void;
}

/**
 * A step that the host takes within `forward` of `valueAndGradient`, with a derivative of its own. Both it and its derivative may launch kernels, which are not
 * recorded: so launches have a derivative together, such as a solve whose derivative is another solve. Errors: `tape/none`, `tape/undeclared` where it launches what
 * writes other fields than it says.
 */
export const hostStep = (sim: Sim, given: HostStepOptions): void => {
  const { reads, writes, forward, backward, tangent } = checkOptions<HostStepOptions>('hostStep', given, hostSpec);
  if (sim.second?.recorder.recording())
    fail('product/host-step', 'a step of the host says nothing of second derivatives', {
      remedy: 'compute it by kernels, or divide the difference of two gradients by the distance between them',
    });
  if (sim.tangents?.running()) return forwardStep(sim.tangents, forward, tangent);
  if (sim.tangents && !sim.tape) return forward();
  const { recorder, fields, writes: writesOf } = tapeOf(sim);
  const namesIn = (list: readonly AnyField[]): readonly string[] => list.flatMap(componentsOf).map(({ name }) => name);
  const [from, to] = [namesIn(reads), namesIn(writes)];
  if (!recorder.recording()) return forward();
  const written = withEncoded(sim.storage.layout, to);
  const { undo, structure, launched } = recorder.aside({ needs: from, writes: written }, forward);
  for (const kernel of launched)
    for (const f of writesOf.get(kernel) ?? [])
      if (!to.includes(f))
        fail(
          'tape/undeclared',
          `a step of the host launches '${kernel}', which writes field '${f}', and does not say so`,
          {
            remedy: 'name it among what the step writes',
          },
        );
  recorder.add({
    reads: from,
    writes: written,
    undo,
    structure,
    backward: () => {
      backward();
      for (const f of to)
        if (!from.includes(f) && fields[f] !== undefined)
          sim.field(sim.storage.layout.fields.get(fields[f])!.field).fill(0);
    },
  });
};

/** A step of the host's in forward mode. Error: `tangent/host-step`. */
const forwardStep = (deck: TangentDeck, forward: () => void, tangent: (() => void) | undefined): void =>
  deck.aside(() => {
    /* Both see fields as they were. */
    const found =
      tangent ??
      fail('tangent/host-step', 'a step of the host says nothing of tangents', {
        remedy: 'give it one: hostStep(sim, { …, tangent })',
      });
    found();
    forward();
  });

const tapeOf = (sim: Sim): TapeDeck =>
  sim.tape ??
  fail('tape/none', 'the program was not made to be differentiated', {
    remedy: 'make it with program({ …, differentiate: true })',
  });

/** Fields with their tangents, which steps pass on as they do these. */
const withTangents = (names: readonly string[], deck: TangentDeck | undefined): readonly string[] =>
  names.flatMap((f) => [f, deck?.fields[f] ?? []].flat());

const stateNames = (sim: Sim, f: AnyField): readonly string[] => {
  const found = isField(f) ? componentsOf(f) : [];
  const { fields } = sim.storage.layout;
  if (found.length === 0 || !found.every((c) => fields.get(c.name)?.field === c))
    fail('tape/state', `field '${f?.name}' is no field of the program`, {
      remedy: 'name the very fields that were placed in the layout of this program',
    });
  return found.map((c) => c.name);
};

const spec: OptionSpec<StepsOptions> = {
  state: option.array('a list of fields'),
  keep: optionKind(
    "'all', 'root' or a number of segments from 1",
    (x) => x === 'all' || x === 'root' || (Number.isSafeInteger(x) && (x as number) >= 1),
  ),
};

const hostSpec: OptionSpec<HostStepOptions> = {
  reads: option.array('a list of fields'),
  writes: option.array('a list of fields'),
  forward: option.callback,
  backward: option.callback,
  tangent: option.callback,
};
