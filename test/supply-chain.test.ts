/** What we take from others: pinned, of known content, running nothing when installed, and free to be used. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { licenceList } from '#bin/licences.ts';
import { billOfMaterials } from '#bin/sbom.ts';
import { priceDataVersion } from '#lambdas/pricing/price-data.ts';
import { dataPackages, deployedPackages } from '#lib/functions/function-bundle.ts';
import packageJson from '../package.json' with { type: 'json' };
import packageLock from '../package-lock.json' with { type: 'json' };

const root = resolve(import.meta.dirname, '..');

interface LockedPackage {
  version?: string;
  resolved?: string;
  integrity?: string;
  /** It is in the archive of the package around it, whose integrity covers it. */
  inBundle?: boolean;
  dev?: boolean;
  hasInstallScript?: boolean;
}

const { '': lockedProject, ...installed } = packageLock.packages as Record<string, LockedPackage>;
const lockedPackages = Object.entries(installed);
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

const { dependencies, devDependencies, optionalDependencies, engines } = packageJson;

describe('the dependencies', () => {
  it('are each pinned to one version', () => {
    const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });

    expect(versions.length).toBeGreaterThan(30);
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it('are those of the lock file', () => {
    expect(lockedProject).toMatchObject({ dependencies, devDependencies, optionalDependencies, engines });
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      expect(installed[`node_modules/${name}`]?.version).toBe(version);
    }
  });

  it('come from the registry, with their content as it was when they were chosen', () => {
    const unknown = lockedPackages.filter(
      ([, { integrity, inBundle }]) => !integrity?.startsWith('sha512-') && inBundle !== true,
    );
    const elsewhere = lockedPackages.filter(([, { resolved }]) => resolved !== undefined);

    expect(unknown).toEqual([]);
    expect(elsewhere).toEqual([]);
  });

  it('run nothing when they are installed, except Node itself, which puts its program in place', () => {
    const scripted = lockedPackages.filter(([, { hasInstallScript }]) => hasInstallScript === true);

    // With this setting, npm installs nothing when a package has a script that the list does not name.
    expect(readFileSync(join(root, '.npmrc'), 'utf8')).toContain('strict-allow-scripts=true\n');
    expect(scripted.map(([path]) => nameOf(path)).sort()).toEqual(
      Object.keys(packageJson.allowScripts).sort(),
    );
    expect(packageJson.allowScripts).toEqual({ node: true, esbuild: false });
  });
});

describe('what is deployed', () => {
  const shipped = deployedPackages();
  const namesOf = (packages: readonly { name: string; version: string }[]) =>
    packages.map(({ name, version }) => `${name} ${version}`).sort();

  it('is looked at by `npm audit --omit=dev` where it runs', () => {
    const audited = lockedPackages
      .filter(([, { dev }]) => dev !== true)
      .map(([path, { version }]) => `${nameOf(path)} ${version}`);

    const bundled = namesOf(shipped.filter((each) => !dataPackages.includes(each)));

    expect(bundled.length).toBeGreaterThan(10);
    expect(bundled.filter((name) => !audited.includes(name))).toEqual([]);
  });

  it('includes the prices, which no bundle shows', () => {
    expect(shipped).toEqual(expect.arrayContaining([...dataPackages]));
    expect(dataPackages).toEqual([
      { name: '@pydantic/genai-prices', version: priceDataVersion.split(' ')[1], licence: 'MIT' },
    ]);
  });

  it('has licences that ask for no more than to be named', () => {
    const allowed = ['Apache-2.0', 'MIT'];

    expect(shipped.filter(({ licence }) => !allowed.includes(licence))).toEqual([]);
  });

  it('is in docs/licences.md; `npm run licences` writes it', () => {
    expect(readFileSync(join(root, 'docs/licences.md'), 'utf8')).toBe(licenceList(shipped));
  });

  it('is in the bill of materials that `npm run sbom` prints', () => {
    const bill = billOfMaterials(shipped);

    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
    expect(namesOf(bill.components)).toEqual(namesOf(shipped));
  });
});
