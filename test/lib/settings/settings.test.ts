import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { settingsJsonSchema } from '#bin/config-schema.ts';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { type GatewayConfig, parseSettings, type Settings, settingsSchema } from '#lib/settings/settings.ts';
import { SettingsError } from '#lib/settings/validation.ts';

const root = join(import.meta.dirname, '../../..');

const chatLimits = {
  firstByteSeconds: 285,
  idleSeconds: 285,
  totalSeconds: 884,
  drainSeconds: 30,
  drainMegabytes: 10,
  retries: 1,
  retryAfterSeconds: 2,
  heartbeatSeconds: 15,
};

const dashboardSettings = {
  dashboard: true,
  dashboardDomain: null,
  dashboardCertificateArn: null,
  organizationCreators: [],
  signUp: 'invited',
  mailFrom: null,
  requireMfa: false,
  identityProvider: null,
} satisfies Partial<Settings>;

const monitoringSettings = {
  monitoring: 'alarms',
  alarmEmail: null,
  metricModels: [],
  tracing: false,
  canary: null,
} satisfies Partial<Settings>;

describe('parseSettings', () => {
  it('applies defaults to omitted settings', () => {
    expect(parseSettings({})).toEqual({
      stackName: 'AiGateway',
      entryRetentionDays: 90,
      indexResponseIds: false,
      auditRetentionDays: 400,
      logRetentionDays: 30,
      chatMemoryMb: 256,
      chatConcurrency: null,
      chatProvisionedConcurrency: null,
      chatLimits,
      streamFlush: false,
      allowedOrigins: [],
      providers: {},
      defaultProvider: null,
      agentSessions: true,
      ...dashboardSettings,
      ...monitoringSettings,
    } satisfies Settings);
  });

  it('returns the settings of the configuration', () => {
    const settings: Settings = {
      stackName: 'Staging',
      entryRetentionDays: 7,
      indexResponseIds: true,
      auditRetentionDays: 30,
      logRetentionDays: 365,
      chatMemoryMb: 1024,
      chatConcurrency: 50,
      chatProvisionedConcurrency: 20,
      chatLimits: { ...chatLimits, firstByteSeconds: 0.1, drainSeconds: 0, drainMegabytes: 0.5, retries: 3 },
      streamFlush: true,
      providers: { bedrock: { region: 'eu-central-1' } },
      defaultProvider: 'bedrock',
      agentSessions: false,
      allowedOrigins: ['https://app.example.com', 'http://localhost:5173'],
      ...dashboardSettings,
      ...monitoringSettings,
      dashboard: false,
    };

    expect(parseSettings(settings)).toEqual(settings);
    expect(parseSettings({ chatLimits: { retries: 0 } }).chatLimits).toEqual({ ...chatLimits, retries: 0 });
  });

  it.each<GatewayConfig>([
    { entryRetentionDays: 1, auditRetentionDays: 1, chatMemoryMb: 128, chatConcurrency: 1 },
    {
      entryRetentionDays: 3_650,
      auditRetentionDays: 3_650,
      chatMemoryMb: 10_240,
      chatConcurrency: 100_000,
    },
    { chatConcurrency: 20, chatProvisionedConcurrency: 20 },
    { defaultProvider: 'openai' },
    { defaultProvider: 'my-vllm', providers: { 'my-vllm': { baseUrl: 'https://llm.example.com/v1' } } },
  ])('accepts boundary values: %j', (config) => {
    expect(parseSettings(config)).toMatchObject(config);
  });
});

const stackNameMessage =
  'stackName must be at most 128 letters, digits and hyphens and start with a letter: got';
const logRetentionMessage =
  'logRetentionDays must be one of 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653: got';
const entryRetentionMessage = 'entryRetentionDays must be a whole number from 1 to 3650: got';
const auditRetentionMessage = 'auditRetentionDays must be a whole number from 1 to 3650: got';
const memoryMessage = 'chatMemoryMb must be a whole number from 128 to 10240: got';
const concurrencyMessage = 'chatConcurrency must be a whole number from 1 to 100000: got';
const provisionedMessage = 'chatProvisionedConcurrency must be a whole number from 1 to 100000: got';
const limitNames =
  'firstByteSeconds, idleSeconds, totalSeconds, drainSeconds, drainMegabytes, retries, retryAfterSeconds, heartbeatSeconds';
const settingNames =
  'stackName, entryRetentionDays, indexResponseIds, auditRetentionDays, logRetentionDays, chatMemoryMb, chatConcurrency, chatProvisionedConcurrency, allowedOrigins, chatLimits, streamFlush, providers, defaultProvider, agentSessions, dashboard, dashboardDomain, dashboardCertificateArn, organizationCreators, signUp, mailFrom, requireMfa, identityProvider, monitoring, alarmEmail, metricModels, tracing, canary';

describe('Invalid configurations', () => {
  it.each<[object, string]>([
    [{ stackName: '' }, `${stackNameMessage} ""`],
    [{ stackName: '1st' }, `${stackNameMessage} "1st"`],
    [{ stackName: 'my_gateway' }, `${stackNameMessage} "my_gateway"`],
    [{ stackName: 7 }, `${stackNameMessage} 7`],
    [{ logRetentionDays: 31 }, `${logRetentionMessage} 31`],
    [{ logRetentionDays: '30' }, `${logRetentionMessage} "30"`],
    [{ logRetentionDays: 9999 }, `${logRetentionMessage} 9999`],
    [{ entryRetentionDays: 0 }, `${entryRetentionMessage} 0`],
    [{ entryRetentionDays: 1.5 }, `${entryRetentionMessage} 1.5`],
    [{ entryRetentionDays: 3_651 }, `${entryRetentionMessage} 3651`],
    [{ auditRetentionDays: 0 }, `${auditRetentionMessage} 0`],
    [{ auditRetentionDays: 3_651 }, `${auditRetentionMessage} 3651`],
    [{ auditRetentionDays: '400' }, `${auditRetentionMessage} "400"`],
    [{ chatMemoryMb: 127 }, `${memoryMessage} 127`],
    [{ chatMemoryMb: 10_241 }, `${memoryMessage} 10241`],
    [{ chatMemoryMb: '256' }, `${memoryMessage} "256"`],
    [{ chatMemoryMb: null }, `${memoryMessage} null`],
    [{ chatConcurrency: 0 }, `${concurrencyMessage} 0`],
    [{ chatConcurrency: 100_001 }, `${concurrencyMessage} 100001`],
    [{ chatConcurrency: '50' }, `${concurrencyMessage} "50"`],
    [{ chatProvisionedConcurrency: 0 }, `${provisionedMessage} 0`],
    [{ chatProvisionedConcurrency: false }, `${provisionedMessage} false`],
    [
      { chatConcurrency: 20, chatProvisionedConcurrency: 21 },
      'chatProvisionedConcurrency must not exceed chatConcurrency (20): got 21',
    ],
    [{ indexResponseIds: 1 }, 'indexResponseIds must be true or false: got 1'],
    [{ agentSessions: 'no' }, 'agentSessions must be true or false: got "no"'],
    [{ defaultProvider: 7 }, 'defaultProvider must be the name of a provider, such as openai: got 7'],
    [
      { defaultProvider: 'my-vllm', providers: { vllm: { baseUrl: 'https://llm.example.com/v1' } } },
      `defaultProvider must be one of ${Object.keys(providerCatalog).join(', ')}, or another name in providers: got my-vllm`,
    ],
    [{ chatLimits: [] }, 'chatLimits must be an object'],
    [
      { chatLimits: { firstByteSeconds: 0.09 } },
      'chatLimits.firstByteSeconds must be a number from 0.1 to 884: got 0.09',
    ],
    [
      { chatLimits: { idleSeconds: '60' } },
      'chatLimits.idleSeconds must be a number from 0.1 to 884: got "60"',
    ],
    [
      { chatLimits: { totalSeconds: 884.1 } },
      'chatLimits.totalSeconds must be a number from 0.1 to 884: got 884.1',
    ],
    [{ chatLimits: { drainSeconds: -1 } }, 'chatLimits.drainSeconds must be a number from 0 to 884: got -1'],
    [
      { chatLimits: { drainMegabytes: 201 } },
      'chatLimits.drainMegabytes must be a number from 0 to 200: got 201',
    ],
    [
      { chatLimits: { drainMegabytes: null } },
      'chatLimits.drainMegabytes must be a number from 0 to 200: got null',
    ],
    [{ chatLimits: { retries: 4 } }, 'chatLimits.retries must be a whole number from 0 to 3: got 4'],
    [{ chatLimits: { retries: 0.5 } }, 'chatLimits.retries must be a whole number from 0 to 3: got 0.5'],
    [
      { chatLimits: { retryAfterSeconds: 31 } },
      'chatLimits.retryAfterSeconds must be a number from 0 to 30: got 31',
    ],
    [{ chatLimits: { idle: 1 } }, `chatLimits.idle is not a setting: valid settings are ${limitNames}`],
    [
      JSON.parse('{"chatLimits":{"__proto__":1}}'),
      `chatLimits.__proto__ is not a setting: valid settings are ${limitNames}`,
    ],
    [{ chatMemory: 256 }, `chatMemory is not a setting: valid settings are ${settingNames}`],
    [[], 'The configuration must be an object'],
    [
      { providers: { azure: {} } },
      'providers.azure.baseUrl is required: set the base URL of your resource or server, such as https://RESOURCE.openai.azure.com/openai/v1',
    ],
  ])('reports %j in one line that names the setting', (config, message) => {
    expect(() => parseSettings(config)).toThrow(new SettingsError(message));
  });

  it('reports each invalid setting on its own line', () => {
    expect(() => parseSettings({ chatMemoryMb: 1, chatLimits: { retries: 9 } })).toThrow(
      new SettingsError(`${memoryMessage} 1\nchatLimits.retries must be a whole number from 0 to 3: got 9`),
    );
  });
});

describe('Documentation of the settings', () => {
  it('publishes the settings in gateway.config.schema.json; run `npm run config-schema` to update it', () => {
    const published = readFileSync(join(root, 'gateway.config.schema.json'), 'utf8');

    expect(JSON.parse(published)).toEqual(settingsJsonSchema());
  });

  it('lists each setting with its default in README.md', () => {
    const rows = readFileSync(join(root, 'README.md'), 'utf8').matchAll(
      /^\| (`\w+`(?:, `\w+`)*) \| (.*?) \|/gm,
    );
    const documented = [...rows].flatMap(([, names = '', defaults = '']) => {
      const shown = readableList(defaults);
      // Settings that share a row also share its default, unless it has one for each.
      return readableList(names).map((name, index) => [name, shown[index] ?? shown[0]]);
    });
    const shownDefault = (value: unknown) =>
      typeof value === 'object' ? JSON.stringify(value) : String(value);
    const defaults = Object.entries({ ...parseSettings({}), chatLimits: {} }).map(([name, value]) => [
      name,
      value === null ? 'none' : shownDefault(value),
    ]);

    expect(documented).toHaveLength(defaults.length);
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(defaults));
  });

  it('shows each setting in gateway.config.ts, with its default unless it is an example', () => {
    const shown = commentedSettings(readFileSync(join(root, 'gateway.config.ts'), 'utf8'));
    const names = ({ isExample }: { isExample: boolean }) =>
      shown.filter((setting) => setting.isExample === isExample).map(({ name }) => name);
    const defaults: Record<string, unknown> = parseSettings({});
    const values = Object.fromEntries(shown.map(({ name, value }) => [name, value]));

    expect(shown.map(({ name }) => name)).toEqual(Object.keys(defaults));
    expect(names({ isExample: true })).toEqual(['providers', 'identityProvider', 'canary']);
    expect(() => parseSettings(values)).not.toThrow();
    for (const name of names({ isExample: false }))
      expect([name, values[name]]).toEqual([name, defaults[name]]);
  });

  it('describes every setting in its schema', () => {
    const shapes = [settingsSchema.shape, settingsSchema.shape.chatLimits.unwrap().shape];
    const schemas = shapes.flatMap((shape) => Object.entries(shape));

    expect(schemas.filter(([, schema]) => !schema.description?.endsWith('.')).map(([name]) => name)).toEqual(
      [],
    );
  });
});

/** Splits a cell such as "`[]`, `'invited'`" and removes the quotes. */
function readableList(cell: string): string[] {
  return cell.replaceAll(/[`']/g, '').split(', ');
}

interface CommentedSetting {
  name: string;
  value: unknown;
  isExample: boolean;
}

/** Reads settings such as `// stackName: 'AiGateway',`, with the comments above them. */
function commentedSettings(file: string): CommentedSetting[] {
  const lines = [...file.matchAll(/^ {2}\/\/ (.*)$/gm)].map(([, text = '']) => text);
  const settings = lines
    .join('\n')
    .matchAll(/(?<comment>(?:^.*\n)*?)^(?<name>\w+): (?<value>.*,$|\{\n(?: .*\n)+\},$)/gm);
  return [...settings].map(({ groups: { comment = '', name = '', value = '' } = {} }) => ({
    name,
    value: runInNewContext(`(${value.replace(/,$/, '')})`),
    isExample: comment.endsWith('example:\n'),
  }));
}
