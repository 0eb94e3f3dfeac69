/** How a small Claude answers without a fixture: plain, or as the events of a stream. */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { answerPieces, exampleOf, type ProviderBehaviour } from '../provider-behaviour.ts';
import type { RecordedRequest } from '../upstream-answers.ts';
import { servedModel } from './anthropic-model-rules.ts';
import type { Turn } from './anthropic-turn-checks.ts';

export interface Question {
  request: RecordedRequest;
  body: JsonObject;
  /** Those that the caller runs. */
  tools: JsonObject[];
  turns: Turn[];
}

interface SmallAnswer {
  block: JsonObject;
  /** The block as it begins in a stream, and its deltas. */
  start: JsonObject;
  deltas: JsonObject[];
  stopReason: 'end_turn' | 'tool_use';
}

export function plainMessage(question: Question, behaviour: ProviderBehaviour): JsonObject {
  const { block, stopReason } = answerTo(question, behaviour);
  return messageOf(question, { content: [block], stop_reason: stopReason, outputTokens: 5 });
}

export function messageEvents(question: Question, behaviour: ProviderBehaviour): JsonObject[] {
  const { start, deltas, stopReason } = answerTo(question, behaviour);
  return [
    {
      type: 'message_start',
      message: messageOf(question, { content: [], stop_reason: null, outputTokens: 1 }),
    },
    { type: 'content_block_start', index: 0, content_block: start },
    { type: 'ping' },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason, stop_sequence: null, stop_details: null, container: null },
      usage: {
        input_tokens: 19,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 5,
      },
    },
    { type: 'message_stop' },
  ];
}

function messageOf(
  { request, body }: Question,
  answer: { content: JsonObject[]; stop_reason: string | null; outputTokens: number },
): JsonObject {
  return {
    model: servedModel(String(body.model)),
    id: request.requestId.replace('req', 'msg'),
    type: 'message',
    role: 'assistant',
    content: answer.content,
    container: null,
    stop_reason: answer.stop_reason,
    stop_sequence: null,
    stop_details: null,
    usage: {
      input_tokens: 19,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      output_tokens: answer.outputTokens,
      service_tier: 'standard',
      inference_geo: 'not_available',
    },
    diagnostics: null,
  };
}

function answerTo(question: Question, behaviour: ProviderBehaviour): SmallAnswer {
  const { body, turns } = question;
  const tool = toolToCall(question);
  if (tool !== undefined) return toolCall(question.request, tool);
  const format = isJsonObject(body.output_config) ? body.output_config.format : undefined;
  if (isJsonObject(format) && isJsonObject(format.schema)) {
    return textAnswer([JSON.stringify(exampleOf(format.schema))]);
  }
  const texts = turns.at(-1)?.blocks.map(({ text }) => (typeof text === 'string' ? text : '')) ?? [];
  return textAnswer(answerPieces(behaviour, texts.join('')));
}

/** The first tool or the one that has to be called, once: after a result the answer is text. */
function toolToCall({ body, tools, turns }: Question): JsonObject | undefined {
  const choice = isJsonObject(body.tool_choice) ? body.tool_choice : {};
  const hasResult = turns.at(-1)?.blocks.some(({ type }) => type === 'tool_result') === true;
  if (choice.type === 'none' || hasResult) return undefined;
  return choice.type === 'tool' ? tools.find(({ name }) => name === choice.name) : tools[0];
}

function toolCall(request: RecordedRequest, { name }: JsonObject): SmallAnswer {
  const id = request.requestId.replace('req', 'toolu');
  const block = { type: 'tool_use', id, name, input: { city: 'Oslo' }, caller: { type: 'direct' } };
  return {
    block,
    start: { ...block, input: {} },
    deltas: ['', '{"city":', '"Oslo"}'].map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    stopReason: 'tool_use',
  };
}

function textAnswer(pieces: readonly string[]): SmallAnswer {
  return {
    block: { type: 'text', text: pieces.join('') },
    start: { type: 'text', text: '' },
    deltas: pieces.map((text) => ({ type: 'text_delta', text })),
    stopReason: 'end_turn',
  };
}
