/** Makes seeded random responses of the native APIs, as messages and as streams, for comparisons between versions. */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { type Random, seededRandom } from '../seeded-random.ts';
import { callAnthropic } from './anthropic/call.ts';
import { anthropicEvent } from './anthropic/message-events.ts';
import { callBedrock, eventStreamResponse } from './bedrock/call.ts';
import { callGoogle, googleEvent } from './google/call.ts';
import { readBody, readStream } from './provider-call.ts';

const texts = ['', ' ', '\n', 'Hi', ' 🙂 "x"', 'data: y\n\n'];
const inputs = ['', '{}', '{"n":1}', '{"a":', ' '];

interface Block {
  kind: 'text' | 'thinking' | 'redacted' | 'call' | 'hosted' | 'other' | 'media';
  deltas: string[];
  signature: string;
  input: string;
}

const kinds: readonly Block['kind'][] = [
  ...(['text', 'text', 'thinking', 'thinking', 'redacted', 'call', 'hosted', 'other', 'media'] as const),
];

function randomBlocks(random: Random): Block[] {
  const pick = <Value>(values: readonly Value[]): Value[] =>
    values.slice(Math.floor(random() * values.length)).slice(0, 1);
  return Array.from({ length: Math.floor(random() * 7) }, () => ({
    kind: pick(kinds)[0] ?? 'text',
    deltas: Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(texts)[0] ?? ''),
    signature: pick(['', 'c2ln', 'c2lnMg=='])[0] ?? '',
    input: pick(inputs)[0] ?? '',
  }));
}

/** Returns the completion and the stream that callers of chat completions get, or the message of the error. */
export async function randomChatOutputs(seed: number, provider: 'anthropic' | 'bedrock' | 'google') {
  const random = seededRandom(seed);
  const blocks = randomBlocks(random);
  const draw = random();
  const outputs: string[] = [];
  for (const stream of [false, true]) {
    const fields = { stream, ...(draw < 0.5 && { stream_options: { include_usage: true } }) };
    outputs.push(await chatOutput[provider](blocks, draw, fields));
  }
  return outputs;
}

type Output = (
  blocks: readonly Block[],
  draw: number,
  request: JsonObject & { stream: boolean },
) => Promise<string>;

const chatOutput: Record<'anthropic' | 'bedrock' | 'google', Output> = {
  async anthropic(blocks, draw, request) {
    const reasons = ['end_turn', 'stop_sequence', 'max_tokens', 'tool_use', 'refusal'];
    const stop_reason = reasons[Math.floor(draw * reasons.length)];
    const stop_details = draw > 0.9 ? { explanation: 'No' } : null;
    const end = { stop_reason, stop_sequence: draw < 0.4 ? 'END' : null, stop_details };
    const usage = { input_tokens: 3, output_tokens: 4 };
    const start = { id: 'msg_1', model: 'claude-x', role: 'assistant', type: 'message' };
    const events = [
      { type: 'message_start', message: { ...start, content: [], usage } },
      ...blocks.flatMap((block, index) => anthropicEvents(block, index)),
      { type: 'message_delta', delta: end, usage },
      { type: 'message_stop' },
    ];
    const message = { ...start, content: blocks.map(anthropicBlock), ...end, usage };
    const body = request.stream ? events.map(anthropicEvent) : message;
    return output(await callAnthropic(request, { response: { body } }), request.stream);
  },
  async bedrock(blocks, draw, request) {
    const reasons = ['end_turn', 'stop_sequence', 'max_tokens', 'tool_use', 'guardrail_intervened'];
    const stopReason = reasons[Math.floor(draw * reasons.length)];
    const usage = { inputTokens: 3, outputTokens: 4, totalTokens: 7 };
    const json_schema = { name: 's', schema: { type: 'object', properties: {} } };
    const model = draw < 0.3 ? 'us.amazon.nova-pro-v1:0' : 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
    const format = draw < 0.3 ? { response_format: { type: 'json_schema', json_schema } } : {};
    const events = [
      { messageStart: { role: 'assistant' } },
      ...blocks.flatMap((block, index) => bedrockEvents(block, index, draw)),
      { messageStop: { stopReason } },
      { metadata: { usage } },
    ];
    const content = blocks.map((block) => bedrockBlock(block, draw));
    const scripted = request.stream
      ? eventStreamResponse(...events)
      : { body: { output: { message: { role: 'assistant', content } }, stopReason, usage } };
    const response = await callBedrock({ ...request, ...format, model }, scripted);
    return output({ response }, request.stream);
  },
  async google(blocks, draw, request) {
    const reasons = ['STOP', 'MAX_TOKENS', 'SAFETY', 'STOP'];
    const finishReason = reasons[Math.floor(draw * reasons.length)];
    const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 };
    const parts = blocks.flatMap(googleParts);
    const identity = { responseId: 'r', modelVersion: 'gemini-x' };
    const end = { ...identity, candidates: [{ finishReason }], usageMetadata };
    const chunks = [
      ...parts.map((part) => ({ ...identity, candidates: [{ content: { parts: [part] } }] })),
      end,
    ];
    const whole = { ...identity, candidates: [{ content: { parts }, finishReason }], usageMetadata };
    const body = request.stream ? chunks.map(googleEvent) : whole;
    return output(await callGoogle(request, { response: { body } }), request.stream);
  },
};

async function output(
  call: Awaited<ReturnType<typeof callGoogle>> | Parameters<typeof readBody>[0],
  stream: boolean,
) {
  if (stream) return (await readStream(call)).text;
  const { text, error } = await readBody(call);
  return error === null ? text : error.message;
}

function anthropicBlock({ kind, deltas, signature, input }: Block): JsonObject {
  const text = deltas.join('');
  switch (kind) {
    case 'thinking':
      return { type: 'thinking', thinking: text, signature };
    case 'redacted':
      return { type: 'redacted_thinking', data: `r${signature}` };
    case 'call':
      return { type: 'tool_use', id: signature, name: 'look', input: input === '{"n":1}' ? { n: 1 } : {} };
    case 'hosted':
      return { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
    case 'other':
      return { type: 'fallback', from: { model: 'claude-x' }, to: { model: 'claude-y' } };
    default:
      return { type: 'text', text };
  }
}

function anthropicEvents(block: Block, index: number): JsonObject[] {
  const { kind, deltas, signature, input } = block;
  const delta = (value: JsonObject) => ({ type: 'content_block_delta', index, delta: value });
  const stop = { type: 'content_block_stop', index };
  const start = (fields: JsonObject) => ({
    type: 'content_block_start',
    index,
    content_block: { ...anthropicBlock(block), ...fields },
  });
  if (kind === 'thinking') {
    return [
      start({ thinking: '', signature: '' }),
      ...deltas.map((thinking) => delta({ type: 'thinking_delta', thinking })),
      delta({ type: 'signature_delta', signature }),
      stop,
    ];
  }
  if (kind === 'call')
    return [start({ input: {} }), delta({ type: 'input_json_delta', partial_json: input }), stop];
  if (kind === 'text' || kind === 'media') {
    return [start({ text: '' }), ...deltas.map((text) => delta({ type: 'text_delta', text })), stop];
  }
  return [start({}), stop];
}

function bedrockBlock({ kind, deltas, signature, input }: Block, draw: number): JsonObject {
  const text = deltas.join('');
  const name = draw < 0.15 ? 'json_answer' : 'look';
  switch (kind) {
    case 'thinking':
      return { reasoningContent: { reasoningText: { text, signature } } };
    case 'redacted':
      return { reasoningContent: { redactedContent: `r${signature}` } };
    case 'call':
      return { toolUse: { toolUseId: signature, name, input: input === '{"n":1}' ? { n: 1 } : {} } };
    case 'hosted':
      return { toolUse: { toolUseId: 's', name: 'search', type: 'server_tool_use', input: {} } };
    case 'other':
      return { citationsContent: { content: [{ text }], citations: [] } };
    default:
      return { text };
  }
}

function bedrockEvents({ kind, deltas, signature, input }: Block, index: number, draw: number): JsonObject[] {
  const at = { contentBlockIndex: index };
  const delta = (value: JsonObject) => ({ contentBlockDelta: { ...at, delta: value } });
  const stop = { contentBlockStop: at };
  const start = (toolUse: JsonObject) => ({ contentBlockStart: { ...at, start: { toolUse } } });
  const name = draw < 0.15 ? 'json_answer' : 'look';
  switch (kind) {
    case 'thinking':
      return [
        ...deltas.map((text) => delta({ reasoningContent: { text } })),
        delta({ reasoningContent: { signature } }),
        stop,
      ];
    case 'redacted':
      return [delta({ reasoningContent: { redactedContent: `r${signature}` } }), stop];
    case 'call':
      return [start({ toolUseId: signature, name }), delta({ toolUse: { input } }), stop];
    case 'hosted':
      return [start({ toolUseId: 's', name: 'search', type: 'server_tool_use' }), stop];
    default:
      return [...deltas.map((text) => delta({ text })), stop];
  }
}

function googleParts({ kind, deltas, signature, input }: Block): JsonObject[] {
  const signed = signature === '' ? {} : { thoughtSignature: signature };
  switch (kind) {
    case 'thinking':
      return deltas.map((text) => ({ thought: true, text, ...signed }));
    case 'redacted':
      return [{ text: '', ...signed }];
    case 'call':
      return [{ functionCall: { id: signature, name: 'look', args: { input } }, ...signed }];
    case 'hosted':
      return [{ executableCode: { code: 'x' } }];
    case 'other':
    case 'media': {
      const mimeType = ['image/png', 'video/mp4', 'audio/L16', 'application/pdf'][deltas.join('').length % 4];
      return [{ inlineData: { mimeType, data: 'AAAA' }, ...signed }];
    }
    default:
      return deltas.map((text) => ({ text, ...signed }));
  }
}
