import {
  differentiable,
  tangentField,
  withGradients,
  withMarks,
  withTangents,
  type Marks,
  type WithGradients,
  type WithTangents,
} from '@filigree/autodiff';
import { describeValue, fail } from '@filigree/ir';
import { noteOrigin } from '../program/shared-layout.js';
import { componentsOf, isField, type AnyField, type FieldDecl, type Layout } from '@filigree/sparse/fields';

/** What is asked for: derivatives of all fields of floats, or of some; nothing, or `false`, of none. */
export type Asked = boolean | readonly AnyField[] | undefined;

/** What derivatives a program is made with. */
export interface AskedDerivatives {
  readonly differentiate?: Asked;
  readonly tangents?: Asked;
  readonly hessianProducts?: Asked;
}

/** A layout with what belongs to its fields. */
export interface Companions extends Omit<WithGradients, 'layout'>, WithTangents {
  /** Where accesses to fields are noted whose rules are checked. */
  readonly marks: Readonly<Record<string, Marks>>;
  /** The names of the scalar fields that are differentiated twice and of their tangents, each with that of its adjoint. */
  readonly second: Readonly<Record<string, string>>;
}

/**
 * A layout with the adjoints and tangents of fields, and the adjoints of tangents; as it is where none are asked for. Errors: `program/differentiate`,
 * `program/tangents`, `program/hessianProducts`.
 *
 * @param checked whether accesses to fields with adjoints are watched
 */
export const withCompanions = (layout: Layout, asked: AskedDerivatives, checked: boolean): Companions => {
  const [adjoined, moved, twice] = OPTIONS.map((option) => chosen(layout, asked[option], option));
  const { adjoints, layout: graded } = withGradients(layout, adjoined);
  const { layout: marked, marks } = withMarks(graded, checked ? adjoined : []);
  const { tangents, layout: bent } = withTangents(marked, [...new Set([...moved, ...twice])]);
  const { adjoints: second, layout: all } = withGradients(bent, [...twice, ...twice.map(tangentField)]);
  noteOrigin(all, layout);
  return { adjoints, marks, tangents, second, layout: all };
};

const OPTIONS = ['differentiate', 'tangents', 'hessianProducts'] as const;

const chosen = (layout: Layout, asked: Asked, option: keyof AskedDerivatives): readonly FieldDecl[] => {
  if (!asked) return [];
  if (asked !== true && !Array.isArray(asked))
    fail(`program/${option}`, `${option} is true, or a list of fields`, { remedy: `write ${option}: true` });
  const odd = asked === true ? -1 : asked.findIndex((f) => !isField(f));
  if (asked !== true && odd >= 0)
    fail(`program/${option}`, `${describeValue(asked[odd])} is no field to differentiate`, {
      remedy: `name fields that were placed in the layout, or write ${option}: true`,
    });
  const primals = asked === true ? differentiable(layout) : asked.flatMap(componentsOf);
  const foreign = primals.find((f) => layout.fields.get(f.name)?.field !== f);
  if (foreign)
    fail(`program/${option}`, `field '${foreign.name}' is to be differentiated, and not in the layout`, {
      remedy: 'place it, or leave it out',
    });
  if (primals.length === 0)
    fail(`program/${option}`, 'there is no field of floats to differentiate', { remedy: `leave ${option} out` });
  return primals;
};
