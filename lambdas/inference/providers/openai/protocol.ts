/** OpenAI's Chat Completions API, which most providers implement. Valid responses are forwarded byte for byte. */

import {
  type ChatCall,
  type ChatRequest,
  isChatCall,
  rewriteChatRequest,
} from '#lambdas/inference/chat/body.ts';
import { objectOrEmpty } from '#lambdas/platform/json/json.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import type { CatalogEntry } from '../catalog.ts';
import { outgoingHeaders } from '../http/headers.ts';
import type { Protocol, ProtocolOptions, ProviderCall } from '../provider.ts';
import type { ResponseOrigin } from './billing.ts';
import { applyJsonEdits, noChanges, type RequestChanges } from './json-edits.ts';

/**
 * Excludes `idempotency-key`: organizations share the provider's credential, and must not receive each other's
 * responses.
 */
const forwarded = ['accept', 'openai-beta', 'user-agent'];

const loadOutputLimit = lazy(() => import('./output-limit.ts'));

const loadReaders = lazy(async () => {
  const [{ createOpenAiReader }, { readErrorResponse }] = await Promise.all([
    import('./response.ts'),
    import('../errors.ts'),
  ]);
  return { createOpenAiReader, readErrorResponse };
});

export function createOpenAiProtocol(options: ProtocolOptions): Protocol {
  const { name, baseUrl, path, entry } = options;
  const url = new URL(`${baseUrl}${path}`);
  const refusals = createRefusalMemory();
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
      const { request, model } = chatCall(call);
      if (entry.toolCharges === 'executed_tools') createToolReader ??= await loadToolReader();
      const isRefused = call.omitStreamOptions || refusals.has(request);
      const accepted: CatalogEntry = isRefused ? { ...entry, streamUsage: 'unsupported' } : entry;
      const { edits, ignored } = await changesOf(request, {
        provider: name,
        entry: accepted,
      });
      const body = rewriteChatRequest(
        { text: applyJsonEdits(request.text, edits) },
        {
          model,
          includeUsage: request.stream && !request.includeUsage && accepted.streamUsage === 'on_request',
        },
      );
      const headers = outgoingHeaders({ call, forwarded, apiKeyHeader: entry.apiKeyHeader });
      return {
        outgoing: { url, headers, body },
        ignoredParameters: ignored,
        isNative: true,
        outputLimit: async () => (await loadOutputLimit()).readOutputLimit(body),
      };
    },
    rememberRefusedStreamOptions: (call) => refusals.add(chatCall(call).request),
    requestIdHeaders: entry.requestIdHeaders,
    async loadReaders(call) {
      const [{ createOpenAiReader, readErrorResponse }, createWriter] = await Promise.all([
        loadReaders(),
        call.request.loadWriter(),
      ]);
      return {
        readError: (response) => readErrorResponse({ provider: name, model: call.model, ...response }),
        createReader: () => createOpenAiReader(originOf(call), chatCall(call), createWriter),
      };
    },
  };
}

function chatCall(call: ProviderCall): ChatCall {
  if (!isChatCall(call)) throw new Error(`A request in the format ${call.request.format} cannot be sent`);
  return call;
}

async function loadToolReader() {
  const { createExecutedToolReader } = await import('./executed-tools.ts');
  return createExecutedToolReader;
}

async function changesOf(
  request: ChatRequest,
  options: { provider: string; entry: CatalogEntry },
): Promise<RequestChanges> {
  if (!mayNeedChanges(request, options.entry)) return noChanges;
  const { requestChanges } = await import('./request.ts');
  return requestChanges(request.body, options);
}

/** Searches the text, since most requests to most providers need no changes. */
function mayNeedChanges(
  { text, body }: ChatRequest,
  { requestRules, streamUsage, reasoningField, acceptsDocuments }: CatalogEntry,
): boolean {
  if (requestRules !== null) return true;
  if (streamUsage !== 'on_request' && body.stream_options !== undefined) return true;
  // Some serializers escape the slash of `data:application/pdf`.
  if (acceptsDocuments && text.includes('data:application')) return true;
  if (reasoningField === null) return false;
  return text.includes(reasoningField === 'reasoning' ? '"reasoning_content"' : '"reasoning"');
}

/**
 * Remembers that the provider refuses `stream_options`. Azure refuses it only beside `data_sources`:
 * https://github.com/openai/openai-python/issues/2296. A caller's other options may be refused for themselves.
 */
function createRefusalMemory() {
  const refused = { withDataSources: false, otherwise: false };
  const kindOf = ({ body }: ChatRequest) =>
    body.data_sources === undefined ? 'otherwise' : 'withDataSources';
  return {
    has: (request: ChatRequest) => request.stream && refused[kindOf(request)],
    add(request: ChatRequest) {
      const options = Object.keys(objectOrEmpty(request.body.stream_options));
      if (options.every((name) => name === 'include_usage')) refused[kindOf(request)] = true;
    },
  };
}
