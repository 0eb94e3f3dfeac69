/** Scripted turns in the format of Bedrock's Converse API, as JSON or as frames of its binary stream. */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { bedrockFrame, bedrockStreamType } from '../bedrock/event-stream.ts';
import { jsonResponse, type Respond, streamResponse } from '../upstream-responses.ts';
import {
  type CompletionTurn,
  type Failure,
  type Part,
  splitText,
  type Turn,
  uniqueLetters,
  untilBroken,
} from './turns.ts';

const failures: Record<Failure, [status: number, type: string, message: string]> = {
  overloaded: [503, 'ServiceUnavailableException', 'Bedrock is unable to process your request.'],
  rate_limited: [429, 'ThrottlingException', 'Too many requests, please wait before trying again.'],
  server_error: [500, 'InternalServerException', 'The system encountered an unexpected error.'],
  context_full: [
    400,
    'ValidationException',
    'The model returned the following errors: Input is too long for requested model.',
  ],
};

export function respondWithBedrockTurn(
  turn: Turn,
  { requestId, model, streamed }: { requestId: string; model: string; streamed: boolean },
): Respond {
  const headers = { 'x-amzn-requestid': requestId };
  if (!('parts' in turn)) {
    const [status, type, message] = failures[turn.failure];
    const errorType = { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` };
    return jsonResponse({ message }, { status, headers: { ...headers, ...errorType } });
  }
  const stopReason = turn.parts.some(({ type }) => type === 'call') ? 'tool_use' : 'end_turn';
  const usage = usageOf(turn, model);
  if (!streamed) {
    const content = turn.parts.map((part, position) => blockOf(part, requestId, position));
    return jsonResponse(
      { output: { message: { content, role: 'assistant' } }, stopReason, usage },
      { headers },
    );
  }
  const events: JsonObject[] = [
    { messageStart: { role: 'assistant' } },
    ...turn.parts.flatMap((part, position) => eventsOf(part, requestId, position)),
    { messageStop: { stopReason } },
    { metadata: { metrics: { latencyMs: 412 }, usage } },
  ];
  const sent = untilBroken(turn, events, (event) => 'contentBlockDelta' in event);
  return streamResponse(sent.map(bedrockFrame), {
    headers: { 'content-type': bedrockStreamType, ...headers },
    ending: turn.broken,
  });
}

/** Few models have a cache. */
function usageOf({ usage: { input, output, cached = 0 } }: CompletionTurn, model: string): JsonObject {
  const common = { outputTokens: output, totalTokens: input + output };
  return /anthropic|nova/.test(model)
    ? { ...common, inputTokens: input - cached, cacheReadInputTokens: cached, cacheWriteInputTokens: 0 }
    : { ...common, inputTokens: input };
}

const toolUseId = (requestId: string, position: number) =>
  `tooluse_${uniqueLetters(requestId, position, 22)}`;

function blockOf(part: Part, requestId: string, position: number): JsonObject {
  switch (part.type) {
    case 'text':
      return { text: part.text };
    case 'reasoning':
      return { reasoningContent: { reasoningText: { text: part.text } } };
    case 'call':
      return { toolUse: { toolUseId: toolUseId(requestId, position), name: part.name, input: part.input } };
    default:
      return part satisfies never;
  }
}

/** Only tool calls have a contentBlockStart event. */
function eventsOf(part: Part, requestId: string, contentBlockIndex: number): JsonObject[] {
  const toolUse =
    part.type === 'call'
      ? { name: part.name, toolUseId: toolUseId(requestId, contentBlockIndex) }
      : undefined;
  return [
    ...(toolUse === undefined ? [] : [{ contentBlockStart: { contentBlockIndex, start: { toolUse } } }]),
    ...deltasOf(part).map((delta) => ({ contentBlockDelta: { contentBlockIndex, delta } })),
    { contentBlockStop: { contentBlockIndex } },
  ];
}

function deltasOf(part: Part): JsonObject[] {
  switch (part.type) {
    case 'text':
      return splitText(part.text).map((text) => ({ text }));
    case 'reasoning':
      return splitText(part.text).map((text) => ({ reasoningContent: { text } }));
    case 'call':
      return splitText(JSON.stringify(part.input)).map((input) => ({ toolUse: { input } }));
    default:
      return part satisfies never;
  }
}
