/** The local gateway in front of fakes of providers, whose responses a test scripts. */
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { chatServers, gatewayAssembly } from '#test/support/gateway-assembly.ts';
import { type ClaudeModel, scriptTurns } from '#test/support/messages/script-turns.ts';
import type { Turn } from '#test/support/providers/anthropic/scripted-turns.ts';
import { type FakeProvider, fakeProviders } from '#test/support/providers/fake-providers.ts';
import type { Turn as ResponsesTurn } from '#test/support/providers/openai/responses/turns.ts';
import { selfHostedNames, startSelfHostedUpstream } from '#test/support/providers/openai/self-hosted.ts';
import type { Script } from '#test/support/providers/script-turns.ts';
import {
  type CompletionScriptOptions,
  scriptCompletions,
  type TranslatedModel,
} from '#test/support/providers/scripted/script-completions.ts';
import type { Turn as CompletionTurn } from '#test/support/providers/scripted/turns.ts';
import { type ResponsesModel, scriptResponses } from '#test/support/responses/script-turns.ts';

export interface AgentFixture extends AsyncDisposable {
  gateway: LocalGateway;
  /** Gives the next requests that have tools these responses. */
  script(model: ClaudeModel, turns: readonly Turn[]): Script;
  /** The same for requests that the gateway translates. */
  scriptCompletions(
    model: TranslatedModel,
    turns: readonly CompletionTurn[],
    options?: CompletionScriptOptions,
  ): Script;
  /** Gives the next requests these responses, or only those that have tools. */
  scriptResponses(
    model: ResponsesModel,
    turns: readonly ResponsesTurn[],
    options?: { onlyWithTools?: boolean },
  ): Script;
}

const starters: Record<string, (behaviour: { expectedApiKey?: string }) => Promise<FakeProvider>> = {
  ...fakeProviders,
  ...Object.fromEntries(
    selfHostedNames.map((name) => [name, (behaviour) => startSelfHostedUpstream(name, behaviour)]),
  ),
};
const providers = ['anthropic', 'bedrock', 'openai', 'azure', 'google', 'vllm', 'ollama'];

export async function startAgentFixture(): Promise<AgentFixture> {
  const upstreams = new Map<string, FakeProvider>();
  const environment: NodeJS.ProcessEnv = { ...process.env };
  for (const provider of providers) {
    const apiKey = `sk-${provider}`;
    // Bedrock uses the role of the function.
    const key = provider === 'bedrock' ? {} : { expectedApiKey: apiKey };
    const upstream = await starters[provider]?.(key);
    if (upstream === undefined) throw new Error(`No fake provider for ${provider}`);
    upstreams.set(provider, upstream);
    environment[`${provider.toUpperCase()}_BASE_URL`] = upstream.baseUrl;
    if (provider !== 'bedrock') environment[`${provider.toUpperCase()}_API_KEY`] = apiKey;
  }
  const gateway = await startLocalGateway({
    port: 0,
    ephemeral: true,
    assemblyDirectory: await gatewayAssembly({ providers: chatServers }),
    environment,
  });
  const scripted = <Model extends string>(model: Model) => {
    const upstream = upstreams.get(model.slice(0, model.indexOf('/')));
    if (upstream === undefined) throw new Error(`No fake provider for ${model}`);
    return { gateway, upstream, model };
  };
  return {
    gateway,
    script: (model, turns) => scriptTurns(scripted(model), turns),
    scriptCompletions: (model, turns, options) => scriptCompletions(scripted(model), turns, options),
    scriptResponses: (model, turns, options) => scriptResponses(scripted(model), turns, options),
    async [Symbol.asyncDispose]() {
      await gateway.stop();
      await Promise.all([...upstreams.values()].map((upstream) => upstream.stop()));
    },
  };
}
