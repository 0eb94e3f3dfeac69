/** Reads the response to a caller whose format is not OpenAI's, which is always converted. */
import { settingKeyOf } from '#lambdas/inference/chat/parameters.ts';
import { startReaderFacts } from '#lambdas/inference/completion/facts.ts';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import { parseProviderError } from '#lambdas/inference/providers/error-body.ts';
import { toGatewayError } from '#lambdas/inference/providers/errors.ts';
import type { CreateWriter, ProviderCall, ResponseReaders } from '#lambdas/inference/providers/provider.ts';
import { firstGiven, namesGiven } from '#lambdas/inference/providers/translation/error-param.ts';
import { createResponseReader } from '#lambdas/inference/providers/translation/response-reader.ts';
import {
  withCallerToolNames,
  withProviderToolNames,
} from '#lambdas/inference/providers/translation/tool-names.ts';
import { parseJson } from '#lambdas/platform/json/json.ts';
import type { ResponseOrigin } from '../billing.ts';
import { createChatReader } from '../reader.ts';
import { toolNameRule } from './tools.ts';

interface Conversion {
  call: ProviderCall;
  origin: ResponseOrigin;
  request: CompletionRequest;
  createWriter: CreateWriter;
}

export function createConvertingReaders({
  call,
  origin,
  request,
  createWriter,
}: Conversion): ResponseReaders {
  const { provider, model } = origin;
  return {
    readError({ status, headers, body }) {
      const error = parseProviderError(parseJson(body.toString('utf8')));
      const promptParam = request.names.messages;
      if (error === null) return toGatewayError({ provider, model, status, error, headers });
      const { param: named, ...rest } = error;
      const param = named === undefined ? null : callerParam(named, request);
      return toGatewayError({
        provider,
        model,
        status,
        headers,
        promptParam,
        error: { ...rest, ...(param !== null && { param }) },
      });
    },
    createReader: () =>
      createResponseReader({
        call,
        createWriter,
        facts: startReaderFacts(),
        provider,
        createReadPayload: (writer) =>
          createChatReader({
            origin,
            sink: withCallerToolNames(writer, request, toolNameRule),
            facts: writer.facts,
            credential: call.apiKey,
            offeredNames: offeredNames(request),
          }),
      }),
  };
}

function offeredNames(request: CompletionRequest): string[] {
  const { tools } = withProviderToolNames(request, toolNameRule);
  return tools.flatMap((tool) => (tool.type === 'hosted' ? [] : [tool.name]));
}

/** Returns the caller's name for a parameter such as `max_completion_tokens` or `messages[0].content`. */
function callerParam(param: string, request: CompletionRequest): string | null {
  const [name = ''] = param.split(/[.[]/);
  if (name === 'messages') return request.names.messages;
  const key = settingKeyOf(name);
  if (key === null) return firstGiven(request, [name]);
  return namesGiven(request, key)[0] ?? null;
}
