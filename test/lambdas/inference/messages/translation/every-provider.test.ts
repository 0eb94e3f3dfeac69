/** The tool loop of an agent with each provider's fake, which refuses what the provider refuses: nothing in it is too much. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runToolLoop } from '#test/support/messages/tool-loop.ts';
import {
  startTranslatedGateways,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import { toolModels } from '#test/support/translation/models.ts';

let gateways: TranslatedGateways;
beforeAll(async () => {
  gateways = await startTranslatedGateways();
});
afterAll(() => gateways.stop());

/** Fields that agents send besides those of the request of the loop. */
const fields = {
  tool_choice: { type: 'auto' },
  metadata: { user_id: `user_${'a'.repeat(80)}` },
  stop_sequences: ['</end>'],
  temperature: 1,
  output_config: { effort: 'high' },
};

describe.each(Object.entries(toolModels))('%s', (name, model) => {
  it.each([
    ['whole', false],
    ['streamed', true],
  ])('serves a tool loop, %s', async (_, stream) => {
    const settings = { [name]: { operations: { messages: false } } } as const;
    const gateway = await gateways.start(name, { settings });

    const { first, second } = await runToolLoop(gateway, {
      model: `${name}/${model}`,
      stream,
      calls: null,
      end: null,
      fields,
      // The model of the fakes would call the tool for each text of the user; Nova has no such choice after calls.
      lastFields: name === 'bedrock' ? {} : { tool_choice: { type: 'none' } },
    });

    expect([first.status, first.body]).toMatchObject([
      200,
      {
        content: expect.arrayContaining([
          expect.objectContaining({ type: 'tool_use', name: 'weather', input: { city: 'Oslo' } }),
        ]),
        stop_reason: 'tool_use',
      },
    ]);
    expect([second.status, second.body]).toMatchObject([200, { stop_reason: 'end_turn' }]);
    expect(second.body.content).toContainEqual(
      expect.objectContaining({ type: 'text', text: 'Hello there, I am here.' }),
    );
    expect(second.entry).toMatchObject({
      operation: 'messages',
      outcome: 'completed',
      finish_reason: 'stop',
    });
    expect(first.ignored).toContain('tools.web_search');
  });
});
