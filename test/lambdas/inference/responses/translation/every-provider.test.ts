/** The tool loop of Codex with each provider's fake, which refuses what the provider refuses: nothing in it is too much. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTranslatedGateways,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import { itemsAfter, loopProblems, runToolLoop, userMessage } from '#test/support/responses/tool-loop.ts';
import { toolModels } from '#test/support/translation/models.ts';

let gateways: TranslatedGateways;
beforeAll(async () => {
  gateways = await startTranslatedGateways({ path: '/ai/v1/responses' });
});
afterAll(() => gateways.stop());

/** Fields that clients send besides those of the request of the loop. */
const fields = {
  parallel_tool_calls: true,
  max_output_tokens: 32_000,
  temperature: 1,
  metadata: { topic: 'weather' },
  safety_identifier: 'u'.repeat(64),
  service_tier: 'auto',
  text: { format: { type: 'text' }, verbosity: 'low' },
  truncation: 'disabled',
  user: 'ada',
};

/** Providers with the API are called as chats. */
const models = { ...toolModels, anthropic: 'claude-haiku-4-5' };

describe.each(Object.entries(models))('%s', (name, model) => {
  it.each([
    ['whole', false],
    ['streamed', true],
  ])('serves a tool loop, %s', async (_, stream) => {
    const settings = { [name]: { operations: { responses: false } } } as const;
    const gateway = await gateways.start(name, { settings });

    const loop = await runToolLoop(gateway, {
      model: `${name}/${model}`,
      stream,
      calls: null,
      end: null,
      fields,
      // The model of the fakes would call the tool for each text of the user; Nova has no such choice after calls.
      lastFields: name === 'bedrock' ? {} : { tool_choice: 'none' },
    });

    const { first, second } = loop;
    expect([first.status, first.body]).toMatchObject([
      200,
      {
        status: 'completed',
        output: expect.arrayContaining([
          expect.objectContaining({ type: 'function_call', name: 'weather', arguments: '{"city":"Oslo"}' }),
        ]),
      },
    ]);
    expect([second.status, second.body]).toMatchObject([200, { status: 'completed' }]);
    expect(second.body.output).toContainEqual(
      expect.objectContaining({
        type: 'message',
        content: [expect.objectContaining({ type: 'output_text', text: 'Hello there, I am here.' })],
      }),
    );
    expect(second.entry).toMatchObject({
      operation: 'responses',
      outcome: 'completed',
      finish_reason: 'stop',
    });
    expect(first.ignored).toContain('tools.web_search');

    // Codex offers no tools when it compacts the conversation.
    const compacted = await gateway.ask(
      {
        model: `${name}/${model}`,
        stream,
        input: [...itemsAfter(first), userMessage('Write a summary.')],
        tools: [],
        parallel_tool_calls: false,
        store: false,
      },
      null,
    );
    expect([compacted.status, compacted.body]).toMatchObject([200, { status: 'completed', tools: [] }]);
    expect(compacted.ignored).not.toContain('tools.web_search');
    expect(loopProblems(loop)).toEqual([]);
  });
});
