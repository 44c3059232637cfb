import {
  error,
  isOwn,
  typeText,
  walk,
  type Diagnostic,
  type Diagnostics,
  type Module,
  type OwnType,
} from '@filigree/ir';

/** Says of a type of one's own that no target has it: `backend/own-type`. */
export const unlowered = (type: OwnType): Diagnostic =>
  error('backend/own-type', `values of type ${typeText(type)} are still there`, {
    remedy: `run the pass of '${type.own.split('.')[0]}' that lowers them before code is generated`,
  });

/** The types of one's own that a module still has, each once, as diagnostics. */
export const unloweredTypes = (module: Module): Diagnostics => {
  const found = new Map<string, Diagnostic>();
  for (const { body } of module.kernels)
    walk(body, ({ results, regions }) => {
      for (const { type } of [...results, ...regions.flatMap((r) => r.params)])
        if (isOwn(type)) found.set(typeText(type), unlowered(type));
    });
  return [...found.values()];
};
