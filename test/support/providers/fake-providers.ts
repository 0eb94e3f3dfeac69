/** The fakes of all providers by name, each ready to start. A provider that is added here is tested with its fixtures. */

import { startAnthropicUpstream } from './anthropic/anthropic-protocol.ts';
import { startBedrockUpstream } from './bedrock/bedrock-protocol.ts';
import { startAzureUpstream } from './dialects/azure-protocol.ts';
import { startBareUpstream } from './dialects/bare-protocol.ts';
import { startCerebrasUpstream } from './dialects/cerebras-protocol.ts';
import { startCohereUpstream } from './dialects/cohere-protocol.ts';
import { startDeepSeekUpstream } from './dialects/deepseek-protocol.ts';
import { startFireworksUpstream } from './dialects/fireworks-protocol.ts';
import { startGroqUpstream } from './dialects/groq-protocol.ts';
import { startMistralUpstream } from './dialects/mistral-protocol.ts';
import { startNvidiaUpstream } from './dialects/nvidia-protocol.ts';
import { startOpenRouterUpstream } from './dialects/openrouter-protocol.ts';
import { startTogetherUpstream } from './dialects/together-protocol.ts';
import { startXaiUpstream } from './dialects/xai-protocol.ts';
import { startGoogleUpstream } from './google/google-protocol.ts';
import { startOpenAIUpstream } from './openai/openai-upstream.ts';
import type { ProviderBehaviour } from './provider-behaviour.ts';
import type { Upstream } from './upstream.ts';

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
