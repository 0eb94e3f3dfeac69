import type { ModelPrice } from '#lambdas/accounts/analytics/responses.ts';

/** The pages on which providers state their prices, by the gateway's names of the providers. */
const pages: Readonly<Record<string, string>> = {
  anthropic: 'https://platform.claude.com/docs/en/about-claude/pricing',
  azure: 'https://azure.microsoft.com/en-us/pricing/details/cognitive-services/openai-service/',
  bedrock: 'https://aws.amazon.com/bedrock/pricing/',
  cerebras: 'https://www.cerebras.ai/pricing',
  cohere: 'https://cohere.com/pricing',
  deepseek: 'https://api-docs.deepseek.com/quick_start/pricing',
  fireworks: 'https://docs.fireworks.ai/serverless/pricing',
  google: 'https://ai.google.dev/gemini-api/docs/pricing',
  groq: 'https://groq.com/pricing',
  mistral: 'https://mistral.ai/pricing/api',
  openai: 'https://developers.openai.com/api/docs/pricing',
  openrouter: 'https://openrouter.ai/models',
  together: 'https://www.together.ai/pricing',
  xai: 'https://docs.x.ai/developers/pricing',
};

/** Returns `null` for a provider of the operator. */
export function pricePageOf(provider: string): string | null {
  return Object.hasOwn(pages, provider) ? (pages[provider] ?? null) : null;
}

/** The options of `price set`, which replaces all of them; others have the price of input. */
const options: Readonly<Record<string, string>> = {
  uncached_text_input_tokens: '--input',
  cached_text_input_tokens: '--cached-input',
  cache_write_5m_input_tokens: '--cache-write',
  cache_write_1h_input_tokens: '--cache-write-1h',
  text_output_tokens: '--output',
};

/** Whether the command below would lose a price: of another kind, or of long inputs. */
export function hasOtherPrices({ rates, above }: ModelPrice): boolean {
  return (
    above.length > 0 || rates.some(({ type }) => type !== 'reasoning_tokens' && !Object.hasOwn(options, type))
  );
}

/** Returns the command that sets the price of a model, with all its present prices to change; without any, with input and output. */
export function priceCommand(model: string, price: ModelPrice | undefined): string {
  const name = /^[\w./:@+-]+$/.test(model) ? model : `'${model.replaceAll("'", "'\\''")}'`;
  const amounts = Object.entries(options).flatMap(([type, option]) => {
    const usd = price?.rates.find((rate) => rate.type === type)?.usd;
    if (usd !== undefined) return [`${option} ${usd}`];
    return option === '--input' || option === '--output' ? [`${option} USD`] : [];
  });
  return ['npm run admin -- price set', name, ...amounts].join(' ');
}
