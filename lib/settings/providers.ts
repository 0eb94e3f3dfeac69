/** The schema of the setting `providers`: base URLs, regions, prices and models, by provider name. */

import { z } from 'zod';
import { readProviderAccess } from '#lambdas/inference/providers/catalog.ts';
import {
  completionsApis,
  type OperationPaths,
  type ProviderSettings,
  type ProviderSettingsByName,
  providerNamePattern,
  reasoningFields,
} from '#lambdas/inference/providers/settings.ts';
import type { TokenPrices } from '#lambdas/pricing/price-context.ts';
import { routeProvider } from '#lambdas/routing/route.ts';
import { classifyHost } from './host-kind.ts';
import { maxJsonBytes, parseWith, settingsObject, trueOrFalse } from './validation.ts';

/** The other variables of a function use less than 1.3 KB. */
const maxProvidersBytes = 2_700;

const price = () => z.number('must be a price in US dollars per million tokens, 0 or more').min(0);

const prices = settingsObject({
  input: price(),
  output: price(),
  cachedInput: price().optional().describe('Default: the price of `input`.'),
  cacheWriteInput: price().optional().describe('Default: the price of `input`.'),
} satisfies Record<keyof TokenPrices, z.ZodType>);

const baseUrl = z
  .string('must be a string')
  // A trailing `?` or `#` parses as an empty query or fragment, but would swallow the path that is appended.
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? '') && !/[?#]/.test(text), {
    error: 'must be an http or https URL without a query, such as https://llm.example.com/v1',
    abort: true,
  })
  .refine((text) => new URL(text).username === '' && new URL(text).password === '', {
    error:
      'must not contain a user name or password: set the credential with `npm run admin -- provider set`',
    abort: true,
  })
  .refine((text) => classifyHost(new URL(text).hostname) !== 'link-local', {
    error: 'must not be a link-local address, because clouds serve credentials there',
    abort: true,
  });

const pathError = 'must be a path such as "/embeddings", or false';
const operationPath = () =>
  z.union([z.literal(false), z.string().regex(/^\/[\w./~-]{1,100}$/, pathError)], pathError).optional();

const fields = {
  baseUrl: baseUrl
    .optional()
    .describe('Base URL of the API without `/chat/completions`, such as `https://llm.example.com/v1`.'),
  private: trueOrFalse()
    .optional()
    .describe('Set to true for a base URL in a private network, where plain HTTP is allowed.'),
  region: z
    .string('must be an AWS region such as eu-central-1')
    .regex(/^[a-z]{2}(-[a-z]+)+-\d+$/)
    .optional()
    .describe('AWS region of the provider `bedrock`. Default: the region of the stack.'),
  prices: prices
    .optional()
    .describe(
      'Prices in US dollars per million tokens for all models of this provider, instead of the price table.',
    ),
  priceFactor: z
    .number('must be a number, such as 1.1')
    .positive('must be greater than 0')
    .max(100, 'must be at most 100')
    .optional()
    .describe('Multiplies the token prices of the price table, for example 1.1 for a regional endpoint.'),
  models: z
    .array(
      z.string('must be a model name, such as "llama-3.3-70b"').regex(/^[!-~]{1,200}$/),
      'must be an array of model names, such as ["llama-3.3-70b"]',
    )
    .optional()
    .describe('Models that `GET /ai/models` lists, instead of the models in the price table.'),
  streamUsage: trueOrFalse()
    .optional()
    .describe(
      'Set to false for a server that refuses `stream_options`, by which the gateway requests usage.',
    ),
  operations: settingsObject({
    'chat.completions': operationPath().describe('Default: `/chat/completions`.'),
    embeddings: operationPath().describe('Default: `/embeddings`.'),
    messages: operationPath().describe(
      "Path of Anthropic's Messages API, such as `/messages`. Default: none.",
    ),
    responses: operationPath().describe(
      'Path of the Responses API, such as `/responses`. Default: that of a provider known to have it, otherwise none.',
    ),
  } satisfies Record<keyof OperationPaths, z.ZodType>)
    .optional()
    .describe(
      "Paths below the base URL of a server with OpenAI's format, by operation, also those of Anthropic's Messages API and of the Responses API; false for one it does not have.",
    ),
  completionsApi: z
    .enum(completionsApis, 'must be "chat.completions" or "responses"')
    .optional()
    .describe(
      'Operation by which the server is asked for completions, also those of chat and messages. Default: `chat.completions`; for OpenAI and Azure, `responses` where a model needs it.',
    ),
  reasoningField: z
    .enum(reasoningFields, 'must be "reasoning", "reasoning_content" or null')
    .nullable()
    .optional()
    .describe(
      'Field in which the server takes the reasoning of earlier messages; null forwards them unchanged.',
    ),
} satisfies Record<keyof ProviderSettings, z.ZodType>;

const provider = settingsObject(fields).superRefine((settings, { addIssue }) => {
  const url = settings.baseUrl === undefined ? null : new URL(settings.baseUrl);
  const hostKind = url && classifyHost(url.hostname);
  if (settings.private && (hostKind === null || hostKind === 'public')) {
    const message =
      'requires a baseUrl with a host name or a private IP address, such as http://10.0.0.5:8000/v1';
    addIssue({ code: 'custom', path: ['private'], message });
  }
  if (settings.prices !== undefined && settings.priceFactor !== undefined) {
    const message = 'cannot be combined with prices: multiply the prices instead';
    addIssue({ code: 'custom', path: ['priceFactor'], message });
  }
  if (!settings.private && url?.protocol === 'http:' && hostKind !== 'loopback') {
    const message =
      'must use https, except for loopback addresses and, with "private": true, for private networks';
    addIssue({ code: 'custom', path: ['baseUrl'], message });
  }
});

const providerName = z.string().regex(providerNamePattern);

interface DefaultProvider {
  defaultProvider: string | null;
  providers: ProviderSettingsByName;
}

export function checkDefaultProvider(
  { defaultProvider, providers }: DefaultProvider,
  { addIssue }: Pick<z.RefinementCtx, 'addIssue'>,
): void {
  const names = readProviderAccess(providers).map(({ name }) => name);
  if (defaultProvider === null || names.includes(defaultProvider)) return;
  const message = `must be one of ${names.join(', ')}, or another name in providers: got ${defaultProvider}`;
  addIssue({ code: 'custom', path: ['defaultProvider'], message });
}

export const providersSchema = z
  .record(providerName, provider, {
    error: ({ code }) =>
      code === 'invalid_key'
        ? 'is not a valid provider name: use lower-case letters, digits and hyphens'
        : 'must be an object',
  })
  .refine((providers) => !Object.hasOwn(providers, routeProvider), {
    path: [routeProvider],
    error: `cannot be the name of a provider, since ${routeProvider}/NAME names a route: use another one`,
    abort: true,
  })
  .superRefine((providers, { addIssue }) => {
    for (const { name, entry, baseUrl: effectiveUrl, settings } of readProviderAccess(providers)) {
      const isOpenAiFormat = entry.protocol === 'openai';
      for (const field of ['streamUsage', 'reasoningField', 'operations', 'completionsApi'] as const) {
        if (settings[field] === undefined || isOpenAiFormat) continue;
        const message = "applies only to providers with OpenAI's format: remove it";
        addIssue({ code: 'custom', path: [name, field], message });
      }
      const isMissing = settings.completionsApi === 'responses' && entry.operations.responses === undefined;
      if (isOpenAiFormat && isMissing) {
        const message =
          'requires the path of the operation in operations, such as { responses: "/responses" }';
        addIssue({ code: 'custom', path: [name, 'completionsApi'], message });
      }
      // For a private provider, the missing base URL has already been reported.
      if (!Object.hasOwn(providers, name) || effectiveUrl !== null || settings.private === true) continue;
      const message =
        'is required: set the base URL of your resource or server, such as https://RESOURCE.openai.azure.com/openai/v1';
      addIssue({ code: 'custom', path: [name, 'baseUrl'], message });
    }
  })
  .check(maxJsonBytes(maxProvidersBytes));

export function parseProviders(value: unknown): ProviderSettingsByName {
  return parseWith(providersSchema, value, 'providers');
}
