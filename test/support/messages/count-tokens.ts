/** Counts tokens without a network: records the outgoing requests, and sends scripted responses. */

import { PassThrough } from 'node:stream';
import { chatLimits, defaultChatLimits } from '#lambdas/inference/exchange/limits.ts';
import {
  type CountTokensEndpoint,
  createCountTokensEndpoint,
} from '#lambdas/inference/messages/count-tokens/endpoint.ts';
import type { HttpTransport } from '#lambdas/inference/providers/http/client.ts';
import { createProviderRegistry } from '#lambdas/inference/providers/registry.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { createResponseSink } from '#lambdas/platform/http/response-sink.ts';
import type { Routes } from '#lambdas/routing/route.ts';
import { requestKey } from '#test/support/api-keys.ts';
import { exampleClientOptions } from '../aws/client-options.ts';
import { readChunks } from '../http/read-chunks.ts';

interface CountOptions {
  /** By name. */
  routes?: Routes;
  /** The models that the key may use. Default: all. */
  models?: readonly string[];
  settings?: ProviderSettingsByName;
  /** `null` for none. */
  apiKey?: string | null;
  /** The key that is read again after the provider has rejected the first; `null` if it has not changed. */
  renewedKey?: string | null;
  callerHeaders?: Record<string, string>;
  /** One for each attempt. */
  responses?: readonly ScriptedResponse[];
}

interface ScriptedResponse {
  status?: number;
  headers?: Record<string, string>;
  /** Text, or a value to send as JSON. */
  body: unknown;
}

interface SentRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** `body` is the caller's, as an object or as JSON. */
export function startCount(body: object | string, options: CountOptions = {}) {
  const {
    routes = {},
    models,
    settings = {},
    apiKey = 'sk-1',
    renewedKey = null,
    callerHeaders = {},
    responses = [],
  } = options;
  const sent: SentRequest[] = [];
  const transport: HttpTransport = async ({ url, ...request }) => {
    const response = responses[sent.length];
    if (response === undefined) throw new Error('No response is scripted');
    sent.push({ url: url.href, ...request });
    const { status = 200, headers = {} } = response;
    const text = typeof response.body === 'string' ? response.body : JSON.stringify(response.body);
    return { status, headers, read: readChunks([Buffer.from(text)]) };
  };
  const count: CountTokensEndpoint = createCountTokensEndpoint({
    providers: createProviderRegistry(settings, exampleClientOptions),
    credentials: {
      prefetch() {},
      prefetchEarly() {},
      find: async () => apiKey,
      refresh: async () => renewedKey,
      providerNames: async () => [],
    },
    loadRoutes: async () => ({ find: async (_, name) => routes[name] ?? null, list: async () => [] }),
    transport,
    limits: chatLimits(defaultChatLimits, { flushMs: 0 }),
    now: exampleClientOptions.now,
  });
  const connection = new PassThrough();
  const counted = count(
    {
      request: {
        method: 'POST',
        path: '/ai/messages/count_tokens',
        headers: callerHeaders,
        readQuery: () => ({}),
        readBody: () => (typeof body === 'string' ? body : JSON.stringify(body)),
      },
      response: createResponseSink(connection, () => connection),
      deadlineMs: exampleClientOptions.now().getTime() + 60_000,
      signal: new AbortController().signal,
    },
    requestKey(models && { key_models: models }),
  );
  return { counted, sent };
}

/** Expects a single call of the provider, and a request that is not refused. */
export async function countTokens(body: object | string, options: CountOptions) {
  const { counted, sent } = startCount(body, options);
  const response = await counted;
  const [request, ...others] = sent;
  if (request === undefined || others.length > 0)
    throw new Error(`The provider was called ${sent.length} times`);
  return { request, response };
}

/** The error with which a request is refused, and the number of calls of the provider. */
export async function countRefusal(body: object | string, options: CountOptions = {}) {
  const { counted, sent } = startCount(body, options);
  const error = await counted.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { error, calls: sent.length };
}
