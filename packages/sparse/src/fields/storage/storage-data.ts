import { exactText, fail, type Attrs } from '@filigree/ir';
import type { FieldDecl } from '../layout/field-decl.js';
import type { Format, Formats, JointPlace, Stored } from '../layout/format.js';
import type { PlacedField, SNode } from '../layout/layout.js';
import { asWord } from '../layout/word.js';
import type { NodeStorage, Storage } from './storage.js';

/** A storage as plain data that JSON holds: for places where what it was made from is not at hand, nor the code that made it. */
export interface StorageData extends Omit<Storage, 'layout' | 'nodes'> {
  readonly nodes: readonly (Omit<NodeStorage, 'node'> & { readonly node: NodeData })[];
  readonly fields: readonly (Omit<PlacedField, 'field'> & { readonly field: string })[];
}

interface NodeData extends Omit<SNode, 'field' | 'stored'> {
  readonly field?: FieldData;
  readonly stored?: StoredData;
}

/* JSON has no NaN, no infinity and no −0. */
interface FieldData extends Omit<FieldDecl, 'ambient'> {
  readonly ambient: string;
}

interface FormatData {
  readonly name: string;
  readonly attrs: Attrs;
}

interface StoredData extends Omit<Stored, 'format' | 'joint' | 'elements'> {
  readonly format: FormatData;
  readonly joint?: { readonly shift: number; readonly members: readonly { field: FieldData; shift: number }[] };
  readonly elements?: { readonly field: FieldData; readonly format: FormatData; readonly count: number };
}

export const storageData = ({ layout, nodes, ...rest }: Storage): StorageData => ({
  ...rest,
  nodes: nodes.map(({ node: { field, stored, ...node }, ...storage }) => ({
    ...storage,
    node: { ...node, ...(field && { field: fieldData(field) }), ...(stored && { stored: storedData(stored) }) },
  })),
  fields: [...layout.fields.values()].map(({ field, ...place }) => ({ ...place, field: field.name })),
});

/** The storage of such data. Error: `layout/format` where a field is stored in a format that is not among those given. */
export const storageFrom = ({ nodes: data, fields, ...rest }: StorageData, formats: Formats): Storage => {
  const nodes = data.map(({ node: { field, stored, ...node }, ...storage }): NodeStorage => {
    const decl = field && fieldFrom(field);
    return {
      ...storage,
      node: { ...node, field: decl, stored: stored && storedFrom(stored, decl?.name ?? node.name, formats) },
    };
  });
  const named = new Map(nodes.map(({ node }) => [node.name, node]));
  return {
    ...rest,
    nodes,
    layout: {
      nodes: nodes.map(({ node }) => node),
      named,
      fields: new Map(fields.map(({ field, ...place }) => [field, { ...place, field: named.get(field)!.field! }])),
    },
  };
};

const fieldData = ({ ambient, ...field }: FieldDecl): FieldData => ({
  ...field,
  ambient: exactText(ambient),
});

const fieldFrom = ({ ambient, ...field }: FieldData): FieldDecl => ({ ...field, ambient: Number(ambient) });

const storedData = ({ format, joint, elements, ...rest }: Stored): StoredData => ({
  ...rest,
  format: formatData(format),
  ...(joint && {
    joint: { shift: joint.shift, members: joint.members.map((m) => ({ ...m, field: fieldData(m.field) })) },
  }),
  ...(elements && {
    elements: { ...elements, field: fieldData(elements.field), format: formatData(elements.format) },
  }),
});

const storedFrom = ({ format, joint, elements, ...rest }: StoredData, name: string, formats: Formats): Stored => {
  const made = elements ? asWord(rest.wordBits) : formatFrom(format, name, formats);
  return {
    ...rest,
    format: made,
    ...(joint && {
      joint: {
        by: made.joint as JointPlace['by'],
        shift: joint.shift,
        members: joint.members.map((m) => ({ ...m, field: fieldFrom(m.field) })),
      },
    }),
    ...(elements && {
      elements: {
        ...elements,
        field: fieldFrom(elements.field),
        format: formatFrom(elements.format, name, formats),
      },
    }),
  };
};

const formatData = ({ name, attrs }: Format): FormatData => ({ name, attrs });

const formatFrom = ({ name, attrs }: FormatData, field: string, formats: Formats): Format =>
  Object.hasOwn(formats, name)
    ? formats[name](attrs)
    : fail('layout/format', `field '${field}' is stored as '${name}', which is no format that is known here`, {
        remedy: 'give the formats: { formats: quantFormats }',
      });
