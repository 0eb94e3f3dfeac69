/** The schema of the settings in `gateway.config.ts`, with the validation, default and description of each setting. */

import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { z } from 'zod';
import { type ChatLimitSettings, defaultChatLimits } from '#lambdas/inference/exchange/limits.ts';
import { streamFlushMs } from '#lambdas/platform/http/event-stream.ts';
import { allowedOriginsSchema } from './allowed-origins.ts';
import { checkDashboardDomain, dashboardFields } from './dashboard.ts';
import { checkMonitoring, monitoringFields } from './monitoring.ts';
import { checkDefaultProvider, providersSchema } from './providers.ts';
import {
  messageWithInput,
  number,
  parseWith,
  settingsObject,
  trueOrFalse,
  wholeNumber,
} from './validation.ts';

/** The values of `RetentionDays`, without loading CDK, which takes a second. */
const logRetentionDays = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const satisfies readonly RetentionDays[];

/** The default total timeout is also the maximum, since it depends on the function's timeout. */
const { totalSeconds: maxSeconds } = defaultChatLimits;

const chatLimitsSchema = settingsObject({
  firstByteSeconds: number(0.1, maxSeconds)
    .default(defaultChatLimits.firstByteSeconds)
    .describe("Timeout in seconds for the first byte of the provider's response."),
  idleSeconds: number(0.1, maxSeconds)
    .default(defaultChatLimits.idleSeconds)
    .describe("Timeout in seconds between two chunks of the provider's response."),
  totalSeconds: number(0.1, maxSeconds)
    .default(defaultChatLimits.totalSeconds)
    .describe(
      'Timeout in seconds for the whole response. The remaining time of the function invocation also applies.',
    ),
  drainSeconds: number(0, maxSeconds)
    .default(defaultChatLimits.drainSeconds)
    .describe(
      'Maximum seconds for which a response is still read for its usage after the gateway has noticed a disconnect. AWS reports none: only callers who stop reading are noticed.',
    ),
  drainMegabytes: number(0, 200)
    .default(defaultChatLimits.drainMegabytes)
    .describe(
      'Maximum megabytes of a response that are still read for its usage after the gateway has noticed a disconnect.',
    ),
  retries: wholeNumber(0, 3)
    .default(defaultChatLimits.retries)
    .describe('Maximum number of times that a request is retried.'),
  retryAfterSeconds: number(0, 30)
    .default(defaultChatLimits.retryAfterSeconds)
    .describe('A request is not retried if the provider asks for a longer delay than this.'),
  heartbeatSeconds: number(0, maxSeconds)
    .default(defaultChatLimits.heartbeatSeconds)
    .describe('Seconds of silence after which a stream to the caller gets a comment. 0 for none.'),
} satisfies Record<keyof ChatLimitSettings, z.ZodType>);

export const settingsSchema = settingsObject({
  stackName: z
    .string(messageWithInput('must be at most 128 letters, digits and hyphens and start with a letter'))
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,127}$/)
    .default('AiGateway')
    .describe('Name of the CloudFormation stack.'),
  entryRetentionDays: wholeNumber(1, 3_650)
    .default(90)
    .describe('Days after which log entries expire. Cost rollups are kept.'),
  indexResponseIds: trueOrFalse()
    .default(false)
    .describe(
      'Whether an index finds log entries by the ids of their responses at once. Otherwise the entries are searched from the newest on.',
    ),
  auditRetentionDays: wholeNumber(1, 3_650)
    .default(400)
    .describe('Days after which records of the audit trail expire.'),
  logRetentionDays: z
    .literal(logRetentionDays, messageWithInput(`must be one of ${logRetentionDays.join(', ')}`))
    .default(30)
    .describe('Days for which CloudWatch keeps the logs of the functions and the API.'),
  chatMemoryMb: wholeNumber(128, 10_240).default(256).describe('Memory of the chat function in megabytes.'),
  chatConcurrency: wholeNumber(1, 100_000)
    .nullable()
    .default(null)
    .describe(
      'Reserved concurrency of the chat function, which is also its maximum. null uses the unreserved concurrency of the account.',
    ),
  chatProvisionedConcurrency: wholeNumber(1, 100_000)
    .nullable()
    .default(null)
    .describe('Provisioned concurrency of the chat function, which is billed even when idle. null for none.'),
  allowedOrigins: allowedOriginsSchema
    .default([])
    .describe('Origins of web pages from which browsers may call the API. By default, none may.'),
  chatLimits: chatLimitsSchema.prefault({}).describe('Timeouts and retries of chat requests.'),
  streamFlush: trueOrFalse()
    .default(false)
    .describe(
      'Sends a comment after each event of a stream that nothing follows at once, in case Lambda holds events back: see `npm run smoke`.',
    ),
  providers: providersSchema
    .default({})
    .describe(
      'Base URLs, regions, prices and models of providers, by provider name. Credentials are not settings.',
    ),
  defaultProvider: z
    .string(messageWithInput('must be the name of a provider, such as openai'))
    .nullable()
    .default(null)
    .describe('Provider of models without a prefix, such as `gpt-5.5`. By default, these are refused.'),
  agentSessions: trueOrFalse()
    .default(true)
    .describe('Whether the session that a coding agent sends becomes the session of its log entries.'),
  ...dashboardFields,
  ...monitoringFields,
}).superRefine((settings, { addIssue }) => {
  checkDashboardDomain(settings, { addIssue });
  checkMonitoring(settings, { addIssue });
  checkDefaultProvider(settings, { addIssue });
  const { chatConcurrency, chatProvisionedConcurrency } = settings;
  // https://docs.aws.amazon.com/lambda/latest/dg/provisioned-concurrency.html
  if (chatConcurrency === null || (chatProvisionedConcurrency ?? 0) <= chatConcurrency) return;
  const message = `must not exceed chatConcurrency (${chatConcurrency}): got ${chatProvisionedConcurrency}`;
  addIssue({ code: 'custom', path: ['chatProvisionedConcurrency'], message });
});

export type Settings = z.output<typeof settingsSchema>;

/** The time after which a function flushes an event of a stream; 0 for never. */
export function flushMsOf({ streamFlush }: Settings): number {
  return streamFlush ? streamFlushMs : 0;
}

/** The contents of a configuration file, in which every setting is optional. */
export type GatewayConfig = z.input<typeof settingsSchema>;

export const defaultSettings: Settings = settingsSchema.parse({});

/** Returns its argument; provides types for `gateway.config.ts`. */
export function defineConfig(config: GatewayConfig): GatewayConfig {
  return config;
}

/** Throws a `SettingsError` when a setting is unknown or invalid. */
export function parseSettings(config: unknown): Settings {
  return parseWith(settingsSchema, config);
}
