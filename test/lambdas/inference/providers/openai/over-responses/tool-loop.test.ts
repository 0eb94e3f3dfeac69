/** A tool loop of a caller of the Messages API with a model that takes functions beside reasoning only by the Responses API. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loopRequest, loopSchema, runToolLoop, toolUse } from '#test/support/messages/tool-loop.ts';
import {
  startTranslatedGateways,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import { encryptedContentOf } from '#test/support/providers/openai/responses/response-events.ts';
import type { Item, Turn } from '#test/support/providers/openai/responses/turns.ts';
import { imageData } from '#test/support/translation/tool-loop.ts';

let gateways: TranslatedGateways;
beforeAll(async () => {
  gateways = await startTranslatedGateways();
});
afterAll(() => gateways.stop());

const call = (call_id: string, city: string): Item => ({
  type: 'function_call',
  call_id,
  name: 'weather',
  arguments: `{"city":"${city}"}`,
});
const usage = { input: 1200, output: 100, cached: 1000, reasoning: 70 };
const calls: Turn = {
  items: [
    { type: 'reasoning', summary: ['It may rain', 'in Oslo'] },
    { type: 'message', text: 'I look.', phase: 'commentary' },
    { type: 'reasoning', summary: [] },
    call('call_1', 'Oslo'),
    call('call_2', 'Rome'),
  ],
  usage,
};
const end: Turn = { items: [{ type: 'message', text: 'In Rome.', phase: 'final_answer' }], usage };

const model = 'gpt-5.6-terra';
const first = {
  model,
  instructions: 'Be brief.',
  input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Where does it rain?' }] }],
  tools: [
    {
      type: 'function',
      name: 'weather',
      description: 'Tells the weather',
      parameters: loopSchema,
      strict: false,
    },
  ],
  max_output_tokens: loopRequest.max_tokens,
  reasoning: { effort: 'low', summary: 'auto' },
  include: ['reasoning.encrypted_content'],
  store: false,
};

const idOf = (kind: string, position: number) => `${kind}_${'1'.padStart(32, '0')}0${position}`;
const encrypted = (position: number) => encryptedContentOf(model, idOf('rs', position));
const second = {
  ...first,
  input: [
    ...first.input,
    {
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'It may rain\n\nin Oslo' }],
      encrypted_content: encrypted(0),
    },
    {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'I look.' }],
      phase: 'commentary',
    },
    { type: 'reasoning', summary: [], encrypted_content: encrypted(2) },
    { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' },
    { type: 'function_call', call_id: 'call_2', name: 'weather', arguments: '{"city":"Rome"}' },
    {
      type: 'function_call_output',
      call_id: 'call_1',
      output: [
        { type: 'input_text', text: 'The tool call failed:' },
        { type: 'input_text', text: 'No station' },
        { type: 'input_image', image_url: `data:image/png;base64,${imageData}`, detail: 'auto' },
      ],
    },
    { type: 'function_call_output', call_id: 'call_2', output: 'Rain' },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go on.' }] },
  ],
};

describe('A tool loop of a caller of messages', () => {
  it.each([
    ['whole', false],
    ['streamed', true],
  ])('takes encrypted reasoning and phases back to their places, %s', async (_, stream) => {
    const gateway = await gateways.start('openai');

    const results = await runToolLoop(gateway, {
      model: `openai/${model}`,
      stream,
      calls: { turn: calls },
      end: { turn: end },
    });

    const ignored = ['cache_control', 'context_management', 'tools.web_search'];
    const entry = {
      operation: 'messages',
      model,
      stream,
      outcome: 'completed',
      input_tokens: 1200,
      cached_input_tokens: 1000,
      output_tokens: 100,
      reasoning_tokens: 70,
      // 200 × $2 + 1000 × $0.2 + 100 × $12 per million.
      cost_usd: '0.0018',
      provider_request_id: `req_${'1'.padStart(32, '0')}`,
    };
    const streaming = stream ? { stream } : {};
    expect(results.first.request.url).toBe('/v1/responses');
    expect(results.first.sent).toEqual({ ...first, ...streaming });
    expect(results.first.body).toMatchObject({
      id: `msg_${results.first.entry.id}`,
      model,
      content: [
        { type: 'thinking', thinking: 'It may rain\n\nin Oslo' },
        { type: 'text', text: 'I look.' },
        { type: 'thinking', thinking: '' },
        toolUse('call_1', 'Oslo'),
        toolUse('call_2', 'Rome'),
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 200, cache_read_input_tokens: 1000, output_tokens: 100 },
    });
    expect(results.first.entry).toMatchObject({ ...entry, finish_reason: 'tool_calls' });
    expect(results.first.ignored.toSorted()).toEqual(ignored);
    expect(results.second.sent).toEqual({ ...second, ...streaming });
    expect(results.second.body).toMatchObject({
      content: [{ type: 'text', text: 'In Rome.' }],
      stop_reason: 'end_turn',
    });
    expect(results.second.entry).toMatchObject({ operation: 'messages', finish_reason: 'stop' });
    expect(results.second.ignored.toSorted()).toEqual([
      ...ignored.slice(0, 2),
      'messages.content.is_error',
      'tools.web_search',
    ]);
  });
});
