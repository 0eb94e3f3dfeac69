import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, it } from 'vitest';
import { defaultChatLimits } from '#lambdas/inference/chat/limits.ts';
import { defaultSettings, readSettings } from '#lib/settings.ts';
import cdkConfiguration from '../../cdk.json' with { type: 'json' };

const read = (context: Record<string, unknown>) => readSettings((name) => context[name]);

describe('settings', () => {
  it('have defaults that work', () => {
    expect(read({})).toEqual({
      stackName: 'AiGateway',
      logRetention: RetentionDays.ONE_MONTH,
      entryRetentionDays: 90,
      chatMemoryMb: 256,
      chatConcurrency: null,
      chatProvisionedConcurrency: null,
      chatLimits: defaultChatLimits,
      providers: {},
    });
  });

  it('are listed in cdk.json with these defaults', () => {
    expect(cdkConfiguration.context).toMatchObject(defaultSettings);
  });

  it('come as text from the command line', () => {
    const settings = read({
      stackName: 'Staging',
      logRetentionDays: '365',
      entryRetentionDays: '7',
      chatMemoryMb: '1024',
      chatConcurrency: '50',
      chatProvisionedConcurrency: '20',
      chatLimits: '{"retries":0}',
      providers: '{"vllm":{"baseUrl":"http://10.0.0.5:8000/v1","private":true}}',
    });

    expect(settings).toEqual({
      stackName: 'Staging',
      logRetention: RetentionDays.ONE_YEAR,
      entryRetentionDays: 7,
      chatMemoryMb: 1024,
      chatConcurrency: 50,
      chatProvisionedConcurrency: 20,
      chatLimits: { ...defaultChatLimits, retries: 0 },
      providers: { vllm: { baseUrl: 'http://10.0.0.5:8000/v1', private: true } },
    });
  });

  it('take the limits themselves', () => {
    expect(read({ entryRetentionDays: 1, chatMemoryMb: 128 })).toMatchObject({
      entryRetentionDays: 1,
      chatMemoryMb: 128,
    });
    expect(read({ entryRetentionDays: 3_650, chatMemoryMb: 10_240 })).toMatchObject({
      entryRetentionDays: 3_650,
      chatMemoryMb: 10_240,
    });
  });
});

const badStackName =
  'stackName must start with a letter and hold letters, digits and hyphens, at most 128: got';
const badLogRetention =
  'logRetentionDays must be one of 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653: got';
const badEntryRetention = 'entryRetentionDays must be a whole number from 1 to 3650: got';
const badChatConcurrency = 'chatConcurrency must be a whole number from 1 to 100000: got';
const badProvisioned = 'chatProvisionedConcurrency must be a whole number from 1 to 100000: got';
const badChatMemory = 'chatMemoryMb must be a whole number from 128 to 10240: got';

describe('a setting that cannot be is refused by name', () => {
  it.each([
    ['stackName', '', `${badStackName} ""`],
    ['stackName', '1st', `${badStackName} "1st"`],
    ['stackName', 'my_gateway', `${badStackName} "my_gateway"`],
    ['stackName', 7, `${badStackName} 7`],
    ['logRetentionDays', 31, `${badLogRetention} 31`],
    ['logRetentionDays', '31', `${badLogRetention} "31"`],
    ['logRetentionDays', 'forever', `${badLogRetention} "forever"`],
    ['logRetentionDays', 9999, `${badLogRetention} 9999`],
    ['logRetentionDays', 'ONE_MONTH', `${badLogRetention} "ONE_MONTH"`],
    ['entryRetentionDays', 0, `${badEntryRetention} 0`],
    ['entryRetentionDays', '', `${badEntryRetention} ""`],
    ['entryRetentionDays', '1.5', `${badEntryRetention} "1.5"`],
    ['entryRetentionDays', -1, `${badEntryRetention} -1`],
    ['entryRetentionDays', 3_651, `${badEntryRetention} 3651`],
    ['chatMemoryMb', 127, `${badChatMemory} 127`],
    ['chatMemoryMb', 10_241, `${badChatMemory} 10241`],
    ['chatMemoryMb', '256 MB', `${badChatMemory} "256 MB"`],
    ['chatMemoryMb', true, `${badChatMemory} true`],
    ['chatConcurrency', 0, `${badChatConcurrency} 0`],
    ['chatConcurrency', '1.5', `${badChatConcurrency} "1.5"`],
    ['chatConcurrency', 'none', `${badChatConcurrency} "none"`],
    ['chatProvisionedConcurrency', 0, `${badProvisioned} 0`],
    ['chatProvisionedConcurrency', '2.5', `${badProvisioned} "2.5"`],
    ['chatProvisionedConcurrency', false, `${badProvisioned} false`],
    [
      'providers',
      'vllm=http://10.0.0.5',
      'providers must be JSON such as {"vllm":{"baseUrl":"https://llm.example.com/v1"}}: got vllm=http://10.0.0.5',
    ],
    ['providers', [], 'providers must be an object'],
    ['chatLimits', 'retries=0', 'chatLimits must be JSON such as {"idleSeconds":60}: got retries=0'],
    ['chatLimits', { retries: 9 }, 'chatLimits.retries must be a whole number from 0 to 3: got 9'],
    ['chatLimits', { retries: 0.5 }, 'chatLimits.retries must be a whole number from 0 to 3: got 0.5'],
    ['chatLimits', { retries: -1 }, 'chatLimits.retries must be a whole number from 0 to 3: got -1'],
    [
      'chatLimits',
      { firstByteSeconds: 0.09 },
      'chatLimits.firstByteSeconds must be a number from 0.1 to 888: got 0.09',
    ],
    [
      'chatLimits',
      { firstByteSeconds: 888.1 },
      'chatLimits.firstByteSeconds must be a number from 0.1 to 888: got 888.1',
    ],
    [
      'chatLimits',
      { idleSeconds: '60' },
      'chatLimits.idleSeconds must be a number from 0.1 to 888: got "60"',
    ],
    [
      'chatLimits',
      { totalSeconds: 900 },
      'chatLimits.totalSeconds must be a number from 0.1 to 888: got 900',
    ],
    ['chatLimits', { drainSeconds: -1 }, 'chatLimits.drainSeconds must be a number from 0 to 888: got -1'],
    [
      'chatLimits',
      { drainMegabytes: null },
      'chatLimits.drainMegabytes must be a number from 0 to 200: got null',
    ],
    [
      'chatLimits',
      { retryAfterSeconds: 31 },
      'chatLimits.retryAfterSeconds must be a number from 0 to 30: got 31',
    ],
    [
      'chatLimits',
      { idle: 1 },
      'chatLimits.idle is not a setting: use firstByteSeconds, idleSeconds, totalSeconds, drainSeconds, drainMegabytes, retries, retryAfterSeconds',
    ],
    [
      'chatLimits',
      JSON.parse('{"__proto__":1}'),
      'chatLimits.__proto__ is not a setting: use firstByteSeconds, idleSeconds, totalSeconds, drainSeconds, drainMegabytes, retries, retryAfterSeconds',
    ],
    ['chatLimits', [], 'chatLimits must be an object such as {"idleSeconds":60}'],
    [
      'providers',
      { vllm: { baseUrl: 'ftp://10.0.0.5' } },
      'providers.vllm.baseUrl must be an http or https URL without a query, such as https://llm.example.com/v1',
    ],
    [
      'providers',
      '{"vllm":{"url":"x"}}',
      'providers.vllm.url is not a setting: use baseUrl, private, region, prices or models',
    ],
    ...[
      { vllm: { models: 'llama' } },
      { vllm: { models: ['llama', ''] } },
      { vllm: { models: ['a b'] } },
    ].map((providers): [string, unknown, string] => [
      'providers',
      providers,
      'providers.vllm.models must be a list of names of models, such as ["llama-3.3-70b"]',
    ]),
  ])('%s: %j', (name, value, message) => {
    expect(() => read({ [name]: value })).toThrow(new Error(message));
  });

  it('more environments kept ready than may run', () => {
    expect(read({ chatConcurrency: 20, chatProvisionedConcurrency: 20 })).toMatchObject({
      chatProvisionedConcurrency: 20,
    });
    expect(() => read({ chatConcurrency: 20, chatProvisionedConcurrency: '21' })).toThrow(
      new Error('chatProvisionedConcurrency must not be above chatConcurrency, which is 20: got 21'),
    );
  });

  it('providers that do not fit in the environment of a function', () => {
    const names = Array.from({ length: 100 }, (_, index) => `self-hosted-${index}`);
    const providers = Object.fromEntries(
      names.map((name) => [name, { baseUrl: 'https://llm.example.com/v1' }]),
    );

    expect(() => read({ providers })).toThrow(
      new Error(
        "providers must fit in 3000 bytes as JSON, because a function's environment is small: got 5791",
      ),
    );
  });
});
