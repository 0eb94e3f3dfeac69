/** The Agents SDK. */
import { Agent, tool as agentTool, OpenAIProvider, Runner } from '@openai/agents';
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

const weather = agentTool({
  name: 'weather',
  description: 'The weather in a city',
  parameters: city,
  execute: (input) => `Rain in ${input.city}`,
});

export function describeAgentsSdk({ connection, script }: TranslatedResponses): void {
  const runner = () => new Runner({ modelProvider: new OpenAIProvider(connection()), tracingDisabled: true });

  describe.each(models)('of the Agents SDK, with %s', (model) => {
    const common = { instructions: 'You are brief.', model };

    it.each([false, true])('run tools, and get their items back, with stream %s', async (stream) => {
      const played = script(model, loopTurns);
      const agent = new Agent({
        ...common,
        name: 'Forecaster',
        tools: [weather],
        modelSettings: reasons(model) ? { reasoning: { effort: 'medium', summary: 'auto' } } : {},
      });

      const run = stream
        ? await runner().run(agent, question, { stream: true })
        : await runner().run(agent, question);
      if ('completed' in run) await run.completed;

      expect(run.finalOutput).toBe('It rains in both.');
      expect(run.state.usage).toMatchObject({
        requests: 2,
        inputTokens: loopUsage.input,
        outputTokens: loopUsage.output,
      });
      expect(textsOfResults(played)).toEqual(['Rain in Oslo', 'Rain in Rome']);
      expectLoopReturned(played, model);
      await played.expectEntries();
    });

    it('hand over to another agent', async () => {
      const { expectEntries } = script(model);
      const forecaster = new Agent({ ...common, name: 'Forecaster' });
      const reception = Agent.create({ ...common, name: 'Reception', handoffs: [forecaster] });

      const { lastAgent, finalOutput } = await runner().run(reception, question);

      expect([lastAgent?.name, finalOutput]).toEqual(['Forecaster', expectedText]);
      await expectEntries();
    });

    it('are objects that match a schema', async () => {
      const { expectEntries } = script(model);
      const agent = new Agent({ ...common, name: 'Forecaster', outputType: report });

      const { finalOutput } = await runner().run(agent, question);

      expect(finalOutput).toEqual(expectedReport);
      await expectEntries();
    });
  });
}
