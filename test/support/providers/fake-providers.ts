/** Fakes of all providers by name. A provider added here is tested with its fixtures. */

import type { MessagesBehaviour } from './anthropic/messages-endpoint.ts';
import { startAnthropicUpstream } from './anthropic/upstream.ts';
import { startBedrockUpstream } from './bedrock/upstream.ts';
import { startGoogleUpstream } from './google/upstream.ts';
import { dialectNames, startDialectUpstream } from './openai/dialects.ts';
import type { ResponsesBehaviour } from './openai/responses/endpoint.ts';
import { startOpenAIUpstream } from './openai/upstream.ts';
import type { ProviderBehaviour } from './simulated-model.ts';
import type { Upstream } from './upstream.ts';

export type FakeProvider = Upstream<MessagesBehaviour & ResponsesBehaviour>;

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
