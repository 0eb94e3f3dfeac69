/** Anthropic's Messages API for callers who use it themselves. https://platform.claude.com/docs/en/api/messages/create */
import type { CreateNativeEndpoint } from '#lambdas/inference/providers/native/endpoint.ts';
import { createNativeProtocol } from '#lambdas/inference/providers/native/protocol.ts';
import type { NativeRequest } from '#lambdas/inference/providers/native/request.ts';
import { readOutputLimit } from '#lambdas/inference/providers/output-limit.ts';
import type { CreateProtocol } from '#lambdas/inference/providers/provider.ts';
import { lazy } from '#lambdas/platform/lazy.ts';

/** Each repeated `import()` would take about 14 µs. */
const loadReaders = lazy(async () => (await import('./responses.ts')).createMessageReaders);

export function createNativeMessages(createEndpoint: CreateNativeEndpoint): CreateProtocol<NativeRequest> {
  return createNativeProtocol(
    {
      // The gateway has no list of Anthropic's headers: new ones come with new features.
      forwardsHeader: (name) => name.startsWith('anthropic-') || name === 'user-agent',
      protocolHeaders: { 'anthropic-version': '2023-06-01' },
      // Also those of the gateway's operator, except for the id of the organization that pays.
      relayedHeaders: /^(?:anthropic-(?!organization-id$)|request-id$|retry-after(?:-ms)?$|x-should-retry$)/,
      readOutputLimit: (text) => readOutputLimit(text),
      loadReaders,
    },
    createEndpoint,
  );
}
