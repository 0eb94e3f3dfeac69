/** OpenAI's Chat Completions API, which most providers implement. Valid responses are forwarded byte for byte. */

import { type ChatRequest, isChatCall, rewriteChatRequest } from '#lambdas/inference/chat/body.ts';
import { type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import type { CatalogEntry } from '../catalog.ts';
import { outgoingHeaders } from '../http/headers.ts';
import type { Protocol, ProtocolOptions, ProviderCall } from '../provider.ts';
import type { ResponseOrigin } from './billing.ts';
import { forwardedHeaders, translatedHeaders } from './forwarded-headers.ts';

const loadOutputLimit = lazy(() => import('../output-limit.ts'));

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
  const loadConversion = lazy(async () =>
    (await import('./conversion/conversion.ts')).createConversion(options),
  );
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
      const { model } = call;
      if (entry.toolCharges === 'executed_tools') createToolReader ??= await loadToolReader();
      const request = isChatCall(call) ? call.request : await (await loadConversion()).renderRequest(call);
      const isRefused = call.omitted?.includes('stream_options') || refusals.has(request);
      const accepted: CatalogEntry = isRefused ? { ...entry, streamUsage: 'unsupported' } : entry;
      const { text, ignored } = await adapted(request, { provider: name, entry: accepted });
      const body = rewriteChatRequest(
        { text },
        {
          model,
          includeUsage: request.stream && !request.includeUsage && accepted.streamUsage === 'on_request',
        },
      );
      const headers = outgoingHeaders({
        call,
        forwarded: isChatCall(call) ? forwardedHeaders : translatedHeaders,
        apiKeyHeader: entry.apiKeyHeader,
      });
      return {
        outgoing: { url, headers, body },
        ignoredParameters: 'ignored' in request ? [...request.ignored, ...ignored] : ignored,
        outputLimit: async () => (await loadOutputLimit()).readOutputLimit(body),
      };
    },
    async rememberRefusals(call) {
      if (call.omitted?.includes('stream_options')) refusals.add(isChatCall(call) ? call.request.body : {});
      if (!isChatCall(call)) await (await loadConversion()).rememberRefusals(call);
    },
    requestIdHeaders: entry.requestIdHeaders,
    async loadReaders(call) {
      if (!isChatCall(call)) return (await loadConversion()).loadReaders(call, originOf(call));
      const { createOpenAiReader, readErrorResponse } = await loadReaders();
      return {
        readError: (response) => readErrorResponse({ provider: name, model: call.model, ...response }),
        createReader: () => createOpenAiReader(originOf(call), call, call.request.loadWriter),
      };
    },
  };
}

/** The request as it is sent, before the changes for the provider. */
type SentRequest = Pick<ChatRequest, 'text' | 'body' | 'stream' | 'includeUsage'>;

async function loadToolReader() {
  const { createExecutedToolReader } = await import('./executed-tools.ts');
  return createExecutedToolReader;
}

const noneIgnored: readonly string[] = [];

async function adapted(
  request: SentRequest,
  options: { provider: string; entry: CatalogEntry },
): Promise<{ text: string; ignored: readonly string[] }> {
  if (!mayNeedChanges(request, options.entry)) return { text: request.text, ignored: noneIgnored };
  const { adaptRequest } = await import('./request.ts');
  return adaptRequest(request, options);
}

/** Searches the text, since most requests to most providers need no changes. */
function mayNeedChanges(
  { text, body }: SentRequest,
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
  const kindOf = (body: JsonObject) => (body.data_sources === undefined ? 'otherwise' : 'withDataSources');
  return {
    has: ({ stream, body }: SentRequest) => stream && refused[kindOf(body)],
    add(body: JsonObject) {
      const options = Object.keys(objectOrEmpty(body.stream_options));
      if (options.every((name) => name === 'include_usage')) refused[kindOf(body)] = true;
    },
  };
}
