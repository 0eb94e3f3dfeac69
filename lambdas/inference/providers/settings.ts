/** The setting `providers`. Synth validates it and passes it to the functions as JSON. */
import type { PriceSettings } from '#lambdas/pricing/price-context.ts';
import type { OperationName } from '#lambdas/request-log/operation.ts';

/** The fields in which providers take the reasoning of earlier assistant messages. */
export const reasoningFields = ['reasoning', 'reasoning_content'] as const;

export type ReasoningField = (typeof reasoningFields)[number];

/** The operations whose paths the operator can set, for servers that have them in the operation's own format. */
export const configurableOperations = [
  'chat.completions',
  'embeddings',
  'messages',
  'responses',
] as const satisfies OperationName[];

export type OperationPaths = Readonly<
  Partial<Record<(typeof configurableOperations)[number], string | false>>
>;

/** The operations by which a provider can be asked for completions. */
export const completionsApis = ['chat.completions', 'responses'] as const satisfies OperationName[];

export interface ProviderSettings extends PriceSettings {
  /** For example `https://llm.example.com/v1`. A trailing slash is ignored. */
  baseUrl?: string;
  /** Set when the base URL is in a private network, which allows plain `http`. */
  private?: boolean;
  /** AWS region of the provider `bedrock`. Default: the function's region. */
  region?: string;
  /** Model names without the provider prefix, listed by `GET /ai/models`. Default: the models in the price table. */
  models?: readonly string[];
  /** False for a server that refuses `stream_options`. Default: see `CatalogEntry`, as for the next one. */
  streamUsage?: boolean;
  /** The paths of operations below the base URL; `false` for an operation that the server does not have. */
  operations?: OperationPaths;
  /** The API for the completions of all models. Default: that of chat, unless OpenAI has another one for the request. */
  completionsApi?: (typeof completionsApis)[number];
  /** `null` forwards the caller's fields unchanged. */
  reasoningField?: ReasoningField | null;
}

export type ProviderSettingsByName = Readonly<Record<string, ProviderSettings>>;

export const providerNamePattern = /^[a-z][a-z0-9-]{0,31}$/;

export function isProviderName(text: string): boolean {
  return providerNamePattern.test(text);
}
