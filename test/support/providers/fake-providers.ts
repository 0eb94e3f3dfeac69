/** The fakes of all providers by name, each ready to start. A provider that is added here is tested with its fixtures. */
import { startAnthropicUpstream } from './anthropic/anthropic-protocol.ts';
import { startBedrockUpstream } from './bedrock/bedrock-protocol.ts';
import { startGoogleUpstream } from './google/google-protocol.ts';
import { dialectNames, startDialectUpstream } from './openai/dialects.ts';
import { startOpenAIUpstream } from './openai/openai-upstream.ts';
import type { ProviderBehaviour } from './simulated-model.ts';
import type { Upstream } from './upstream.ts';

export type FakeProvider = Upstream<ProviderBehaviour>;

export const fakeProviders: Readonly<
  Record<string, (behaviour: ProviderBehaviour) => Promise<FakeProvider>>
> = {
  openai: startOpenAIUpstream,
  anthropic: startAnthropicUpstream,
  google: startGoogleUpstream,
  bedrock: startBedrockUpstream,
  ...Object.fromEntries(
    dialectNames.map((name) => [name, (behaviour) => startDialectUpstream(name, behaviour)]),
  ),
};
