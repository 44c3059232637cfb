/** Whether a free name may be what a module loader makes of an import: `__vi_import_0__.range`, `import_lang.range`, `lang_1.range`. */
export const isLoaderName = (name: string): boolean => /^(__\w+_import_\d+__|import_\w+|_\w+|\w+_\d+)$/.test(name);
