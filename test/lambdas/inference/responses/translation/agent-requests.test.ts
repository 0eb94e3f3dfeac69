/** The recorded requests of agents at providers without the Responses API, which validate them as the real ones do. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { agentRequests } from '#test/support/agent-requests.ts';
import {
  startTranslatedGateways,
  type TranslatedGateway,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import type { Turn } from '#test/support/providers/scripted/turns.ts';
import { eventData } from '#test/support/providers/sse-events.ts';
import { agentModels } from '#test/support/translation/models.ts';

let gateways: TranslatedGateways;
beforeAll(async () => {
  gateways = await startTranslatedGateways();
});
afterAll(() => gateways.stop());

const models = [
  ...agentModels,
  'anthropic/claude-opus-4-8',
  'anthropic/claude-sonnet-4-5',
  'bedrock/amazon.nova-2-lite-v1:0',
  'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
];

const turn: Turn = {
  parts: [
    { type: 'text', text: 'I look.' },
    { type: 'call', name: 'exec_command', input: { cmd: 'ls' } },
  ],
  usage: { input: 21_944, output: 41 },
};

const takesSerialCalls = (model: string) => !/^(google|bedrock\/(?!.*claude))/.test(model);

describe.each(models)('At %s', (model) => {
  const provider = model.slice(0, model.indexOf('/'));
  let gateway: TranslatedGateway;
  beforeAll(async () => {
    // Providers with the API get its requests only if the settings turn it off.
    const settings = { [provider]: { operations: { responses: false } } } as const;
    gateway = await gateways.start(provider, { path: '/ai/v1/responses', settings });
    gateway.upstream.behaviour.nextCompletion = () => turn;
  });

  it.each(agentRequests('responses'))('$client is understood: $name', async ({ body, headers }) => {
    const { handler, upstream } = gateway;
    // Codex asks models of OpenAI for one call at a time, which others refuse.
    const fields = takesSerialCalls(model) ? {} : { parallel_tool_calls: true };
    const received = await handler.post({ ...body, ...fields, model, stream: true }, headers);

    const events = eventData(received.text).map((data) => JSON.parse(data));
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()]);
    const { type, response } = events.at(-1);
    expect(type).toBe('response.completed');
    // Gemini's signature of a call is an item in front of it.
    expect(response.output.filter((item: JsonObject) => item.type !== 'reasoning')).toMatchObject([
      { type: 'message', content: [{ text: 'I look.' }] },
      { type: 'function_call', name: 'exec_command', arguments: '{"cmd":"ls"}' },
    ]);
    expect(response.usage).toMatchObject({ input_tokens: 21_944, output_tokens: 41 });
    expect((await handler.entries()).at(-1)).toMatchObject({ input_tokens: 21_944, output_tokens: 41 });
    const sent = upstream.requests.at(-1)?.body.toString();
    for (const own of ['client_metadata', 'x-codex', 'gAAAAA', 'web_search', 'additional_tools'])
      expect(sent).not.toContain(own);
  });
});
