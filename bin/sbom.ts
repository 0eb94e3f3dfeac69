/** Prints a bill of materials of the functions' bundles, in CycloneDX: `npm run --silent sbom`. */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type BundledPackage, deployedPackages } from '#lib/functions/function-bundle.ts';

/** The fields that are read of CycloneDX: https://cyclonedx.org/docs/1.5/json/ */
export interface BillOfMaterials {
  metadata: { component: { 'bom-ref': string } };
  components: { 'bom-ref': string; name: string; version: string }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/**
 * `installed` is npm's bill of everything in the lock file. `npm sbom --omit=dev` would omit each package that a
 * development tool uses too, and so most of the AWS SDK.
 */
export function filterBillOfMaterials(
  installed: BillOfMaterials,
  bundled: readonly BundledPackage[],
): BillOfMaterials {
  const wanted = new Set(bundled.map(({ name, version }) => `${name}@${version}`));
  const components = installed.components.filter(({ name, version }) => wanted.has(`${name}@${version}`));
  const references = new Set(components.map((component) => component['bom-ref']));
  const root = installed.metadata.component['bom-ref'];
  return {
    ...installed,
    components,
    dependencies: installed.dependencies
      .filter(({ ref }) => ref === root || references.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => references.has(other)) })),
  };
}

/** The bill of materials of these packages, from npm's bill of the lock file. */
export function billOfMaterials(packages: readonly BundledPackage[]): BillOfMaterials {
  const installed = execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], {
    cwd: join(import.meta.dirname, '..'),
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  });
  return filterBillOfMaterials(JSON.parse(installed), packages);
}

if (import.meta.main) console.log(JSON.stringify(billOfMaterials(deployedPackages()), null, 2));
