/** The providers that the gateway knows without configuration, and how each is reached with the operator's settings. */
import type { RequestRulesName } from './request-rules.ts';
import type { ProviderSettings, ProviderSettingsByName } from './settings.ts';

/** The API that a provider speaks: `registry.ts` has the code of each. */
export type ProtocolName = 'openai' | 'anthropic' | 'google' | 'bedrock';

export interface CatalogEntry {
  protocol: ProtocolName;
  /**
   * Without a trailing slash; `null` where there is no public endpoint and the operator must name one, empty where the
   * protocol finds it itself.
   */
  baseUrl: string | null;
  /**
   * Whether a call without a credential can succeed. With `role` it can once the operator has named the provider in
   * the settings, which gives the function's role the permission.
   */
  credential: 'required' | 'optional' | 'role';
  /** The header that carries the credential; `authorization` as a bearer token. */
  apiKeyHeader: 'authorization' | 'api-key' | 'x-api-key' | 'x-goog-api-key';
  /** Response headers that may carry the provider's request id, best first. */
  requestIdHeaders: readonly string[];
  /** Whether the provider accepts `stream_options.include_usage`; the others refuse it or always send usage. */
  acceptsIncludeUsage: boolean;
  /** The rules for requests to a provider that does not accept all of OpenAI's format; they load on first use. */
  requestRules: RequestRulesName | null;
  /** The field of `usage` in which the provider states the cost of a request. */
  reportedCost: ReportedCostField | null;
}

/** `cost` in dollars (OpenRouter), or `cost_in_usd_ticks` (xAI). */
export type ReportedCostField = 'cost' | 'cost_in_usd_ticks';

const openAiFormat: CatalogEntry = {
  protocol: 'openai',
  baseUrl: null,
  credential: 'required',
  apiKeyHeader: 'authorization',
  requestIdHeaders: ['x-request-id'],
  acceptsIncludeUsage: true,
  requestRules: null,
  reportedCost: null,
};

const hosted = (baseUrl: string, differences: Partial<CatalogEntry> = {}): CatalogEntry => ({
  ...openAiFormat,
  baseUrl,
  ...differences,
});

/** The entry of an OpenAI-format server that only the settings name. */
const selfHostedDefaults: CatalogEntry = { ...openAiFormat, credential: 'optional' };

export const providerCatalog: Readonly<Record<string, CatalogEntry>> = {
  openai: hosted('https://api.openai.com/v1'),
  anthropic: hosted('https://api.anthropic.com/v1', {
    protocol: 'anthropic',
    apiKeyHeader: 'x-api-key',
    requestIdHeaders: ['request-id'],
  }),
  google: hosted('https://generativelanguage.googleapis.com/v1beta', {
    protocol: 'google',
    apiKeyHeader: 'x-goog-api-key',
    // It sends none.
    requestIdHeaders: [],
  }),
  bedrock: hosted('', {
    protocol: 'bedrock',
    credential: 'role',
    requestIdHeaders: ['x-amzn-requestid'],
  }),
  // Each resource has an address of its own: https://<resource>.openai.azure.com/openai/v1
  azure: { ...openAiFormat, apiKeyHeader: 'api-key', requestIdHeaders: ['apim-request-id', 'x-request-id'] },
  mistral: hosted('https://api.mistral.ai/v1', {
    requestIdHeaders: ['mistral-correlation-id', 'x-request-id'],
    acceptsIncludeUsage: false,
    requestRules: 'mistral',
  }),
  groq: hosted('https://api.groq.com/openai/v1', { requestRules: 'groq' }),
  together: hosted('https://api.together.xyz/v1', { requestRules: 'together' }),
  fireworks: hosted('https://api.fireworks.ai/inference/v1', { requestRules: 'fireworks' }),
  deepseek: hosted('https://api.deepseek.com', {
    requestIdHeaders: ['x-ds-trace-id', 'x-request-id'],
    requestRules: 'deepseek',
  }),
  xai: hosted('https://api.x.ai/v1', { reportedCost: 'cost_in_usd_ticks' }),
  cerebras: hosted('https://api.cerebras.ai/v1', { requestRules: 'cerebras' }),
  openrouter: hosted('https://openrouter.ai/api/v1', {
    requestIdHeaders: ['x-generation-id', 'x-request-id'],
    reportedCost: 'cost',
  }),
  nvidia: hosted('https://integrate.api.nvidia.com/v1', { requestIdHeaders: ['nvcf-reqid', 'x-request-id'] }),
  cohere: hosted('https://api.cohere.ai/compatibility/v1', {
    requestIdHeaders: ['x-debug-trace-id', 'x-request-id'],
    acceptsIncludeUsage: false,
    requestRules: 'cohere',
  }),
  ollama: { ...selfHostedDefaults, requestRules: 'ollama' },
  vllm: selfHostedDefaults,
};

/** How a provider is reached, by the catalog and the operator's settings. */
export interface ProviderAccess {
  name: string;
  entry: CatalogEntry;
  /** Without a trailing slash; `null` where the operator has to name one and has not. */
  baseUrl: string | null;
  credential: 'required' | 'optional';
  settings: ProviderSettings;
}

/** Returns every provider of the catalog and of the settings. */
export function readProviderAccess(settings: ProviderSettingsByName): ProviderAccess[] {
  const names = new Set([...Object.keys(providerCatalog), ...Object.keys(settings)]);
  return [...names].map((name) => {
    const named = settings[name];
    const entry = catalogEntry(name);
    const baseUrl = named?.baseUrl ?? entry.baseUrl;
    return {
      name,
      entry,
      baseUrl: baseUrl?.replace(/(?<!\/)\/+$/, '') ?? null,
      credential: credentialOf(entry, named !== undefined),
      settings: named ?? {},
    };
  });
}

/** The operator may name a provider `constructor`, say. */
function catalogEntry(name: string): CatalogEntry {
  return (Object.hasOwn(providerCatalog, name) ? providerCatalog[name] : undefined) ?? selfHostedDefaults;
}

function credentialOf({ credential }: CatalogEntry, isNamed: boolean): ProviderAccess['credential'] {
  if (credential !== 'role') return credential;
  return isNamed ? 'optional' : 'required';
}
