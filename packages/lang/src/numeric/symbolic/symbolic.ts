import type { AnyNode, MemberExpression, Program } from 'acorn';
import { checkOptions, option, type OptionSpec, type Diagnostic, type Loc, type Sym } from '@filigree/ir';
import { DiagnosticError, error, fail } from '@filigree/ir';
import { bindOps, type Bound } from '../ops/bind.js';
import { defaultOps } from '../ops/default-ops.js';
import { markOf } from '../ops/mark.js';
import type { NumericOps } from '../ops/numeric-ops.js';
import { locOf, sourceError, type Original, type Source, locOption } from '../../source/place.js';
import { firstEffect, methodHasEffect, type OuterEffect } from '../rewrite/effects.js';
import { doesMuch, readsOnlyArguments } from '../rewrite/pure.js';
import { rewrite } from '../rewrite/rewrite.js';
import { named, type BuiltText } from './built-text.js';
import { authorName, namespaceAround } from '../../source/author-name.js';
import { functionText, textOf, type FunctionText } from '../../source/function-text.js';
import { filesFrom, framesOf, type Frame, type SourceFile } from '../../source/spelling/files.js';
import { noteOrigin, stackOf } from '../../source/spelling/origin-of.js';
import { originalOf } from '../../source/spelling/original.js';
import { children } from '../../source/ast.js';
import { isLoaderName, missingName } from '../../source/loader-name.js';
import type { Parsed } from '../../source/parse.js';
import type { FreeReference } from '../../source/scope.js';
import { byAcorn } from '../../source/by-acorn.js';
import { functionName, type FunctionName } from '../../source/math.js';
import {
  MOST_DEEP,
  classOf,
  hasPrivate,
  isStandard,
  membersIn,
  parentOf,
  takesThisAlong,
  type AnyFunction,
} from './captured.js';
import type { Lift } from './lift.js';
import { noteTexts } from './thrown-at.js';
import { standardGlobals } from '../../source/standard-globals.js';

/** What a function needs from its surroundings. */
export interface SymbolicOptions<S> {
  /**
   * Everything the function uses from around it, by name. Functions in it are made symbolic too, with the same scope;
   * objects and arrays of functions (`{ dot, cross }`), in each other too, likewise. Values are taken as they are now.
   */
  readonly scope?: Readonly<Record<string, unknown>>;
  /** The meaning of operators on symbols; default `symbolicMath` of `@filigree/ir`. */
  readonly ops?: NumericOps<S>;
  /** Where the function begins in its file, so that diagnostics name that file and line. */
  readonly at?: Loc;
}

/**
 * The same function, able to compute with symbols (§4.7): the operators in its source text are rewritten, and it
 * is built anew in the given scope. On plain numbers it returns exactly what `fn` does. A function that the build
 * plugin has rewritten is returned as it is.
 *
 * Errors (`DiagnosticError`): `lang/native-function`, `lang/unbound` for a name that is in neither scope nor language,
 * `lang/captured-write`, `lang/unsupported-syntax`, `lang/syntax`, `lang/other-ops`, `lang/no-code-generation`. When
 * the result runs: `lang/symbolic-branch`, `lang/symbolic-index`, `lang/symbolic-effect`, `lang/symbolic-recursion`,
 * `lang/non-numeric`, `lang/typed-array`, `lang/bitwise`, `lang/unsupported-math`.
 */
export const symbolic = <F extends AnyFunction, S = Sym>(fn: F, given?: SymbolicOptions<S>): Lift<F, S> => {
  if (typeof fn !== 'function') {
    return fail('lang/not-a-function', `symbolic() was given ${fn === null ? 'null' : typeof fn}`, {
      remedy: 'pass a function',
    });
  }
  const options = checkOptions('symbolic', given, symbolicSpec as OptionSpec<SymbolicOptions<S>>);
  const ops = (options.ops ?? defaultOps) as NumericOps;
  const known = markOf(fn);
  if (known) {
    if (options.ops && known !== ops) {
      fail('lang/other-ops', `\`${fn.name}\` was rewritten for other operations by the build plugin`, {
        remedy: 'give the same operations to the plugin (option `ops`) and to symbolic()',
      });
    }
    return fn as unknown as Lift<F, S>;
  }
  noteOrigin(fn, symbolic);
  const builder = new Builder(options.scope ?? {}, ops, framesOf(stackOf(fn)));
  const result = builder.function(fn, options.at);
  noteTexts(result as AnyFunction, builder.texts);
  return result as Lift<F, S>;
};

const symbolicSpec: OptionSpec<SymbolicOptions<unknown>> = {
  scope: option.object('an object of what the function uses'),
  ops: option.object('the operations on symbols', 'add', 'mul'),
  at: locOption,
};

/** One function with its text, before it is rewritten. */
interface Unit {
  readonly text: FunctionText;
  /** What its free names mean; filled once all functions are known, because functions may call each other. */
  readonly names: ReadonlyMap<string, unknown>;
}

class Builder {
  /** What was rewritten so far, by what stacks call it. */
  readonly texts = new Map<string, BuiltText>();
  private readonly units = new Map<unknown, Unit>();
  private readonly built = new Map<unknown, unknown>();
  private readonly making = new Set<unknown>();
  /** The classes of objects that are made anew, with methods that are rewritten; undefined for those that stay as they are. */
  private readonly classes = new Map<object, AnyFunction | undefined>();
  /** Objects that are being collected, each held by the one before. */
  private readonly within: object[] = [];
  /** Objects that were come upon since the outermost of these: one stays as it is with all that it is part of. */
  private readonly visited: object[] = [];
  /** Classes of such objects, and what these use: what they change is known all the same. */
  private readonly asTheyAre = new Map<unknown, Unit>();
  /** Functions for which objects stay as they are. */
  private readonly unfit = new Set<unknown>();
  private readonly links: (() => void)[] = [];
  private root: AnyFunction | undefined;

  constructor(
    private readonly scope: Readonly<Record<string, unknown>>,
    private readonly ops: NumericOps,
    /** Where the function may stand, and what it calls. */
    private readonly frames: readonly Frame[],
  ) {}

  function(fn: AnyFunction, at?: Loc): unknown {
    this.root = fn;
    this.collect(fn, at);
    const result = this.value(fn);
    for (const link of this.links) link();
    return result;
  }

  /** Parses a function and all it calls, so that every problem is found before anything is built. */
  private collect(value: unknown, at?: Loc): void {
    if (typeof value !== 'function') {
      for (const m of membersIn(value)) {
        if (typeof m === 'function') this.collect(m);
        else this.collectObject(m);
      }
      return;
    }
    if (this.units.has(value) || markOf(value) || isStandard(value) || functionName(value)) return;
    const text = functionText(
      value as AnyFunction,
      byAcorn,
      at,
      undefined,
      undefined,
      at ? undefined : this.original(value),
    );
    const names = this.resolve(value as AnyFunction, text);
    this.units.set(value, { text, names });
    /* What a name stands for is by itself, whoever uses it. */
    const [within, visited] = [this.within.splice(0), this.visited.splice(0)];
    try {
      for (const used of names.values()) this.collect(used);
    } finally {
      this.within.push(...within);
      this.visited.push(...visited);
    }
  }

  /** The class of an object and what it holds, where all of it can be rewritten; else the object stays as it is. */
  private collectObject(object: object): void {
    const outermost = this.within.length === 0;
    if (this.classes.has(object)) {
      if (outermost || this.classes.get(object)) return;
      throw new Unmade();
    }
    const known = new Set(this.units.keys());
    this.within.push(object);
    this.visited.push(object);
    try {
      if (this.within.length > MOST_DEEP) throw new Unmade();
      const made = classOf(object)!;
      this.classes.set(object, made);
      for (let c: AnyFunction | undefined = made; c; c = parentOf(c)) this.collectPart(c, hasPrivate);
      for (const member of Object.values(object)) this.collectPart(member, takesThisAlong);
    } catch (e) {
      if (!outermost || !(e instanceof Unmade || e instanceof DiagnosticError)) throw e;
      for (const [key, unit] of [...this.units].filter(([k]) => !known.has(k))) {
        this.asTheyAre.set(key, unit);
        this.units.delete(key);
      }
      for (const visited of this.visited) this.classes.set(visited, undefined);
    } finally {
      this.within.pop();
      if (outermost) this.visited.length = 0;
    }
  }

  private collectPart(value: unknown, isUnfit: (program: Program) => boolean): void {
    if (this.unfit.has(value)) throw new Unmade();
    try {
      this.collect(value);
      const unit = this.units.get(value);
      if (unit ? isUnfit(unit.text.parsed.program) : typeof value === 'function' && markOf(value)) throw new Unmade();
    } catch (e) {
      if (typeof value === 'function') this.unfit.add(value);
      throw e;
    }
  }

  private original(fn: object): () => Original | undefined {
    const { name } = fn as AnyFunction;
    const files = (): Iterable<SourceFile> => filesFrom(this.frames.map((f) => f.path));
    return originalOf(textOf(fn), files, { name, line: this.frames[0]?.line, column: this.frames[0]?.column });
  }

  private resolve(fn: AnyFunction, { parsed, nameless }: FunctionText): Map<string, unknown> {
    const names = new Map<string, unknown>();
    const problems: Diagnostic[] = [];
    for (const [name, references] of parsed.scopes.free) {
      const written = references.find((r) => r.written);
      const called =
        (Object.hasOwn(this.scope, name) ? undefined : namespaceAround(name, this.scope, fn)) ??
        authorName(parsed.source, parsed.site(references[0].id.start), name, (n) => Object.hasOwn(this.scope, n));
      if (Object.hasOwn(this.scope, called)) {
        names.set(name, this.scope[called]);
        if (!written) continue;
        problems.push(
          error('lang/captured-write', `\`${called}\` is a variable of the surroundings and is assigned to`, {
            loc: locOf(parsed.source, parsed.site(written.id.start)),
            remedy: 'return the value instead, or use the build plugin, which rewrites the function where it stands',
          }),
        );
      } else if (name === fn.name && nameless) names.set(name, fn);
      else if (name === parentOf(fn)?.name) names.set(name, parentOf(fn));
      else if (name === '__name') names.set(name, keepName);
      else if (isLoaderName(name)) {
        const found = this.imported(parsed, name, references);
        if (Array.isArray(found)) problems.push(...(found as readonly Diagnostic[]));
        else names.set(name, found);
      } else if (!standardGlobals.has(name)) problems.push(unbound(parsed, references[0].id, name));
    }
    if (problems.length > 0) throw sourceError(problems, parsed.source);
    return names;
  }

  /** What a module loader made of imports, as in `import_file.half`: each of its names is in the scope by itself. */
  private imported(
    parsed: Parsed,
    loader: string,
    references: readonly FreeReference[],
  ): Record<string, unknown> | readonly Diagnostic[] {
    const members = new Map<string, unknown>();
    const problems: Diagnostic[] = [];
    const objects = new Set<AnyNode>();
    const visit = (node: AnyNode): void => {
      if (node.type === 'MemberExpression' && !node.computed && parsed.scopes.isGlobal(node.object, loader)) {
        objects.add(node.object);
        const { name } = node.property as { name: string };
        if (Object.hasOwn(this.scope, name)) members.set(name, this.scope[name]);
        else problems.push(unboundMember(parsed, node, loader, name));
      }
      children(node).forEach(visit);
    };
    visit(parsed.program);
    /* Loaders write nothing but `loader.name`: what stands otherwise is a name like theirs. */
    const own = references.find(({ id }) => !objects.has(id));
    if (own) return [unbound(parsed, own.id, loader)];
    return problems.length > 0 ? problems : Object.fromEntries(members);
  }

  /** What a captured value becomes: functions, and objects, arrays and Maps that hold any, are rewritten; all else is taken as it is. */
  private value(value: unknown): unknown {
    if (this.built.has(value)) return this.built.get(value);
    const unit = this.units.get(value);
    if (unit) return this.build(value as AnyFunction, unit);
    const name = functionName(value);
    if (name) return this.elementary(name, value as (...args: unknown[]) => unknown);
    if (typeof value === 'object' && value !== null && this.classes.get(value)) return this.anew(value);
    if (typeof value === 'function' || membersIn(value).every((m) => this.classes.has(m) && !this.classes.get(m)))
      return value;
    if (value instanceof Map) {
      const copied = new Map<unknown, unknown>();
      this.built.set(value, copied);
      for (const [key, member] of value) copied.set(key, this.value(member));
      return copied;
    }
    const copy = (Array.isArray(value) ? [] : {}) as Record<string, unknown>;
    this.built.set(value, copy);
    for (const [key, member] of Object.entries(value as object)) copy[key] = this.value(member);
    return copy;
  }

  /** An object of a class that is rewritten, with what the object holds. */
  private anew(object: object): object {
    const made = this.value(this.classes.get(object)) as { readonly prototype: object };
    const copy = Object.create(made.prototype) as object;
    this.built.set(object, copy);
    for (const key of Reflect.ownKeys(object)) {
      const member = Object.getOwnPropertyDescriptor(object, key)!;
      Object.defineProperty(copy, key, 'value' in member ? { ...member, value: this.value(member.value) } : member);
    }
    return copy;
  }

  /** A function of `math`, with the meaning that is given on symbols. */
  private elementary(name: FunctionName, plain: (...args: unknown[]) => unknown): unknown {
    if (this.ops === defaultOps) return plain;
    const onSymbols = this.ops[name] as (...args: unknown[]) => unknown;
    const isSymbol = (x: unknown): boolean => typeof x === 'object' && x !== null && this.ops.isSymbolic(x);
    return (...args: unknown[]) => (args.some(isSymbol) ? onSymbols(...args) : plain(...args));
  }

  private build(fn: AnyFunction, { text: { parsed, isMethod }, names }: Unit): unknown {
    const constants = new Set([...names].filter(([, value]) => typeof value === 'number').map(([name]) => name));
    const { code, helpers, prefix } = rewrite(parsed, [parsed.program], {
      constants,
      outerEffect: (name, is) => this.effectFrom({ names }, new Set())(name, is),
    });
    const imports = [...helpers].map(([name, local]) => `${name}: ${local}`).join(', ');
    const captured = [...names.keys()].join(', ');
    const expression = code.toString().replace(/;\s*$/, '');
    const [open, close] = isMethod ? [`${prefix}.method(`, ')'] : ['', ''];
    const before = `'use strict'; const { ${imports} } = ${prefix}.ops; ${captured ? `let { ${captured} } = ${prefix}.early; ${prefix}.link = (${prefix}) => { ({ ${captured} } = ${prefix}); };` : ''} return ${open}`;
    const text = named(this.texts, { parsed, code, column: before.length });
    const body = `${before}${expression}${close}\n//# sourceURL=${text}`;
    const environment: {
      ops: Bound;
      early: Record<string, unknown>;
      method: typeof onlyMember;
      link?: (scope: Record<string, unknown>) => void;
    } = {
      ops: bindOps(this.ops, parsed.source),
      early: this.early(fn, names),
      method: onlyMember,
    };
    const made = evaluate(prefix, body, environment, parsed.source) as AnyFunction;
    if (made.name !== fn.name) Object.defineProperty(made, 'name', { value: fn.name, configurable: true });
    const callable = this.isWorthKnowing(fn) ? this.known(made) : made;
    this.built.set(fn, callable);
    const linked = Object.fromEntries([...names].map(([name, value]) => [name, this.value(value)]));
    this.links.push(() => environment.link?.(linked));
    return callable;
  }

  /** Whether a captured function does much, and what depends on its arguments alone. */
  private isWorthKnowing(fn: AnyFunction): boolean {
    return (
      fn !== this.root &&
      this.ops.callPure !== undefined &&
      doesMuch(this.units.get(fn)!.text.parsed) &&
      this.isPure(fn)
    );
  }

  /** Whether something never means anything else, and as a function reads nothing but its arguments and changes nothing but these. */
  private isPure(value: unknown, seen = new Set<unknown>()): boolean {
    if (typeof value !== 'function') return typeof value !== 'object' || value === null;
    if (seen.has(value) || functionName(value)) return true;
    seen.add(value);
    const unit = this.units.get(value);
    return (
      unit !== undefined &&
      !unit.text.isMethod &&
      readsOnlyArguments(unit.text.parsed, (name) => unit.names.has(name)) &&
      [...unit.names.values()].every((v) => this.isPure(v, seen))
    );
  }

  private known(made: AnyFunction): AnyFunction {
    const { ops } = this;
    const known = (...args: unknown[]): unknown => ops.callPure!(made as (...a: unknown[]) => unknown, args);
    for (const name of ['name', 'length'] as const)
      Object.defineProperty(known, name, { value: made[name], configurable: true });
    return known;
  }

  /** What static initialisers of a class use when it is made: all but what is being made because of it. */
  private early(fn: AnyFunction, names: ReadonlyMap<string, unknown>): Record<string, unknown> {
    this.making.add(fn);
    return Object.fromEntries(
      [...names].flatMap(([name, value]) =>
        this.making.has(value) && !this.built.has(value) ? [] : [[name, this.value(value)]],
      ),
    );
  }

  /** Whether a captured function changes its arguments or its surroundings. */
  private hasEffect(value: unknown, seen: Set<unknown>): boolean {
    const unit = this.units.get(value);
    if (!unit || seen.has(value)) return false;
    seen.add(value);
    const { program, scopes } = unit.text.parsed;
    return firstEffect(program, program, scopes, this.effectFrom(unit, seen)) !== undefined;
  }

  private effectFrom({ names }: Pick<Unit, 'names'>, seen: Set<unknown>): OuterEffect {
    return (name, is) => {
      if (is === 'function') return this.hasEffect(names.get(name), seen);
      return [...this.units, ...this.asTheyAre].some(([value, unit]) => {
        if ((value as AnyFunction).name === name) return this.hasEffect(value, seen);
        const { program, scopes } = unit.text.parsed;
        return methodHasEffect(name, program, scopes, this.effectFrom(unit, seen), seen as Set<AnyNode>);
      });
    };
  }
}

/** Says that an object stays as it is. */
class Unmade extends Error {}

const unbound = (parsed: Parsed, id: AnyNode, printed: string): Diagnostic => {
  const site = parsed.site(id.start);
  const name = authorName(parsed.source, site, printed, () => true);
  return error('lang/unbound', `\`${name}\` is neither declared in the function nor in its scope`, {
    loc: locOf(parsed.source, site),
    remedy: `pass it in the options, { scope: { ${name === 'default' ? 'default: what you import' : name} } }, or use the build plugin, which finds it by itself`,
  });
};

/** What `loader.member` lacks: where loaders and authors name things alike, both are told what to do. */
const unboundMember = (parsed: Parsed, node: MemberExpression, loader: string, member: string): Diagnostic => {
  const missing = missingName(loader, member);
  if (missing === member) return unbound(parsed, node.property, member);
  const problem = unbound(parsed, node.object, missing);
  return {
    ...problem,
    remedy: `${problem.remedy}; of an import pass { scope: { ${member === 'default' ? 'default: what you import' : member} } }`,
  };
};

/* Bundlers keep the names of nested functions by a call of this name. */
const keepName = <T>(f: T): T => f;

const onlyMember = (holder: object): unknown => {
  const [key] = Reflect.ownKeys(holder);
  const descriptor = Object.getOwnPropertyDescriptor(holder, key);
  return descriptor?.value ?? descriptor?.get ?? descriptor?.set;
};

const evaluate = (parameter: string, body: string, argument: unknown, source: Source): unknown => {
  try {
    return (new Function(parameter, body) as (x: unknown) => unknown)(argument);
  } catch (e) {
    if (e instanceof EvalError) {
      return fail('lang/no-code-generation', 'this page or process does not allow code to be made from strings', {
        remedy: 'use the build plugin, which rewrites functions at build time',
      });
    }
    /* `import.meta` and the like, which only a module may say. */
    if (e instanceof SyntaxError) {
      const loc = { file: source.file, line: 1, column: 1 };
      return fail('lang/unsupported-syntax', e.message, {
        loc,
        remedy: 'pass what only a module has in the scope, or use the build plugin',
      });
    }
    throw e;
  }
};
