import { conformancePrograms, skips } from '@filigree/conformance';
import { explanations } from './explanations.js';

/** `docs/conformance.md`: what each backend leaves out of the suite, and why. Throws where a skip is not explained. */
export const skipsPage = (): string => {
  const count = conformancePrograms().length;
  const found = explanations.map(({ backend, of, explained, reorders = false }) => ({
    backend,
    skipped: skips(of(), { explained, reorders }),
  }));
  const sections = found
    .filter(({ skipped }) => skipped.length > 0)
    .map(({ backend, skipped }) => {
      const whys = [...new Set(skipped.map((s) => s.why!))];
      const rows = whys.map((why) => {
        const those = skipped.filter((s) => s.why === why).map((s) => s.program);
        return `| ${why} | ${those.length} | ${those.join('; ')} |`;
      });
      return ['', `## ${backend}`, '', '| why | programs | which |', '| --- | --- | --- |', ...rows].join('\n');
    });
  return `# What backends leave out

Written by \`npm run conformance:page\`. Every backend runs the ${count} programs of [the suite](../packages/conformance) and agrees with the interpreter, but for
those that stand here. A skip for any other reason fails.

| backend | programs | left out |
| --- | --- | --- |
${found.map(({ backend, skipped }) => `| ${backend} | ${count - skipped.length} | ${skipped.length} |`).join('\n')}
${sections.join('\n')}
`;
};
