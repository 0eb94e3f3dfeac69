/** A conversation that goes on at another provider: what one requires back reaches no other, and is back when it returns. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { filterObjects, type JsonObject } from '#lambdas/platform/json/json.ts';
import {
  startTranslatedGateways,
  type TranslatedGateway,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import { responseFormats } from '#test/support/providers/dialects/response-formats.ts';

let gateways: TranslatedGateways;
let google: TranslatedGateway;
let openai: TranslatedGateway;
let anthropic: TranslatedGateway;
beforeAll(async () => {
  gateways = await startTranslatedGateways();
  [google, openai, anthropic] = await Promise.all([
    gateways.start('google'),
    gateways.start('openai'),
    gateways.start('anthropic'),
  ]);
});
afterAll(() => gateways.stop());

const gemini = 'gemini-3.5-flash';
const signature = 'EpEgCo4gAb4+9vvW';
const claudeSignature = 'EqQBCkYIBxgC';
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
const claudeMessage = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [
    { type: 'thinking', thinking: 'Rain again', signature: claudeSignature },
    { type: 'text', text: 'It rains.' },
  ],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 11, output_tokens: 5 },
};

const tools = [{ name: 'look', input_schema: { type: 'object', properties: { at: { type: 'string' } } } }];
const question = { role: 'user', content: 'Look outside' };
const next = { role: 'user', content: 'And in Rome?' };
const result = {
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'Rain' }],
};
const reported = ['messages.content.thinking'];

it('keeps the thinking of each provider for itself', async () => {
  const ask = ({ ask }: TranslatedGateway, model: string, messages: JsonObject[], response: object) =>
    ask({ model, tools, messages }, response);

  const first = await ask(
    google,
    `google/${gemini}`,
    [question],
    candidates([{ text: 'Outside, then', thought: true }, signedCall]),
  );
  const assistant = { role: 'assistant', content: first.body.content };
  const atClaude = await ask(anthropic, 'anthropic/claude-sonnet-4-5', [question, assistant, result], {
    whole: claudeMessage,
  });
  const conversation = [
    question,
    assistant,
    result,
    { role: 'assistant', content: atClaude.body.content },
    next,
  ];
  const atOpenAi = await ask(openai, 'openai/gpt-4o-mini', conversation, {
    whole: responseFormats.openai.whole({ text: 'Sun', calls: [] }),
  });
  const back = await ask(google, `google/${gemini}`, conversation, candidates([{ text: 'Sun' }]));

  const kinds = filterObjects(first.body.content).map(({ type }) => type);
  expect(kinds).toEqual(['thinking', 'tool_use']);
  const call = { type: 'tool_use', id: 'c1', name: 'look', input: { at: 'Oslo' } };
  expect(atClaude.sent.messages).toEqual([
    question,
    { role: 'assistant', content: [{ ...call, caller: { type: 'direct' } }] },
    result,
  ]);
  expect(atClaude.ignored).toEqual(reported);
  expect(atClaude.body).toEqual(claudeMessage);
  expect(JSON.stringify(atOpenAi.sent)).not.toContain(signature);
  expect(filterObjects(atOpenAi.sent.messages).map(({ role, content }) => [role, content])).toEqual([
    ['user', 'Look outside'],
    ['assistant', null],
    ['tool', 'Rain'],
    ['assistant', 'It rains.'],
    ['user', 'And in Rome?'],
  ]);
  expect(atOpenAi.ignored).toEqual(reported);
  expect(back.sent.contents).toEqual([
    { role: 'user', parts: [{ text: 'Look outside' }] },
    { role: 'model', parts: [signedCall] },
    {
      role: 'user',
      parts: [{ functionResponse: { id: 'c1', name: 'look', response: { output: 'Rain' } } }],
    },
    { role: 'model', parts: [{ text: 'It rains.' }] },
    { role: 'user', parts: [{ text: 'And in Rome?' }] },
  ]);
});
