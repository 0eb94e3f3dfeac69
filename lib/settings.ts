/** The settings of a deployment: CDK context, from `cdk.json` or from `-c name=value`, where all of it is text. */

import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import {
  type ChatLimitRange,
  type ChatLimitSettings,
  chatLimitRanges,
  defaultChatLimits,
} from '#lambdas/inference/chat/limits.ts';
import { type ProviderSettingsByName, parseProviderSettings } from '#lambdas/inference/providers/settings.ts';
import { isJsonObject } from '#lambdas/platform/json/json.ts';

export interface Settings {
  stackName: string;
  /** How long CloudWatch keeps the logs of functions and of the API. */
  logRetention: RetentionDays;
  /** How long a log entry stays in its table; the costs made of it stay. */
  entryRetentionDays: number;
  chatMemoryMb: number;
  /** How many chat requests may run at once; `null` for as many as the account has room for. */
  chatConcurrency: number | null;
  /** How many environments of the chat function are kept ready, and paid for, used or not; `null` for none. */
  chatProvisionedConcurrency: number | null;
  /** How long and how much a chat request may take. */
  chatLimits: ChatLimitSettings;
  providers: ProviderSettingsByName;
}

/** What holds where the context says nothing. `cdk.json` repeats it, so that the settings can be seen there. */
export const defaultSettings = {
  stackName: 'AiGateway',
  logRetentionDays: 30,
  entryRetentionDays: 90,
  chatMemoryMb: 256,
  chatConcurrency: null,
  chatProvisionedConcurrency: null,
  chatLimits: {},
  providers: {},
} as const;

type SettingName = keyof typeof defaultSettings;

/** A function's whole environment holds 4 KB; the other variables need less than one of them. */
const providersLimitBytes = 3_000;

/** Throws an `Error` that names the setting and says what it must be. */
export function readSettings(readContext: (name: SettingName) => unknown): Settings {
  const read = (name: SettingName) => readContext(name) ?? defaultSettings[name];
  return {
    stackName: readStackName(read('stackName')),
    logRetention: readLogRetention(read('logRetentionDays')),
    entryRetentionDays: readWholeNumber(read('entryRetentionDays'), {
      name: 'entryRetentionDays',
      minimum: 1,
      maximum: 3_650,
    }),
    chatMemoryMb: readWholeNumber(read('chatMemoryMb'), {
      name: 'chatMemoryMb',
      minimum: 128,
      maximum: 10_240,
    }),
    ...readConcurrency(read),
    chatLimits: readChatLimits(
      fromText(read('chatLimits'), 'chatLimits must be JSON such as {"idleSeconds":60}'),
    ),
    providers: readProviders(read('providers')),
  };
}

function readStackName(value: unknown): string {
  if (typeof value !== 'string' || !/^[A-Za-z][A-Za-z0-9-]{0,127}$/.test(value)) {
    throw new Error(
      `stackName must start with a letter and hold letters, digits and hyphens, at most 128: got ${show(value)}`,
    );
  }
  return value;
}

function readLogRetention(value: unknown): RetentionDays {
  const days = toNumber(value);
  const allowed = Object.values(RetentionDays).filter(
    (entry) => typeof entry === 'number' && entry !== RetentionDays.INFINITE,
  );
  const found = allowed.find((entry) => entry === days);
  if (typeof found !== 'number') {
    throw new Error(`logRetentionDays must be one of ${allowed.join(', ')}: got ${show(value)}`);
  }
  return found;
}

function readWholeNumber(
  value: unknown,
  { name, minimum, maximum }: { name: SettingName; minimum: number; maximum: number },
): number {
  const number = toNumber(value);
  if (!Number.isInteger(number) || number < minimum || number > maximum) {
    throw new Error(`${name} must be a whole number from ${minimum} to ${maximum}: got ${show(value)}`);
  }
  return number;
}

/**
 * How much of either an account can set apart is up to the account, which keeps 100 for its other functions. Of what a
 * function has, Lambda provides no more than is reserved:
 * https://docs.aws.amazon.com/lambda/latest/dg/provisioned-concurrency.html
 */
function readConcurrency(read: (name: SettingName) => unknown) {
  const chatConcurrency = readCount(read('chatConcurrency'), 'chatConcurrency');
  const provisioned = readCount(read('chatProvisionedConcurrency'), 'chatProvisionedConcurrency');
  if (chatConcurrency !== null && provisioned !== null && provisioned > chatConcurrency) {
    throw new Error(
      `chatProvisionedConcurrency must not be above chatConcurrency, which is ${chatConcurrency}: got ${provisioned}`,
    );
  }
  return { chatConcurrency, chatProvisionedConcurrency: provisioned };
}

function readCount(value: unknown, name: SettingName): number | null {
  return value === null ? null : readWholeNumber(value, { name, minimum: 1, maximum: 100_000 });
}

function readChatLimits(value: unknown): ChatLimitSettings {
  if (!isJsonObject(value)) throw new Error('chatLimits must be an object such as {"idleSeconds":60}');
  for (const [name, limit] of Object.entries(value)) {
    if (!isLimitName(name)) {
      throw new Error(`chatLimits.${name} is not a setting: use ${Object.keys(chatLimitRanges).join(', ')}`);
    }
    checkLimit(`chatLimits.${name}`, limit, chatLimitRanges[name]);
  }
  return { ...defaultChatLimits, ...value };
}

function isLimitName(name: string): name is keyof ChatLimitSettings {
  return Object.hasOwn(chatLimitRanges, name);
}

function checkLimit(path: string, limit: unknown, { minimum, maximum, isWhole }: ChatLimitRange): void {
  const isNumber = isWhole ? Number.isInteger(limit) : Number.isFinite(limit);
  if (isNumber && Number(limit) >= minimum && Number(limit) <= maximum) return;
  const kind = isWhole ? 'a whole number' : 'a number';
  throw new Error(`${path} must be ${kind} from ${minimum} to ${maximum}: got ${show(limit)}`);
}

function readProviders(value: unknown): ProviderSettingsByName {
  const providers = parseProviderSettings(
    fromText(value, 'providers must be JSON such as {"vllm":{"baseUrl":"https://llm.example.com/v1"}}'),
  );
  const bytes = Buffer.byteLength(JSON.stringify(providers));
  if (bytes > providersLimitBytes) {
    throw new Error(
      `providers must fit in ${providersLimitBytes} bytes as JSON, because a function's environment is small: got ${bytes}`,
    );
  }
  return providers;
}

/** An object as `cdk.json` has it; with `-c` it is the text of one. */
function fromText(value: unknown, otherwise: string): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new Error(`${otherwise}: got ${value}`);
  }
}

/** `NaN` for anything that is not a number or the plain digits of one: `Number('')` would be 0. */
function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : Number.NaN;
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
