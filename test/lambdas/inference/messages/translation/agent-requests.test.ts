/** The recorded requests of agents at providers without the Messages API, which validate them as the real ones do. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

const turn: Turn = {
  parts: [{ type: 'call', name: 'Read', input: { file_path: '/a' } }],
  usage: { input: 21_944, output: 41 },
};

describe.each(agentModels)('At %s', (model) => {
  const provider = model.slice(0, model.indexOf('/'));
  let gateway: TranslatedGateway;
  beforeAll(async () => {
    // Providers with the API get its requests only if the settings turn it off.
    const settings = { [provider]: { operations: { messages: false } } } as const;
    gateway = await gateways.start(provider, { settings });
    gateway.upstream.behaviour.nextCompletion = () => turn;
  });

  it.each(agentRequests('messages'))('$client is understood: $name', async ({ body, headers }) => {
    const { handler, upstream } = gateway;
    const received = await handler.post({ ...body, model, stream: true }, headers);

    const events = eventData(received.text).map((data) => JSON.parse(data));
    expect(events.map(({ content_block, delta }) => content_block?.name ?? delta?.stop_reason)).toEqual(
      expect.arrayContaining(['Read', 'tool_use']),
    );
    expect((await handler.entries()).at(-1)).toMatchObject({ input_tokens: 21_944, output_tokens: 41 });
    expect(upstream.requests.at(-1)?.body.toString()).not.toContain('x-anthropic-billing-header');
  });
});
