/** A provider that speaks OpenAI's chat completions format: bytes pass through, and only usage is read. */
import { rewriteChatRequest } from '../domain/chat-request.ts';
import { GatewayError } from '../domain/gateway-error.ts';
import { parseJsonObject } from '../domain/json.ts';
import type { TokenPrices } from '../domain/provider-settings.ts';
import type { CatalogEntry } from './catalog.ts';
import { factsOfAnswer } from './openai-answer.ts';
import { createOpenAiStreamReader } from './openai-stream.ts';
import type { Provider, ProviderCall } from './provider.ts';
import { errorInsideAnswer } from './provider-error.ts';

export interface OpenAiCompatibleOptions {
  name: string;
  /** Without a trailing slash. */
  baseUrl: string;
  entry: CatalogEntry;
  prices: TokenPrices | null;
}

/** What a caller may say to a provider beside the body. Everything else, its key above all, stays here. */
const forwardedHeaders = ['accept', 'idempotency-key', 'openai-beta', 'user-agent'] as const;

export function createOpenAiCompatibleProvider(options: OpenAiCompatibleOptions): Provider {
  const { name, baseUrl, entry, prices } = options;
  const url = new URL(`${baseUrl}/chat/completions`);
  return {
    name,
    credential: entry.credential,
    prices,
    buildRequest: (call) => ({
      url,
      headers: outgoingHeaders(call),
      body: rewriteChatRequest(call.request, {
        model: call.model,
        includeUsage: call.request.stream && !call.request.includeUsage && entry.acceptsIncludeUsage,
      }),
    }),
    requestIdOf: (headers) =>
      entry.requestIdHeaders.map((header) => headers[header]).find((id) => id !== undefined) ?? null,
    readAnswer: (body) => ({ body, facts: readPlainAnswer(name, body) }),
    createStreamReader: (request) => createOpenAiStreamReader({ provider: name, request }),
  };
}

function outgoingHeaders({ apiKey, callerHeaders }: ProviderCall): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    // Usage is read from the bytes as they pass.
    'accept-encoding': 'identity',
  };
  for (const name of forwardedHeaders) {
    const value = callerHeaders[name];
    if (value !== undefined) headers[name] = value;
  }
  if (apiKey !== null) headers.authorization = `Bearer ${apiKey}`;
  return headers;
}

function readPlainAnswer(provider: string, body: Buffer) {
  const answer = parseJsonObject(body.toString('utf8'));
  if (answer === null) {
    throw new GatewayError('provider_error', { message: `The provider ${provider} did not answer in JSON` });
  }
  const problem = 'choices' in answer ? null : errorInsideAnswer(provider, answer);
  if (problem !== null) throw problem;
  return factsOfAnswer(answer);
}
