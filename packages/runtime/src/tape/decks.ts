import type { Storage } from '@filigree/sparse/fields';
import { hostFields } from '../fields/host-field.js';
import type { Instance } from '../instantiate.js';
import { launchByName } from '../program/launch-by-name.js';
import type { Queue } from '../program/queue/queue.js';
import type { RunningParts } from '../program/running.js';
import type { Seeds } from '../program/seeds.js';
import { accessDeck, type AccessDeck } from './access-deck.js';
import type { AdjointKernels, TangentKernels } from './derivative-kernels.js';
import { keeperOf } from './keeper.js';
import { leavingsOf } from './leavings.js';
import { keepFieldsIn } from './kept-fields.js';
import { overwritingAs } from './overwriting.js';
import { recorderOf, type Recorder } from './recorder.js';
import { saversOf } from './saved-fields.js';
import { structuresOf } from './structure.js';
import { tangentDeck, type TangentDeck } from './tangent-deck.js';
import { tapeDeck, type TapeDeck } from './tape-deck.js';

/** What a program with derivatives runs them by. */
export interface Decks {
  readonly recorder: Recorder | undefined;
  readonly accesses: AccessDeck | undefined;
  readonly tangents: TangentDeck | undefined;
  /** The tape, whose launches wait in a queue where there is one. */
  readonly tape: (queue: Queue | undefined) => TapeDeck | undefined;
  /** The tape of launches with their tangents. */
  readonly second: TapeDeck | undefined;
}

/** What decks are made from. */
export interface DeckSetting {
  readonly storage: Storage;
  readonly instance: Instance;
  readonly adjoints: AdjointKernels | undefined;
  readonly tangents: TangentKernels | undefined;
  readonly second: AdjointKernels | undefined;
  /** Whether accesses are checked. */
  readonly checked: boolean;
  /** The buffers of what kernels return, by kernel. */
  readonly returns: ReadonlyMap<string, string>;
  readonly random: Seeds;
}

/** The decks of a program that runs. */
export const decksOf = (
  { storage, instance, adjoints, tangents, second, checked, returns, random }: DeckSetting,
  { arena, check }: Pick<RunningParts, 'arena' | 'check'>,
): Decks => {
  const keep = keepFieldsIn(arena, saversOf(arena, hostFields(arena)));
  const tapeOf = (kernels: AdjointKernels): Pick<Decks, 'tape'> & { readonly recorder: Recorder } => {
    const structures = structuresOf(arena, kernels.structural, kernels.fields, kernels.shown);
    const needs = [...kernels.of].map(([kernel, made]) => {
      return [kernel, 'needs' in made ? made.needs : overwritingAs(kernels, kernel)] as const;
    });
    const recorder = recorderOf(instance, structures, keeperOf(new Map(needs), keep));
    const tape = (queue: Queue | undefined): TapeDeck =>
      tapeDeck(
        instance,
        kernels,
        recorder,
        structures,
        launchByName(instance, check, queue),
        random,
        { save: keep, beside: fieldsBeside(storage.layout) },
        (all) => leavingsOf(arena, all),
        queue || checked
          ? undefined
          : (list) => {
              list.run();
              check('adjoints', undefined);
            },
      );
    return { recorder, tape };
  };
  const [first, twice] = [adjoints, second].map((kernels) => kernels && tapeOf(kernels));
  const accesses =
    adjoints?.watched &&
    accessDeck(instance, storage.layout, adjoints.watched, (kernel, args, of, shown) => {
      instance.launch(kernel, args);
      check(of, shown, kernel);
    });
  return {
    recorder: first?.recorder,
    accesses,
    tangents:
      tangents &&
      tangentDeck(instance, tangents, (kernel) => check(kernel, undefined, kernel), returns, twice?.recorder),
    tape: (queue) => first?.tape(queue),
    second: twice?.tape(undefined),
  };
};

/** The scalar fields that lie in the same cells as one. */
const fieldsBeside = ({ fields }: Storage['layout']): ((name: string) => readonly string[]) => {
  const within = (name: string): number => fields.get(name)!.path.at(-2)!;
  const byCells = new Map<number, string[]>();
  for (const name of fields.keys()) byCells.set(within(name), [...(byCells.get(within(name)) ?? []), name]);
  return (name) => byCells.get(within(name))!;
};
