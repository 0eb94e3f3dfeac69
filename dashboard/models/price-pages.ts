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

/** Returns the command that sets the price of a model, with its present prices to change. */
export function priceCommand(model: string, { input, output }: { input: string; output: string }): string {
  const name = /^[\w./:@+-]+$/.test(model) ? model : `'${model.replaceAll("'", "'\\''")}'`;
  return `npm run admin -- price set ${name} --input ${input} --output ${output}`;
}
