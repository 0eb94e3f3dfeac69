/**
 * How many test files start the whole gateway, and from how many assemblies. Each gateway takes some three seconds of
 * processor time before the first test, each assembly two more: share what another file has, or test a smaller part.
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** Project files from which a file imports values. */
function importsOf(file: string): string[] {
  const imports = read(file).matchAll(/^import (?!type )([^;]*?) from '([^']+\.ts)'/gms);
  return [...imports].flatMap(([, names = '', specifier = '']) => {
    const values = names
      .replace(/[{}\s]/g, ' ')
      .split(',')
      .map((name) => name.trim());
    if (values.every((name) => name === '' || name.startsWith('type '))) return [];
    return specifier.startsWith('#') ? specifier.slice(1) : path.join(path.dirname(file), specifier);
  });
}

const starts = new Map<string, boolean>([['local/local-gateway.ts', true]]);

function startsGateway(file: string): boolean {
  const known = starts.get(file);
  if (known !== undefined) return known;
  starts.set(file, false);
  const result = importsOf(file).some(startsGateway);
  starts.set(file, result);
  return result;
}

it('start the gateway in at most 32 test files', () => {
  const files = globSync('test/**/*.test.ts', { cwd: root }).filter(startsGateway);

  expect(files).toContain('test/integration/costs.test.ts');
  expect(files).toContain('test/browser/account.test.ts');
  expect(files).not.toContain('test/local/functions/host.test.ts');
  expect(files.length).toBeLessThanOrEqual(32);
});

it('synthesize at most eight assemblies, with the one of npm start', () => {
  const calls = globSync('test/**/*.ts', { cwd: root })
    .filter((file) => file !== 'test/support/gateway-assembly.ts')
    .flatMap((file) =>
      [...read(file).matchAll(/await gatewayAssembly\(([^)]*)/g)].map(([, settings]) => settings),
    );

  expect(calls.length).toBeGreaterThan(10);
  expect(new Set(calls).size).toBeLessThanOrEqual(8);
});
