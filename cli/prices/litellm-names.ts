/** The gateway's names of the models in the price file of LiteLLM. */
import { isModelName } from './model-name.ts';

interface LiteLlmProvider {
  /** The gateway's name of the provider. */
  name: string;
  /** Precede the model's name in some keys. The first one that fits is removed. */
  prefixes: readonly string[];
  /** Keys that are not the name of a model, such as regions, deployment types and size classes. */
  excluded?: RegExp;
  /** Set when the key without a prefix has the right prices of a model with two keys. */
  prefersBareKeys?: true;
  hasInclusiveThresholds?: true;
}

const openai = { name: 'openai', prefixes: ['openai/'], excluded: /^ft:/ };
const azure = {
  name: 'azure',
  prefixes: ['azure/'],
  // Responses do not show the type of a deployment.
  excluded: /^(eu|us|global|global-standard)\//,
};
const bedrock = {
  name: 'bedrock',
  prefixes: ['bedrock/invoke/', 'bedrock/'],
  excluded: /\//,
  prefersBareKeys: true,
} as const;
const cohere = { name: 'cohere', prefixes: ['cohere/'] };
const ollama = { name: 'ollama', prefixes: ['ollama/', 'ollama_chat/'] };

/** By the field `litellm_provider`. */
const providers: Readonly<Record<string, LiteLlmProvider>> = {
  openai,
  'text-completion-openai': openai,
  anthropic: { name: 'anthropic', prefixes: ['anthropic/'] },
  gemini: { name: 'google', prefixes: ['gemini/'] },
  mistral: { name: 'mistral', prefixes: ['mistral/'] },
  groq: { name: 'groq', prefixes: ['groq/'] },
  together_ai: { name: 'together', prefixes: ['together_ai/'], excluded: /^together-ai-/ },
  fireworks_ai: { name: 'fireworks', prefixes: ['fireworks_ai/'], excluded: /^fireworks-ai-/ },
  deepseek: { name: 'deepseek', prefixes: ['deepseek/'] },
  xai: { name: 'xai', prefixes: ['xai/'], hasInclusiveThresholds: true },
  cerebras: { name: 'cerebras', prefixes: ['cerebras/'] },
  openrouter: { name: 'openrouter', prefixes: ['openrouter/'] },
  nvidia_nim: { name: 'nvidia', prefixes: ['nvidia_nim/'] },
  cohere,
  cohere_chat: cohere,
  bedrock,
  bedrock_converse: bedrock,
  azure,
  azure_text: azure,
  ollama,
  ollama_chat: ollama,
  hosted_vllm: { name: 'vllm', prefixes: ['hosted_vllm/'] },
};

export interface NameInGateway {
  /** `<provider>/<model>`. */
  model: string;
  /** True for the key whose prices are used if several keys are the same model. */
  isPreferred: boolean;
}

/** Returns the reason to skip the row when the gateway does not have its provider, or no request can name its model. */
export function nameInGateway(
  key: string,
  liteLlmProvider: string,
): NameInGateway | { skip: 'provider' | 'name' } {
  const provider = Object.hasOwn(providers, liteLlmProvider) ? providers[liteLlmProvider] : undefined;
  if (provider === undefined) return { skip: 'provider' };
  const prefix = provider.prefixes.find((candidate) => key.startsWith(candidate)) ?? '';
  const name = key.slice(prefix.length);
  if (!isModelName(name) || provider.excluded?.test(name)) return { skip: 'name' };
  const isPreferred = (prefix === '') === (provider.prefersBareKeys === true);
  return { model: `${provider.name}/${name}`, isPreferred };
}

/** xAI's long-context prices also apply to requests with exactly the number of tokens in the field's name. */
export function hasInclusiveThresholds(liteLlmProvider: string): boolean {
  return providers[liteLlmProvider]?.hasInclusiveThresholds === true;
}
