/** OpenAI's own chat completions format, which most providers speak: bytes pass through, and only usage is read. */
import { rewriteChatRequest } from '../../domain/chat-request.ts';
import { GatewayError } from '../../domain/gateway-error.ts';
import { parseJsonObject } from '../../domain/json.ts';
import { createHttpPrepare } from '../http/http-protocol.ts';
import type { ProtocolOptions } from '../protocol.ts';
import type { AnswerFacts, Prepare, ProviderCall } from '../provider.ts';
import { errorFromReply, errorInsideAnswer } from '../provider-error.ts';
import { factsOfAnswer } from './openai-answer.ts';
import { createOpenAiStreamReader } from './openai-stream.ts';

/** What a caller may say to a provider beside the body. Everything else, its key above all, stays here. */
const forwardedHeaders = ['accept', 'idempotency-key', 'openai-beta', 'user-agent'] as const;

export function createOpenAiProtocol({ name, baseUrl, entry }: ProtocolOptions): Prepare {
  const url = new URL(`${baseUrl}/chat/completions`);
  return createHttpPrepare({
    writeRequest: (call) => ({
      outgoing: {
        url,
        headers: outgoingHeaders(call),
        body: rewriteChatRequest(call.request, {
          model: call.model,
          includeUsage: call.request.stream && !call.request.includeUsage && entry.acceptsIncludeUsage,
        }),
      },
      ignoredParameters: [],
    }),
    requestIdOf: (headers) =>
      entry.requestIdHeaders.map((header) => headers[header]).find((id) => id !== undefined) ?? null,
    readError: (reply, { model }) => errorFromReply({ provider: name, model, ...reply }),
    readAnswer: (body, { model }) => ({ body, facts: readPlainAnswer(body, { provider: name, model }) }),
    createStreamReader: ({ model, request }) => createOpenAiStreamReader({ provider: name, model, request }),
  });
}

function outgoingHeaders({ apiKey, callerHeaders }: ProviderCall): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    // Usage is read from the bytes as they pass.
    'accept-encoding': 'identity',
  };
  for (const name of forwardedHeaders) {
    const value = callerHeaders[name];
    if (value !== undefined) headers[name] = value;
  }
  if (apiKey !== null) headers.authorization = `Bearer ${apiKey}`;
  return headers;
}

function readPlainAnswer(body: Buffer, asked: { provider: string; model: string }): AnswerFacts {
  const answer = parseJsonObject(body.toString('utf8'));
  if (answer === null) {
    throw new GatewayError('provider_error', {
      message: `The provider ${asked.provider} did not answer in JSON`,
    });
  }
  const problem = 'choices' in answer ? null : errorInsideAnswer(answer, asked);
  if (problem !== null) throw problem;
  return factsOfAnswer(answer);
}
