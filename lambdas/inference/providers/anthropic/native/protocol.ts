/**
 * Anthropic's Messages API for callers who use it themselves: requests and responses are forwarded byte for byte.
 * https://platform.claude.com/docs/en/api/messages/create
 */
import type { CreateMessagesEndpoint } from '#lambdas/inference/messages/endpoint.ts';
import type { MessagesRequest } from '#lambdas/inference/messages/request.ts';
import { outgoingHeaders } from '#lambdas/inference/providers/http/headers.ts';
import { readOutputLimit } from '#lambdas/inference/providers/output-limit.ts';
import type { CreateProtocol } from '#lambdas/inference/providers/provider.ts';
import { applyEdits, bodyMembers, modelEdits } from '#lambdas/inference/request-body.ts';
import { lazy } from '#lambdas/platform/lazy.ts';

/** Also those of the gateway's operator, except for the id of the organization that pays. */
const relayedHeaders = /^(?:anthropic-(?!organization-id$)|request-id$|retry-after(?:-ms)?$|x-should-retry$)/;

/** Each repeated `import()` would take about 14 µs. */
const loadReaders = lazy(() => import('./readers.ts'));

export function createNativeMessages(
  createEndpoint: CreateMessagesEndpoint,
): CreateProtocol<MessagesRequest> {
  return (options) => {
    const { name: provider, entry } = options;
    const { address, readForeignError } = createEndpoint(options);
    return {
      translateRequest(call) {
        const { text } = call.request;
        return {
          outgoing: address({
            call,
            forwarded: [...Object.keys(call.callerHeaders).filter(isAnthropicHeader), 'user-agent'],
            protocolHeaders: { 'anthropic-version': '2023-06-01' },
            body: applyEdits(text, modelEdits(bodyMembers(text), call.model)),
          }),
          ignoredParameters: [],
          outputLimit: () => readOutputLimit(text),
        };
      },
      requestIdHeaders: entry.requestIdHeaders,
      relayedHeaders,
      async loadReaders({ request: { stream }, model }) {
        const { createNativeReaders } = await loadReaders();
        return createNativeReaders({
          provider,
          model,
          stream,
          readForeignError,
          reportedCost: entry.reportedCost,
        });
      },
    };
  };
}

export const createAnthropicEndpoint: CreateMessagesEndpoint = ({ baseUrl, path, entry }) => {
  const url = new URL(`${baseUrl}${path}`);
  return {
    address: ({ body, ...rules }) => ({
      url,
      headers: outgoingHeaders({ ...rules, apiKeyHeader: entry.apiKeyHeader }),
      body,
    }),
  };
};

/** The gateway has no list of them: new ones come with new features. */
function isAnthropicHeader(name: string): boolean {
  return name.startsWith('anthropic-');
}
