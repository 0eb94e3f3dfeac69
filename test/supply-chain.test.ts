/** Checks dependencies: pinned versions, verified content, no install scripts, permissive licences. */

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { licenceList } from '#bin/licences.ts';
import { billOfMaterials } from '#bin/sbom.ts';
import { priceDataVersion } from '#lambdas/pricing/table/price-data.ts';
import { dataPackages, deployedPackages } from '#lib/deployed-packages.ts';
import packageJson from '../package.json' with { type: 'json' };
import packageLock from '../package-lock.json' with { type: 'json' };

const root = resolve(import.meta.dirname, '..');

interface LockedPackage {
  version?: string;
  /** Set only for packages from sources other than the registry: the lock file omits the registry's URLs. */
  resolved?: string;
  integrity?: string;
  /** Set when the package is part of its parent's archive, whose integrity hash covers it. */
  inBundle?: boolean;
  /** Platforms that the package fits. */
  os?: string[];
  cpu?: string[];
  optional?: boolean;
  dev?: boolean;
  hasInstallScript?: boolean;
}

const { '': lockedProject, ...installed } = packageLock.packages as Record<string, LockedPackage>;
const lockedPackages = Object.entries(installed);
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

const { dependencies, devDependencies, optionalDependencies, engines } = packageJson;

describe('Dependencies', () => {
  it('pins every dependency to one version', () => {
    const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });

    expect(versions.length).toBeGreaterThan(30);
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it('has a lock file that matches package.json', () => {
    expect(lockedProject).toMatchObject({ dependencies, devDependencies, optionalDependencies, engines });
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      expect(installed[`node_modules/${name}`]?.version).toBe(version);
    }
  });

  it('installs every package from the registry with an integrity hash', () => {
    const unverified = lockedPackages.filter(
      ([, { integrity, inBundle }]) => !integrity?.startsWith('sha512-') && inBundle !== true,
    );
    const fromOtherSources = lockedPackages.filter(([, { resolved }]) => resolved !== undefined);

    // Binaries for other platforms, which have not been downloaded here. npm skips them where they do not fit.
    const platformBinaries = /^@(dynoxide\/|tailwindcss\/oxide-)/;
    const notForHere = unverified.filter(
      ([path, { optional, os, cpu }]) =>
        platformBinaries.test(nameOf(path)) &&
        optional === true &&
        (os?.[0] !== 'linux' || cpu?.[0] !== 'x64'),
    );
    expect(unverified).toEqual(notForHere);
    expect(fromOtherSources).toEqual([]);
  });

  it('allows install scripts only for Node, which installs its binary', () => {
    const withInstallScript = lockedPackages.filter(([, { hasInstallScript }]) => hasInstallScript === true);

    // With this setting, npm aborts the installation when a package has a script that is not in the list.
    expect(readFileSync(join(root, '.npmrc'), 'utf8')).toContain('strict-allow-scripts=true\n');
    expect(withInstallScript.map(([path]) => nameOf(path)).sort()).toEqual(
      Object.keys(packageJson.allowScripts).sort(),
    );
    expect(packageJson.allowScripts).toEqual({ node: true, esbuild: false });
  });
});

describe('Deployed packages', () => {
  const deployed = deployedPackages();
  const namesOf = (packages: readonly { name: string; version: string }[]) =>
    packages.map(({ name, version }) => `${name} ${version}`).sort();

  it('covers every bundled package with `npm audit --omit=dev`', () => {
    const audited = lockedPackages
      .filter(([, { dev }]) => dev !== true)
      .map(([path, { version }]) => `${nameOf(path)} ${version}`);

    const bundled = namesOf(deployed.filter((each) => !dataPackages.includes(each)));

    expect(bundled.length).toBeGreaterThan(10);
    expect(bundled.filter((name) => !audited.includes(name))).toEqual([]);
  });

  it('includes the price data, which is not an input of any bundle, in the deployed packages', () => {
    expect(deployed).toEqual(expect.arrayContaining([...dataPackages]));
    expect(dataPackages).toEqual([
      { name: '@pydantic/genai-prices', version: / ([^+]+)/.exec(priceDataVersion)?.[1], licence: 'MIT' },
    ]);
  });

  it('deploys only packages with licences that require no more than attribution', () => {
    // The font has a licence for fonts.
    const allowed = ['Apache-2.0', 'ISC', 'MIT', 'OFL-1.1'];

    expect(deployed.filter(({ licence }) => !allowed.includes(licence))).toEqual([]);
  });

  it('lists every deployed package in docs/licences.md; run `npm run licences` to update it', () => {
    expect(readFileSync(join(root, 'docs/licences.md'), 'utf8')).toBe(licenceList(deployed));
  });

  it('lists every deployed package in the SBOM that `npm run sbom` prints', () => {
    const bill = billOfMaterials(deployed);

    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
    expect(namesOf(bill.components)).toEqual(namesOf(deployed));
  });
});
