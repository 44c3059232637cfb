import * as E from 'fp-ts/lib/Either.js';
import * as fc from 'fast-check';
import {
  coreDialects,
  DiagnosticError,
  interpret,
  parseModule,
  type Dialect,
  type Kernel,
  type Module,
  type TypedArray,
} from '@filigree/ir';
import {
  cutKernels,
  dense,
  field,
  fieldDialect,
  type FieldStore,
  i,
  layout,
  type CutKernels,
} from '@filigree/sparse/fields';

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
/* The element of the iteration, elements that others reach too, and one that all reach. */
const place = fc.constantFrom('%i', '%i', '%half', '%next', '%k2');
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
  }),
  fc.record({
    is: fc.constantFrom('serial', 'drop', 'clear', 'fill', 'fill', 'fill over a', 'copy'),
    body: fc.array(statement, { minLength: 1, maxLength: 1 }),
  }),
);

type Part = { readonly is: string; readonly body: readonly Statement[] };

/** A module of a few kernels, each of one or two parts. */
export const randomModule: fc.Arbitrary<Module> = fc
  .array(fc.array(part, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 4 })
  .map((kernels) => {
    const text = `module @random {\n  buffer @s : i32[1] temp\n${kernels.map(kernelText).join('')}}\n`;
    const parsed = parseModule(text);
    if (E.isLeft(parsed)) throw new DiagnosticError(parsed.left);
    return parsed.right;
  });

const kernelText = (parts: readonly Part[], n: number): string => {
  const fresh = { next: 0 };
  return `  kernel @k${n}(%p: i32) {
    %k0 = arith.constant {value = 0} : i32
    %k1 = arith.constant {value = 1} : i32
    %k2 = arith.constant {value = 2} : i32
    %k7 = arith.constant {value = 7} : i32
    %k16 = arith.constant {value = 16} : i32
${parts.map((p) => partText(p, fresh)).join('')}    scf.yield
  }
`;
};

const partText = ({ is, body }: Part, fresh: { next: number }): string => {
  if (is === 'clear') return `    field.clear_all {node = up.up.a}\n`;
  if (is === 'drop') return `    field.deactivate %k1 {node = up.up.a}\n`;
  if (is === 'fill' || is === 'fill over a' || is === 'copy') return wholeText(is, body[0], fresh);
  const loop = {
    'up.a': 'field.for {node = up.a} {',
    'up.c': 'field.for {node = up.c} {',
    range: 'scf.for %k1, %k7, %k1 {parallel = true} {',
    whole: 'scf.for %k0, %k16, %k1 {parallel = true} {',
  }[is];
  if (loop === undefined) return body.map((s) => statementText({ ...s, at: '%k2', there: '%k2' }, fresh)).join('');
  const q = fresh.next++;
  const own = (s: string): string => s.replaceAll(/%(i|half|next)\b/g, `%$1_${q}`);
  return own(`    ${loop}
    ^(%i: i32):
      %half = arith.div %i, %k2 : i32
      %next = arith.add %i, %k1 : i32
${body.map((s) => statementText(s, fresh)).join('')}      scf.yield
    }
`);
};

/* Each element of a field becomes the same, or that of another field. */
const wholeText = (is: string, { to, from, plus }: Statement, fresh: { next: number }): string => {
  const q = fresh.next++;
  const loop = is === 'fill over a' ? 'field.for {node = up.a} {' : 'scf.for %k0, %k16, %k1 {parallel = true} {';
  const value = is === 'copy' ? `field.load %i${q} {field = ${from}}` : `arith.constant {value = ${plus}}`;
  return `    ${loop}
    ^(%i${q}: i32):
      %v${q} = ${value} : i32
      field.store %v${q}, %i${q} {field = ${is === 'fill over a' ? 'b' : to}}
      scf.yield
    }
`;
};

const statementText = ({ what, to, at, from, there, plus }: Statement, fresh: { next: number }): string => {
  const q = fresh.next++;
  const read = `      %x${q} = field.load ${there} {field = ${from}} : i32
      %c${q} = arith.constant {value = ${plus}} : i32
      %t${q} = arith.mul %x${q}, %p : i32
      %y${q} = arith.add %t${q}, %c${q} : i32
`;
  if (what === 'atomic') return `${read}      %o${q} = field.atomic %y${q}, ${at} {field = ${to}, kind = add} : i32\n`;
  if (what === 'store') return `${read}      field.store %y${q}, ${at} {field = ${to}}\n`;
  return `${read}      %g${q} = arith.cmp %x${q}, %c${q} {predicate = lt} : i1
      scf.if %g${q} {
        field.store %y${q}, ${at} {field = ${to}}
        scf.yield
      } {
        scf.yield
      }
`;
};

/** The kernels of a module as tasks. */
export const cut = (module: Module): CutKernels => cutKernels(module, tree, dialects);

/** Runs kernels on a store, one after the other. */
export const runOn = (
  store: FieldStore,
  cutModule: CutKernels,
  kernels: readonly { readonly kernel: Kernel; readonly args: readonly number[] }[],
  memory: Record<string, TypedArray>,
): void => {
  const known = [...coreDialects, fieldDialect(tree, store)];
  for (const { kernel, args } of kernels) {
    const module: Module = { name: 'm', buffers: cutModule.setting.buffers, kernels: [kernel], attrs: {} };
    const result = interpret(module, known, memory, { kernel: kernel.name, args });
    if (E.isLeft(result)) throw new DiagnosticError(result.left);
  }
};

/** What is in the fields, and which elements are active. */
export const contentsOf = (store: FieldStore): unknown =>
  names.map((name) => {
    const node = tree.nodes[tree.fields.get(name)!.path.at(-1)!].parent;
    return Array.from({ length: 16 }, (_, k) => [store.isActive(node, [k]), store.load(name, [k])]);
  });
