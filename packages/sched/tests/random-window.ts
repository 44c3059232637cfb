import * as E from 'fp-ts/lib/Either.js';
import * as fc from 'fast-check';
import {
  allocateBuffers,
  coreDialects,
  DiagnosticError,
  interpret,
  parseModule,
  type Buffer,
  type Dialect,
  type Kernel,
  type Module,
  type TypedArray,
} from '@filigree/ir';
import { dense, field, fieldDialect, i, layout } from '@filigree/sparse/fields';
import { FieldStore } from '@filigree/sparse/meaning';
import { cutCoreKernels, cutKernels, type CutKernels, type TaskSetting } from '@filigree/sparse/tasks';

const [a, b, c, d] = (['a', 'b', 'c', 'd'] as const).map((name) => field(name, 'i32'));

/** Fields in two sparse trees, one of which holds two, and in a dense one. */
export const tree = layout(
  dense(i, 4).pointer().dense(i, 4).place(a, b),
  dense(i, 4).bitmasked().dense(i, 4).place(c),
  dense(i, 16).place(d),
);

export const dialects: readonly Dialect[] = [...coreDialects, fieldDialect(tree)];

const names = ['a', 'b', 'c', 'd'] as const;
const text = fc.constantFrom(...names);
/* The element of the iteration, elements beside it that no other reaches, elements that others reach too, and one that all reach. */
const place = fc.constantFrom('%i', '%i', '%more', '%twice', '%half', '%next', '%k2');
const statement = fc.record({
  what: fc.constantFrom('store', 'store', 'atomic', 'guarded'),
  to: text,
  at: place,
  from: text,
  there: place,
  plus: fc.integer({ min: 1, max: 5 }),
});

type Statement = typeof statement extends fc.Arbitrary<infer T> ? T : never;

/** Code of one kernel: loops over a domain, and what is done once. */
const part = fc.oneof(
  fc.record({
    is: fc.constantFrom('up.a', 'up.a', 'up.c', 'range', 'whole'),
    body: fc.array(statement, { minLength: 1, maxLength: 3 }),
    summed: fc.boolean(),
  }),
  fc.record({
    is: fc.constantFrom('serial', 'drop', 'clear', 'fill', 'fill', 'fill over a', 'copy'),
    body: fc.array(statement, { minLength: 1, maxLength: 1 }),
    summed: fc.constant(false),
  }),
);

interface Part {
  readonly is: string;
  readonly body: readonly Statement[];
  /** Whether the loop also adds up what it reads, in a buffer that the stretches before and behind it use as well. */
  readonly summed: boolean;
}

/** How a kind of programs is written: its loads, stores and atomic sums, and what else stands between statements. */
interface Wording {
  readonly buffers: string;
  readonly load: (from: string, at: string) => string;
  readonly store: (value: string, to: string, at: string) => string;
  readonly add: (value: string, to: string, at: string) => string;
  /** Loops over sparse elements, and what is done to structure; nothing where there is none. */
  readonly over: (part: string) => string | undefined;
}

const onFields: Wording = {
  buffers: '',
  load: (from, at) => `field.load ${at} {field = ${from}}`,
  store: (value, to, at) => `field.store ${value}, ${at} {field = ${to}}`,
  add: (value, to, at) => `field.atomic ${value}, ${at} {field = ${to}, kind = add}`,
  over: (part) =>
    ({
      clear: 'field.clear_all {node = up.up.a}',
      drop: 'field.deactivate %k1 {node = up.up.a}',
      'up.a': 'field.for {node = up.a} {',
      'up.c': 'field.for {node = up.c} {',
    })[part],
};

const onBuffers: Wording = {
  buffers: names.map((name) => `  buffer @${name} : i32[16] inout\n`).join(''),
  load: (from, at) => `mem.load ${at} {buffer = @${from}}`,
  store: (value, to, at) => `mem.store ${value}, ${at} {buffer = @${to}}`,
  add: (value, to, at) => `mem.atomic ${value}, ${at} {buffer = @${to}, kind = add}`,
  over: () => undefined,
};

/** Modules of a few kernels, each of one or two parts. */
const modulesIn = (wording: Wording): fc.Arbitrary<Module> =>
  fc.array(fc.array(part, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 4 }).map((kernels) => {
    const text = `module @random {\n${wording.buffers}  buffer @s : i32[1] temp\n${kernels.map((parts, n) => kernelText(wording, parts, n)).join('')}}\n`;
    const parsed = parseModule(text);
    if (E.isLeft(parsed)) throw new DiagnosticError(parsed.left);
    return parsed.right;
  });

const kernelText = (wording: Wording, parts: readonly Part[], n: number): string => {
  const fresh = { next: 0 };
  return `  kernel @k${n}(%p: i32) {
    %k0 = arith.constant {value = 0} : i32
    %k1 = arith.constant {value = 1} : i32
    %k2 = arith.constant {value = 2} : i32
    %k7 = arith.constant {value = 7} : i32
    %k16 = arith.constant {value = 16} : i32
${parts.map((p) => partText(wording, p, fresh)).join('')}    scf.yield
  }
`;
};

const partText = (wording: Wording, { is, body, summed }: Part, fresh: { next: number }): string => {
  if (is === 'clear' || is === 'drop') return `    ${wording.over(is) ?? ''}\n`;
  if (is === 'fill' || is === 'fill over a' || is === 'copy') return wholeText(wording, is, body[0], fresh);
  if (is === 'serial')
    return body.map((s) => statementText(wording, { ...s, at: '%k2', there: '%k2' }, fresh)).join('');
  const loop =
    is === 'range'
      ? 'scf.for %k1, %k7, %k1 {parallel = true} {'
      : (wording.over(is) ?? 'scf.for %k0, %k16, %k1 {parallel = true} {');
  const q = fresh.next++;
  /* Of all elements some have none beside them. */
  const there = (s: Statement): Statement => (is === 'range' ? s : { ...s, at: within(s.at), there: within(s.there) });
  const own = (s: string): string => s.replaceAll(/%(i|half|next|more|twice)\b/g, `%$1_${q}`);
  const [{ from, to }] = body;
  const [zero, add, left] = summed
    ? [
        '    mem.store %k0, %k0 {buffer = @s}\n',
        `      %a${q} = ${wording.load(from, '%i')} : i32
      %b${q} = mem.atomic %a${q}, %k0 {buffer = @s, kind = add} : i32\n`,
        `    %s${q} = mem.load %k0 {buffer = @s} : i32
    ${wording.store(`%s${q}`, to, '%k1')}\n`,
      ]
    : ['', '', ''];
  return own(`${zero}    ${loop}
    ^(%i: i32):
      %half = arith.div %i, %k2 : i32
      %more = arith.add %i, %k1 : i32
      %twice = arith.mul %k2, %i : i32
      %next = arith.rem %more, %k16 : i32
${body.map((s) => statementText(wording, there(s), fresh)).join('')}${add}      scf.yield
    }
${left}`);
};

const within = (at: Statement['at']): Statement['at'] => (at === '%more' ? '%next' : at === '%twice' ? '%half' : at);

/* Each element of a field becomes the same, or that of another field. */
const wholeText = (
  { over, load, store }: Wording,
  is: string,
  { to, from, plus }: Statement,
  fresh: { next: number },
): string => {
  const q = fresh.next++;
  const sparse = is === 'fill over a' ? over('up.a') : undefined;
  const value = is === 'copy' ? load(from, `%i${q}`) : `arith.constant {value = ${plus}}`;
  return `    ${sparse ?? 'scf.for %k0, %k16, %k1 {parallel = true} {'}
    ^(%i${q}: i32):
      %v${q} = ${value} : i32
      ${store(`%v${q}`, sparse ? 'b' : to, `%i${q}`)}
      scf.yield
    }
`;
};

const statementText = (
  { load, store, add }: Wording,
  { what, to, at, from, there, plus }: Statement,
  fresh: { next: number },
): string => {
  const q = fresh.next++;
  const read = `      %x${q} = ${load(from, there)} : i32
      %c${q} = arith.constant {value = ${plus}} : i32
      %t${q} = arith.mul %x${q}, %p : i32
      %y${q} = arith.add %t${q}, %c${q} : i32
`;
  if (what === 'atomic') return `${read}      %o${q} = ${add(`%y${q}`, to, at)} : i32\n`;
  if (what === 'store') return `${read}      ${store(`%y${q}`, to, at)}\n`;
  return `${read}      %g${q} = arith.cmp %x${q}, %c${q} {predicate = lt} : i1
      scf.if %g${q} {
        ${store(`%y${q}`, to, at)}
        scf.yield
      } {
        scf.yield
      }
`;
};

/** What windows of random launches are of, and where they run. */
export interface World {
  readonly name: string;
  readonly modules: fc.Arbitrary<Module>;
  readonly cut: (module: Module) => CutKernels;
  /** Memory of its own, in which kernels run and from which everything can be seen. */
  readonly open: (setting: TaskSetting) => {
    readonly run: (kernel: Kernel, args: readonly number[]) => void;
    readonly contents: () => unknown;
  };
}

/** The kernels of a module on fields as tasks. */
export const cut = (module: Module): CutKernels => cutKernels(module, tree, dialects);

/** Kernels on sparse fields. */
const fieldWorld: World = {
  name: 'on fields',
  modules: modulesIn(onFields),
  cut,
  open: ({ buffers }) => {
    const store = new FieldStore(tree);
    const memory = allocateBuffers(buffers);
    return {
      run: runner(buffers, [...coreDialects, fieldDialect(tree, store)], memory),
      contents: () =>
        names.map((name) => {
          const node = tree.nodes[tree.fields.get(name)!.path.at(-1)!].parent;
          return Array.from({ length: 16 }, (_, k) => [store.isActive(node, [k]), store.load(name, [k])]);
        }),
    };
  },
};

/** Kernels of core ops on buffers, as traced programs and tensors are. */
const coreWorld: World = {
  name: 'on buffers',
  modules: modulesIn(onBuffers),
  cut: cutCoreKernels,
  open: ({ buffers }) => {
    const memory = allocateBuffers(buffers);
    return { run: runner(buffers, coreDialects, memory), contents: () => names.map((name) => [...memory[name]]) };
  },
};

export const worlds: readonly World[] = [fieldWorld, coreWorld];

const runner =
  (buffers: readonly Buffer[], known: readonly Dialect[], memory: Record<string, TypedArray>) =>
  (kernel: Kernel, args: readonly number[]): void => {
    const module: Module = { name: 'm', buffers, kernels: [kernel], attrs: {} };
    const result = interpret(module, known, memory, { kernel: kernel.name, args });
    if (E.isLeft(result)) throw new DiagnosticError(result.left);
  };
