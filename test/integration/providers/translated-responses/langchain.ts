/** LangChain with the Responses API. */
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { describe, expect, it } from 'vitest';
import { textsOfResults } from '#test/support/providers/scripted/translated-requests.ts';
import {
  city,
  expectedReport,
  expectedText,
  expectLoopReturned,
  loopTurns,
  models,
  question,
  reasons,
  report,
  type TranslatedResponses,
} from './running.ts';

const weather = langchainTool(() => '', { name: 'weather', description: 'The weather', schema: city });

export function describeLangChain({ connection, script }: TranslatedResponses): void {
  describe.each(models)('of LangChain, with %s', (model) => {
    const chat = () => {
      const { apiKey, baseURL } = connection();
      return new ChatOpenAI({
        model,
        useResponsesApi: true,
        apiKey,
        configuration: { baseURL },
        maxRetries: 0,
        // Its own setting is for names of OpenAI's models.
        modelKwargs: reasons(model) ? { reasoning: { effort: 'medium', summary: 'auto' } } : {},
      });
    };

    it('are created, whole and streamed', async () => {
      const { usage: expectedUsage, expectEntries } = script(model);

      const message = await chat().invoke(question);
      const chunks = await Array.fromAsync(await chat().stream(question));

      expect(message.text).toBe(expectedText);
      const { input_tokens, output_tokens } = message.usage_metadata ?? {};
      expect([input_tokens, output_tokens]).toEqual(expectedUsage);
      expect(chunks.map(({ text }) => text).join('')).toBe(expectedText);
      await expectEntries();
    });

    it.each([false, true])('run tools, and get their items back, with stream %s', async (stream) => {
      const played = script(model, loopTurns);
      const bound = chat().bindTools([weather]);
      const ask = async (
        messages: (HumanMessage | ToolMessage | Awaited<ReturnType<typeof bound.invoke>>)[],
      ) => {
        if (!stream) return bound.invoke(messages);
        const chunks = await Array.fromAsync(await bound.stream(messages));
        return chunks.reduce((whole, chunk) => whole.concat(chunk));
      };

      const human = new HumanMessage(question);
      const called = await ask([human]);
      const results = (called.tool_calls ?? []).map(
        ({ id = '', args }) => new ToolMessage({ tool_call_id: id, content: `Rain in ${args.city}` }),
      );
      const { text } = await ask([human, called, ...results]);

      expect([called.text, text]).toEqual(['I look.', 'It rains in both.']);
      expect(textsOfResults(played)).toEqual(['Rain in Oslo', 'Rain in Rome']);
      expectLoopReturned(played, model);
      await played.expectEntries();
    });

    it('are objects that match a schema', async () => {
      const { expectEntries } = script(model);

      const output = await chat().withStructuredOutput(report).invoke(question);

      expect(output).toEqual(expectedReport);
      await expectEntries();
    });
  });
}
