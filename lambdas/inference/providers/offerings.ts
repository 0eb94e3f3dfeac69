/** The names by which people know a provider and its service, as on an invoice. */

interface Offering {
  providerName: string;
  serviceName: string;
}

const namedAlike = (name: string): Offering => ({ providerName: name, serviceName: name });

export const offerings: ReadonlyMap<string, Offering> = new Map([
  ['openai', { providerName: 'OpenAI', serviceName: 'OpenAI API' }],
  ['anthropic', { providerName: 'Anthropic', serviceName: 'Claude API' }],
  ['google', { providerName: 'Google', serviceName: 'Gemini API' }],
  ['bedrock', { providerName: 'AWS', serviceName: 'Amazon Bedrock' }],
  ['azure', { providerName: 'Microsoft', serviceName: 'Azure OpenAI' }],
  ['mistral', namedAlike('Mistral AI')],
  ['groq', namedAlike('Groq')],
  ['together', namedAlike('Together AI')],
  ['fireworks', namedAlike('Fireworks AI')],
  ['deepseek', namedAlike('DeepSeek')],
  ['xai', namedAlike('xAI')],
  ['cerebras', namedAlike('Cerebras')],
  ['openrouter', namedAlike('OpenRouter')],
  ['nvidia', namedAlike('NVIDIA')],
  ['cohere', namedAlike('Cohere')],
]);

/** Other providers are known by the name that the operator gave them. */
export function offeringOf(provider: string): Offering {
  return offerings.get(provider) ?? namedAlike(provider);
}
