/** OpenAI's Responses API for callers who use it themselves. https://platform.openai.com/docs/api-reference/responses */
import type { CreateNativeEndpoint } from '#lambdas/inference/providers/native/endpoint.ts';
import { createNativeProtocol } from '#lambdas/inference/providers/native/protocol.ts';
import type { NativeRequest } from '#lambdas/inference/providers/native/request.ts';
import { readOutputLimit } from '#lambdas/inference/providers/output-limit.ts';
import type { CreateProtocol } from '#lambdas/inference/providers/provider.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import { forwardedHeaders } from '../forwarded-headers.ts';

/** Each repeated `import()` would take about 14 µs. */
const loadReaders = lazy(async () => (await import('./responses.ts')).createResponsesReaders);

export function createNativeResponses(createEndpoint: CreateNativeEndpoint): CreateProtocol<NativeRequest> {
  return createNativeProtocol(
    {
      forwardsHeader: (name) => forwardedHeaders.includes(name),
      // Also the limits of the gateway's operator, but not the names of the organization and project that pay.
      relayedHeaders:
        /^(?:openai-(?!organization$|project$)|x-ratelimit-|x-request-id$|retry-after(?:-ms)?$|x-should-retry$)/,
      readOutputLimit: (text) => readOutputLimit(text, ['max_output_tokens']),
      loadReaders,
    },
    createEndpoint,
  );
}
