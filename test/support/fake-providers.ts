/** The fakes of all providers by name, each ready to start. A provider that is added here is tested with its fixtures. */

import { startAnthropicUpstream } from './anthropic-protocol.ts';
import { startAzureUpstream } from './azure-protocol.ts';
import { startBareUpstream } from './bare-protocol.ts';
import { startBedrockUpstream } from './bedrock-protocol.ts';
import { startCerebrasUpstream } from './cerebras-protocol.ts';
import { startCohereUpstream } from './cohere-protocol.ts';
import { startDeepSeekUpstream } from './deepseek-protocol.ts';
import { startFireworksUpstream } from './fireworks-protocol.ts';
import { startGoogleUpstream } from './google-protocol.ts';
import { startGroqUpstream } from './groq-protocol.ts';
import { startMistralUpstream } from './mistral-protocol.ts';
import { startNvidiaUpstream } from './nvidia-protocol.ts';
import { startOpenAIUpstream } from './openai-upstream.ts';
import { startOpenRouterUpstream } from './openrouter-protocol.ts';
import type { ProviderBehaviour } from './provider-behaviour.ts';
import { startTogetherUpstream } from './together-protocol.ts';
import type { Upstream } from './upstream.ts';
import { startXaiUpstream } from './xai-protocol.ts';

export type FakeProvider = Upstream<ProviderBehaviour>;

/** `bare` is a server of one's own that speaks OpenAI's format, as far as it goes. */
export const fakeProviders: Readonly<
  Record<string, (behaviour: ProviderBehaviour) => Promise<FakeProvider>>
> = {
  openai: startOpenAIUpstream,
  azure: startAzureUpstream,
  bare: startBareUpstream,
  mistral: startMistralUpstream,
  groq: startGroqUpstream,
  together: startTogetherUpstream,
  fireworks: startFireworksUpstream,
  deepseek: startDeepSeekUpstream,
  xai: startXaiUpstream,
  cerebras: startCerebrasUpstream,
  openrouter: startOpenRouterUpstream,
  nvidia: startNvidiaUpstream,
  cohere: startCohereUpstream,
  anthropic: startAnthropicUpstream,
  google: startGoogleUpstream,
  bedrock: startBedrockUpstream,
};
