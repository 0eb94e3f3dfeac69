/** OpenAI's Chat Completions API, which most providers implement. Valid responses are forwarded byte for byte. */

import { rewriteChatRequest } from '#lambdas/inference/chat-request.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import type { CatalogEntry } from '../catalog.ts';
import { readErrorResponse } from '../errors.ts';
import { outgoingHeaders } from '../http/headers.ts';
import type { Completion, Protocol, ProtocolOptions, ProviderCall } from '../provider.ts';
import { createBillingReader, type ResponseOrigin } from './billing.ts';
import { applyJsonEdits, noChanges, type RequestChanges } from './json-edits.ts';
import { completionEdits } from './normalize-completion.ts';
import { factsOf, findError } from './response-facts.ts';
import { createOpenAiStreamReader } from './stream.ts';

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
    readCompletion: (body, call) => readCompletion(body, originOf(call), call),
    createStreamReader: (call) => createOpenAiStreamReader(originOf(call), call),
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

function readCompletion(body: Buffer, origin: ResponseOrigin, call: ProviderCall): Completion {
  const text = body.toString('utf8');
  const completion = parseJsonObject(text);
  if (completion === null) {
    throw new GatewayError('provider_error', {
      message: `The response of the provider ${origin.provider} is not a JSON object`,
    });
  }
  const billing = createBillingReader(origin, origin.model);
  billing.read(completion);
  const facts = { ...billing.facts(), ...factsOf(completion) };
  const error = findCompletionError(completion, origin);
  if (error !== null) return { body, facts, error };
  const edits = completionEdits(completion, call);
  if (edits.length === 0) return { body, facts };
  try {
    return { body: Buffer.from(applyJsonEdits(text, edits)), facts };
  } catch (error) {
    if (error instanceof GatewayError) return { body, facts, error };
    throw error;
  }
}

/** A completion without choices counts as an error too. */
function findCompletionError(completion: JsonObject, origin: ResponseOrigin): GatewayError | null {
  const error = findError(completion, origin);
  if (error !== null || Array.isArray(completion.choices)) return error;
  return new GatewayError('provider_error', {
    message: `The response of the provider ${origin.provider} has no choices`,
  });
}
