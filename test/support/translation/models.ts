/** Models of providers that have neither the Messages nor the Responses API, or whose settings turn it off. */

/** Models that agents call: one or more of each provider that has its own rules for requests. */
export const agentModels = [
  'azure/gpt-5.1',
  'bedrock/openai.gpt-oss-120b-1:0',
  'cerebras/gpt-oss-120b',
  'cohere/command-a-03-2025',
  'deepseek/deepseek-chat',
  'fireworks/accounts/fireworks/models/gpt-oss-120b',
  'google/gemini-3.1-pro-preview',
  'google/gemini-2.5-flash',
  'groq/openai/gpt-oss-120b',
  'mistral/mistral-large-latest',
  'nvidia/openai/gpt-oss-120b',
  'ollama/gpt-oss:20b',
  'openai/gpt-4.1',
  'openai/gpt-5.1',
  'openrouter/openai/gpt-5.1',
  'together/openai/gpt-oss-120b',
  'vllm/Qwen/Qwen3-32B',
  'xai/grok-4',
];

/** A model with tools and images, by the name of its provider. */
export const toolModels: Readonly<Record<string, string>> = {
  openai: 'gpt-5.2',
  azure: 'gpt-5.2',
  google: 'gemini-2.5-flash',
  bedrock: 'us.amazon.nova-2-lite-v1:0',
  mistral: 'mistral-large-latest',
  groq: 'openai/gpt-oss-120b',
  together: 'moonshotai/Kimi-K2.6',
  fireworks: 'accounts/fireworks/models/kimi-k2p6',
  deepseek: 'deepseek-v4',
  xai: 'grok-4',
  cerebras: 'gpt-oss-120b',
  openrouter: 'anthropic/claude-opus-4.8',
  nvidia: 'nvidia/nemotron-3-super',
  cohere: 'command-a-03-2025',
  vllm: 'qwen3',
  ollama: 'qwen3',
};
