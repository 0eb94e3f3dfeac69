/**
 * Prints the software bill of materials (SBOM) of the function bundles in CycloneDX format: `npm run --silent sbom`.
 */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type BundledPackage, deployedPackages } from '#lib/deployed-packages.ts';
import { standardOutput } from '#lib/terminal-output.mjs';

/** The fields of CycloneDX that are used here: https://cyclonedx.org/docs/1.5/json/ */
interface BillOfMaterials {
  metadata: { component: { 'bom-ref': string } };
  components: { 'bom-ref': string; name: string; version: string }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/**
 * Reduces the SBOM of the lock file to the bundled packages. `npm sbom --omit=dev` cannot do this: it would also omit
 * packages that development tools use too, such as most of the AWS SDK.
 */
export function filterBillOfMaterials(
  installed: BillOfMaterials,
  bundled: readonly BundledPackage[],
): BillOfMaterials {
  const bundledIds = new Set(bundled.map(({ name, version }) => `${name}@${version}`));
  const components = installed.components.filter(({ name, version }) => bundledIds.has(`${name}@${version}`));
  const references = new Set(components.map((component) => component['bom-ref']));
  const root = installed.metadata.component['bom-ref'];
  return {
    ...installed,
    components,
    dependencies: installed.dependencies
      .filter(({ ref }) => ref === root || references.has(ref))
      .map(({ ref, dependsOn }) => ({
        ref,
        dependsOn: dependsOn.filter((dependency) => references.has(dependency)),
      })),
  };
}

export function billOfMaterials(packages: readonly BundledPackage[]): BillOfMaterials {
  const installed = execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], {
    cwd: join(import.meta.dirname, '..'),
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  });
  return filterBillOfMaterials(JSON.parse(installed), packages);
}

if (import.meta.main) {
  standardOutput.write(`${JSON.stringify(billOfMaterials(deployedPackages()), null, 2)}\n`);
}
