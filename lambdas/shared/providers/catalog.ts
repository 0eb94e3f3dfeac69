/**
 * The providers that the gateway knows without configuration, as plain data.
 *
 * All of them speak OpenAI's chat completions format at `<baseUrl>/chat/completions`.
 */

export interface CatalogEntry {
  /** Without a trailing slash; `null` where there is no public endpoint and the operator must name one. */
  baseUrl: string | null;
  /** Whether a call without a credential can succeed. */
  credential: 'required' | 'optional';
  /** Response headers that may carry the provider's own request id, best first. */
  requestIdHeaders: readonly string[];
  /** Whether the provider accepts `stream_options.include_usage`; the others refuse it or send usage unasked. */
  acceptsIncludeUsage: boolean;
}

const hosted = (
  baseUrl: string,
  { requestIdHeaders = ['x-request-id'], acceptsIncludeUsage = true } = {},
): CatalogEntry => ({ baseUrl, credential: 'required', requestIdHeaders, acceptsIncludeUsage });

const selfHosted: CatalogEntry = {
  baseUrl: null,
  credential: 'optional',
  requestIdHeaders: ['x-request-id'],
  acceptsIncludeUsage: true,
};

export const providerCatalog: Readonly<Record<string, CatalogEntry>> = {
  openai: hosted('https://api.openai.com/v1'),
  mistral: hosted('https://api.mistral.ai/v1', {
    requestIdHeaders: ['mistral-correlation-id', 'x-request-id'],
    acceptsIncludeUsage: false,
  }),
  groq: hosted('https://api.groq.com/openai/v1'),
  together: hosted('https://api.together.xyz/v1'),
  fireworks: hosted('https://api.fireworks.ai/inference/v1'),
  deepseek: hosted('https://api.deepseek.com', { requestIdHeaders: ['x-ds-trace-id', 'x-request-id'] }),
  xai: hosted('https://api.x.ai/v1'),
  cerebras: hosted('https://api.cerebras.ai/v1'),
  openrouter: hosted('https://openrouter.ai/api/v1', {
    requestIdHeaders: ['x-generation-id', 'x-request-id'],
  }),
  nvidia: hosted('https://integrate.api.nvidia.com/v1', { requestIdHeaders: ['nvcf-reqid', 'x-request-id'] }),
  cohere: hosted('https://api.cohere.ai/compatibility/v1', { acceptsIncludeUsage: false }),
  ollama: selfHosted,
  vllm: selfHosted,
};

/** What an OpenAI-format server that the operator names in the configuration starts from. */
export const selfHostedDefaults = selfHosted;
