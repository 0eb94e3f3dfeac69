import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAwsSettings } from '#cli/connection/aws-settings.ts';

let directory: string;
let files: { AWS_CONFIG_FILE: string; AWS_SHARED_CREDENTIALS_FILE: string };

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'aws-settings-'));
  files = {
    AWS_CONFIG_FILE: join(directory, 'config'),
    AWS_SHARED_CREDENTIALS_FILE: join(directory, 'credentials'),
  };
});

afterEach(() => rm(directory, { recursive: true }));

function writeConfig(...lines: string[]): Promise<void> {
  return writeFile(files.AWS_CONFIG_FILE, lines.join('\n'));
}

function writeCredentials(...lines: string[]): Promise<void> {
  return writeFile(files.AWS_SHARED_CREDENTIALS_FILE, lines.join('\n'));
}

describe('The region of a command', () => {
  /** In the order of precedence. Each is the region that its source names. */
  const sources = [
    { region: 'eu-west-1', source: '--region' },
    { region: 'eu-west-2', source: 'AWS_REGION' },
    { region: 'eu-west-3', source: 'AWS_DEFAULT_REGION' },
    { region: 'eu-central-1', source: 'profile "work"' },
    { region: 'eu-north-1', source: 'profile "default"' },
    { region: 'us-east-1', source: "the CDK's default" },
  ] as const;

  const pairs = sources.flatMap((first, position) =>
    sources.slice(position + 1).map((second) => [first.source, second.source, first.region] as const),
  );

  it.each(pairs)('is that of %s rather than that of %s', async (first, second, region) => {
    const configured = (source: string) =>
      [first, second].includes(source as typeof first)
        ? sources.find((candidate) => candidate.source === source)?.region
        : undefined;
    const setting = (source: string) => {
      const value = configured(source);
      return value === undefined ? 'output = json' : `region = ${value}`;
    };
    await writeConfig('[profile work]', setting('profile "work"'), '[default]', setting('profile "default"'));

    const settings = await readAwsSettings(
      { region: configured('--region'), profile: 'work' },
      {
        ...files,
        AWS_REGION: configured('AWS_REGION'),
        AWS_DEFAULT_REGION: configured('AWS_DEFAULT_REGION'),
      },
    );

    expect(settings).toEqual({
      region,
      regionSource: first,
      profile: 'work',
      clientConfig: { region, profile: 'work' },
    });
  });

  it('is that of the credentials file rather than that of the config file', async () => {
    await writeConfig('[default]', 'region = eu-west-1');
    await writeCredentials('[default]', 'region = eu-west-2');

    expect(await readAwsSettings({}, files)).toEqual({
      region: 'eu-west-2',
      regionSource: 'profile "default"',
      profile: undefined,
      clientConfig: { region: 'eu-west-2' },
    });
  });

  it('does not come from variables that are empty', async () => {
    const environment = { ...files, AWS_REGION: '', AWS_DEFAULT_REGION: '', AWS_PROFILE: '' };

    expect(await readAwsSettings({}, environment)).toEqual({
      region: 'us-east-1',
      regionSource: "the CDK's default",
      profile: undefined,
      clientConfig: { region: 'us-east-1' },
    });
  });
});

describe('The profile of a command', () => {
  const names = ['--profile', 'AWS_PROFILE', 'AWS_DEFAULT_PROFILE'] as const;

  it.each(names.map((source, position) => [source, names.slice(position)] as const))(
    'is that of %s if %j name one',
    async (source, set) => {
      await writeConfig(...names.flatMap((name) => [`[profile of${name}]`, `region = region-of${name}`]));
      const named = (name: (typeof names)[number]) => (set.includes(name) ? `of${name}` : '');

      const settings = await readAwsSettings(
        { profile: named('--profile') },
        {
          ...files,
          AWS_PROFILE: named('AWS_PROFILE'),
          AWS_DEFAULT_PROFILE: named('AWS_DEFAULT_PROFILE'),
        },
      );

      expect(settings.profile).toBe(`of${source}`);
      expect(settings.region).toBe(`region-of${source}`);
    },
  );

  it('may be in the credentials file only', async () => {
    await writeCredentials('[work]', 'aws_access_key_id = test');

    expect(await readAwsSettings({ profile: 'work' }, files)).toEqual({
      region: 'us-east-1',
      regionSource: "the CDK's default",
      profile: 'work',
      clientConfig: { region: 'us-east-1', profile: 'work' },
    });
  });

  it.each([
    ['--profile', { profile: 'home' }, {}],
    ['AWS_PROFILE', {}, { AWS_PROFILE: 'home' }],
    ['AWS_DEFAULT_PROFILE', {}, { AWS_DEFAULT_PROFILE: 'home' }],
  ])('of %s must exist, also if the region is known', async (source, options, variables) => {
    await writeConfig('[profile work]', 'region = eu-west-1');

    await expect(
      readAwsSettings({ region: 'eu-west-1', ...options }, { ...files, ...variables }),
    ).rejects.toThrow(
      `The AWS profile "home" (${source}) was not found: "aws configure list-profiles" lists those that exist`,
    );
  });
});
