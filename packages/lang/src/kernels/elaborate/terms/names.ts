import { libraryWord } from '#parts';
import { rare } from '#rare';
import type { Identifier } from 'acorn';
import { authorName, namespaceAround } from '../../../source/author-name.js';
import { isLoaderName, missingName } from '../../../source/loader-name.js';
import { standardGlobals } from '../../../source/standard-globals.js';
import * as vocabulary from '../../vocabulary/core.js';
import { libraryWordOf } from '../../vocabulary/inline.js';
import { refuse, type Context } from '../context/context.js';
import { Refused } from '../context/session.js';
import type { Constant, Slot, Term } from '../context/term.js';
import { fromHost } from './host-value.js';

/** What a name means: something the function declares, something of its scope, or a word of the language. */
export const resolve = (cx: Context, id: Identifier): Slot => {
  const binding = cx.unit.text.parsed.scopes.bindingOf(id);
  if (!binding) return constant(resolveFree(cx, id, id.name));
  const slot = cx.env.lookup(binding);
  if (slot) return slot;
  if (binding.name === 'arguments') return noArguments(cx, id);
  const own = binding.kind === 'class' && [...cx.session.classes.values()].find((c) => c.unit === cx.unit);
  if (own) return constant({ is: 'host', name: own.name, value: own.value });
  if (binding.kind === 'function') return constant(itself(cx, id, id.name));
  /* Its declaration was refused, and that has been reported. */
  if (cx.session.diagnostics.length > 0) throw new Refused();
  return refuse(cx, id, 'lang/unassigned', `\`${id.name}\` is used before it is declared`, 'declare it before');
};

/** The value of a name that the function does not declare. */
const resolveFree = (cx: Context, id: Identifier, printed: string): Term => {
  const { scope, text } = cx.unit;
  const called = (among: (name: string) => boolean): string =>
    authorName(text.parsed.source, text.parsed.site(id.start), printed, among);
  const found = termOf(
    cx,
    id,
    called((name) => Object.hasOwn(scope, name)),
  );
  if (found) return found;
  const around = namespaceAround(printed, scope, valueOf(cx));
  if (around !== undefined) return fromHost(cx, id, around, scope[around]);
  return rare().refuseUnbound(
    cx,
    id,
    called(() => true),
  );
};

/** What `loader.name` is, where a module loader made it of an import. */
export const resolveImported = (cx: Context, loader: Identifier, name: string): Term =>
  termOf(cx, loader, name) ?? rare().refuseUnbound(cx, loader, missingName(loader.name, name), name);

const termOf = (cx: Context, id: Identifier, name: string): Term | undefined => {
  const { unit } = cx;
  if (Object.hasOwn(unit.scope, name)) return fromHost(cx, id, name, unit.scope[name]);
  if (Object.hasOwn(words, name)) return fromHost(cx, id, name, words[name]);
  if (standardGlobals.has(name)) return fromHost(cx, id, name, (globalThis as Record<string, unknown>)[name]);
  if (name === 'arguments') return noArguments(cx, id);
  const word = libraryWord(name);
  if (word !== undefined) return fromHost(cx, id, name, word);
  if (name === '__name') return { is: 'host', name, value: keepName };
  return name === unit.name && unit.text.nameless ? itself(cx, id, name) : undefined;
};

/** A function by its own name; the kernel itself is not called. */
const itself = (cx: Context, id: Identifier, name: string): Term => {
  const value = valueOf(cx);
  if (value !== undefined) return { is: 'host', name, value };
  return refuse(cx, id, 'lang/recursion', `\`${name}\` calls itself`, 'write a loop');
};

/** The function that is compiled, unless it is the kernel itself. */
const valueOf = (cx: Context): unknown => [...cx.session.units].find(([, unit]) => unit === cx.unit)?.[0];

const noArguments = (cx: Context, id: Identifier): never =>
  refuse(cx, id, 'lang/unsupported-syntax', '`arguments` cannot be part of a kernel', 'name the parameters');

/** Whether a name is what a module loader makes of an import. */
export const isModuleName = (cx: Context, id: Identifier): boolean =>
  cx.unit.text.parsed.scopes.bindingOf(id) === undefined &&
  !Object.hasOwn(cx.unit.scope, id.name) &&
  isLoaderName(id.name);

/** Bundlers keep the names of nested functions by a call of this name. */
export const keepName = <T>(f: T): T => f;

const constant = (term: Term): Constant => ({ is: 'constant', term, what: 'constant' });

const words = vocabulary as unknown as Readonly<Record<string, unknown>>;

/** Whether a value is what a word of the language stands for. */
export const isWord = (value: unknown): boolean => wordOf(value) !== undefined;

/** The word of the language that stands for a value, if one does. */
export const wordOf = (value: unknown): string | undefined => wordsByMeaning().get(value) ?? libraryWordOf(value);

/* Made when it is first asked for: modules of the vocabulary may be still on their way. What has two names is told by the first. */
const known: { words?: ReadonlyMap<unknown, string> } = {};

const wordsByMeaning = (): ReadonlyMap<unknown, string> =>
  (known.words ??= new Map(
    Object.entries(words)
      .reverse()
      .map(([name, meaning]) => [meaning, name]),
  ));
