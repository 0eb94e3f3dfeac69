import { expect, it } from 'vitest';
import { filterBillOfMaterials } from '#bin/sbom.ts';

const component = (name: string, version: string) => ({ 'bom-ref': `${name}@${version}`, name, version });
const bundledPackage = (name: string, version: string) => ({
  name,
  version,
  licence: 'MIT',
});

it('keeps only bundled packages and the dependencies between them', () => {
  const installed = {
    bomFormat: 'CycloneDX',
    metadata: { component: component('ai-gateway', '0.1.0') },
    components: [
      component('sdk', '1.0.0'),
      component('sdk', '2.0.0'),
      component('core', '1.0.0'),
      component('tool', '1.0.0'),
    ],
    dependencies: [
      { ref: 'ai-gateway@0.1.0', dependsOn: ['sdk@2.0.0', 'tool@1.0.0'] },
      { ref: 'sdk@2.0.0', dependsOn: ['core@1.0.0', 'tool@1.0.0'] },
      { ref: 'tool@1.0.0', dependsOn: ['core@1.0.0'] },
      { ref: 'core@1.0.0', dependsOn: [] },
    ],
  };

  expect(
    filterBillOfMaterials(installed, [bundledPackage('core', '1.0.0'), bundledPackage('sdk', '2.0.0')]),
  ).toEqual({
    bomFormat: 'CycloneDX',
    metadata: { component: component('ai-gateway', '0.1.0') },
    components: [component('sdk', '2.0.0'), component('core', '1.0.0')],
    dependencies: [
      { ref: 'ai-gateway@0.1.0', dependsOn: ['sdk@2.0.0'] },
      { ref: 'sdk@2.0.0', dependsOn: ['core@1.0.0'] },
      { ref: 'core@1.0.0', dependsOn: [] },
    ],
  });
});
