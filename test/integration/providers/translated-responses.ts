/** The Responses API for models of providers without it, with the clients that people use, unchanged. */
import type { LocalGateway } from '#local/local-gateway.ts';
import type { FakeProvider } from '#test/support/providers/fake-providers.ts';
import { scriptCompletions, simulatedUsage } from '#test/support/providers/scripted/script-completions.ts';
import { describeAgentsSdk } from './translated-responses/agents-sdk.ts';
import { describeAiSdk } from './translated-responses/ai-sdk.ts';
import { describeLangChain } from './translated-responses/langchain.ts';
import { describeOpenAiSdk } from './translated-responses/openai-sdk.ts';
import type { TranslatedResponses } from './translated-responses/running.ts';

interface Running {
  gateway: LocalGateway;
  /** By provider. */
  upstreams: ReadonlyMap<string, FakeProvider>;
}

/** `running` is called in tests, when the gateway has started. */
export function describeTranslatedResponses(running: () => Running): void {
  const responses: TranslatedResponses = {
    connection: () => {
      const { chatUrl, apiKey } = running().gateway;
      return { baseURL: `${chatUrl}/ai/v1`, apiKey };
    },
    script(model, turns) {
      const { gateway, upstreams } = running();
      const upstream = upstreams.get(model.slice(0, model.indexOf('/')));
      if (upstream === undefined) throw new Error(`No fake provider for ${model}`);
      const { input, output } = simulatedUsage(model);
      const options = { operation: 'responses', onlyWithTools: false } as const;
      return { ...scriptCompletions({ gateway, upstream, model }, turns, options), usage: [input, output] };
    },
  };
  describeOpenAiSdk(responses);
  describeAiSdk(responses);
  describeAgentsSdk(responses);
  describeLangChain(responses);
}
