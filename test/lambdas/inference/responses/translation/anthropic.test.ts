/** A tool loop of a caller of the Responses API with Claude. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTranslatedGateways,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import { toMessageEvents } from '#test/support/providers/anthropic/message-events.ts';
import {
  loopCompletion,
  loopItems,
  loopProblems,
  loopTools,
  runToolLoop,
} from '#test/support/responses/tool-loop.ts';
import { imageData } from '#test/support/translation/tool-loop.ts';

let gateways: TranslatedGateways;
beforeAll(async () => {
  gateways = await startTranslatedGateways({ path: '/ai/v1/responses' });
});
afterAll(() => gateways.stop());

const signature = 'EqQBCkYIBxgC+/8=';
const calls = loopCompletion.calls.map(({ arguments: json, ...call }) => ({
  ...call,
  input: JSON.parse(json),
}));
const [thought, text] = [loopCompletion.reasoning, loopCompletion.text];
const usage = {
  input_tokens: 1200,
  input_tokens_details: { cached_tokens: 900, cache_write_tokens: 100 },
  output_tokens: 100,
  total_tokens: 1300,
};
const entry = {
  operation: 'responses',
  provider: 'anthropic',
  outcome: 'completed',
  input_tokens: 1200,
  cached_input_tokens: 900,
  cache_write_input_tokens: 100,
  output_tokens: 100,
  // 200 × $3 + 900 × $0.3 + 100 × $3.75 + 100 × $15 per million.
  cost_usd: '0.002745',
  pricing: 'table',
};
const signed = `gateway/anthropic/thinking//anthropic/signature/${encodeURIComponent(signature)};`;
const ignored = ['client_metadata', 'prompt_cache_key', 'tools.web_search'];

describe('Claude', () => {
  const model = 'claude-sonnet-4-5';
  const message = (content: object[], stopReason: string) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage: {
      input_tokens: 200,
      cache_read_input_tokens: 900,
      cache_creation_input_tokens: 100,
      output_tokens: 100,
    },
  });
  const inBothForms = (whole: object) => ({ whole, events: toMessageEvents({ ...whole }) });
  const thinking = { type: 'thinking', thinking: thought, signature };
  const toolUses = calls.map((call) => ({ type: 'tool_use', ...call }));
  const results = {
    calls: inBothForms(message([thinking, { type: 'text', text }, ...toolUses], 'tool_use')),
    end: inBothForms(message([{ type: 'text', text: 'In Rome.' }], 'end_turn')),
  };
  const sentFirst = {
    model,
    max_tokens: 64_000,
    system: ['Be brief.', 'You have a shell.'].map((text) => ({ type: 'text', text })),
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Where does it rain?' }] }],
    tools: loopTools.map(({ schema, ...tool }) => ({ ...tool, input_schema: schema })),
    tool_choice: { type: 'auto' },
    thinking: { type: 'enabled', budget_tokens: 4096 },
  };
  const result = (id: string, text: string, ...parts: object[]) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: [{ type: 'text', text }, ...parts],
  });
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: imageData } };
  const sentSecond = {
    ...sentFirst,
    messages: [
      ...sentFirst.messages,
      { role: 'assistant', content: [thinking, { type: 'text', text }, ...toolUses] },
      {
        role: 'user',
        content: [
          result('call_1', 'Rain', image),
          result('call_2', 'Output 1'),
          result('call_3', 'Output 2'),
          { type: 'text', text: 'Go on.' },
        ],
      },
    ],
  };

  it.each([
    ['whole', false],
    ['streamed', true],
  ])('serves a tool loop, %s', async (_, stream) => {
    const gateway = await gateways.start('anthropic');

    const loop = await runToolLoop(gateway, { model: `anthropic/${model}`, stream, ...results });

    const { first, second } = loop;
    const streaming = stream ? { stream } : {};
    expect(first.sent).toEqual({ ...sentFirst, ...streaming });
    expect(first.body).toMatchObject({
      id: `resp_gateway_${first.entry.id}`,
      model,
      status: 'completed',
      usage,
    });
    expect(first.body.output).toEqual(loopItems(first.entry.id, { reasoning: signed }));
    expect(first.entry).toMatchObject({
      ...entry,
      stream,
      finish_reason: 'tool_calls',
    });
    expect(first.ignored).toEqual(ignored);
    expect(second.sent).toEqual({ ...sentSecond, ...streaming });
    expect(second.body).toMatchObject({ output: [{ content: [{ text: 'In Rome.' }] }], usage });
    expect(second.entry).toMatchObject({ ...entry, stream, finish_reason: 'stop' });
    expect(second.ignored).toEqual([...ignored, 'input.content.detail']);
    expect(loopProblems(loop)).toEqual([]);
  });
});
