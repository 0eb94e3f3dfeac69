/** OpenAI's SDK. */
import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import type { ResponseInput } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
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

const weather = {
  type: 'function' as const,
  name: 'weather',
  parameters: z.toJSONSchema(city),
  strict: true,
};

export function describeOpenAiSdk({ connection, script }: TranslatedResponses): void {
  const client = () => new OpenAI({ ...connection(), maxRetries: 0 });

  describe.each(models)('of OpenAI’s SDK, with %s', (model) => {
    const request = { model, input: question };

    it('are created, whole and streamed', async () => {
      const { usage: expectedUsage, expectEntries } = script(model);

      const whole = await client().responses.create(request);
      const streamed = await client().responses.stream(request).finalResponse();

      for (const response of [whole, streamed]) {
        const { output_text, usage } = response;
        expect(response).toMatchObject({ status: 'completed', store: false });
        expect(output_text).toBe(expectedText);
        expect([usage?.input_tokens, usage?.output_tokens]).toEqual(expectedUsage);
      }
      expect(whole.id).toMatch(/^resp_gateway_/);
      expect(whole.id).not.toBe(streamed.id);
      await expectEntries();
    });

    it('are objects that match a schema', async () => {
      const { expectEntries } = script(model);

      const { output_parsed } = await client().responses.parse({
        ...request,
        text: { format: zodTextFormat(report, 'report') },
      });

      expect(output_parsed).toEqual(expectedReport);
      await expectEntries();
    });

    it.each([false, true])('run tools, and get their items back, with stream %s', async (stream) => {
      const played = script(model, loopTurns);
      const asked = {
        model,
        tools: [weather],
        ...(reasons(model) && { reasoning: { effort: 'medium', summary: 'auto' } as const }),
        store: false,
      };
      const ask = (input: ResponseInput) =>
        stream
          ? client()
              .responses.stream({ ...asked, input })
              .finalResponse()
          : client().responses.create({ ...asked, input });

      const input: ResponseInput = [{ role: 'user', content: question }];
      const first = await ask(input);
      const calls = first.output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
      const results = calls.map((call) => ({
        type: 'function_call_output' as const,
        call_id: call.call_id,
        output: `Rain in ${JSON.parse(call.arguments).city}`,
      }));
      // Safe: items of a response can be sent back as they are.
      const second = await ask([...input, ...(first.output as ResponseInput), ...results]);

      expect([first.output_text, second.output_text]).toEqual(['I look.', 'It rains in both.']);
      expect(textsOfResults(played)).toEqual(['Rain in Oslo', 'Rain in Rome']);
      expectLoopReturned(played, model);
      await played.expectEntries();
    });

    it('have typed errors', async () => {
      const { expectEntries } = script(model, [{ failure: 'rate_limited' }, { failure: 'context_full' }]);
      const fail = () =>
        client()
          .responses.create(request)
          .catch((error: unknown) => error);

      const [limited, full] = [await fail(), await fail()];
      const kept = await client()
        .responses.create({ ...request, previous_response_id: 'resp_1' })
        .catch((error: unknown) => error);

      expect(limited).toBeInstanceOf(OpenAI.RateLimitError);
      expect(full).toBeInstanceOf(OpenAI.BadRequestError);
      expect(full).toMatchObject({ code: 'context_length_exceeded' });
      expect(kept).toBeInstanceOf(OpenAI.BadRequestError);
      expect(kept).toMatchObject({
        param: 'previous_response_id',
        message: expect.stringContaining('store: false'),
      });
      await expectEntries();
    });
  });
}
