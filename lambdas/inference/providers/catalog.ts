/** The built-in providers, and their combination with the operator's settings. */
import type { OperationName } from '#lambdas/request-log/operation.ts';
import type { RequestRulesName } from './request-rules.ts';
import {
  configurableOperations,
  type OperationPaths,
  type ProviderSettings,
  type ProviderSettingsByName,
  type ReasoningField,
} from './settings.ts';

/** The API for completions of a provider, implemented in the folder of the same name. */
type ProtocolName = 'openai' | 'anthropic' | 'google' | 'bedrock';

/** The APIs of all operations. */
export type ApiName = ProtocolName | 'cohere';

/** An operation, as a provider offers it. */
export interface OfferedOperation {
  /** The API that the provider has for it. */
  api: ApiName;
  /** Follows the base URL; `null` when the protocol derives it from the model. */
  path: string | null;
  /** The names of the models that have it; all by default. */
  models?: RegExp;
  /** Default: `items`. */
  keeps?: KeptContents;
}

/** The contents of earlier responses that a request can refer to by their ids: none, whole responses, or also their items. */
export type KeptContents = 'nothing' | 'responses' | 'items';

/** The APIs whose requests and responses are in the operation's own format: their bytes are forwarded. */
const nativeApis: Readonly<Record<keyof OperationPaths, ApiName>> = {
  'chat.completions': 'openai',
  embeddings: 'openai',
  messages: 'anthropic',
  responses: 'openai',
};

export interface CatalogEntry {
  protocol: ProtocolName;
  /** The operations that the gateway can request from the provider. */
  operations: OfferedOperations;
  /** `null` if completions are always those of chat. */
  responsesModels: ResponsesModels | null;
  /**
   * Without a trailing slash. `null` when the operator must configure one, empty when the protocol derives it from the
   * region.
   */
  baseUrl: string | null;
  /**
   * `optional` when a call without a credential can succeed. With `role`, the credential is optional once the settings
   * contain the provider, since that grants the function's role the permission.
   */
  credential: 'required' | 'optional' | 'role';
  /** In `authorization`, the credential is a bearer token. */
  apiKeyHeader: 'authorization' | 'api-key' | 'x-api-key' | 'x-goog-api-key';
  /** Response headers that may carry the provider's request id, in order of preference. */
  requestIdHeaders: readonly string[];
  /** Whether streams contain usage on request (`stream_options.include_usage`), always, or never on request. */
  streamUsage: 'on_request' | 'always' | 'unsupported';
  /** The field in which the provider takes reasoning back; `null` to forward the caller's fields unchanged. */
  reasoningField: ReasoningField | null;
  /** True if PDFs are accepted as content parts of their own, to which those in `image_url` are converted. */
  acceptsDocuments: boolean;
  /** Set for a provider that accepts only a part of OpenAI's format. The rules are loaded on first use. */
  requestRules: RequestRulesName | null;
  /** True for OpenAI's own API, which refuses what only other servers with its format know. */
  isOpenAi: boolean;
  reportedCost: ReportedCostField | null;
  /** How responses show the charges for tools of the provider, if they do. */
  toolCharges: ToolCharges | null;
  /** The API that counts the input tokens of a request, besides a Messages API; `null` if there is none. */
  tokenCounter: OfferedOperation | null;
}

/** The models whose completions have to be requested from the Responses API. */
export interface ResponsesModels {
  /** They have no other API. */
  only: RegExp;
  /** They take functions beside reasoning only there. */
  withFunctions: RegExp;
}

type OfferedOperations = Readonly<Partial<Record<OperationName, OfferedOperation>>>;

/** The field of `usage` in which a provider reports the cost: dollars (OpenRouter) or ticks of 10⁻¹⁰ dollars (xAI). */
export type ReportedCostField = 'cost' | 'cost_in_usd_ticks';

/** By the name of the model, since OpenAI's search models always search, or in Groq's field `executed_tools`. */
type ToolCharges = 'search_models' | 'executed_tools';

const openAiChat: OfferedOperations = { 'chat.completions': { api: 'openai', path: '/chat/completions' } };
const openAiEmbeddings: OfferedOperations = { embeddings: { api: 'openai', path: '/embeddings' } };
const anthropicMessages: OfferedOperations = { messages: { api: 'anthropic', path: '/messages' } };

const openAiOperations: OfferedOperations = { ...openAiChat, ...openAiEmbeddings };

const withMessages: OfferedOperations = { ...openAiOperations, ...anthropicMessages };

function withResponses(keeps: KeptContents, others = openAiOperations): OfferedOperations {
  return { ...others, responses: { api: 'openai', path: '/responses', keeps } };
}

/** Also an ARN without a model name. */
const bedrockClaude = /claude|^arn:[^/]*\/[a-z0-9]+$/;

/** By inference profiles; GPT-OSS has the API on another endpoint only. */
const bedrockResponses = /openai\.gpt-(?!oss)|xai\.grok/;

/**
 * Also snapshots, and Azure's deployments with the name of their model, in which a hyphen stands for the point.
 * https://developers.openai.com/api/docs/models, https://github.com/openai/openai-openapi/issues/541
 */
const openAiResponsesModels: ResponsesModels = {
  only: /^(o|gpt-)\d([.-]\d)?-pro|codex|-deep-research|^computer-use/,
  withFunctions: /^gpt-(5[.-][4-9]|[6-9])(?!\d)/,
};

const allModels: ResponsesModels = { only: /^/, withFunctions: /^/ };

const openAiFormat: CatalogEntry = {
  protocol: 'openai',
  operations: openAiOperations,
  responsesModels: null,
  baseUrl: null,
  credential: 'required',
  apiKeyHeader: 'authorization',
  requestIdHeaders: ['x-request-id'],
  streamUsage: 'on_request',
  reasoningField: null,
  acceptsDocuments: false,
  requestRules: null,
  isOpenAi: false,
  reportedCost: null,
  toolCharges: null,
  tokenCounter: null,
};

const hosted = (baseUrl: string, differences: Partial<CatalogEntry> = {}): CatalogEntry => ({
  ...openAiFormat,
  baseUrl,
  ...differences,
});

/** Both operations of a provider whose own API has the model in its paths. */
function translated(api: ApiName): OfferedOperations {
  return { 'chat.completions': { api, path: null }, embeddings: { api, path: null } };
}

/** https://platform.openai.com/docs/api-reference/responses/input-tokens */
const responsesTokenCounter: OfferedOperation = { api: 'openai', path: '/responses/input_tokens' };

/** Also the entry of every provider that only the settings define. */
const selfHostedDefaults: CatalogEntry = { ...openAiFormat, credential: 'optional' };

export const providerCatalog: Readonly<Record<string, CatalogEntry>> = {
  openai: hosted('https://api.openai.com/v1', {
    operations: withResponses('items'),
    responsesModels: openAiResponsesModels,
    acceptsDocuments: true,
    isOpenAi: true,
    toolCharges: 'search_models',
    tokenCounter: responsesTokenCounter,
  }),
  anthropic: hosted('https://api.anthropic.com/v1', {
    protocol: 'anthropic',
    operations: { 'chat.completions': { api: 'anthropic', path: '/messages' }, ...anthropicMessages },
    apiKeyHeader: 'x-api-key',
    requestIdHeaders: ['request-id'],
  }),
  google: hosted('https://generativelanguage.googleapis.com/v1beta', {
    protocol: 'google',
    operations: translated('google'),
    tokenCounter: { api: 'google', path: null },
    apiKeyHeader: 'x-goog-api-key',
    requestIdHeaders: [],
  }),
  bedrock: hosted('', {
    protocol: 'bedrock',
    operations: {
      ...translated('bedrock'),
      messages: { api: 'bedrock', path: '/anthropic/v1/messages', models: bedrockClaude },
      responses: { api: 'bedrock', path: '/openai/v1/responses', models: bedrockResponses },
    },
    // It takes no ARN without a model's name, such as that of an application inference profile.
    tokenCounter: { api: 'bedrock', path: null, models: /claude/ },
    credential: 'role',
    requestIdHeaders: ['x-amzn-requestid'],
  }),
  // Each resource has its own base URL: https://<resource>.openai.azure.com/openai/v1
  azure: {
    ...openAiFormat,
    operations: withResponses('items'),
    responsesModels: openAiResponsesModels,
    apiKeyHeader: 'api-key',
    requestIdHeaders: ['apim-request-id', 'x-request-id'],
    acceptsDocuments: true,
    isOpenAi: true,
    toolCharges: 'search_models',
    tokenCounter: responsesTokenCounter,
  },
  mistral: hosted('https://api.mistral.ai/v1', {
    requestIdHeaders: ['mistral-correlation-id', 'x-request-id'],
    streamUsage: 'always',
    acceptsDocuments: true,
    requestRules: 'mistral',
  }),
  groq: hosted('https://api.groq.com/openai/v1', {
    // https://console.groq.com/docs/responses-api
    operations: withResponses('nothing'),
    reasoningField: 'reasoning',
    requestRules: 'groq',
    toolCharges: 'executed_tools',
  }),
  together: hosted('https://api.together.xyz/v1', { requestRules: 'together' }),
  fireworks: hosted('https://api.fireworks.ai/inference/v1', {
    // https://docs.fireworks.ai/tools-sdks/anthropic-compatibility, https://docs.fireworks.ai/guides/response-api
    operations: withResponses('responses', withMessages),
    reasoningField: 'reasoning_content',
    requestRules: 'fireworks',
  }),
  deepseek: hosted('https://api.deepseek.com', {
    // https://api-docs.deepseek.com/guides/anthropic_api
    operations: withResponses('nothing', {
      ...openAiChat,
      messages: { api: 'anthropic', path: '/anthropic/v1/messages' },
    }),
    requestIdHeaders: ['x-ds-trace-id', 'x-request-id'],
    requestRules: 'deepseek',
  }),
  xai: hosted('https://api.x.ai/v1', {
    operations: withResponses('responses', openAiChat),
    reportedCost: 'cost_in_usd_ticks',
  }),
  cerebras: hosted('https://api.cerebras.ai/v1', {
    operations: openAiChat,
    reasoningField: 'reasoning',
    requestRules: 'cerebras',
  }),
  openrouter: hosted('https://openrouter.ai/api/v1', {
    // https://openrouter.ai/docs/api/api-reference/anthropic-messages/create-a-message
    operations: withResponses('nothing', withMessages),
    requestIdHeaders: ['x-generation-id', 'x-request-id'],
    acceptsDocuments: true,
    reportedCost: 'cost',
  }),
  nvidia: hosted('https://integrate.api.nvidia.com/v1', { requestIdHeaders: ['nvcf-reqid', 'x-request-id'] }),
  cohere: hosted('https://api.cohere.ai/compatibility/v1', {
    // The compatibility API does not take `input_type`.
    operations: { ...openAiChat, embeddings: { api: 'cohere', path: '/../../v2/embed' } },
    requestIdHeaders: ['x-debug-trace-id', 'x-request-id'],
    streamUsage: 'always',
    requestRules: 'cohere',
  }),
  // https://github.com/ollama/ollama/issues/18534
  ollama: {
    ...selfHostedDefaults,
    operations: withResponses('nothing'),
    reasoningField: 'reasoning',
    requestRules: 'ollama',
  },
  // https://github.com/vllm-project/vllm/issues/38488
  vllm: {
    ...selfHostedDefaults,
    operations: withResponses('responses'),
    reasoningField: 'reasoning',
  },
};

/** Whether a model can be used for an operation: every model that completes chats serves the other formats of completions too. */
export function offersOperation(
  { operations }: Pick<CatalogEntry, 'operations'>,
  operation: OperationName,
  model: string,
): boolean {
  const offered = operations[operation];
  if (offered !== undefined && offered.models?.test(model) !== false) return true;
  const isTranslated = operation === 'messages' || operation === 'responses';
  return isTranslated && operations['chat.completions'] !== undefined;
}

/** The counter of a Messages API is below its path. https://platform.claude.com/docs/en/api/messages/count_tokens */
export function tokenCounterOf({ operations, tokenCounter }: CatalogEntry): OfferedOperation | undefined {
  const { messages } = operations;
  if (messages?.api !== 'anthropic') return tokenCounter ?? undefined;
  return { ...messages, path: `${messages.path}/count_tokens` };
}

export interface ProviderAccess {
  name: string;
  entry: CatalogEntry;
  /** Without a trailing slash; `null` when the operator must configure one and has not. */
  baseUrl: string | null;
  credential: 'required' | 'optional';
  settings: ProviderSettings;
}

export function readProviderAccess(settings: ProviderSettingsByName): ProviderAccess[] {
  const names = new Set([...Object.keys(providerCatalog), ...Object.keys(settings)]);
  return [...names].map((name) => {
    const configured = settings[name];
    const entry = withSettings(catalogEntry(name), configured);
    const baseUrl = configured?.baseUrl ?? entry.baseUrl;
    return {
      name,
      entry,
      baseUrl: baseUrl?.replace(/(?<!\/)\/+$/, '') ?? null,
      credential: credentialOf(entry, configured !== undefined),
      settings: configured ?? {},
    };
  });
}

/** Uses `hasOwn` since the operator may call a provider `constructor`, for example. */
function catalogEntry(name: string): CatalogEntry {
  return (Object.hasOwn(providerCatalog, name) ? providerCatalog[name] : undefined) ?? selfHostedDefaults;
}

function withSettings(
  entry: CatalogEntry,
  { streamUsage, reasoningField, operations, completionsApi }: ProviderSettings = {},
): CatalogEntry {
  return {
    ...entry,
    ...(operations && { operations: withPaths(entry.operations, operations) }),
    ...(completionsApi && { responsesModels: completionsApi === 'responses' ? allModels : null }),
    ...(streamUsage !== undefined && { streamUsage: streamUsage ? 'on_request' : 'unsupported' }),
    ...(reasoningField !== undefined && { reasoningField }),
  };
}

/** A path stands for the operation's own format, which a self-hosted server has if it has the operation at all. */
function withPaths(offered: OfferedOperations, paths: OperationPaths): OfferedOperations {
  const changed = configurableOperations.flatMap((name) => {
    const path = paths[name];
    if (path === undefined) return [];
    return [[name, path === false ? undefined : { api: nativeApis[name], path }]];
  });
  return { ...offered, ...Object.fromEntries(changed) };
}

function credentialOf({ credential }: CatalogEntry, isConfigured: boolean): ProviderAccess['credential'] {
  if (credential !== 'role') return credential;
  return isConfigured ? 'optional' : 'required';
}
