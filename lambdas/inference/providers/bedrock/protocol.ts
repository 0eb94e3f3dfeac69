/** Amazon Bedrock: Converse and ConverseStream. https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference.html */
import { GatewayError } from '#lambdas/platform/errors.ts';
import { parseExactJsonObject } from '#lambdas/platform/json/exact-json.ts';
import { isJsonObject, objectOrEmpty, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { positiveInteger } from '../output-limit.ts';
import type { Completion, CreateProtocol, ErrorResponse, ProviderCall, StreamReader } from '../provider.ts';
import { createCompletionBuilder } from '../translation/completion.ts';
import { isAbsent } from '../translation/parameters.ts';
import { readCompletionRequest } from '../translation/request.ts';
import { createCompletionStream } from '../translation/stream-sink.ts';
import { converseError, normalizeErrorType } from './errors.ts';
import { CorruptStreamError, createFrameSplitter, type StreamedMessage } from './event-stream.ts';
import { bedrockModel } from './models.ts';
import { createConverseReader, toStreamEvents } from './reader.ts';
import { toConverseRequest } from './request.ts';
import { createBedrockSigner } from './sign.ts';
import { jsonOutputToolName } from './tools.ts';

export const createBedrockProtocol: CreateProtocol = ({ name, baseUrl, region, entry, aws }) => {
  const sign = createBedrockSigner({ baseUrl, region, aws });
  return {
    translateRequest(call) {
      const { model, apiKey } = call;
      checkModelName(name, model);
      const { body, ignored } = toConverseRequest(call, name);
      const streamed = call.request.stream;
      const { maxTokens } = objectOrEmpty(body.inferenceConfig);
      return {
        outgoing: sign({ model, apiKey, streamed, body: JSON.stringify(body) }),
        ignoredParameters: ignored,
        // Bedrock rejects model-specific fields for the same limit: https://github.com/BerriAI/litellm/issues/13841
        outputLimit: () => ({ maxOutputTokens: positiveInteger(maxTokens), completions: 1 }),
      };
    },
    requestIdHeaders: entry.requestIdHeaders,
    readError: (response, call) => readError(name, call, response),
    readCompletion: (body, call) => readCompletion(name, call, body),
    createStreamReader: (call) => createStreamReader(name, call),
  };
};

/** The name becomes a path segment, where a dot segment would change the path. */
function checkModelName(provider: string, model: string): void {
  if (!/^\.+$/.test(model)) return;
  throw new GatewayError('model_not_found', {
    param: 'model',
    message: `The provider ${provider} has no model ${model}`,
  });
}

function readError(
  provider: string,
  call: ProviderCall,
  { status, headers, body }: ErrorResponse,
): GatewayError {
  return converseError({
    provider,
    call,
    errorType: normalizeErrorType(headers['x-amzn-errortype']),
    body: parseJsonObject(body.toString('utf8')),
    status,
    retryAfter: headers['retry-after'],
  });
}

/** Parses the request a second time, but only if it has a `response_format`. */
function findJsonOutputTool({ request: { body }, model }: ProviderCall): string | null {
  return isAbsent(body.response_format)
    ? null
    : jsonOutputToolName(readCompletionRequest(body), bedrockModel(model));
}

function readCompletion(provider: string, call: ProviderCall, body: Buffer): Completion {
  const response = parseExactJsonObject(body.toString('utf8'));
  if (!isJsonObject(response?.output)) {
    throw new GatewayError('provider_error', {
      message: `The response of the provider ${provider} contains no message`,
    });
  }
  const completion = createCompletionBuilder(call);
  const reader = createConverseReader({ sink: completion, jsonOutputTool: findJsonOutputTool(call) });
  for (const [type, payload] of toStreamEvents(response)) reader.read(type, payload);
  return completion.build();
}

function createStreamReader(provider: string, call: ProviderCall): StreamReader {
  const stream = createCompletionStream(call);
  const frames = createFrameSplitter();
  const reader = createConverseReader({ sink: stream, jsonOutputTool: findJsonOutputTool(call) });
  const read = ({ kind, type, payload }: StreamedMessage) => {
    if (stream.facts.error !== null) return;
    if (kind === 'exception') {
      stream.fail(converseError({ provider, call, errorType: normalizeErrorType(type), body: payload }));
      return;
    }
    reader.read(type, payload);
    if (reader.isComplete()) stream.end();
  };
  return {
    facts: stream.facts,
    push(chunk) {
      try {
        for (const message of frames.push(chunk)) read(message);
      } catch (error) {
        if (!(error instanceof CorruptStreamError)) throw error;
        const message = `The provider ${provider} sent a corrupt stream`;
        stream.fail(new GatewayError('provider_error', { message }));
      }
      return stream.take();
    },
    end() {
      stream.end();
      return stream.take();
    },
  };
}
