/** Writes `docs/licences.md`: `npm run licences`. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BundledPackage, deployedPackages } from '#lib/functions/function-bundle.ts';

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

if (import.meta.main) {
  writeFileSync(join(import.meta.dirname, '../docs/licences.md'), licenceList(deployedPackages()));
}
