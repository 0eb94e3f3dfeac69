/** OpenAI's Chat Completions API, which most providers implement. Valid responses are forwarded byte for byte. */

import { rewriteChatRequest } from '#lambdas/inference/chat-request.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import type { CatalogEntry } from '../catalog.ts';
import { readErrorResponse } from '../errors.ts';
import { outgoingHeaders } from '../http/headers.ts';
import type { Protocol, ProtocolOptions, ProviderCall } from '../provider.ts';
import type { ResponseOrigin } from './billing.ts';
import { applyJsonEdits, noChanges, type RequestChanges } from './json-edits.ts';
import { createOpenAiReader } from './response.ts';

/**
 * Excludes `idempotency-key`: organizations share the provider's credential, and must not receive each other's
 * responses.
 */
const forwarded = ['accept', 'openai-beta', 'user-agent'];

const loadOutputLimit = lazy(() => import('./output-limit.ts'));

export function createOpenAiProtocol(options: ProtocolOptions): Protocol {
  const { name, baseUrl, entry } = options;
  const url = new URL(`${baseUrl}/chat/completions`);
  /** Loaded with the first request that needs it. */
  let createToolReader: ResponseOrigin['createToolReader'] = null;
  const originOf = ({ model }: ProviderCall): ResponseOrigin => ({
    provider: name,
    model,
    reportedCost: entry.reportedCost,
    toolCharges: entry.toolCharges,
    createToolReader,
  });
  return {
    async translateRequest(call) {
      const { request, model } = call;
      if (entry.toolCharges === 'executed_tools') createToolReader ??= await loadToolReader();
      const { edits, ignored } = await changesOf(request.body, { provider: name, entry });
      const body = rewriteChatRequest(
        { text: applyJsonEdits(request.text, edits) },
        { model, includeUsage: request.stream && !request.includeUsage && entry.acceptsIncludeUsage },
      );
      const headers = outgoingHeaders({ call, forwarded, apiKeyHeader: entry.apiKeyHeader });
      return {
        outgoing: { url, headers, body },
        ignoredParameters: ignored,
        outputLimit: async () => (await loadOutputLimit()).readOutputLimit(body),
      };
    },
    requestIdHeaders: entry.requestIdHeaders,
    readError: (response, { model }) => readErrorResponse({ provider: name, model, ...response }),
    createReader: (call) => createOpenAiReader(originOf(call), call),
  };
}

async function loadToolReader() {
  const { createExecutedToolReader } = await import('./executed-tools.ts');
  return createExecutedToolReader;
}

async function changesOf(
  body: JsonObject,
  { provider, entry }: { provider: string; entry: CatalogEntry },
): Promise<RequestChanges> {
  const { requestRules: rules, acceptsIncludeUsage } = entry;
  if (rules === null) return noChanges;
  const { requestChanges } = await import('./request.ts');
  return requestChanges(body, { provider, rules, acceptsIncludeUsage });
}
