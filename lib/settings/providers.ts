/** The setting `providers`: addresses, regions, prices and models by the provider's name. */

import { z } from 'zod';
import { readProviderAccess } from '#lambdas/inference/providers/catalog.ts';
import {
  type ProviderSettings,
  type ProviderSettingsByName,
  providerNamePattern,
} from '#lambdas/inference/providers/settings.ts';
import type { TokenPrices } from '#lambdas/pricing/price.ts';
import { reachOfHost } from './endpoint-address.ts';
import { parseWith, settingsObject } from './validation.ts';

/** The environment of a function holds 4 KB; its other variables need less than 1 KB. */
const maxProvidersBytes = 3_000;

const price = () => z.number('must be US dollars per million tokens, a number not below 0').min(0);

const prices = settingsObject({
  input: price(),
  output: price(),
  cachedInput: price().optional().describe('The price of `input` by default.'),
  cacheWriteInput: price().optional().describe('The price of `input` by default.'),
} satisfies Record<keyof TokenPrices, z.ZodType>);

const baseUrl = z
  .string('must be text')
  // A `?` or `#` with nothing behind it is no query, but would take in the path that is appended.
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? '') && !/[?#]/.test(text), {
    error: 'must be an http or https URL without a query, such as https://llm.example.com/v1',
    abort: true,
  })
  .refine((text) => new URL(text).username === '' && new URL(text).password === '', {
    error: 'must not hold a user name or a password: set the credential with `npm run admin -- provider set`',
    abort: true,
  })
  .refine((text) => reachOfHost(new URL(text).hostname) !== 'link-local', {
    error: 'must not be a link-local address: clouds offer their credentials there',
    abort: true,
  });

const fields = {
  baseUrl: baseUrl
    .optional()
    .describe('Where the provider answers, without `/chat/completions`: `https://llm.example.com/v1`.'),
  private: z
    .boolean('must be true or false')
    .optional()
    .describe('The address is in a private network, where plain http is allowed.'),
  region: z
    .string('must be an AWS region such as eu-central-1')
    .regex(/^[a-z]{2}(-[a-z]+)+-\d+$/)
    .optional()
    .describe('The region of a provider that has regions (`bedrock`); by default that of the stack.'),
  prices: prices
    .optional()
    .describe('US dollars per million tokens, for every model of this provider, instead of the price table.'),
  models: z
    .array(
      z.string('must be the name of a model, such as "llama-3.3-70b"').regex(/^[!-~]{1,200}$/),
      'must be a list of names of models, such as ["llama-3.3-70b"]',
    )
    .optional()
    .describe('The models that `GET /ai/models` lists, instead of those of the price table.'),
} satisfies Record<keyof ProviderSettings, z.ZodType>;

const provider = settingsObject(fields).superRefine((settings, { addIssue }) => {
  const url = settings.baseUrl === undefined ? null : new URL(settings.baseUrl);
  const reach = url && reachOfHost(url.hostname);
  if (settings.private && (reach === null || reach === 'public')) {
    const message = 'needs a baseUrl with a name or a private address, such as http://10.0.0.5:8000/v1';
    addIssue({ code: 'custom', path: ['private'], message });
  }
  if (!settings.private && url?.protocol === 'http:' && reach !== 'loopback') {
    const message =
      'must be https, unless it is of this machine or, with "private": true, of a private network';
    addIssue({ code: 'custom', path: ['baseUrl'], message });
  }
});

const providerName = z.string().regex(providerNamePattern);

export const providersSchema = z
  .record(providerName, provider, {
    error: ({ code }) =>
      code === 'invalid_key'
        ? 'is not a name of a provider: use lower-case letters, digits and hyphens'
        : 'must be an object',
  })
  .superRefine((providers, { addIssue }) => {
    for (const { name, baseUrl: address, settings } of readProviderAccess(providers)) {
      // Of a provider that says "private", the missing address is reported already.
      if (!Object.hasOwn(providers, name) || address !== null || settings.private === true) continue;
      const message =
        'is needed: the address of your resource or server, such as https://RESOURCE.openai.azure.com/openai/v1';
      addIssue({ code: 'custom', path: [name, 'baseUrl'], message });
    }
    const bytes = Buffer.byteLength(JSON.stringify(providers));
    if (bytes > maxProvidersBytes) {
      const message = `must fit in ${maxProvidersBytes} bytes as JSON, because a function's environment is small: got ${bytes}`;
      addIssue({ code: 'custom', message });
    }
  });

/** Throws a `SettingsError`. */
export function parseProviders(value: unknown): ProviderSettingsByName {
  return parseWith(providersSchema, value, 'providers');
}
