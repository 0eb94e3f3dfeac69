/**
 * Renders a request of a caller with another format as one of the Responses API, of which the provider keeps nothing.
 * https://platform.openai.com/docs/api-reference/responses/create
 */
import type {
  CompletionRequest,
  ResponseFormat,
  Setting,
  SettingKey,
} from '#lambdas/inference/completion/request.ts';
import type { CatalogEntry } from '#lambdas/inference/providers/catalog.ts';
import type { OptionalField } from '#lambdas/inference/providers/provider.ts';
import { withoutForeignHostedTools } from '#lambdas/inference/providers/translation/foreign-tools.ts';
import { ignoredSettings, withProviderFields } from '#lambdas/inference/providers/translation/parameters.ts';
import { withProviderToolNames } from '#lambdas/inference/providers/translation/tool-names.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { lostFeatures, maxUserLength } from '../conversion/request.ts';
import { toolNameRule } from '../conversion/tools.ts';
import { renderInput } from './input.ts';
import { refuseKeptState } from './kept-state.ts';
import { renderToolUse } from './tools.ts';

interface RenderedRequest {
  body: JsonObject;
  /** The caller's names of what was left out. */
  ignored: readonly string[];
}

interface RenderTarget {
  provider: string;
  model: string;
  entry: Pick<CatalogEntry, 'isOpenAi'>;
  stream: boolean;
  /** The fields that the model has refused. */
  refused: ReadonlySet<OptionalField>;
}

/** Throws a `GatewayError` (400) that names an unsupported parameter in the caller's format. */
export function renderResponsesRequest(completion: CompletionRequest, target: RenderTarget): RenderedRequest {
  const { provider, model, entry, stream, refused } = target;
  refuseKeptState(completion);
  const ignored = ignoredSettings(completion.settings, {
    provider,
    isSupported: (setting) => isSupported(setting, completion, refused),
  });
  const { request: offered, ignored: hosted } = withoutForeignHostedTools(completion, 'responses');
  const request = withProviderToolNames(offered, toolNameRule);
  const { fields, losesReasoning } = renderInput(request, entry);
  const rendered = {
    model,
    ...fields,
    ...renderToolUse(request),
    ...renderParameters(request, target),
    include: [
      ...(refused.has('encrypted_reasoning') ? [] : ['reasoning.encrypted_content']),
      ...(asksFor(request, 'logprobs') ? ['message.output_text.logprobs'] : []),
    ],
    ...(stream && { stream }),
  };
  const { names, providerFields } = request;
  return {
    body: { ...withProviderFields(rendered, providerFields), store: false },
    ignored: [
      ...new Set([
        ...ignored,
        ...(refused.has('reasoning') ? [names.reasoningEffort] : []),
        ...(refused.has('reasoning_summary') && request.reasoningSummary !== null
          ? [names.reasoningSummary]
          : []),
        ...hosted,
        ...completion.omissions,
        ...(providerFields.store === true ? ['store'] : []),
        ...(losesReasoning ? [names.reasoning] : []),
        ...lostFeatures(request),
      ]),
    ],
  };
}

/** The settings whose names and values chat and responses share, besides those that are rendered by their fields. */
const sharedNames = {
  metadata: 'metadata',
  moderation: 'moderation',
  promptCacheKey: 'prompt_cache_key',
  promptCacheOptions: 'prompt_cache_options',
  promptCacheRetention: 'prompt_cache_retention',
  serviceTier: 'service_tier',
  topLogprobs: 'top_logprobs',
} as const satisfies Partial<Record<SettingKey, string>>;

const renderedKeys: ReadonlySet<SettingKey | null> = new Set<SettingKey>([
  ...([
    'maxTokens',
    'responseFormat',
    'tools',
    'toolChoice',
    'parallelToolCalls',
    'temperature',
    'topP',
  ] as const),
  ...(['reasoningEffort', 'user', 'logprobs', 'verbosity', 'webSearchOptions'] as const),
  ...(Object.keys(sharedNames) as (keyof typeof sharedNames)[]),
]);

function isSupported(
  { key, name }: Setting,
  { user, names }: CompletionRequest,
  refused: ReadonlySet<OptionalField>,
): boolean {
  if (key === 'reasoningEffort') return !(refused.has('reasoning') || refused.has('reasoning_effort'));
  if (key === 'user') return (user?.id.length ?? 0) <= maxUserLength;
  return renderedKeys.has(key) || (key === null && name === names.reasoningSummary);
}

function renderParameters(request: CompletionRequest, { entry, refused }: RenderTarget): JsonObject {
  const { maxTokens, temperature, topP, user, responseFormat, settings } = request;
  const isUserAccepted = user !== null && user.id.length <= maxUserLength;
  const reasoning = renderReasoning(request, refused);
  const text = {
    ...renderFormat(responseFormat),
    ...valuesOf(settings, { verbosity: 'verbosity' }),
  };
  return {
    ...(maxTokens !== null && { max_output_tokens: maxTokens }),
    ...(temperature !== null && { temperature }),
    ...(topP !== null && { top_p: topP }),
    ...(Object.keys(reasoning).length > 0 && { reasoning }),
    ...(Object.keys(text).length > 0 && { text }),
    // Other servers know only the older name.
    ...(isUserAccepted && { [entry.isOpenAi ? 'safety_identifier' : 'user']: user.id }),
    ...valuesOf(settings, sharedNames),
  };
}

function renderReasoning(
  { reasoningEffort, reasoningSummary }: CompletionRequest,
  refused: ReadonlySet<OptionalField>,
): JsonObject {
  const effort = refused.has('reasoning') ? 'none' : refused.has('reasoning_effort') ? null : reasoningEffort;
  const isSummarized = reasoningSummary !== null && effort !== 'none' && !refused.has('reasoning_summary');
  return { ...(effort !== null && { effort }), ...(isSummarized && { summary: reasoningSummary }) };
}

export function renderFormat(format: ResponseFormat): { format?: JsonObject } {
  switch (format.type) {
    case 'text':
      return {};
    case 'json_object':
      return { format: { type: format.type } };
    case 'json_schema': {
      const { type, name, description, schema, strict } = format;
      const described = description === null ? {} : { description };
      return { format: { type, name, ...described, schema, ...(strict !== null && { strict }) } };
    }
    default:
      return format satisfies never;
  }
}

function valuesOf(settings: readonly Setting[], names: Partial<Record<SettingKey, string>>): JsonObject {
  return Object.fromEntries(
    settings.flatMap(({ key, value }) => {
      const name = key === null ? undefined : names[key];
      return name === undefined || value === null ? [] : [[name, value]];
    }),
  );
}

function asksFor({ settings }: CompletionRequest, asked: SettingKey): boolean {
  return settings.some(({ key, isDefault }) => key === asked && !isDefault);
}
