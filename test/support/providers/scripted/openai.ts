/** Scripted turns in OpenAI's format of chat completions, in the dialects of OpenAI itself, vLLM and Ollama. */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { type ChatRequest, requestsUsage } from '../openai/chat-request.ts';
import { doneEvent, event } from '../openai/events.ts';
import { jsonResponse, type Respond, streamResponse } from '../upstream-responses.ts';
import type { ChatDialect } from './openai-dialects.ts';
import { type CompletionTurn, splitText, type Turn, untilBroken } from './turns.ts';

interface Asked {
  requestId: string;
  chat: ChatRequest;
  dialect: ChatDialect;
}

export function respondWithChatTurn(turn: Turn, asked: Asked): Respond {
  const { chat, dialect, requestId } = asked;
  if (!('parts' in turn)) {
    const { status, error } = dialect.failures[turn.failure];
    return jsonResponse({ error }, { status });
  }
  const id = requestId.replace('req_', 'chatcmpl-');
  const common = { id, created: 1_767_225_600, model: chat.model, ...dialect.fields };
  const finish_reason = turn.parts.some(({ type }) => type === 'call') ? 'tool_calls' : 'stop';
  const usage = usageOf(turn, dialect);
  if (chat.stream !== true) {
    const choice = { index: 0, message: messageOf(turn, asked), logprobs: null, finish_reason };
    return jsonResponse({ ...common, object: 'chat.completion', choices: [choice], usage });
  }
  const chunk = (choices: JsonObject[], fields: JsonObject = {}) => ({
    ...common,
    object: 'chat.completion.chunk',
    choices,
    ...fields,
  });
  const chunkOf = (delta: JsonObject, reason: string | null = null) =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason: reason }]);
  const chunks = [
    ...deltasOf(turn, asked).map((delta) => chunkOf(delta)),
    chunkOf({}, finish_reason),
    ...(requestsUsage(chat) || dialect.alwaysSendsUsage ? [chunk([], { usage })] : []),
  ];
  // The first chunk has the role only.
  const sent = untilBroken(turn, chunks, (it) => it !== chunks[0]).map(event);
  return streamResponse(turn.broken === undefined ? [...sent, doneEvent] : sent, { ending: turn.broken });
}

function usageOf({ usage }: CompletionTurn, { reportsDetails }: ChatDialect): JsonObject {
  const { input, output, cached = 0, reasoning = 0 } = usage;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(reportsDetails && {
      prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
    }),
  };
}

/** Calls are numbered without the other parts. */
function callsOf({ parts }: CompletionTurn, { requestId, dialect }: Asked): JsonObject[] {
  return parts
    .flatMap((part) => (part.type === 'call' ? [part] : []))
    .map(({ name, input }, index) => ({
      index,
      id: dialect.callId(requestId, index),
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    }));
}

function textOf({ parts }: CompletionTurn, kind: 'text' | 'reasoning'): string {
  return parts.flatMap((part) => (part.type === kind && 'text' in part ? [part.text] : [])).join('');
}

function messageOf(turn: CompletionTurn, asked: Asked): JsonObject {
  const calls = callsOf(turn, asked).map(({ index, ...call }) => call);
  const reasoning = textOf(turn, 'reasoning');
  return {
    role: 'assistant',
    content: textOf(turn, 'text') || null,
    ...(asked.dialect.showsReasoning && reasoning !== '' && { reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function deltasOf(turn: CompletionTurn, asked: Asked): JsonObject[] {
  const { showsReasoning, streamsCalls } = asked.dialect;
  const calls = callsOf(turn, asked);
  return [
    { role: 'assistant', content: '' },
    ...(showsReasoning ? splitText(textOf(turn, 'reasoning')).map((reasoning) => ({ reasoning })) : []),
    ...splitText(textOf(turn, 'text')).map((content) => ({ content })),
    ...(streamsCalls ? calls.flatMap(chunksOfCall) : calls).map((call) => ({ tool_calls: [call] })),
  ];
}

function chunksOfCall({ index, function: callee, ...call }: JsonObject): JsonObject[] {
  const { name, arguments: json } = callee as { name: string; arguments: string };
  return [
    { index, ...call, function: { name, arguments: '' } },
    ...splitText(json).map((text) => ({ index, function: { arguments: text } })),
  ];
}
