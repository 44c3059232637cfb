import type * as E from 'fp-ts/lib/Either.js';
import { type Diagnostics } from '../diagnostics/diagnostic.js';
import { orLeft } from '../diagnostics/either.js';
import type { Buffer, Kernel, Op, Region, Value } from '../kernel/op.js';
import type { Module } from '../kernel/module.js';
import type { LayoutTree } from '../kernel/layout.js';
import { type Type, typeText } from '../kernel/type.js';
import { Lexer, type Token, describe } from './lexer.js';
import { atAttrs, parseAttrs, parseType } from './parse-attrs.js';
import { moduleWords } from './print.js';
import { parseBuffer } from './parse-buffer.js';
import { parseLayout } from './parse-layout.js';

/**
 * Reads `.fil` text. Values are numbered from 0 in order of definition within each kernel; names become hints; every op
 * carries its place in the text. Only the form is checked here: `verifyModule` checks meaning.
 *
 * @param file the name that diagnostics (`parse/…`) show
 */
export const parseModule = (text: string, file = '<text>'): E.Either<Diagnostics, Module> => {
  return orLeft(() => new ModuleParser(new Lexer(text, file)).module());
};

class ModuleParser {
  constructor(private readonly lexer: Lexer) {}

  module(): Module {
    const { lexer } = this;
    lexer.expect('module', 'begin with: module @name {');
    const name = lexer.expectKind('symbol', `the module's name, as in @m`).text;
    const attrs = atAttrs(lexer, moduleWords) ? parseAttrs(lexer) : {};
    lexer.expect('{');
    let layout: LayoutTree | undefined;
    const buffers: Buffer[] = [];
    const kernels: Kernel[] = [];
    while (!lexer.accept('}')) {
      const token = lexer.peek();
      if (lexer.accept('layout')) {
        if (layout) lexer.fail('parse/layout', 'a module has one layout', { token, remedy: 'join them' });
        layout = parseLayout(lexer);
      } else if (lexer.accept('buffer')) buffers.push(parseBuffer(lexer));
      else if (lexer.accept('kernel')) kernels.push(new KernelParser(lexer).kernel());
      else
        lexer.fail('parse/syntax', `expected 'layout', 'buffer', 'kernel' or '}', found ${describe(lexer.peek())}`, {
          remedy: 'declare buffers and kernels, and close the module with }',
        });
    }
    if (lexer.peek().kind !== 'end')
      lexer.fail('parse/syntax', `expected the end of the text, found ${describe(lexer.peek())}`, {
        remedy: 'write one module a file',
      });
    return { name, ...(layout && { layout }), buffers, kernels, attrs };
  }
}

class KernelParser {
  private readonly values = new Map<string, Value>();
  private depth = 0;

  constructor(private readonly lexer: Lexer) {}

  kernel(): Kernel {
    const { lexer } = this;
    const name = lexer.expectKind('symbol', `the kernel's name, as in @k`).text;
    const params = this.params();
    const attrs = atAttrs(lexer) ? parseAttrs(lexer) : {};
    return { name, params, body: this.region(), attrs };
  }

  /** `(%a: f64, %b: i32)`. */
  private params(): readonly Value[] {
    const { lexer } = this;
    lexer.expect('(');
    const params: Value[] = [];
    if (lexer.accept(')')) return params;
    do {
      const token = lexer.expectKind('value', 'a parameter, as in %x: f64');
      lexer.expect(':');
      params.push(this.define(token, parseType(lexer)));
    } while (lexer.accept(','));
    lexer.expect(')');
    return params;
  }

  private region(): Region {
    const { lexer } = this;
    if (++this.depth > 400) lexer.fail('parse/depth', 'regions nest too deep', { remedy: 'nest at most 400 regions' });
    lexer.expect('{');
    let params: readonly Value[] = [];
    if (lexer.accept('^')) {
      params = this.params();
      lexer.expect(':');
    }
    const ops: Op[] = [];
    while (!lexer.accept('}')) ops.push(this.op());
    this.depth--;
    return { params, ops };
  }

  /** `%a, %b = dialect.op %x, %y {attr = 1} { region } : type, type`. */
  private op(): Op {
    const { lexer } = this;
    const results = lexer.peek().kind === 'value' ? this.valueTokens() : [];
    if (results.length > 0) lexer.expect('=');
    const name = lexer.expectKind('word', 'an op, as in arith.add');
    if (!name.text.includes('.'))
      lexer.fail('parse/syntax', `'${name.text}' is no op`, {
        token: name,
        remedy: 'write the dialect too, as in arith.add',
      });
    /* On a new line a value is the result of the next op: this one may have no operands. */
    const operands =
      lexer.peek().kind === 'value' && lexer.onLineOf(name) ? this.valueTokens().map((t) => this.use(t)) : [];
    const attrs = atAttrs(lexer) ? parseAttrs(lexer) : {};
    /* Results are numbered before what the regions define, in reading order, though their types follow the regions. */
    const first = this.reserve(results.length);
    const regions: Region[] = [];
    while (lexer.at('{')) regions.push(this.region());
    const types: Type[] = [];
    const colon = lexer.peek();
    if (lexer.accept(':')) {
      do types.push(parseType(lexer));
      while (lexer.accept(','));
    }
    if (types.length !== results.length)
      lexer.fail('parse/result-types', `${name.text} names ${results.length} results and ${types.length} types`, {
        token: types.length === 0 ? name : colon,
        remedy: 'write one type for each result after a colon',
      });
    return {
      name: name.text,
      operands,
      results: results.map((token, i) => this.define(token, types[i], first + i)),
      attrs,
      regions,
      loc: lexer.loc(name),
    };
  }

  private valueTokens(): readonly Token[] {
    const tokens: Token[] = [];
    do tokens.push(this.lexer.expectKind('value', 'a value, as in %x'));
    while (this.lexer.accept(','));
    return tokens;
  }

  private count = 0;

  private reserve(n: number): number {
    const first = this.count;
    this.count += n;
    return first;
  }

  private define(token: Token, type: Type, id: number = this.reserve(1)): Value {
    const { text } = token;
    const before = this.values.get(text);
    if (before !== undefined)
      this.lexer.fail('parse/duplicate-value', `%${text} is defined twice (first as ${typeText(before.type)})`, {
        token,
        remedy: 'rename one',
      });
    const value: Value = /^[0-9]/.test(text) ? { id, type } : { id, type, hint: text };
    this.values.set(text, value);
    return value;
  }

  private use(token: Token): Value {
    return (
      this.values.get(token.text) ??
      this.lexer.fail('parse/undefined-value', `%${token.text} is not defined above`, {
        token,
        remedy: 'define values before use',
      })
    );
  }
}
