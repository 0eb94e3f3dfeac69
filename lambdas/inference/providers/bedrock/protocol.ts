/** Amazon Bedrock: Converse and ConverseStream. https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference.html */
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import type { CompletionWriter } from '#lambdas/inference/completion/sink.ts';
import { GatewayError, unusableResponseError } from '#lambdas/platform/errors.ts';
import { parseExactJson } from '#lambdas/platform/json/exact-json.ts';
import { isJsonObject, type JsonObject, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { findErrorInBody } from '../errors.ts';
import { positiveInteger } from '../output-limit.ts';
import type { CreateProtocol } from '../provider.ts';
import { createResponseReader, type Decoder, type ReadPayload } from '../translation/response-reader.ts';
import { withCallerToolNames } from '../translation/tool-names.ts';
import { converseError, normalizeErrorType, readConverseError } from './errors.ts';
import { CorruptStreamError, createFrameSplitter, type StreamedMessage } from './event-stream.ts';
import { bedrockModel } from './models.ts';
import { createConverseReader, toStreamEvents } from './reader.ts';
import { toConverseRequest, withConverseNames } from './request.ts';
import { createBedrockSigner, modelPath } from './sign.ts';
import { jsonOutputToolName, toolNameRule } from './tools.ts';

export const createBedrockProtocol: CreateProtocol = ({ name, baseUrl, region, entry, aws }) => {
  const sign = createBedrockSigner({ baseUrl, region, aws });
  return {
    async translateRequest(call) {
      const { model, apiKey } = call;
      checkModelName(name, model);
      const { body, ignored } = toConverseRequest(await call.request.readCompletion(), {
        provider: name,
        model,
      });
      const action = call.request.stream ? 'converse-stream' : 'converse';
      const { maxTokens } = objectOrEmpty(body.inferenceConfig);
      return {
        outgoing: sign({ path: modelPath(model, action), apiKey, body: JSON.stringify(body) }),
        ignoredParameters: ignored,
        // Bedrock rejects model-specific fields for the same limit: https://github.com/BerriAI/litellm/issues/13841
        outputLimit: () => ({ maxOutputTokens: positiveInteger(maxTokens), completions: 1 }),
      };
    },
    requestIdHeaders: entry.requestIdHeaders,
    async loadReaders(call) {
      const [request, createWriter] = await Promise.all([
        call.request.readCompletion(),
        call.request.loadWriter(),
      ]);
      const origin = { provider: name, model: call.model, request };
      return {
        readError: (response) => readConverseError(response, origin),
        createReader: () =>
          createResponseReader({
            call,
            createWriter,
            provider: name,
            parse: parseExactJson,
            createReadPayload: (writer) => createConversePayloadReader(origin, writer),
            createFrameDecoder: (read, writer) => createFrameDecoder({ origin, read, writer }),
          }),
      };
    },
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

interface ConverseOrigin {
  provider: string;
  model: string;
  request: CompletionRequest;
}

/** Reads a response of Converse, or an event of ConverseStream, whose type may be its only member's name. */
function createConversePayloadReader(origin: ConverseOrigin, writer: CompletionWriter): ReadPayload {
  const { provider, model, request } = origin;
  const sink = withCallerToolNames(writer, request, toolNameRule);
  const jsonOutputTool = jsonOutputToolName(withConverseNames(request), bedrockModel(model));
  const reader = createConverseReader({ sink, jsonOutputTool });
  const readEvent = (type: string, payload: JsonObject) => {
    reader.read(type, payload);
    if (reader.isComplete()) writer.endWhole();
  };
  return (data, type) => {
    if (findErrorInBody(data, { provider, model, eventType: type }) !== null) {
      const errorType = normalizeErrorType(stringOrEmpty(data.__type));
      writer.fail(converseError({ ...origin, errorType, body: data }));
    } else if (isJsonObject(data.output)) {
      for (const [name, payload] of toStreamEvents(data)) readEvent(name, payload);
    } else if (type !== '') readEvent(type, data);
    else for (const [name, payload] of Object.entries(data)) readEvent(name, objectOrEmpty(payload));
  };
}

interface FrameContext {
  origin: ConverseOrigin;
  read: ReadPayload;
  writer: CompletionWriter;
}

function createFrameDecoder({ origin, read, writer }: FrameContext): Decoder {
  const frames = createFrameSplitter();
  const readMessage = ({ kind, type, payload }: StreamedMessage) => {
    if (kind === 'event') return read(payload, type);
    writer.fail(converseError({ ...origin, errorType: normalizeErrorType(type), body: payload }));
  };
  return {
    push(chunk) {
      try {
        for (const message of frames.push(chunk)) readMessage(message);
      } catch (error) {
        if (!(error instanceof CorruptStreamError)) throw error;
        const message = `The provider ${origin.provider} sent a corrupt stream`;
        writer.fail(unusableResponseError(message));
      }
    },
    end() {},
  };
}
