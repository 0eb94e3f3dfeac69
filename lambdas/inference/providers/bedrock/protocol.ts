/** Amazon Bedrock: Converse and ConverseStream. https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference.html */
import { GatewayError } from '#lambdas/platform/errors.ts';
import { parseExactJson } from '#lambdas/platform/json/exact-json.ts';
import {
  isJsonObject,
  type JsonObject,
  objectOrEmpty,
  parseJsonObject,
  stringOrEmpty,
} from '#lambdas/platform/json/json.ts';
import { findErrorInBody } from '../errors.ts';
import { positiveInteger } from '../output-limit.ts';
import type { CreateProtocol, ErrorResponse, ProviderCall, ResponseReaders } from '../provider.ts';
import { isAbsent } from '../translation/parameters.ts';
import { createResponseReader, type Decoder, type ReadPayload } from '../translation/response-reader.ts';
import type { CompletionWriter } from '../translation/sink.ts';
import { withCallerToolNames } from '../translation/tool-names.ts';
import { converseError, normalizeErrorType } from './errors.ts';
import { CorruptStreamError, createFrameSplitter, type StreamedMessage } from './event-stream.ts';
import { bedrockModel } from './models.ts';
import { createConverseReader, toStreamEvents } from './reader.ts';
import { readConverseRequest, toConverseRequest } from './request.ts';
import { createBedrockSigner } from './sign.ts';
import { jsonOutputToolName, toolNameRule } from './tools.ts';

export const createBedrockProtocol: CreateProtocol = ({ name, baseUrl, region, entry, aws }) => {
  const sign = createBedrockSigner({ baseUrl, region, aws });
  const readers: ResponseReaders = {
    readError: (response, call) => readError(name, call, response),
    createReader: (call) =>
      createResponseReader({
        call,
        provider: name,
        parse: parseExactJson,
        createReadPayload: (writer) => createConversePayloadReader(name, call, writer),
        createFrameDecoder: (read, writer) => createFrameDecoder({ provider: name, call, read, writer }),
      }),
  };
  return {
    translateRequest(call) {
      const { model, apiKey } = call;
      checkModelName(name, model);
      const { body, ignored } = toConverseRequest(call, name);
      const action = call.request.stream ? 'converse-stream' : 'converse';
      const { maxTokens } = objectOrEmpty(body.inferenceConfig);
      return {
        outgoing: sign({ model, apiKey, action, body: JSON.stringify(body) }),
        ignoredParameters: ignored,
        // Bedrock rejects model-specific fields for the same limit: https://github.com/BerriAI/litellm/issues/13841
        outputLimit: () => ({ maxOutputTokens: positiveInteger(maxTokens), completions: 1 }),
      };
    },
    requestIdHeaders: entry.requestIdHeaders,
    loadReaders: async () => readers,
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
    headers,
  });
}

/** Parses the request a second time, but only if it has a `response_format`. */
function findJsonOutputTool({ request: { body }, model }: ProviderCall): string | null {
  return isAbsent(body.response_format)
    ? null
    : jsonOutputToolName(readConverseRequest(body), bedrockModel(model));
}

/** Reads a response of Converse, or an event of ConverseStream, whose type may be its only member's name. */
function createConversePayloadReader(
  provider: string,
  call: ProviderCall,
  writer: CompletionWriter,
): ReadPayload {
  const sink = withCallerToolNames(writer, call, toolNameRule);
  const reader = createConverseReader({ sink, jsonOutputTool: findJsonOutputTool(call) });
  const readEvent = (type: string, payload: JsonObject) => {
    reader.read(type, payload);
    if (reader.isComplete()) writer.endWhole();
  };
  return (data, type) => {
    if (findErrorInBody(data, { provider, model: call.model, eventType: type }) !== null) {
      const errorType = normalizeErrorType(stringOrEmpty(data.__type));
      writer.fail(converseError({ provider, call, errorType, body: data }));
    } else if (isJsonObject(data.output)) {
      for (const [name, payload] of toStreamEvents(data)) readEvent(name, payload);
    } else if (type !== '') readEvent(type, data);
    else for (const [name, payload] of Object.entries(data)) readEvent(name, objectOrEmpty(payload));
  };
}

interface FrameContext {
  provider: string;
  call: ProviderCall;
  read: ReadPayload;
  writer: CompletionWriter;
}

function createFrameDecoder({ provider, call, read, writer }: FrameContext): Decoder {
  const frames = createFrameSplitter();
  const readMessage = ({ kind, type, payload }: StreamedMessage) => {
    if (kind === 'event') return read(payload, type);
    writer.fail(converseError({ provider, call, errorType: normalizeErrorType(type), body: payload }));
  };
  return {
    push(chunk) {
      try {
        for (const message of frames.push(chunk)) readMessage(message);
      } catch (error) {
        if (!(error instanceof CorruptStreamError)) throw error;
        const message = `The provider ${provider} sent a corrupt stream`;
        writer.fail(new GatewayError('provider_error', { message }));
      }
    },
    end() {},
  };
}
