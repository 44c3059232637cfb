import { checkOptions, pass, type Arithmetic, type Pass } from '@filigree/ir';
import type { Template } from '../harvest/template.js';
import { defaultOptions, simplifySpec, type SimplifyOptions } from '../options.js';
import { constants } from './constants.js';
import { dagCost } from './cost.js';
import { products } from './products.js';
import { sums } from './sums.js';
import { foldColumns } from './fold-columns.js';
import { reciprocals } from './reciprocals.js';
import { compact, dropUnusedVariables, sweep, type Rule } from './sweep.js';
import type { Body, Harvest, HarvestedGroup } from '../harvest/harvested.js';

/**
 * Simplifies the template of every group (§4.5, App. D), as far as the arithmetic of the trace allows: `exact` programs are
 * left as they are, `range-keeping` ones share and precompute reciprocals. Leaves that a template no longer reads are dropped.
 */
export const simplify = (given?: Partial<SimplifyOptions> | false): Pass<Harvest, Harvest> => {
  const options = given !== false && simplifyOptions('simplify', given);
  return pass('simplify', (h) => {
    if (options === false || h.graph.arithmetic === 'exact') return h;
    const body = <B extends Body>(b: B): B => simplifyBody(b, options);
    return {
      ...h,
      harvested: h.harvested.map((g): HarvestedGroup => ({
        ...g,
        body: g.body && body(g.body),
        segments: g.segments.map(body),
      })),
    };
  });
};

/**
 * An equivalent template of no higher cost: rules are swept over it, bottom up, until its cost (see `dagCost`) stops
 * falling, and what a sweep makes is kept only if the cost fell. The result has the same variables, in a graph of its own.
 */
export const simplifyTemplate = (template: Template, given?: Partial<SimplifyOptions>): Template =>
  simplified(template, simplifyOptions('simplifyTemplate', given));

const simplifyOptions = (what: string, given: Partial<SimplifyOptions> | undefined): SimplifyOptions => ({
  ...(defaultOptions.simplify as SimplifyOptions),
  ...checkOptions<Partial<SimplifyOptions>>(what, given, simplifySpec),
});

const simplified = (template: Template, options: SimplifyOptions): Template => {
  const rules = rulesOf(options, template.graph.arithmetic);
  if (rules.length === 0) return template;
  let best = compact(template);
  let cost = dagCost(best.graph, best.roots);
  const tries = rules.flatMap((rule) => [
    { rule, deep: false },
    { rule, deep: true },
  ]);
  /* Until every rule in turn has found nothing. */
  for (let next = 0, idle = 0; tries.length > 0 && idle < tries.length; next = (next + 1) % tries.length) {
    const { rule, deep } = tries[next];
    const found = deep && best.graph.length > MAX_DEEP_NODES ? undefined : sweep(best, rule, deep);
    const foundCost = found ? dagCost(found.graph, found.roots) : Infinity;
    if (found && foundCost < cost) {
      best = compact(found);
      cost = dagCost(best.graph, best.roots);
      idle = 0;
    } else idle++;
  }
  return best;
};

/** Templates beyond this are not searched for rewrites across shared expressions. */
const MAX_DEEP_NODES = 8192;

const rulesOf = (options: SimplifyOptions, arithmetic: Arithmetic): Rule[] => {
  if (arithmetic === 'exact') return [];
  if (arithmetic === 'range-keeping') return options.fractions ? [reciprocals] : [];
  return [
    ...(options.constants ? [constants(options)] : []),
    ...(options.fractions || options.roots ? [products(options)] : []),
    ...(!options.keepSums && (options.factor || options.summands) ? [sums(options)] : []),
  ];
};

const simplifyBody = <B extends Body>(body: B, options: SimplifyOptions): B => {
  const n = body.columns.length;
  const template = simplifyTemplate(body.template, options);
  const folded = foldColumns({ template, leaves: n, constants: body.constants }, options);
  const { template: small, used } = dropUnusedVariables(folded.template);
  return {
    ...body,
    template: small,
    columns: used.filter((k) => k < n).map((k) => body.columns[k]),
    constants: used.filter((k) => k >= n).map((k) => folded.constants[k - n]),
  };
};
