/** Whether a free name may be what a module loader makes of an import: `__vi_import_0__.range`, `import_lang.range`, `lang_1.range`. */
export const isLoaderName = (name: string): boolean => isOfLoader(name) || /^(_\w+|\w+_\d+)$/.test(name);

/** Which name is missing where `loader.member` stands for nothing: an import, or `_state` in `_state.n`, as authors name what is theirs. */
export const missingName = (loader: string, member: string): string => (isOfLoader(loader) ? member : loader);

/* No author writes these. */
const isOfLoader = (name: string): boolean => /^(__\w+_import_\d+__|import_\w+)$/.test(name);
