import type { Attr, Loc, Module, Op } from '@filigree/ir';

/** A place in a program where something may go wrong at run time; a status refers to it by its number. */
export interface Site {
  /** The op of the field dialect, for example `field.store`. */
  readonly access: string;
  /** The node accessed; of a field, its `place` node. */
  readonly node: number;
  readonly loc?: Loc;
}

/** The places of a module that `lowerAccess` has numbered. */
export const sitesOf = (module: Pick<Module, 'attrs'>): readonly Site[] =>
  Array.isArray(module.attrs.sites) ? (module.attrs.sites as readonly (readonly Attr[])[]).map(decode) : [];

/** The module with more places behind those it has. */
export const withSites = (module: Module, sites: readonly Site[]): Module =>
  sites.length === 0
    ? module
    : { ...module, attrs: { ...module.attrs, sites: [...sitesOf(module), ...sites].map(encode) } };

/** Numbers places; equal ones get one number. */
export class SiteTable {
  readonly sites: Site[] = [];
  private readonly numbers = new Map<string, number>();

  constructor(private readonly first: number) {}

  number(op: Op, node: number): number {
    const site: Site = { access: op.name, node, ...(op.loc ? { loc: op.loc } : {}) };
    const key = JSON.stringify(encode(site));
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    const number = this.first + this.sites.push(site) - 1;
    this.numbers.set(key, number);
    return number;
  }
}

const encode = ({ access, node, loc }: Site): readonly Attr[] =>
  loc ? [access, node, loc.file, loc.line, loc.column] : [access, node];

const decode = ([access, node, file, line, column]: readonly Attr[]): Site => ({
  access: String(access),
  node: Number(node),
  ...(file === undefined ? {} : { loc: { file: String(file), line: Number(line), column: Number(column) } }),
});
