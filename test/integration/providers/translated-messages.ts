/** The Messages API for models of providers without it, with the clients that people use, unchanged. */
import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { expect, it } from 'vitest';
import { z } from 'zod';
import {
  scriptCompletions,
  simulatedUsage,
  type TranslatedModel,
} from '#test/support/providers/scripted/script-completions.ts';
import {
  expectReasoningReturned,
  textsOfResults,
} from '#test/support/providers/scripted/translated-requests.ts';
import type { Turn } from '#test/support/providers/scripted/turns.ts';
import { type ResponsesModel, scriptResponses } from '#test/support/responses/script-turns.ts';
import { describeMessageClients, type Running } from './message-clients.ts';

const models = [
  'google/gemini-3.1-pro-preview',
  'bedrock/amazon.nova-pro-v1:0',
  'openai/gpt-5.4',
  'vllm/Qwen/Qwen3-32B',
  'ollama/gpt-oss:20b',
] as const satisfies TranslatedModel[];

/** OpenAI has it by the Responses API alone. */
const responsesModels = ['openai/gpt-5.5-pro'] as const satisfies ResponsesModel[];
const reasoning = 'I look it up.';
const turns: readonly Turn[] = [
  {
    parts: [
      { type: 'reasoning', text: reasoning },
      { type: 'call', name: 'weather', input: { city: 'Oslo' } },
    ],
    usage: { input: 311, output: 61, reasoning: 20 },
  },
  { parts: [{ type: 'text', text: 'It rains.' }], usage: { input: 388, output: 7 } },
];

/** `running` is called in tests, when the gateway has started. */
export function describeTranslatedMessages(running: () => Running): void {
  const script = (model: TranslatedModel, scripted?: readonly Turn[]) => {
    const { gateway, upstreams } = running();
    const upstream = upstreams.get(model.slice(0, model.indexOf('/')));
    if (upstream === undefined) throw new Error(`No fake provider for ${model}`);
    return scriptCompletions({ gateway, upstream, model }, scripted);
  };

  describeMessageClients(running, models, (model) => {
    const { input, output } = simulatedUsage(model);
    return {
      ...script(model),
      usage: [input, output],
      requestId: /^[0-9a-f-]{36}$/,
      // The gateway itself refuses to have the conversation kept.
      refused: 0,
    };
  });
  describeMessageClients(running, responsesModels, (model) => {
    const { gateway, upstreams } = running();
    const upstream = upstreams.get('openai');
    if (upstream === undefined) throw new Error(`No fake provider for ${model}`);
    return {
      ...scriptResponses({ gateway, upstream, model }, [], { operation: 'messages' }),
      usage: [19, 5],
      requestId: /^[0-9a-f-]{36}$/,
      refused: 0,
    };
  });

  // GPT-5.4 and later reason beside tools by the Responses API only.
  it.each(['openai/gpt-5.4', 'openai/gpt-5.6-terra', 'google/gemini-3.1-pro-preview'] as const)(
    'of Anthropic’s SDK show thinking, which gets back to %s',
    async (model) => {
      const { chatUrl, apiKey } = running().gateway;
      const anthropic = new Anthropic({
        baseURL: `${chatUrl}/ai`,
        authToken: apiKey,
        apiKey: null,
        maxRetries: 0,
      });
      const played = script(model, turns);
      const weather = betaZodTool({
        name: 'weather',
        description: 'The weather in a city',
        inputSchema: z.object({ city: z.string() }),
        run: (input) => `Rain in ${input.city}`,
      });

      const runner = anthropic.beta.messages.toolRunner({
        model,
        max_tokens: 4096,
        thinking: { type: 'enabled', budget_tokens: 2048, display: 'summarized' },
        messages: [{ role: 'user', content: 'What is the weather in Oslo?' }],
        tools: [weather],
      });
      const messages = await Array.fromAsync(runner);

      expect(messages.map(({ content }) => content)).toMatchObject([
        [
          { type: 'thinking', thinking: reasoning, signature: expect.stringMatching(/^gateway\//) },
          { type: 'tool_use', input: { city: 'Oslo' } },
        ],
        [{ type: 'text', text: 'It rains.' }],
      ]);
      expect(textsOfResults(played)).toEqual(['Rain in Oslo']);
      expectReasoningReturned(played, { model, reasoning, steps: 1 });
      await played.expectEntries();
    },
  );
}
