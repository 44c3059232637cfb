import { renamedModule, walk, type Module } from '@filigree/ir';
import type { Backend } from '@filigree/backend';
import type { Launch, Program } from './program.js';
import { missing, requirements } from './requirements.js';

/**
 * Programs for a backend so many at a time, as the kernels of one module each: a compiler begins, and code is loaded, once for all of them. Those
 * that are joined are compared as strictly; large ones, those that must fail, those of fields and those that ask for what the backend has not stay by
 * themselves. Where what was joined goes wrong, the program that does so is found and shown.
 *
 * @param most programs at a time
 */
export const joined = ({ capabilities }: Backend, programs: readonly Program[], most: number): readonly Program[] => {
  const open = new Map<string, Program[]>();
  const groups: (readonly Program[])[] = [];
  for (const program of programs) {
    const { fails, module, ulps, ordered } = program;
    const alone = most === 1 || fails === true || module.layout !== undefined || opsIn(module) > LARGE;
    if (alone || missing(requirements(module), capabilities) !== undefined) {
      groups.push([program]);
      continue;
    }
    const key = JSON.stringify([ulps ?? 0, ordered ?? false, module.attrs]);
    let group = open.get(key);
    if (group === undefined || group.length === most) {
      open.set(key, (group = []));
      groups.push(group);
    }
    group.push(program);
  }
  return groups.map((group) => (group.length === 1 ? group[0]! : join(group)));
};

/** Ops of a module that is compiled by itself. */
const LARGE = 400;

const opsIn = ({ kernels }: Module): number => {
  let count = 0;
  for (const { body } of kernels) walk(body, () => count++);
  return count;
};

/* What programs come to together is found once, as it is of each: the interpreter knows them by their object. */
const join = (group: readonly Program[]): Program => {
  const made = joinedBefore.get(group[0]!) ?? [];
  const known = made.find((one) => one.group.length === group.length && one.group.every((p, k) => p === group[k]));
  if (known) return known.program;
  const program = asOne(group);
  joinedBefore.set(group[0]!, [...made, { group, program }]);
  return program;
};

const joinedBefore = new WeakMap<
  Program,
  readonly { readonly group: readonly Program[]; readonly program: Program }[]
>();

const asOne = (group: readonly Program[]): Program => {
  const parts = group.map((program, k) => part(program, `p${k}_`));
  const [first] = group;
  return {
    name: `${group.length} programs: ${group.map((p) => p.name).join(', ')}`,
    module: {
      name: 'joined',
      buffers: parts.flatMap((p) => p.module.buffers),
      kernels: parts.flatMap((p) => p.module.kernels),
      attrs: first!.module.attrs,
    },
    inputs: Object.assign({}, ...parts.map((p) => p.inputs)) as Program['inputs'],
    launches: parts.flatMap((p) => p.launches),
    compared: parts.flatMap((p) => p.compared),
    ...(first!.ulps !== undefined && { ulps: first!.ulps }),
    ...(first!.ordered !== undefined && { ordered: first!.ordered }),
    simpler: () => group,
  };
};

/** A program whose names begin with a prefix, with all that has a default. */
const part = (
  { module, inputs, launches, compared }: Program,
  prefix: string,
): Pick<Program, 'module' | 'inputs'> & {
  readonly launches: readonly Launch[];
  readonly compared: readonly string[];
} => {
  const named = (name: string): string => prefix + name;
  const renamed = renamedModule(module, new Map(module.buffers.map(({ name }) => [name, named(name)])), named);
  const read = compared ?? module.buffers.filter((b) => b.role !== 'scratch').map((b) => b.name);
  return {
    module: {
      ...renamed,
      /* Nor do programs share memory. */
      buffers: renamed.buffers.map((b) => (b.memory === undefined ? b : { ...b, memory: named(b.memory) })),
    },
    inputs: Object.fromEntries(Object.entries(inputs).map(([name, values]) => [named(name), values])),
    launches: (launches ?? module.kernels.map((k) => ({ kernel: k.name, args: [] }))).map(({ kernel, args }) => ({
      kernel: named(kernel),
      args,
    })),
    compared: read.map(named),
  };
};
