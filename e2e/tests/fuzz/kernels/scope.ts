import type { Draw } from '../draw.js';
import type { Expr, FieldCode, KernelCode, TreeCode } from './code.js';
import { sharingWith } from './rounded.js';
import { isFloat, isNarrow, type ScalarType } from './scalars.js';
import { windowOf } from './state.js';
import type { KernelChoice } from './generate.js';

export interface Local {
  readonly name: string;
  readonly type: ScalarType;
  /** Whether it may be assigned. */
  readonly free: boolean;
}

/** What an iteration may do with a field, so that the order of iterations is of no effect. */
export type Role = 'any' | 'read' | 'own' | 'atomic';

export interface Access {
  readonly field: FieldCode;
  readonly tree: TreeCode;
  readonly role: Role;
  readonly kind: 'Add' | 'Min' | 'Max' | 'And' | 'Or' | 'Xor';
}

type Parts = Pick<KernelCode, 'tables' | 'sums' | 'params' | 'trees'> & {
  readonly choice: KernelChoice;
  readonly types: readonly ScalarType[];
};

interface LoopOf {
  readonly over: TreeCode;
  readonly serial: boolean;
  readonly names: readonly string[];
  readonly active: boolean;
  readonly prefix: string;
}

/** What is in scope at a place of a kernel. */
export class Scope {
  private constructor(
    readonly d: Draw,
    readonly parts: Parts,
    readonly loop: LoopOf,
    readonly access: readonly Access[],
    readonly locals: Local[],
    readonly vectors: { readonly name: string; readonly type: ScalarType }[],
    readonly lists: { readonly name: string; readonly type: ScalarType }[],
    readonly truths: string[],
    readonly inLoop: boolean,
    private readonly names: { next: number },
  ) {}

  static of(d: Draw, parts: Parts, loop: LoopOf): Scope {
    const locals = [
      ...loop.names.map((name) => ({ name, type: 'i32' as const, free: false })),
      ...parts.params.map((p) => ({ name: p.name, type: p.type, free: false })),
    ];
    const drawn = parts.trees.flatMap((tree) => tree.fields.map((field) => accessOf(d, parts, loop, tree, field)));
    /* What writes one of the numbers that share an exponent rounds the others. */
    const access = drawn.map((a) => {
      const [first] = sharingWith(a.tree.fields, a.field);
      return first ? { ...a, role: drawn.find((b) => b.field === first)!.role } : a;
    });
    return new Scope(d, parts, loop, access, locals, [], [], [], false, { next: 0 });
  }

  /** The scope of a block within this one. */
  inner(inLoop = this.inLoop): Scope {
    const copy = <T>(list: readonly T[]): T[] => [...list];
    return new Scope(
      this.d,
      this.parts,
      this.loop,
      this.access,
      copy(this.locals),
      copy(this.vectors),
      copy(this.lists),
      copy(this.truths),
      inLoop,
      this.names,
    );
  }

  fresh(letter: string): string {
    return `${letter}${this.loop.prefix}_${this.names.next++}`;
  }

  /** The types that locals have. */
  get wide(): readonly ScalarType[] {
    return this.parts.types.filter((t) => !isNarrow(t));
  }

  /** The coordinates of the iteration. */
  get own(): readonly Expr[] {
    return this.loop.names.map((name) => ({ is: 'local', type: 'i32', name }));
  }

  /** Trees whose activity no iteration changes. */
  isStill(tree: TreeCode): boolean {
    return this.loop.serial || this.access.every((a) => a.tree !== tree || a.role === 'read');
  }
}

const accessOf = (d: Draw, { choice }: Parts, loop: LoopOf, tree: TreeCode, field: FieldCode): Access => {
  const isList = tree.levels.at(-1)!.kind === 'dynamic';
  const drawn = d.of(['Add', 'Add', 'Min', 'Max', 'And', 'Or', 'Xor'] as const);
  /* What wraps when it is stored is another number to those that come after it. */
  const kind = field.stored && (drawn === 'Min' || drawn === 'Max') ? 'Add' : drawn;
  const ofFloats = field.stored && drawn !== 'Add' ? (drawn === 'Min' ? 'Min' : 'Max') : 'Add';
  const made = (role: Role): Access => ({ field, tree, role, kind: isFloat(field.type) ? ofFloats : kind });
  if (loop.serial) return made('any');
  const canOwn =
    tree === loop.over
      ? !isList || loop.active
      : !isList && tree.axes === loop.over.axes && (choice.outside || covers(windowOf(tree), windowOf(loop.over)));
  const isAlone = sharingWith(tree.fields, field).length === 0;
  const canAdd = !isList && isAlone && (!isFloat(field.type) || choice.floats === 'exact');
  const roles: readonly Role[] = [
    'read',
    ...(canOwn ? (['own', 'own'] as const) : []),
    ...(canAdd ? (['atomic'] as const) : []),
  ];
  return made(d.of(roles));
};

type Window = readonly (readonly [number, number])[];

const covers = (outer: Window, inner: Window): boolean =>
  outer.every(([from, to], a) => from <= inner[a][0] && to >= inner[a][1]);
