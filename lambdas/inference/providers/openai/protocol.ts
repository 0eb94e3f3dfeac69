/** OpenAI's own chat completions format, which most providers speak: what is right passes as it is, byte for byte. */
import { rewriteChatRequest } from '#lambdas/inference/chat-request.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import type { CatalogEntry } from '../catalog.ts';
import { errorFromReply } from '../errors.ts';
import { outgoingHeaders } from '../http/headers.ts';
import {
  type Answer,
  createPrepare,
  type Prepare,
  type ProtocolOptions,
  type ProviderCall,
  type WrittenRequest,
} from '../provider.ts';
import { applyJsonEdits, noChanges, type RequestChanges } from './json-edits.ts';
import { completionEdits } from './normalize-completion.ts';
import { type Asked, factsOfAnswer, failureInside } from './response-facts.ts';
import { createOpenAiStreamReader } from './stream.ts';

/** No `idempotency-key`: all organizations share a credential, and one of them may not get what another's key brings. */
const forwarded = ['accept', 'openai-beta', 'user-agent'];

export function createOpenAiProtocol(options: ProtocolOptions): Prepare {
  const { name, baseUrl, entry } = options;
  const url = new URL(`${baseUrl}/chat/completions`);
  const askedOf = ({ model }: ProviderCall): Asked => ({
    provider: name,
    model,
    statedCost: entry.statedCost,
  });
  return createPrepare({
    writeRequest: (call) => writeRequest({ url, name, entry, call }),
    requestIdHeaders: entry.requestIdHeaders,
    readError: (reply, { model }) => errorFromReply({ provider: name, model, ...reply }),
    readAnswer: (body, call) => readAnswer(body, askedOf(call), call),
    createStreamReader: (call) => createOpenAiStreamReader(askedOf(call), call),
  });
}

interface RequestWriting {
  url: URL;
  name: string;
  entry: CatalogEntry;
  call: ProviderCall;
}

async function writeRequest({ url, name, entry, call }: RequestWriting): Promise<WrittenRequest> {
  const { request, model } = call;
  const { edits, ignored } = await changesOf(request.body, { provider: name, entry });
  const body = rewriteChatRequest(
    { text: applyJsonEdits(request.text, edits) },
    { model, includeUsage: request.stream && !request.includeUsage && entry.acceptsIncludeUsage },
  );
  const headers = outgoingHeaders({ call, forwarded, apiKeyHeader: entry.apiKeyHeader });
  return { outgoing: { url, headers, body }, ignoredParameters: ignored };
}

/** Most providers take all of OpenAI's. */
async function changesOf(
  body: JsonObject,
  { provider, entry }: { provider: string; entry: CatalogEntry },
): Promise<RequestChanges> {
  const { requestRules: rules, acceptsIncludeUsage } = entry;
  if (rules === null) return noChanges;
  const { requestChanges } = await import('./request.ts');
  return requestChanges(body, { provider, rules, acceptsIncludeUsage });
}

function readAnswer(body: Buffer, asked: Asked, call: ProviderCall): Answer {
  const text = body.toString('utf8');
  const answer = parseJsonObject(text);
  if (answer === null) {
    throw new GatewayError('provider_error', {
      message: `The provider ${asked.provider} did not answer in JSON`,
    });
  }
  const facts = factsOfAnswer(answer, asked);
  const problem = problemOf(answer, asked);
  if (problem !== null) return { body, facts, problem };
  const edits = completionEdits(answer, call);
  if (edits.length === 0) return { body, facts };
  try {
    return { body: Buffer.from(applyJsonEdits(text, edits)), facts };
  } catch (error) {
    if (error instanceof GatewayError) return { body, facts, problem: error };
    throw error;
  }
}

/** An error that the provider reports, or that it says nothing. */
function problemOf(answer: JsonObject, asked: Asked): GatewayError | null {
  const failure = failureInside(answer, asked);
  if (failure !== null || Array.isArray(answer.choices)) return failure;
  return new GatewayError('provider_error', {
    message: `The provider ${asked.provider} sent an answer without choices`,
  });
}
