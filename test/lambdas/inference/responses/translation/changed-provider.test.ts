/** A conversation that goes on at another provider: what one requires back reaches no other, and is back when it returns. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import {
  type ProviderResult,
  startTranslatedGateways,
  type TranslatedGateway,
  type TranslatedGateways,
  type TranslatedResult,
} from '#test/support/messages/translated-gateway.ts';
import { jsonResponse, type Respond } from '#test/support/providers/upstream-responses.ts';
import { responseFields } from '#test/support/responses/gateway.ts';

let gateways: TranslatedGateways;
let google: TranslatedGateway;
let openai: TranslatedGateway;
let anthropic: TranslatedGateway;
beforeAll(async () => {
  gateways = await startTranslatedGateways({ path: '/ai/v1/responses' });
  [google, openai, anthropic] = await Promise.all([
    gateways.start('google'),
    gateways.start('openai'),
    gateways.start('anthropic'),
  ]);
});
afterAll(() => gateways.stop());

const gemini = 'gemini-3.5-flash';
const signature = 'EpEgCo4gAb4+9vvW';
const signedCall = {
  functionCall: { id: 'c1', name: 'look', args: { at: 'Oslo' } },
  thoughtSignature: signature,
};
const candidates = (parts: object[]) => ({
  whole: {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 5, totalTokenCount: 16 },
    modelVersion: gemini,
  },
});

const openAiReasoning = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'Rain again' }],
  encrypted_content: 'gAAAAABp0000',
};
const openAiMessage = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  phase: 'final_answer',
  content: [{ type: 'output_text', text: 'It rains.', annotations: [], logprobs: [] }],
};
const openAiResponse = { ...responseFields, output: [openAiReasoning, openAiMessage] };

const thinking = { type: 'thinking', thinking: 'And now?', signature: 'EqQBCkYIBxgC' };
const claudeMessage = {
  whole: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [thinking, { type: 'text', text: 'Sun.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 11, output_tokens: 5 },
  },
};

const tools = [
  { type: 'function', name: 'look', parameters: { type: 'object', properties: { at: { type: 'string' } } } },
];
const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const output = { type: 'function_call_output', call_id: 'c1', output: 'Rain' };

const outputOf = ({ body }: TranslatedResult) => (Array.isArray(body.output) ? body.output : []);

it('keeps the reasoning of each provider for itself', async () => {
  const ask = (
    { ask }: TranslatedGateway,
    model: string,
    input: JsonObject[],
    response: ProviderResult | Respond,
  ) => ask({ model, tools, input, store: false, reasoning: { effort: 'low' } }, response);

  const first = await ask(
    google,
    `google/${gemini}`,
    [user('Look outside')],
    candidates([{ text: 'Outside, then', thought: true }, signedCall]),
  );
  const toOpenAi = [user('Look outside'), ...outputOf(first), output];
  const second = await ask(openai, 'openai/gpt-5.5', toOpenAi, jsonResponse(openAiResponse));
  const toClaude = [...toOpenAi, ...outputOf(second), user('And in Rome?')];
  const third = await ask(anthropic, 'anthropic/claude-sonnet-4-5', toClaude, claudeMessage);
  const all = [...toClaude, ...outputOf(third), user('And now?')];
  const back = await ask(google, `google/${gemini}`, all, candidates([{ text: 'Snow' }]));
  const backAtOpenAi = await ask(openai, 'openai/gpt-5.5', all, jsonResponse(openAiResponse));
  const backAtClaude = await ask(anthropic, 'anthropic/claude-sonnet-4-5', all, claudeMessage);

  const id = first.entry.id;
  const call = {
    id: `fc_gateway_${id}_1`,
    type: 'function_call',
    status: 'completed',
    call_id: 'c1',
    name: 'look',
    arguments: '{"at":"Oslo"}',
  };
  expect(outputOf(first)).toEqual([
    {
      id: `rs_gateway_${id}_0`,
      type: 'reasoning',
      status: 'completed',
      summary: [{ type: 'summary_text', text: 'Outside, then' }],
      encrypted_content: `gateway/google/call/c1/google/signature/${encodeURIComponent(signature)};`,
    },
    call,
  ]);

  expect(second.sent).toEqual({
    model: 'gpt-5.5',
    tools,
    input: [user('Look outside'), call, output],
    store: false,
    reasoning: { effort: 'low' },
  });
  expect([second.ignored, second.body]).toEqual([['input.reasoning'], openAiResponse]);

  const claudeConversation = [
    { role: 'user', content: [{ type: 'text', text: 'Look outside' }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: { at: 'Oslo' } }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'Rain' }] }],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'It rains.' }] },
    { role: 'user', content: [{ type: 'text', text: 'And in Rome?' }] },
  ];
  expect(third.sent.messages).toEqual(claudeConversation);
  expect(third.ignored).toEqual(['input.phase', 'input.reasoning']);

  expect(back.sent.contents).toEqual([
    { role: 'user', parts: [{ text: 'Look outside' }] },
    { role: 'model', parts: [signedCall] },
    {
      role: 'user',
      parts: [{ functionResponse: { id: 'c1', name: 'look', response: { output: 'Rain' } } }],
    },
    { role: 'model', parts: [{ text: 'It rains.' }] },
    { role: 'user', parts: [{ text: 'And in Rome?' }] },
    { role: 'model', parts: [{ text: 'Sun.' }] },
    { role: 'user', parts: [{ text: 'And now?' }] },
  ]);
  expect(back.ignored).toEqual(['input.phase', 'input.reasoning']);

  const [, message] = outputOf(third);
  expect(backAtOpenAi.sent.input).toEqual([
    user('Look outside'),
    call,
    output,
    openAiReasoning,
    openAiMessage,
    user('And in Rome?'),
    message,
    user('And now?'),
  ]);
  expect(backAtClaude.sent.messages).toEqual([
    ...claudeConversation,
    { role: 'assistant', content: [thinking, { type: 'text', text: 'Sun.' }] },
    { role: 'user', content: [{ type: 'text', text: 'And now?' }] },
  ]);
});
