/** The Responses API with the SDKs that people use, unchanged. */
import { createOpenAI } from '@ai-sdk/openai';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { Agent, tool as agentTool, OpenAIProvider, Runner } from '@openai/agents';
import { generateText, isStepCount, Output, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Turn } from '#test/support/providers/openai/responses/turns.ts';
import type { Script } from '#test/support/providers/script-turns.ts';
import type { ResponsesModel } from '#test/support/responses/script-turns.ts';
import type { RunningResponses } from './running.ts';

const models = ['openai/gpt-5.4', 'azure/gpt-5.4'] as const satisfies ResponsesModel[];

const expectedText = 'Hello there, I am here.';
const question = 'What is the weather in Oslo?';
const city = z.object({ city: z.string() });
const report = z.object({ city: z.string(), celsius: z.number() });
const expectedReport = { city: 'text', celsius: 1 };

/** The bodies of all requests that the provider has received. */
function bodiesOf({ requests }: Script) {
  return requests().map(({ body }) => JSON.parse(body.toString()));
}

const typesIn = ({ input }: { input: { type?: string }[] }) => input.map(({ type = 'message' }) => type);

export function describeSdks({ gateway, script }: RunningResponses): void {
  const client = () =>
    new OpenAI({ baseURL: `${gateway().chatUrl}/ai/v1`, apiKey: gateway().apiKey, maxRetries: 0 });

  describe.each(models)('of OpenAI’s SDK, with %s', (model) => {
    const request = { model, input: question };

    it('are created, whole and streamed', async () => {
      const { expectEntries } = script(model);

      const whole = await client().responses.create(request);
      const streamed = await client().responses.stream(request).finalResponse();

      for (const { output_text, usage, status } of [whole, streamed]) {
        expect([output_text, status]).toEqual([expectedText, 'completed']);
        expect(usage).toMatchObject({ input_tokens: 19, output_tokens: 5 });
      }
      expect(whole._request_id).toMatch(/^req_0+\d+$/);
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

    it('run a tool, continuing the response or repeating its items', async () => {
      const played = script(model);
      const weather = {
        type: 'function' as const,
        name: 'weather',
        parameters: z.toJSONSchema(city),
        strict: true,
      };

      const first = await client().responses.create({ ...request, tools: [weather] });
      const [call] = first.output;
      if (call?.type !== 'function_call') throw new Error('The response has no call');
      expect([call.name, call.arguments]).toEqual(['weather', '{"city":"Oslo"}']);
      const result = { type: 'function_call_output' as const, call_id: call.call_id, output: 'Rain, 9 °C' };
      const continued = await client().responses.create({
        model,
        previous_response_id: first.id,
        input: [result],
        tools: [weather],
      });
      const repeated = await client().responses.create({
        model,
        input: [{ role: 'user', content: question }, call, result],
        tools: [weather],
        store: false,
      });

      expect([continued.output_text, repeated.output_text]).toEqual([expectedText, expectedText]);
      await played.expectEntries();
    });

    it('have typed errors', async () => {
      const { expectEntries } = script(model, [
        {
          status: 429,
          error: {
            message: 'Slow down',
            type: 'tokens',
            param: null,
            code: 'rate_limit_exceeded',
          },
          headers: { 'x-ratelimit-reset-tokens': '6m0s' },
        },
      ]);

      const refused = await client()
        .responses.create(request)
        .catch((error: unknown) => error);
      const unknown = await client()
        .responses.create({ ...request, previous_response_id: 'resp_unknown' })
        .catch((error: unknown) => error);

      expect(refused).toBeInstanceOf(OpenAI.RateLimitError);
      expect(refused).toMatchObject({
        status: 429,
        code: 'rate_limit_exceeded',
        type: 'tokens',
        requestID: expect.stringMatching(/^req_/),
      });
      expect(unknown).toBeInstanceOf(OpenAI.BadRequestError);
      expect(unknown).toMatchObject({ code: 'previous_response_not_found', param: 'previous_response_id' });
      await expectEntries();
    });
  });

  describe.each(models)('of the AI SDK, with %s', (name) => {
    const model = () =>
      createOpenAI({ baseURL: `${gateway().chatUrl}/ai/v1`, apiKey: gateway().apiKey })(name);

    it('are created, whole and streamed', async () => {
      const { expectEntries } = script(name);

      const { text, usage } = await generateText({ model: model(), prompt: question, maxRetries: 0 });
      const stream = streamText({ model: model(), prompt: question, maxRetries: 0 });

      expect([text, (await Array.fromAsync(stream.textStream)).join('')]).toEqual([
        expectedText,
        expectedText,
      ]);
      for (const { inputTokens, outputTokens } of [usage, await stream.usage])
        expect([inputTokens, outputTokens]).toEqual([19, 5]);
      await expectEntries();
    });

    it('run a tool, and refer to the items that the provider keeps', async () => {
      const call = { type: 'function_call', name: 'weather', arguments: '{"city":"Oslo"}' } as const;
      const turns = ['call_1', 'call_2'].flatMap((call_id) => [
        {
          items: [{ type: 'reasoning', summary: 'I look it up.' } as const, { ...call, call_id }],
          usage: { input: 19, output: 31, reasoning: 20 },
        },
        {
          items: [{ type: 'message', text: 'It rains.' } as const],
          usage: { input: 60, output: 7, cached: 40 },
        },
      ]);
      const tomorrow: Turn = {
        items: [{ type: 'message', text: 'So it will tomorrow.' }],
        usage: { input: 80, output: 9 },
      };
      const played = script(name, [...turns, tomorrow]);
      const weather = tool({
        description: 'The weather in a city',
        inputSchema: city,
        execute: (input) => `Rain in ${input.city}`,
      });
      const loop = {
        model: model(),
        prompt: question,
        tools: { weather },
        stopWhen: isStepCount(3),
        maxRetries: 0,
      };

      const whole = await generateText(loop);
      const streamed = streamText(loop);

      expect(whole.steps[0]?.toolResults[0]?.output).toBe('Rain in Oslo');
      expect([whole.text, await streamed.text]).toEqual(['It rains.', 'It rains.']);
      const next = await generateText({
        model: model(),
        messages: [
          { role: 'user', content: question },
          ...whole.steps.flatMap(({ response }) => response.messages),
          { role: 'user', content: 'And tomorrow?' },
        ],
        tools: { weather },
        maxRetries: 0,
      });
      expect(next.text).toBe('So it will tomorrow.');
      const called = ['message', 'item_reference', 'function_call', 'function_call_output'];
      const [, second, , fourth, fifth] = bodiesOf(played).map(typesIn);
      expect([second, fourth]).toEqual([called, called]);
      expect(fifth).toEqual([...called, 'item_reference', 'message']);
      await played.expectEntries();
    });

    it('are objects that match a schema', async () => {
      const { expectEntries } = script(name);

      const { output } = await generateText({
        model: model(),
        prompt: question,
        output: Output.object({ schema: report }),
        maxRetries: 0,
      });

      expect(output).toEqual(expectedReport);
      await expectEntries();
    });
  });

  describe.each(models)('of the Agents SDK, with %s', (model) => {
    const runner = () => {
      const { chatUrl, apiKey } = gateway();
      const modelProvider = new OpenAIProvider({ baseURL: `${chatUrl}/ai/v1`, apiKey });
      return new Runner({ modelProvider, tracingDisabled: true });
    };
    const weather = agentTool({
      name: 'weather',
      description: 'The weather in a city',
      parameters: city,
      execute: (input) => `Rain in ${input.city}`,
    });

    it('run a tool, whole and streamed', async () => {
      const { expectEntries } = script(model);
      const agent = new Agent({
        name: 'Forecaster',
        instructions: 'You are brief.',
        model,
        tools: [weather],
      });

      const whole = await runner().run(agent, question);
      const streamed = await runner().run(agent, question, { stream: true });
      const chunks = await Array.fromAsync(streamed.toTextStream());

      expect([whole.finalOutput, chunks.join('')]).toEqual([expectedText, expectedText]);
      expect(whole.state.usage).toMatchObject({ requests: 2, inputTokens: 38, outputTokens: 10 });
      await expectEntries();
    });

    it('hand over to another agent', async () => {
      const { expectEntries } = script(model);
      const forecaster = new Agent({ name: 'Forecaster', instructions: 'You know the weather.', model });
      const reception = Agent.create({ name: 'Reception', model, handoffs: [forecaster] });

      const { lastAgent, finalOutput } = await runner().run(reception, question);

      expect([lastAgent?.name, finalOutput]).toEqual(['Forecaster', expectedText]);
      await expectEntries();
    });

    it('continue a conversation by the id of its last response', async () => {
      const played = script(model);
      const agent = new Agent({ name: 'Forecaster', model });

      const { lastResponseId } = await runner().run(agent, question);
      await runner().run(agent, 'And tomorrow?', { previousResponseId: lastResponseId });

      expect(bodiesOf(played).map(({ previous_response_id }) => previous_response_id)).toEqual([
        undefined,
        lastResponseId,
      ]);
      await played.expectEntries();
    });
  });

  describe.each(models)('of LangChain, with %s', (model) => {
    const chat = () =>
      new ChatOpenAI({
        model,
        useResponsesApi: true,
        apiKey: gateway().apiKey,
        configuration: { baseURL: `${gateway().chatUrl}/ai/v1` },
        maxRetries: 0,
      });

    it('are created, whole and streamed', async () => {
      const { expectEntries } = script(model);

      const message = await chat().invoke(question);
      const chunks = await Array.fromAsync(await chat().stream(question));

      expect(message.text).toBe(expectedText);
      expect(message.usage_metadata).toMatchObject({ input_tokens: 19, output_tokens: 5 });
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

      const { tool_calls } = await chat().bindTools([weather]).invoke(question);

      expect(tool_calls).toMatchObject([{ name: 'weather', args: { city: 'Oslo' } }]);
      await expectEntries();
    });
  });
}
