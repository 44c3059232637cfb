import { checkOptions } from '@filigree/ir';
import { defaultOptions, specializeSpec, type SpecializeOptions } from '@filigree/specialize';

/** Specialisation options of which any part may be left out, at any depth. */
export type OptionOverrides = {
  readonly [K in keyof SpecializeOptions]?: Extract<SpecializeOptions[K], object> extends never
    ? SpecializeOptions[K]
    : Partial<Extract<SpecializeOptions[K], object>> | Exclude<SpecializeOptions[K], object>;
};

/** The defaults of specialisation, overridden from left to right. */
export const mergeOptions = (...overrides: readonly OptionOverrides[]): SpecializeOptions =>
  merge(defaultOptions as unknown as Settings, overrides.map(checkedOverrides)) as unknown as SpecializeOptions;

/** Overrides put together from left to right. */
export const mergeOverrides = (...overrides: readonly OptionOverrides[]): OptionOverrides =>
  merge({}, overrides.map(checkedOverrides));

const checkedOverrides = (overrides: OptionOverrides): OptionOverrides =>
  checkOptions<OptionOverrides>('specialize', overrides, specializeSpec);

type Settings = Readonly<Record<string, unknown>>;

const merge = (start: Settings, overrides: readonly OptionOverrides[]): Settings => {
  const merged: Record<string, unknown> = { ...start };
  for (const o of overrides)
    for (const [key, value] of Object.entries(o)) {
      if (value === undefined) continue;
      const before = merged[key];
      merged[key] = isSettings(before) && isSettings(value) ? { ...before, ...value } : value;
    }
  return merged;
};

const isSettings = (x: unknown): x is Settings => typeof x === 'object' && x !== null;
