/** Writes a small cloud assembly in the format of the CDK. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { createTemplateFixture, type TemplateFixtureOptions } from './template-fixture.ts';

const functionAssets = Object.fromEntries(
  ['probe', 'report', 'consumer'].map((name) => [name, resolve(import.meta.dirname, 'fixtures', name)]),
);
const stackName = 'Fixture';

/** `assets` are the directories of further assets by name; the object key of each is `<name>.zip`. */
export function writeAssemblyFixture(
  options: TemplateFixtureOptions,
  assets: Record<string, string> = {},
): string {
  const directory = mkdtempSync(join(tmpdir(), 'assembly-'));
  const write = (name: string, content: unknown) =>
    writeFileSync(join(directory, name), JSON.stringify(content));
  const templateFile = `${stackName}.template.json`;
  write(templateFile, createTemplateFixture(options));
  write(`${stackName}.assets.json`, {
    files: Object.fromEntries(
      Object.entries({ ...functionAssets, ...assets }).map(([name, path]) => [
        name,
        {
          source: { path: relative(directory, path) },
          destinations: { current: { objectKey: `${name}.zip` } },
        },
      ]),
    ),
  });
  write('manifest.json', {
    artifacts: {
      [stackName]: { type: 'aws:cloudformation:stack', properties: { templateFile } },
      Tree: { type: 'cdk:tree' },
    },
  });
  return directory;
}
