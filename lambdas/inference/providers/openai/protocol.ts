/** OpenAI's chat completions format, which most providers speak; valid responses pass unchanged, byte for byte. */
import { rewriteChatRequest } from '#lambdas/inference/chat-request.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import type { CatalogEntry } from '../catalog.ts';
import { readErrorResponse } from '../errors.ts';
import { outgoingHeaders } from '../http/headers.ts';
import type { Completion, Protocol, ProtocolOptions, ProviderCall } from '../provider.ts';
import { applyJsonEdits, noChanges, type RequestChanges } from './json-edits.ts';
import { completionEdits } from './normalize-completion.ts';
import { errorIn, factsOf, type ResponseOrigin } from './response-facts.ts';
import { createOpenAiStreamReader } from './stream.ts';

/** No `idempotency-key`: organizations share a credential, and one must not get the response to another's key. */
const forwarded = ['accept', 'openai-beta', 'user-agent'];

export function createOpenAiProtocol(options: ProtocolOptions): Protocol {
  const { name, baseUrl, entry } = options;
  const url = new URL(`${baseUrl}/chat/completions`);
  const originOf = ({ model }: ProviderCall): ResponseOrigin => ({
    provider: name,
    model,
    reportedCost: entry.reportedCost,
  });
  return {
    async translateRequest(call) {
      const { request, model } = call;
      const { edits, ignored } = await changesOf(request.body, { provider: name, entry });
      const body = rewriteChatRequest(
        { text: applyJsonEdits(request.text, edits) },
        { model, includeUsage: request.stream && !request.includeUsage && entry.acceptsIncludeUsage },
      );
      const headers = outgoingHeaders({ call, forwarded, apiKeyHeader: entry.apiKeyHeader });
      return { outgoing: { url, headers, body }, ignoredParameters: ignored };
    },
    requestIdHeaders: entry.requestIdHeaders,
    readError: (reply, { model }) => readErrorResponse({ provider: name, model, ...reply }),
    readCompletion: (body, call) => readAnswer(body, originOf(call), call),
    createStreamReader: (call) => createOpenAiStreamReader(originOf(call), call),
  };
}

/** Most providers accept all of OpenAI's requests; the rules for the others load on first use. */
async function changesOf(
  body: JsonObject,
  { provider, entry }: { provider: string; entry: CatalogEntry },
): Promise<RequestChanges> {
  const { requestRules: rules, acceptsIncludeUsage } = entry;
  if (rules === null) return noChanges;
  const { requestChanges } = await import('./request.ts');
  return requestChanges(body, { provider, rules, acceptsIncludeUsage });
}

function readAnswer(body: Buffer, origin: ResponseOrigin, call: ProviderCall): Completion {
  const text = body.toString('utf8');
  const answer = parseJsonObject(text);
  if (answer === null) {
    throw new GatewayError('provider_error', {
      message: `The provider ${origin.provider} did not answer in JSON`,
    });
  }
  const facts = factsOf(answer, origin);
  const error = problemOf(answer, origin);
  if (error !== null) return { body, facts, error };
  const edits = completionEdits(answer, call);
  if (edits.length === 0) return { body, facts };
  try {
    return { body: Buffer.from(applyJsonEdits(text, edits)), facts };
  } catch (error) {
    if (error instanceof GatewayError) return { body, facts, error };
    throw error;
  }
}

/** An error that the response reports, or its lack of choices. */
function problemOf(answer: JsonObject, origin: ResponseOrigin): GatewayError | null {
  const error = errorIn(answer, origin);
  if (error !== null || Array.isArray(answer.choices)) return error;
  return new GatewayError('provider_error', {
    message: `The provider ${origin.provider} sent an answer without choices`,
  });
}
