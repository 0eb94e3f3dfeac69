/**
 * A fake Bedrock runtime (Converse, ConverseStream, InvokeModel and the Messages API) that rejects the requests the real
 * API rejects. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-messages-api.html
 */
import type { ConverseRequest } from '@aws-sdk/client-bedrock-runtime';
import { isJsonObject, objectOrEmpty, parseJson } from '#lambdas/platform/json/json.ts';
import { type MessagesBehaviour, messagesError, respondToMessages } from '../anthropic/messages-endpoint.ts';
import { replay } from '../replay.ts';
import { changedReasoningRejection, respondWithBedrockTurn } from '../scripted/bedrock.ts';
import { type ProviderBehaviour, simulateCompletion } from '../simulated-model.ts';
import { startUpstream, type Upstream } from '../upstream.ts';
import { jsonResponse, type RecordedRequest, type Respond, streamResponse } from '../upstream-responses.ts';
import { type ExpectedCaller, isAuthenticated } from './authentication.ts';
import { findEmbeddingModel } from './embeddings.ts';
import { bedrockFrame, bedrockStreamType } from './event-stream.ts';
import { findRejection } from './request-rules.ts';
import { findShapeError } from './request-schema.ts';

type BedrockBehaviour = MessagesBehaviour & ExpectedCaller;
export type BedrockUpstream = Upstream<BedrockBehaviour>;

export function startBedrockUpstream(behaviour: BedrockBehaviour = {}): Promise<BedrockUpstream> {
  return startUpstream({ path: '', respond }, behaviour);
}

const messagesApi = {
  models: /^(\w+\.)?anthropic\.claude-/,
  requestIdHeaders: ['request-id', 'x-amzn-requestid'],
};

const authenticationFailed = 'Authentication failed: the key or the signature is not valid.';

function respond(request: RecordedRequest, behaviour: BedrockBehaviour): Respond {
  const headers = { 'x-amzn-requestid': request.requestId };
  const errorResponse = (status: number, type: string, message: string) =>
    jsonResponse(
      { message },
      { status, headers: { ...headers, 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/` } },
    );
  if (request.method === 'POST' && request.url.replace(/\?beta=true$/, '') === '/anthropic/v1/messages') {
    return isAuthenticated(request, behaviour)
      ? respondToMessages(request, behaviour, messagesApi)
      : messagesError(request, messagesApi, [403, 'permission_error', authenticationFailed]);
  }
  const [, name = '', operation] =
    /^\/model\/([^/]+)\/(converse|converse-stream|invoke)$/.exec(request.url) ?? [];
  if (request.method !== 'POST' || operation === undefined) {
    return errorResponse(404, 'UnknownOperationException', 'The requested operation is not known.');
  }
  if (!isAuthenticated(request, behaviour)) {
    return errorResponse(403, 'AccessDeniedException', authenticationFailed);
  }
  const model = decodeURIComponent(name);
  const body = parseJson(request.body.toString());
  if (operation === 'invoke') {
    const invoked = findEmbeddingModel(model)?.invoke(body);
    if (invoked === undefined)
      return errorResponse(400, 'ValidationException', 'The provided model identifier is invalid.');
    if ('error' in invoked) return errorResponse(400, 'ValidationException', invoked.error);
    const tokenCount = { 'x-amzn-bedrock-input-token-count': String(invoked.inputTokens) };
    return jsonResponse(invoked.body, { headers: { ...headers, ...tokenCount } });
  }
  const shapeError = isJsonObject(body)
    ? findShapeError(body, model)
    : 'The request body is not a JSON object.';
  if (shapeError !== null) return errorResponse(400, 'SerializationException', shapeError);
  // Safe: its shape has just been validated.
  const converseRequest = body as unknown as ConverseRequest;
  const isModel = /^(\w+\.)?(anthropic|amazon|meta|openai|mistral)\./.test(model);
  const rejection = isModel
    ? findRejection(converseRequest, model)
    : 'The provided model identifier is invalid.';
  if (rejection !== null) return errorResponse(400, 'ValidationException', rejection);
  const streamed = operation === 'converse-stream';
  if (behaviour.fixture !== undefined) return replay(behaviour.fixture, streamed, bedrockFrame);
  const { requestId } = request;
  const hasTools = converseRequest.toolConfig !== undefined;
  const changed = behaviour.nextCompletion && changedReasoningRejection(converseRequest);
  if (changed) return errorResponse(400, 'ValidationException', changed);
  const turn = behaviour.nextCompletion?.({ hasTools, stream: streamed }, requestId);
  if (turn !== undefined)
    return respondWithBedrockTurn(turn, { request: converseRequest, requestId, model, streamed });
  return converseResponse(converseRequest, { streamed, behaviour, headers });
}

function converseResponse(
  request: ConverseRequest,
  {
    streamed,
    behaviour,
    headers,
  }: { streamed: boolean; behaviour: ProviderBehaviour; headers: Record<string, string> },
): Respond {
  const simulated = simulateCompletion(toPrompt(request), behaviour);
  const usage = { inputTokens: 12, outputTokens: 8, totalTokens: 20 };
  const stopReason = simulated.kind === 'tool' ? 'tool_use' : 'end_turn';
  const toolUse = simulated.kind === 'tool' && {
    name: simulated.name,
    toolUseId: 'tooluse_Q1w2E3r4T5y6U7i8O9p0Aa',
  };
  if (!streamed) {
    const block =
      simulated.kind === 'tool'
        ? { toolUse: { ...toolUse, input: simulated.input } }
        : { text: simulated.chunks.join('') };
    return jsonResponse(
      { output: { message: { content: [block], role: 'assistant' } }, stopReason, usage },
      { headers },
    );
  }
  const json = simulated.kind === 'tool' ? JSON.stringify(simulated.input) : '';
  const deltas =
    simulated.kind === 'tool'
      ? [json.slice(0, 4), json.slice(4)].map((input) => ({ toolUse: { input } }))
      : simulated.chunks.map((text) => ({ text }));
  const events = [
    { messageStart: { role: 'assistant' } },
    // Only tool calls have a contentBlockStart event.
    ...(toolUse === false ? [] : [{ contentBlockStart: { contentBlockIndex: 0, start: { toolUse } } }]),
    ...deltas.map((delta) => ({ contentBlockDelta: { contentBlockIndex: 0, delta } })),
    { contentBlockStop: { contentBlockIndex: 0 } },
    { messageStop: { stopReason } },
    { metadata: { metrics: { latencyMs: 412 }, usage } },
  ];
  return streamResponse(events.map(bedrockFrame), {
    headers: { 'content-type': bedrockStreamType, ...headers },
  });
}

function toPrompt({
  messages = [],
  toolConfig,
  outputConfig,
  additionalModelRequestFields,
}: ConverseRequest) {
  const lastBlocks = messages.at(-1)?.content ?? [];
  const choice = toolConfig?.toolChoice;
  const claudeChoice = objectOrEmpty(objectOrEmpty(additionalModelRequestFields).tool_choice);
  const isForced = choice?.any !== undefined || choice?.tool !== undefined;
  const mayCall =
    claudeChoice.type !== 'none' &&
    (isForced || lastBlocks.every(({ toolResult }) => toolResult === undefined));
  const tools = (toolConfig?.tools ?? []).flatMap(({ toolSpec }) => toolSpec ?? []);
  const name = choice?.tool?.name ?? claudeChoice.name;
  const tool = name === undefined ? tools[0] : tools.find((it) => it.name === name);
  const schema = outputConfig?.textFormat?.structure?.jsonSchema?.schema;
  return {
    tool:
      mayCall && tool?.name !== undefined ? { name: tool.name, schema: tool.inputSchema?.json } : undefined,
    schema: schema === undefined ? undefined : parseJson(schema),
    lastUserText: lastBlocks.map(({ text = '' }) => text).join(''),
  };
}
