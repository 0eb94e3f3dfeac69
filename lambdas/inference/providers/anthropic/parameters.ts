/**
 * Translates OpenAI's parameters for reasoning and sampling, as far as the model accepts them.
 *
 * https://platform.claude.com/docs/en/models/overview
 * https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting
 */
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import { isForced } from '#lambdas/inference/completion/tools.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { adaptiveThinking, budgetThinking, isThinkingEnabled } from '../translation/claude.ts';

interface ClaudeModel {
  /** The default for the mandatory parameter `max_tokens`. */
  maxOutputTokens: number;
  /** `budget`: the request sets a token budget; `adaptive`: the model decides how much to think. */
  thinking: 'adaptive' | 'budget' | 'none';
  /** The type of `thinking` that turns it off; `null` for a model that always thinks. */
  thinkingOff: 'disabled' | 'between_tools' | null;
  adjustableSampling: boolean;
}

const latest: ClaudeModel = {
  maxOutputTokens: 128_000,
  thinking: 'adaptive',
  thinkingOff: 'disabled',
  adjustableSampling: false,
};
const version45: ClaudeModel = {
  maxOutputTokens: 64_000,
  thinking: 'budget',
  thinkingOff: 'disabled',
  adjustableSampling: true,
};

/** The first match applies. Names may contain a date, and prefixes and suffixes of other platforms. */
const modelsByName: readonly [RegExp, ClaudeModel][] = [
  [/claude-(fable|mythos)-/, { ...latest, thinkingOff: null }],
  [/claude-opus-5-5(?!\d)/, { ...latest, thinkingOff: null }],
  [/claude-sonnet-5-5(?!\d)/, { ...latest, thinkingOff: 'between_tools' }],
  [/claude-(opus|sonnet)-4-6/, { ...latest, adjustableSampling: true }],
  [/claude-opus-4-[78]/, latest],
  [/claude-(opus|sonnet|haiku)-4-5/, version45],
  [/claude-opus-4/, { ...version45, maxOutputTokens: 32_000 }],
  [/claude-(sonnet-4|3-7-sonnet)/, version45],
  [/claude-3-5/, { ...version45, maxOutputTokens: 8_192, thinking: 'none' }],
  [/claude-(3|v?2|instant)/, { ...version45, maxOutputTokens: 4_096, thinking: 'none' }],
  // Future models will probably behave like the latest.
  [/claude-/, latest],
];

const nonClaudeModel: ClaudeModel = { ...version45, maxOutputTokens: 4_096, thinking: 'none' };

export function claudeModel(name: string): ClaudeModel {
  return modelsByName.find(([pattern]) => pattern.test(name))?.[1] ?? nonClaudeModel;
}

export interface ParameterFields {
  fields: JsonObject;
  ignored: string[];
}

/** The caller's `thinking`, in Anthropic's format, takes precedence. */
export function translateThinking(
  request: CompletionRequest,
  model: ClaudeModel,
  maxTokens: number,
): ParameterFields {
  const effort = request.reasoningEffort;
  if (effort === null) return { fields: {}, ignored: [] };
  const effortIgnored: ParameterFields = { fields: {}, ignored: [request.names.reasoningEffort] };
  if (request.providerFields.thinking !== undefined) return effortIgnored;
  if (effort === 'none') return withoutThinking(model) ?? effortIgnored;
  const forced = isForced(request.choice);
  switch (model.thinking) {
    case 'none':
      return effortIgnored;
    case 'adaptive':
      return { fields: adaptiveThinking(effort, { forced, summarized: true }), ignored: [] };
    case 'budget': {
      const thinking = budgetThinking(effort, { request, maxTokens, forced });
      return thinking === null ? effortIgnored : { fields: { thinking }, ignored: [] };
    }
    default:
      return model.thinking satisfies never;
  }
}

/** Returns `null` for a model that always thinks. */
function withoutThinking({ thinking, thinkingOff }: ClaudeModel): ParameterFields | null {
  if (thinkingOff === null) return null;
  // A model with a budget does not think without one.
  return { fields: thinking === 'adaptive' ? { thinking: { type: thinkingOff } } : {}, ignored: [] };
}

/** https://platform.claude.com/docs/en/api/messages/create#body-metadata-user-id */
const maxUserLength = 256;
/** E-mail addresses and telephone numbers: https://github.com/BerriAI/litellm/pull/10102 */
const refusedUser = /[^\s@]@[^\s@]+\.[^\s@]|^\+?[\d\s().-]{7,20}$/;

export function translateUser({ user }: CompletionRequest): ParameterFields {
  if (user === null) return { fields: {}, ignored: [] };
  const isRefused = user.id.length > maxUserLength || refusedUser.test(user.id);
  if (isRefused) return { fields: {}, ignored: [user.param] };
  return { fields: { metadata: { user_id: user.id } }, ignored: [] };
}

/**
 * Since version 4.5, models accept either temperature or top_p; newer models accept neither, and thinking excludes both.
 * https://platform.claude.com/docs/en/models/haiku-5-5/migration-guide#remove-sampling-parameters
 */
export function translateSampling(
  { temperature, topP, topK, names }: CompletionRequest,
  { model, thinking }: { model: ClaudeModel; thinking: unknown },
): ParameterFields {
  const isAdjustable = model.adjustableSampling && !isThinkingEnabled(thinking);
  const requested = [
    // 1 is the default.
    {
      field: 'temperature',
      name: names.temperature,
      value: temperature === 1 ? null : temperature,
      accepted: isAdjustable,
    },
    {
      field: 'top_p',
      name: names.topP,
      value: topP === 1 ? null : topP,
      accepted: isAdjustable && (temperature ?? 1) === 1,
    },
    { field: 'top_k', name: names.topK, value: topK, accepted: isAdjustable },
  ].filter(({ value }) => value !== null);
  return {
    fields: Object.fromEntries(
      requested.filter(({ accepted }) => accepted).map(({ field, value }) => [field, value]),
    ),
    ignored: requested.filter(({ accepted }) => !accepted).map(({ name }) => name),
  };
}
