/** The bill of materials of what is deployed, from npm's of all that the lock file names. */
import type { BundledPackage } from '#lib/functions/bundled-packages.ts';

/** What is looked at of CycloneDX: https://cyclonedx.org/docs/1.5/json/ */
export interface BillOfMaterials {
  metadata: { component: { 'bom-ref': string } };
  components: { 'bom-ref': string; name: string; version: string }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/**
 * `npm sbom --omit=dev` would leave out each package that a tool of ours uses too, and so most of what the AWS SDK
 * consists of.
 */
export function billOfBundles(
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
