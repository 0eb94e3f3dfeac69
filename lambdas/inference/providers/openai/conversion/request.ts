/**
 * Renders a request of a caller with another format as a chat completion request. The rules of the provider then apply to it
 * as to the request of a chat caller. https://platform.openai.com/docs/api-reference/chat/create
 */
import { openAiNamesOf } from '#lambdas/inference/chat/parameters.ts';
import type {
  CompletionRequest,
  ResponseFormat,
  Setting,
  SettingKey,
} from '#lambdas/inference/completion/request.ts';
import type { CatalogEntry } from '#lambdas/inference/providers/catalog.ts';
import { noRules, type RequestRules, requestRules } from '#lambdas/inference/providers/request-rules.ts';
import { withoutForeignHostedTools } from '#lambdas/inference/providers/translation/foreign-tools.ts';
import { findOptionalFeatures } from '#lambdas/inference/providers/translation/optional-features.ts';
import { ignoredSettings, withProviderFields } from '#lambdas/inference/providers/translation/parameters.ts';
import { withProviderToolNames } from '#lambdas/inference/providers/translation/tool-names.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { renderMessages } from './messages.ts';
import { renderToolUse, toolNameRule } from './tools.ts';

interface RenderedRequest {
  body: JsonObject;
  /** The caller's names of what was left out. */
  ignored: readonly string[];
}

interface RenderTarget {
  provider: string;
  model: string;
  stream: boolean;
  entry: Pick<CatalogEntry, 'requestRules' | 'reasoningField' | 'isOpenAi'>;
  /** For a model that has refused the effort of the request. */
  effort?: EffortChange | null;
}

/** Left out, or `none` in its place. */
export type EffortChange = 'omitted' | 'none';

/** Throws a `GatewayError` (400) that names an unsupported parameter in the caller's format. */
export function renderChatRequest(completion: CompletionRequest, target: RenderTarget): RenderedRequest {
  const { provider, model, stream, entry } = target;
  const isAccepted = acceptance(completion, target);
  const isSupported = ({ key }: Setting) => key !== null && isAccepted(key);
  const ignored = ignoredSettings(completion.settings, { provider, isSupported });
  const { request: offered, ignored: hosted } = withoutForeignHostedTools(completion, 'openai');
  const request = withProviderToolNames(offered, toolNameRule);
  const messages = renderMessages(request, entry.reasoningField);
  const rendered = {
    model,
    messages: messages.messages,
    ...renderToolUse(request),
    ...acceptedFields(request, { isAccepted, maxTokensName: maxTokensNameOf(entry) }),
    ...(target.effort === 'none' && { reasoning_effort: 'none' }),
    ...(stream && { stream }),
  };
  return {
    body: withProviderFields(rendered, request.providerFields),
    ignored: [
      ...new Set([
        ...ignored,
        ...(target.effort === 'none' ? [request.names.reasoningEffort] : []),
        ...hosted,
        ...completion.omissions,
        ...messages.ignored,
        ...lostFeatures(request),
      ]),
    ],
  };
}

type IsAccepted = (key: SettingKey) => boolean;

/** The format limits the length of `user`: https://platform.openai.com/docs/api-reference/chat/create#chat-create-safety_identifier */
export const maxUserLength = 64;

function acceptance({ user }: CompletionRequest, { entry, effort }: RenderTarget): IsAccepted {
  const { parameters }: RequestRules =
    entry.requestRules === null ? noRules : requestRules[entry.requestRules];
  return (key) => {
    if (key === 'reasoningEffort' && effort) return false;
    // An extension of other servers.
    if (key === 'topK' && entry.isOpenAi) return false;
    if (key === 'user' && (user?.id.length ?? 0) > maxUserLength) return false;
    return parameters === null || openAiNamesOf(key).some((name) => parameters.has(name));
  };
}

/** Every server knows the older name, but OpenAI's own reasoning models refuse it. */
function maxTokensNameOf({ isOpenAi }: Pick<CatalogEntry, 'isOpenAi'>): string {
  return isOpenAi ? 'max_completion_tokens' : 'max_tokens';
}

/** Without the settings that the provider does not accept, which have been reported. */
function acceptedFields(
  request: CompletionRequest,
  { isAccepted, maxTokensName }: { isAccepted: IsAccepted; maxTokensName: string },
): JsonObject {
  const fields: readonly [SettingKey, string, unknown][] = [
    ['parallelToolCalls', 'parallel_tool_calls', request.tools.length > 0 ? request.parallelToolCalls : null],
    ['responseFormat', 'response_format', renderFormat(request.responseFormat)],
    ['stop', 'stop', request.stop.length > 0 ? request.stop : null],
    ['maxTokens', maxTokensName, request.maxTokens],
    ['temperature', 'temperature', request.temperature],
    ['topP', 'top_p', request.topP],
    ['topK', 'top_k', request.topK],
    ['frequencyPenalty', 'frequency_penalty', request.frequencyPenalty],
    ['presencePenalty', 'presence_penalty', request.presencePenalty],
    ['seed', 'seed', request.seed],
    ['n', 'n', request.n],
    ['reasoningEffort', 'reasoning_effort', request.reasoningEffort],
    ['user', 'user', request.user?.id ?? null],
  ];
  const known = new Set<SettingKey | null>([...fields.map(([key]) => key), 'tools', 'toolChoice']);
  const shared = request.settings.flatMap(({ key, value }): [SettingKey, string, unknown][] =>
    key === null || known.has(key) ? [] : openAiNamesOf(key).map((name) => [key, name, value]),
  );
  return Object.fromEntries(
    [...fields, ...shared]
      .filter(([key, , value]) => value !== null && isAccepted(key))
      .map(([, name, value]) => [name, value]),
  );
}

function renderFormat(format: ResponseFormat): JsonObject | null {
  switch (format.type) {
    case 'text':
      return null;
    case 'json_object':
      return { type: format.type };
    case 'json_schema': {
      const { type, name, description, schema, strict } = format;
      const definition = {
        name,
        ...(description !== null && { description }),
        schema,
        ...(strict !== null && { strict }),
      };
      return { type, json_schema: definition };
    }
    default:
      return format satisfies never;
  }
}

/** Providers with this format cache prompts automatically, and many refuse fields that OpenAI's format does not have. */
export function lostFeatures(request: CompletionRequest): string[] {
  const { names, turns } = request;
  const { ignored, cacheBreakpoints } = findOptionalFeatures(request);
  const losesBreakpoint = cacheBreakpoints.inMessages || cacheBreakpoints.inTools;
  const results = turns.flatMap((turn) => (turn.role === 'user' ? turn.toolResults : []));
  return [
    ...ignored.filter((name) => name !== names.imageDetail),
    ...(losesBreakpoint ? [names.cacheControl] : []),
    ...(results.some(({ isError }) => isError) ? [names.resultError] : []),
  ];
}
