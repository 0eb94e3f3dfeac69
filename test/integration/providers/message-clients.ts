/** The clients of the Messages API that people use, unchanged, with the models of any provider. */
import { createAnthropic } from '@ai-sdk/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { ChatAnthropic } from '@langchain/anthropic';
import { tool as langchainTool } from '@langchain/core/tools';
import { generateText, isStepCount, Output, streamText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { LocalGateway } from '#local/local-gateway.ts';
import type { FakeProvider } from '#test/support/providers/fake-providers.ts';
import type { Script } from '#test/support/providers/script-turns.ts';

export interface Running {
  gateway: LocalGateway;
  /** By provider. */
  upstreams: ReadonlyMap<string, FakeProvider>;
}

interface ScriptedModel extends Script {
  /** The numbers of input and output tokens of the simulated model. */
  usage: [input: number, output: number];
  /** The form of the id in `request-id`. */
  requestId: RegExp;
  /** How many requests of a conversation the provider refuses, because they ask it to keep the conversation. */
  refused: number;
}

const expectedText = 'Hello there, I am here.';
const question = { role: 'user', content: 'What is the weather in Oslo?' } as const;
const city = z.object({ city: z.string() });

/** `running` and `script` are called in tests, when the gateway has started. */
export function describeMessageClients<Model extends string>(
  running: () => Running,
  models: readonly Model[],
  script: (model: Model) => ScriptedModel,
): void {
  describe.each(models)('of Anthropic’s SDK, with %s', (model) => {
    const anthropic = () =>
      new Anthropic({
        baseURL: `${running().gateway.chatUrl}/ai`,
        authToken: running().gateway.apiKey,
        apiKey: null,
        maxRetries: 0,
      });
    const request = { model, max_tokens: 1024, messages: [question] };

    it('are created, whole and streamed', async () => {
      const { usage: expectedUsage, requestId, expectEntries } = script(model);

      const message = await anthropic().messages.create(request);
      const streamed = await anthropic().messages.stream(request).finalMessage();

      for (const { content, usage, stop_reason } of [message, streamed]) {
        expect(content).toMatchObject([{ type: 'text', text: expectedText }]);
        expect([usage.input_tokens, usage.output_tokens]).toEqual(expectedUsage);
        expect(stop_reason).toBe('end_turn');
      }
      expect(message._request_id).toMatch(requestId);
      await expectEntries();
    });

    it.each([false, true])('run a tool, with stream %s', async (stream) => {
      const { refused, expectEntries } = script(model);
      const inputs: unknown[] = [];
      const weather = betaZodTool({
        name: 'weather',
        description: 'The weather in a city',
        inputSchema: city,
        run: (input) => {
          inputs.push(input);
          return 'Rain, 9 °C';
        },
      });

      const runner = anthropic().beta.messages.toolRunner({ ...request, tools: [weather], stream });
      const message = await runner.runUntilDone();

      expect(inputs).toEqual([{ city: 'Oslo' }]);
      expect(message.content).toMatchObject([{ type: 'text', text: expectedText }]);
      // The provider keeps the conversation, or refuses to, and then gets it in full.
      await expectEntries({ refused });
    });
  });

  describe.each(models)('of the AI SDK, with %s', (name) => {
    const model = () =>
      createAnthropic({
        baseURL: `${running().gateway.chatUrl}/ai/v1`,
        apiKey: running().gateway.apiKey,
      })(name);
    const prompt = question.content;

    it('are created, whole and streamed', async () => {
      const { usage: expectedUsage, expectEntries } = script(name);

      const { text, usage } = await generateText({ model: model(), prompt, maxRetries: 0 });
      const stream = streamText({ model: model(), prompt, maxRetries: 0 });

      expect([text, (await Array.fromAsync(stream.textStream)).join('')]).toEqual([
        expectedText,
        expectedText,
      ]);
      for (const { inputTokens, outputTokens } of [usage, await stream.usage])
        expect([inputTokens, outputTokens]).toEqual(expectedUsage);
      await expectEntries();
    });

    it('run a tool, streaming and not', async () => {
      const { expectEntries } = script(name);
      const weather = tool({
        description: 'The weather in a city',
        inputSchema: city,
        execute: (input) => `Rain in ${input.city}`,
      });
      const loop = { model: model(), prompt, tools: { weather }, stopWhen: isStepCount(3), maxRetries: 0 };

      const whole = await generateText(loop);
      const stream = streamText(loop);

      expect(whole.steps[0]?.toolResults[0]?.output).toBe('Rain in Oslo');
      expect(whole.text).toBe(expectedText);
      expect(await stream.text).toBe(expectedText);
      await expectEntries();
    });

    it('are objects that match a schema', async () => {
      const { expectEntries } = script(name);

      const { output } = await generateText({
        model: model(),
        prompt,
        output: Output.object({ schema: z.object({ city: z.string(), celsius: z.number() }) }),
        maxRetries: 0,
      });

      expect(output).toEqual({ city: 'text', celsius: 1 });
      await expectEntries();
    });
  });

  describe.each(models)('of LangChain, with %s', (model) => {
    const chat = () =>
      new ChatAnthropic({
        model,
        apiKey: running().gateway.apiKey,
        anthropicApiUrl: `${running().gateway.chatUrl}/ai`,
        maxTokens: 1024,
        maxRetries: 0,
      });

    it('are created, whole and streamed', async () => {
      const { usage: expectedUsage, expectEntries } = script(model);

      const message = await chat().invoke(question.content);
      const chunks = await Array.fromAsync(await chat().stream(question.content));

      expect(message.text).toBe(expectedText);
      const { input_tokens, output_tokens } = message.usage_metadata ?? {};
      expect([input_tokens, output_tokens]).toEqual(expectedUsage);
      expect(chunks.map(({ text }) => text).join('')).toBe(expectedText);
      await expectEntries();
    });

    it('call a tool', async () => {
      const { expectEntries } = script(model);
      const weather = langchainTool(() => 'Rain', {
        name: 'weather',
        description: 'The weather',
        schema: city,
      });

      const { tool_calls } = await chat().bindTools([weather]).invoke(question.content);

      expect(tool_calls).toMatchObject([{ name: 'weather', args: { city: 'Oslo' } }]);
      await expectEntries();
    });
  });
}
