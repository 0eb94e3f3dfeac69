import type { BundledPackage } from '#lib/functions/bundled-packages.ts';

/** Markdown. */
export function licenceList(packages: readonly BundledPackage[]): string {
  const rows = packages.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`);
  return [
    '# Licences',
    '',
    'The packages whose code or data is in the bundles of the functions. `npm run licences` writes this list.',
    '',
    '| Package | Version | Licence |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
