/** The AI SDK's provider of OpenAI, which lets the provider keep responses unless it is told not to. */
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, isStepCount, Output, streamText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { textsOfResults } from '#test/support/providers/scripted/translated-requests.ts';
import {
  city,
  expectedReport,
  expectedText,
  expectLoopReturned,
  loopTurns,
  loopUsage,
  models,
  question,
  reasons,
  report,
  type TranslatedResponses,
} from './running.ts';

const weather = tool({
  description: 'The weather in a city',
  inputSchema: city,
  execute: (input) => `Rain in ${input.city}`,
});

export function describeAiSdk({ connection, script }: TranslatedResponses): void {
  describe.each(models)('of the AI SDK, with %s', (name) => {
    /** It takes a model with such a name for one without reasoning. */
    const openai = {
      store: false,
      ...(reasons(name) && { forceReasoning: true, reasoningEffort: 'medium', reasoningSummary: 'auto' }),
    };
    const common = () => ({ model: createOpenAI(connection())(name), maxRetries: 0 });
    const loop = () => ({
      ...common(),
      prompt: question,
      tools: { weather },
      stopWhen: isStepCount(3),
      providerOptions: { openai },
    });

    it('are created, whole and streamed', async () => {
      const { usage: expectedUsage, expectEntries } = script(name);

      const { text, usage } = await generateText({ ...common(), prompt: question });
      const stream = streamText({ ...common(), prompt: question });

      expect([text, (await Array.fromAsync(stream.textStream)).join('')]).toEqual([
        expectedText,
        expectedText,
      ]);
      for (const { inputTokens, outputTokens } of [usage, await stream.usage])
        expect([inputTokens, outputTokens]).toEqual(expectedUsage);
      await expectEntries();
    });

    it('run tools, and get their items back', async () => {
      const played = script(name, loopTurns);

      const { text, totalUsage, steps } = await generateText(loop());

      expect(text).toBe('It rains in both.');
      expect([totalUsage.inputTokens, totalUsage.outputTokens]).toEqual([loopUsage.input, loopUsage.output]);
      expect(steps[0]?.text).toBe('I look.');
      expect(textsOfResults(played)).toEqual(['Rain in Oslo', 'Rain in Rome']);
      expectLoopReturned(played, name);
      await played.expectEntries();
    });

    it('run tools when they are streamed, and respond to further questions', async () => {
      const played = script(name, [
        ...loopTurns,
        { parts: [{ type: 'text', text: 'So it will tomorrow.' }], usage: { input: 411, output: 9 } },
      ]);

      const streamed = streamText(loop());
      const reported = await streamed.responseMessages;
      const next = await generateText({
        ...loop(),
        prompt: undefined,
        messages: [
          { role: 'user', content: question },
          ...reported,
          { role: 'user', content: 'And tomorrow?' },
        ],
      });

      expect(next.text).toBe('So it will tomorrow.');
      expect(played.requests().at(-1)?.body.toString()).toContain('It rains in both.');
      expect(textsOfResults(played)).toEqual(['Rain in Oslo', 'Rain in Rome']);
      await played.expectEntries();
    });

    it('cannot refer to items that no one keeps', async () => {
      const { expectEntries } = script(name, loopTurns.slice(0, 1));

      const refused = generateText({ ...loop(), providerOptions: { openai: { ...openai, store: true } } });

      await expect(refused).rejects.toMatchObject({
        statusCode: 400,
        message: expect.stringContaining('store: false'),
      });
      await expectEntries();
    });

    it('are objects that match a schema', async () => {
      const { expectEntries } = script(name);

      const { output } = await generateText({
        ...common(),
        prompt: question,
        output: Output.object({ schema: report }),
      });

      expect(output).toEqual(expectedReport);
      await expectEntries();
    });
  });
}
