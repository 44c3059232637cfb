import {
  differentiable,
  withGradients,
  withMarks,
  withTangents,
  type Marks,
  type WithGradients,
  type WithTangents,
} from '@filigree/autodiff';
import { fail } from '@filigree/ir';
import { componentsOf, type AnyField, type FieldDecl, type Layout } from '@filigree/sparse/fields';

/** What is asked for: derivatives of all fields of floats, or of some; nothing, of none. */
export type Asked = true | readonly AnyField[] | undefined;

/** A layout with what belongs to its fields. */
export interface Companions extends Omit<WithGradients, 'layout'>, WithTangents {
  /** Where accesses to fields are noted whose rules are checked. */
  readonly marks: Readonly<Record<string, Marks>>;
}

/**
 * A layout with the adjoints and tangents of fields; as it is where none are asked for. Errors: `program/differentiate`, `program/tangents`.
 *
 * @param checked whether accesses to fields with adjoints are watched
 */
export const withCompanions = (layout: Layout, differentiate: Asked, tangents: Asked, checked: boolean): Companions => {
  const adjoined = chosen(layout, differentiate, 'differentiate');
  const moved = chosen(layout, tangents, 'tangents');
  const { adjoints, layout: graded } = withGradients(layout, adjoined);
  const { layout: marked, marks } = withMarks(graded, checked ? adjoined : []);
  return { ...withTangents(marked, moved), adjoints, marks };
};

const chosen = (layout: Layout, asked: Asked, option: 'differentiate' | 'tangents'): readonly FieldDecl[] => {
  if (asked === undefined) return [];
  if (asked !== true && !Array.isArray(asked))
    fail(`program/${option}`, `${option} is true, or a list of fields`, { remedy: `write ${option}: true` });
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
