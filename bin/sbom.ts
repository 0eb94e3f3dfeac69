/** Prints a bill of materials of the functions' bundles, in CycloneDX: `npm run --silent sbom`. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { shippedPackages } from '#lib/functions/bundled-packages.ts';
import { billOfBundles } from './supply-chain/bill-of-materials.ts';

const installed = execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], {
  cwd: join(import.meta.dirname, '..'),
  encoding: 'utf8',
  maxBuffer: 100_000_000,
});
console.log(JSON.stringify(billOfBundles(JSON.parse(installed), shippedPackages()), null, 2));
