/** The settings of a deployment, one entry each: rules, default, description. `gateway.config.ts` gives their values. */

import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { z } from 'zod';
import { type ChatLimitSettings, defaultChatLimits } from '#lambdas/inference/chat/limits.ts';
import { providersSchema } from './settings/providers.ts';
import { messageWithInput, number, parseWith, settingsObject, wholeNumber } from './settings/validation.ts';

const logRetentionDays = Object.values(RetentionDays).filter(
  (days): days is RetentionDays => typeof days === 'number' && days !== RetentionDays.INFINITE,
);

/** The default is also the maximum: what the function's time allows. */
const { totalSeconds: maxSeconds } = defaultChatLimits;

const chatLimits = settingsObject({
  firstByteSeconds: number(0.1, maxSeconds)
    .default(defaultChatLimits.firstByteSeconds)
    .describe("Silence of the provider until the response's first byte."),
  idleSeconds: number(0.1, maxSeconds)
    .default(defaultChatLimits.idleSeconds)
    .describe('Silence of the provider between two pieces of the response.'),
  totalSeconds: number(0.1, maxSeconds)
    .default(defaultChatLimits.totalSeconds)
    .describe('The whole response. The time that the function has left is a limit too.'),
  drainSeconds: number(0, maxSeconds)
    .default(defaultChatLimits.drainSeconds)
    .describe('How long a response is read on for its usage when the caller has disconnected.'),
  drainMegabytes: number(0, 200)
    .default(defaultChatLimits.drainMegabytes)
    .describe('How much of a response is read on for its usage when the caller has disconnected.'),
  retries: wholeNumber(0, 3)
    .default(defaultChatLimits.retries)
    .describe('How often a request is sent again.'),
  retryAfterSeconds: number(0, 30)
    .default(defaultChatLimits.retryAfterSeconds)
    .describe('A provider that asks for a longer wait is not asked again.'),
} satisfies Record<keyof ChatLimitSettings, z.ZodType>);

export const settingsSchema = settingsObject({
  stackName: z
    .string(messageWithInput('must start with a letter and have letters, digits and hyphens, at most 128'))
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,127}$/)
    .default('AiGateway')
    .describe('Name of the CloudFormation stack.'),
  entryRetentionDays: wholeNumber(1, 3_650)
    .default(90)
    .describe('Days after which log entries expire. Cost rollups stay.'),
  logRetentionDays: z
    .literal(logRetentionDays, messageWithInput(`must be one of ${logRetentionDays.join(', ')}`))
    .default(RetentionDays.ONE_MONTH)
    .describe('Days for which CloudWatch keeps the logs of the functions and of the API.'),
  chatMemoryMb: wholeNumber(128, 10_240).default(256).describe('Memory of the chat function, in megabytes.'),
  chatConcurrency: wholeNumber(1, 100_000)
    .nullable()
    .default(null)
    .describe(
      'Chat requests that run at the same time, reserved and limited; null for what the account has left.',
    ),
  chatProvisionedConcurrency: wholeNumber(1, 100_000)
    .nullable()
    .default(null)
    .describe(
      'Environments of the chat function that are kept ready, and paid for when idle; null for none.',
    ),
  chatLimits: chatLimits.prefault({}).describe('Deadlines and retries of a chat request.'),
  providers: providersSchema
    .default({})
    .describe('Addresses, regions, prices and models of providers, by name; credentials are not settings.'),
}).superRefine(({ chatConcurrency, chatProvisionedConcurrency }, { addIssue }) => {
  // https://docs.aws.amazon.com/lambda/latest/dg/provisioned-concurrency.html
  if (chatConcurrency === null || (chatProvisionedConcurrency ?? 0) <= chatConcurrency) return;
  const message = `must not be above chatConcurrency, which is ${chatConcurrency}: got ${chatProvisionedConcurrency}`;
  addIssue({ code: 'custom', path: ['chatProvisionedConcurrency'], message });
});

/** The settings with their defaults. */
export type Settings = z.output<typeof settingsSchema>;

/** What a configuration file says: settings that it leaves out have their defaults. */
export type GatewayConfig = z.input<typeof settingsSchema>;

export const defaultSettings: Settings = settingsSchema.parse({});

/** Gives an editor the type of `gateway.config.ts`. */
export function defineConfig(config: GatewayConfig): GatewayConfig {
  return config;
}

/** Throws a `SettingsError` with a line for each setting that is unknown or invalid. */
export function parseSettings(config: unknown): Settings {
  return parseWith(settingsSchema, config);
}
