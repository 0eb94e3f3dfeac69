/** How OpenAI itself answers a chat completion request: the upstream's behaviour without a script. */

import { errorAnswer } from './openai-answers.ts';
import { doneEvent, event, exampleUsage, type Usage } from './openai-events.ts';
import { examplePieces } from './provider-behaviour.ts';
import { type Answer, jsonAnswer, type RecordedRequest, streamAnswer } from './upstream-answers.ts';

export interface UpstreamBehaviour {
  /** Any other key, or none, is answered 401. Without it every key will do. */
  expectedApiKey?: string;
  /** Models that are answered 404 `model_not_found`. */
  unknownModels?: readonly string[];
  /** What the answer says was counted; also see `exampleUsage`. */
  usage?: Usage;
  /** The text of the answer, in the pieces in which a stream sends it. */
  pieces?: readonly string[];
}

interface ChatRequest {
  model: string;
  messages: { role: string }[];
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  tools?: { function: { name: string } }[];
  tool_choice?: unknown;
}

interface ChatAnswer {
  message: Record<string, unknown>;
  deltas: Record<string, unknown>[];
  finishReason: 'stop' | 'tool_calls';
}

const snapshots: Record<string, string> = {
  'gpt-4o': 'gpt-4o-2024-08-06',
  'gpt-4o-mini': 'gpt-4o-mini-2024-07-18',
};

export function openaiAnswer(request: RecordedRequest, behaviour: UpstreamBehaviour): Answer {
  const path = new URL(request.url, 'http://upstream').pathname;
  if (request.method !== 'POST' || path !== '/v1/chat/completions') {
    return errorAnswer(404, {
      error: { message: `Unknown request: ${request.method} ${path}`, code: 'unknown_url' },
    });
  }
  const { expectedApiKey } = behaviour;
  if (expectedApiKey !== undefined && request.headers.authorization !== `Bearer ${expectedApiKey}`) {
    return errorAnswer(401);
  }
  const chat = parseChatRequest(request.body);
  if (typeof chat === 'string')
    return errorAnswer(400, { error: { message: chat, param: null, code: null } });
  if (behaviour.unknownModels?.includes(chat.model)) {
    return errorAnswer(404, { error: { message: `The model \`${chat.model}\` does not exist.` } });
  }
  return chat.stream === true ? streamed(chat, behaviour) : plain(chat, behaviour);
}

function parseChatRequest(body: Buffer): ChatRequest | string {
  let chat: Partial<ChatRequest>;
  try {
    chat = JSON.parse(body.toString());
  } catch {
    return 'The body is not JSON.';
  }
  if (typeof chat.model !== 'string') return 'You must provide a model parameter.';
  if (!Array.isArray(chat.messages)) return "Missing required parameter: 'messages'.";
  if (chat.stream_options && chat.stream !== true) {
    return "'stream_options' is only allowed when 'stream' is enabled.";
  }
  return chat as ChatRequest;
}

function plain(chat: ChatRequest, behaviour: UpstreamBehaviour): Answer {
  const { message, finishReason } = chatAnswer(chat, behaviour);
  return jsonAnswer(
    {
      ...commonFields(chat, 'chat.completion'),
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
      usage: behaviour.usage ?? exampleUsage,
      service_tier: 'default',
      system_fingerprint: 'fp_1',
    },
    { headers: openaiHeaders },
  );
}

/** With `include_usage` every chunk has `usage`, null on all but the last, whose `choices` are empty. */
function streamed(chat: ChatRequest, behaviour: UpstreamBehaviour): Answer {
  const { deltas, finishReason } = chatAnswer(chat, behaviour);
  const includeUsage = chat.stream_options?.include_usage === true;
  const chunk = (choices: unknown[], usage: Usage | null) =>
    event({
      ...commonFields(chat, 'chat.completion.chunk'),
      service_tier: 'default',
      system_fingerprint: 'fp_1',
      choices,
      ...(includeUsage ? { usage } : {}),
    });
  const choice = (delta: object, finish_reason: string | null) =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason }], null);
  const usageChunks = includeUsage ? [chunk([], behaviour.usage ?? exampleUsage)] : [];
  const events = [
    ...deltas.map((delta) => choice(delta, null)),
    choice({}, finishReason),
    ...usageChunks,
    doneEvent,
  ];
  return streamAnswer(events, {
    headers: { ...openaiHeaders, 'content-type': 'text/event-stream; charset=utf-8' },
  });
}

const openaiHeaders = { 'openai-version': '2020-10-01', 'openai-processing-ms': '12' };

function commonFields(chat: ChatRequest, object: string) {
  return { id: 'chatcmpl-1', object, created: 1767225600, model: snapshots[chat.model] ?? chat.model };
}

/** Calls the first tool, once: when its result is among the messages, the answer is text. */
function chatAnswer(chat: ChatRequest, behaviour: UpstreamBehaviour): ChatAnswer {
  const tool = chat.tools?.[0];
  const wantsText = chat.tool_choice === 'none' || chat.messages.at(-1)?.role === 'tool';
  if (tool !== undefined && !wantsText) return toolCallAnswer(tool.function.name);
  const pieces = behaviour.pieces ?? examplePieces;
  return {
    message: { role: 'assistant', content: pieces.join(''), refusal: null, annotations: [] },
    deltas: [{ role: 'assistant', content: '', refusal: null }, ...pieces.map((content) => ({ content }))],
    finishReason: 'stop',
  };
}

function toolCallAnswer(name: string): ChatAnswer {
  const call = (argumentText: string) => ({
    id: 'call_1',
    type: 'function',
    function: { name, arguments: argumentText },
  });
  const fragment = (text: string) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] });
  return {
    message: {
      role: 'assistant',
      content: null,
      tool_calls: [call('{"city":"Oslo"}')],
      refusal: null,
      annotations: [],
    },
    deltas: [
      { role: 'assistant', content: null, tool_calls: [{ index: 0, ...call('') }], refusal: null },
      fragment('{"city":'),
      fragment('"Oslo"}'),
    ],
    finishReason: 'tool_calls',
  };
}
