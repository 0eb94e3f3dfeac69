/** Completions by OpenAI's Responses API, for callers who use another one. https://platform.openai.com/docs/api-reference/responses */
import { isChatCall, readInPlace } from '#lambdas/inference/chat/body.ts';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import { outgoingHeaders } from '#lambdas/inference/providers/http/headers.ts';
import { readOutputLimit } from '#lambdas/inference/providers/output-limit.ts';
import type { CreateProtocol, OptionalField, ProviderCall } from '#lambdas/inference/providers/provider.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import { translatedHeaders } from '../forwarded-headers.ts';
import { renderResponsesRequest } from './request.ts';

const loadReaders = lazy(async () => (await import('./readers.ts')).createOverResponsesReaders);

export const createOverResponses: CreateProtocol = (options) => {
  const { name: provider, baseUrl, path, entry } = options;
  const url = new URL(`${baseUrl}${path}`);
  const refusals = createRefusalMemory();
  return {
    async translateRequest(call) {
      const { model, request } = call;
      const { stream } = request;
      const completion = await (isChatCall(call) ? readInPlace(call.request) : request.readCompletion());
      const refused = new Set([...(call.omitted ?? []), ...refusals.of(call, completion)]);
      const { body, ignored } = renderResponsesRequest(completion, {
        provider,
        model,
        entry,
        stream,
        refused,
      });
      const text = JSON.stringify(body);
      const { apiKeyHeader } = entry;
      return {
        outgoing: {
          url,
          headers: outgoingHeaders({ call, forwarded: translatedHeaders, apiKeyHeader }),
          body: text,
        },
        ignoredParameters: ignored,
        outputLimit: () => readOutputLimit(text, ['max_output_tokens']),
      };
    },
    async rememberRefusals(call) {
      refusals.add(call, await call.request.readCompletion());
    },
    requestIdHeaders: entry.requestIdHeaders,
    async loadReaders(call) {
      const [createReaders, request, createWriter] = await Promise.all([
        loadReaders(),
        call.request.readCompletion(),
        call.request.loadWriter(),
      ]);
      return createReaders({ call, request, createWriter, reportedCost: entry.reportedCost });
    },
  };
};

const optionalFields: readonly OptionalField[] = [
  ...(['reasoning_effort', 'reasoning', 'reasoning_summary', 'encrypted_reasoning'] as const),
];

/**
 * Remembers what a model refuses. It can refuse some efforts and accept others, and some only beside functions; all else does
 * not depend on the request.
 */
function createRefusalMemory() {
  const refused = new Set<string>();
  const keyOf = (field: OptionalField, { model }: ProviderCall, request: CompletionRequest) => {
    const { reasoningEffort, tools } = request;
    const isEffort = field === 'reasoning_effort' || field === 'reasoning';
    return JSON.stringify([field, model, ...(isEffort ? [reasoningEffort, tools.length > 0] : [])]);
  };
  return {
    add(call: ProviderCall, request: CompletionRequest) {
      for (const field of call.omitted ?? []) refused.add(keyOf(field, call, request));
    },
    of: (call: ProviderCall, request: CompletionRequest) =>
      optionalFields.filter((field) => refused.has(keyOf(field, call, request))),
  };
}
