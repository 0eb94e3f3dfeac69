/**
 * Scripted turns in the format of Bedrock's Converse API, as JSON or as frames of its binary stream. Claude signs its
 * reasoning: https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-extended-thinking.html
 */
import type { ConverseRequest } from '@aws-sdk/client-bedrock-runtime';
import { type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import { bedrockFrame, bedrockStreamType } from '../bedrock/event-stream.ts';
import { jsonResponse, type Respond, streamResponse } from '../upstream-responses.ts';
import { isSignatureOf, signatureOf } from './signatures.ts';
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

interface Asked {
  request: ConverseRequest;
  requestId: string;
  model: string;
  streamed: boolean;
}

const isClaude = (model: string) => model.includes('anthropic.claude');

/** Claude thinks if it is asked to. */
function partsOf({ parts }: CompletionTurn, { model, request }: Asked): readonly Part[] {
  const { type } = objectOrEmpty(objectOrEmpty(request.additionalModelRequestFields).thinking);
  const hasReasoning = !isClaude(model) || type === 'enabled' || type === 'adaptive';
  return hasReasoning ? parts : parts.filter((part) => part.type !== 'reasoning');
}

export function respondWithBedrockTurn(turn: Turn, asked: Asked): Respond {
  const { requestId, model, streamed } = asked;
  const headers = { 'x-amzn-requestid': requestId };
  if (!('parts' in turn)) {
    const [status, type, message] = failures[turn.failure];
    const errorType = { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` };
    return jsonResponse({ message }, { status, headers: { ...headers, ...errorType } });
  }
  const stopReason = turn.parts.some(({ type }) => type === 'call') ? 'tool_use' : 'end_turn';
  const usage = usageOf(turn, model);
  const parts = partsOf(turn, asked);
  if (!streamed) {
    const content = parts.map((part, position) => blockOf(part, position, asked));
    return jsonResponse(
      { output: { message: { content, role: 'assistant' } }, stopReason, usage },
      { headers },
    );
  }
  const events: JsonObject[] = [
    { messageStart: { role: 'assistant' } },
    ...parts.flatMap((part, position) => eventsOf(part, position, asked)),
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

function blockOf(part: Part, position: number, { requestId, model }: Asked): JsonObject {
  switch (part.type) {
    case 'text':
      return { text: part.text };
    case 'reasoning':
      return {
        reasoningContent: {
          reasoningText: {
            text: part.text,
            ...(isClaude(model) && { signature: signatureOf(requestId, part.text) }),
          },
        },
      };
    case 'call':
      return { toolUse: { toolUseId: toolUseId(requestId, position), name: part.name, input: part.input } };
    default:
      return part satisfies never;
  }
}

/** Only tool calls have a contentBlockStart event. */
function eventsOf(part: Part, contentBlockIndex: number, asked: Asked): JsonObject[] {
  const toolUse =
    part.type === 'call'
      ? { name: part.name, toolUseId: toolUseId(asked.requestId, contentBlockIndex) }
      : undefined;
  return [
    ...(toolUse === undefined ? [] : [{ contentBlockStart: { contentBlockIndex, start: { toolUse } } }]),
    ...deltasOf(part, asked).map((delta) => ({ contentBlockDelta: { contentBlockIndex, delta } })),
    { contentBlockStop: { contentBlockIndex } },
  ];
}

function deltasOf(part: Part, { requestId, model }: Asked): JsonObject[] {
  switch (part.type) {
    case 'text':
      return splitText(part.text).map((text) => ({ text }));
    case 'reasoning':
      return [
        ...splitText(part.text).map((text) => ({ reasoningContent: { text } })),
        ...(isClaude(model) ? [{ reasoningContent: { signature: signatureOf(requestId, part.text) } }] : []),
      ];
    case 'call':
      return splitText(JSON.stringify(part.input)).map((input) => ({ toolUse: { input } }));
    default:
      return part satisfies never;
  }
}

/** Refuses reasoning that is changed, and signatures of others. */
export function changedReasoningRejection({ messages = [] }: ConverseRequest): string | null {
  const signed = messages
    .flatMap(({ content = [] }) => content)
    .map(({ reasoningContent }) => reasoningContent?.reasoningText)
    .filter((reasoning) => reasoning?.signature !== undefined);
  const isUnchanged = signed.every((it) => isSignatureOf(it?.signature ?? '', it?.text ?? ''));
  return isUnchanged
    ? null
    : 'The model returned the following errors: messages.1.content.0: Invalid `signature` in `thinking` block';
}
