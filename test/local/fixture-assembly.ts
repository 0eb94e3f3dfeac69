/** Writes a small cloud assembly in the format of the CDK. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { createFixtureTemplate, type FixtureOptions } from './fixture-template.ts';

const handlers = resolve(import.meta.dirname, 'fixtures');
const stackName = 'Fixture';

export function writeFixtureAssembly(options: FixtureOptions): string {
  const directory = mkdtempSync(join(tmpdir(), 'assembly-'));
  const write = (name: string, content: unknown) =>
    writeFileSync(join(directory, name), JSON.stringify(content));
  const templateFile = `${stackName}.template.json`;
  write(templateFile, createFixtureTemplate(options));
  write(`${stackName}.assets.json`, {
    files: Object.fromEntries(['probe', 'report', 'consumer'].map((name) => [name, asset(directory, name)])),
  });
  write('manifest.json', {
    artifacts: {
      [stackName]: { type: 'aws:cloudformation:stack', properties: { templateFile } },
      Tree: { type: 'cdk:tree' },
    },
  });
  return directory;
}

function asset(directory: string, name: string) {
  return {
    source: { path: relative(directory, join(handlers, name)) },
    destinations: { current: { objectKey: `${name}.zip` } },
  };
}
