import { error, type Diagnostic } from '../diagnostics/diagnostic.js';
import type { Dialect, OpDef } from '../kernel/dialect.js';
import { extensionText, type Extension } from './extension.js';

/** What is wrong with the ops of an extension: they come from outside, where no type checker may have seen them. */
export const problemsOfDialects = (extension: Extension): readonly Diagnostic[] =>
  (extension.dialects ?? []).flatMap((dialect) =>
    Object.entries(dialect.ops ?? {}).flatMap(([name, def]) => problemsOfOp(extension, dialect, name, def)),
  );

const problemsOfOp = (extension: Extension, dialect: Dialect, name: string, def: OpDef): readonly Diagnostic[] => {
  const whose = `op '${name}' of dialect '${dialect.name}', which extension ${extensionText(extension)} brings,`;
  const lacks = lacking(def);
  return [
    ...(def.name !== name || !name.startsWith(`${dialect.name}.`)
      ? [
          error('extension/op', `${whose} has another name`, {
            remedy: `make dialects with dialect('${dialect.name}', […])`,
          }),
        ]
      : []),
    ...(lacks.length > 0
      ? [
          error('extension/op', `${whose} lacks ${lacks.join(', ')}`, {
            remedy: 'make ops with defineElementwise, defineBound or defineGeneral',
          }),
        ]
      : []),
    ...(typeof def.evaluate === 'function'
      ? []
      : [
          error('extension/meaning', `${whose} has no meaning`, {
            remedy: 'give it `evaluate`: what it does to values',
          }),
        ]),
  ];
};

const lacking = (def: OpDef): readonly string[] => [
  ...(['verify', 'resultTypes', 'effects'] as const).filter((member) => typeof def[member] !== 'function'),
  ...(typeof def.traits === 'object' && def.traits !== null ? [] : ['traits']),
];
