import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { loadSettings } from '#lib/settings/config-file.ts';
import { defaultSettings } from '#lib/settings/settings.ts';
import { SettingsError } from '#lib/settings/validation.ts';
import cdkConfiguration from '../../../cdk.json' with { type: 'json' };

const directories: string[] = [];
let projectDirectory: string;
beforeEach(() => {
  projectDirectory = mkdtempSync(join(tmpdir(), 'settings-'));
  directories.push(projectDirectory);
});
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

const write = (file: string, content: string) => writeFileSync(join(projectDirectory, file), content);
const load = (context: Record<string, unknown> = {}) =>
  loadSettings({ context, projectDirectory, workingDirectory: projectDirectory });

describe('loadSettings', () => {
  it('returns the defaults when there is no file', async () => {
    expect(await load()).toEqual(defaultSettings);
  });

  it.each([
    ['gateway.config.ts', "export default { chatMemoryMb: 512 satisfies number, stackName: 'Staging' };"],
    [
      'gateway.config.json',
      '{ "$schema": "./gateway.config.schema.json", "chatMemoryMb": 512, "stackName": "Staging" }',
    ],
  ])('reads %s', async (file, content) => {
    write(file, content);

    expect(await load()).toEqual({ ...defaultSettings, chatMemoryMb: 512, stackName: 'Staging' });
  });

  it.each(['staging.ts', 'staging.json'])('reads the file passed with `-c config=%s`', async (config) => {
    write('gateway.config.json', '{ "chatMemoryMb": 1024 }');
    write('staging.json', '{ "chatMemoryMb": 512 }');
    write('staging.ts', 'export default { chatMemoryMb: 512 };');

    expect(await load({ config })).toEqual({ ...defaultSettings, chatMemoryMb: 512 });
    expect(await load({ config: join(projectDirectory, config) })).toEqual(await load({ config }));
  });

  it('ignores context keys of CDK', async () => {
    const cliContext = { 'aws:cdk:bundling-stacks': ['**'], 'aws:cdk:enable-path-metadata': true };
    const lookupContext = { 'availability-zones:account=1:region=eu-central-1': ['eu-central-1a'] };

    expect(await load({ ...cdkConfiguration.context, ...cliContext, ...lookupContext })).toEqual(
      defaultSettings,
    );
  });
});

describe('loadSettings errors', () => {
  it.each<[string, string, string]>([
    [
      'gateway.config.json',
      '{ "chatMemory": 512 }',
      'gateway.config.json: chatMemory is not a setting: valid settings are',
    ],
    [
      'gateway.config.ts',
      'export default { stackName: 7 }',
      'gateway.config.ts: stackName must be at most 128',
    ],
    [
      'gateway.config.ts',
      'export const config = {};',
      'gateway.config.ts has no default export: write `export default',
    ],
    ['gateway.config.ts', "throw new Error('no STAGE\\nset');", 'gateway.config.ts cannot be read: no STAGE'],
    ['gateway.config.ts', 'export default { stackName: ', 'gateway.config.ts cannot be read: '],
    [
      'gateway.config.json',
      '{ "stackName": ',
      'gateway.config.json cannot be read: Unexpected end of JSON input',
    ],
    ['gateway.config.json', '[]', 'gateway.config.json: The configuration must be an object'],
  ])('reports in one line what is wrong in %s: %s', async (file, content, message) => {
    write(file, content);

    const errorMessage = await load().catch((error: Error) => error.message);

    expect(errorMessage).toContain(message);
    expect(errorMessage).not.toContain('\n');
  });

  it.each<[Record<string, unknown>, string]>([
    [
      { chatMemoryMb: '512' },
      'chatMemoryMb cannot be set with -c or in cdk.json: set it in gateway.config.ts, or in the file passed with -c config=FILE',
    ],
    [
      { chatMemory: '512' },
      'chatMemory is not a known context key: only -c config=FILE is supported, and settings belong in gateway.config.ts',
    ],
    [{ config: '' }, 'config must be the path of a .ts or .json file: got ""'],
    [{ config: 'staging.yaml' }, 'config must be the path of a .ts or .json file: got "staging.yaml"'],
  ])('rejects the context %j', async (context, message) => {
    await expect(load(context)).rejects.toThrow(new SettingsError(message));
  });

  it('rejects a config file that does not exist', async () => {
    await expect(load({ config: 'staging.ts' })).rejects.toThrow(
      new SettingsError(
        `The file passed with -c config=FILE does not exist: ${join(projectDirectory, 'staging.ts')}`,
      ),
    );
  });

  it('rejects two default files', async () => {
    write('gateway.config.ts', 'export default {};');
    write('gateway.config.json', '{}');

    await expect(load()).rejects.toThrow(
      new SettingsError('Found both gateway.config.ts and gateway.config.json: remove one of them'),
    );
  });
});
