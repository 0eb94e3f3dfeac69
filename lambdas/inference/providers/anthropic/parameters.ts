/**
 * Translates OpenAI's parameters for reasoning and sampling, as far as the model accepts them.
 *
 * https://platform.claude.com/docs/en/models/overview
 * https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting
 */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { adaptiveThinking, budgetThinking, isThinking } from '../translation/claude.ts';
import type { CompletionRequest } from '../translation/request.ts';
import { isForced } from '../translation/tools.ts';

export interface ClaudeModel {
  /** The default for the mandatory parameter `max_tokens`. */
  maxOutputTokens: number;
  /** `adaptive`: the model decides how much to think; `budget`: the request sets a token budget. */
  thinking: 'adaptive' | 'budget' | 'none';
  /** The type of `thinking` that turns it off; `null` for a model that always thinks. */
  thinkingOff: 'disabled' | 'between_tools' | null;
  /** True when temperature, top_p and top_k can differ from their defaults. */
  sampling: boolean;
}

const latest: ClaudeModel = {
  maxOutputTokens: 128_000,
  thinking: 'adaptive',
  thinkingOff: 'disabled',
  sampling: false,
};
const version45: ClaudeModel = {
  maxOutputTokens: 64_000,
  thinking: 'budget',
  thinkingOff: 'disabled',
  sampling: true,
};

/** The first match applies. Names may contain a date, and prefixes and suffixes of other platforms. */
const modelsByName: readonly [RegExp, ClaudeModel][] = [
  [/claude-(fable|mythos)-/, { ...latest, thinkingOff: null }],
  [/claude-opus-5-5(?!\d)/, { ...latest, thinkingOff: null }],
  [/claude-sonnet-5-5(?!\d)/, { ...latest, thinkingOff: 'between_tools' }],
  [/claude-(opus|sonnet)-4-6/, { ...latest, sampling: true }],
  [/claude-opus-4-[78]/, latest],
  [/claude-(opus|sonnet|haiku)-4-5/, version45],
  [/claude-opus-4/, { ...version45, maxOutputTokens: 32_000 }],
  [/claude-(sonnet-4|3-7-sonnet)/, version45],
  [/claude-3-5/, { ...version45, maxOutputTokens: 8_192, thinking: 'none' }],
  [/claude-(3|v?2|instant)/, { ...version45, maxOutputTokens: 4_096, thinking: 'none' }],
  // Future models will probably behave like the latest.
  [/claude-/, latest],
];

/** Any other model that is served through the Messages API. */
const otherModel: ClaudeModel = { ...version45, maxOutputTokens: 4_096, thinking: 'none' };

export function claudeModel(name: string): ClaudeModel {
  return modelsByName.find(([pattern]) => pattern.test(name))?.[1] ?? otherModel;
}

export interface ParameterFields {
  fields: JsonObject;
  /** The parameters that the model does not accept. */
  ignored: string[];
}

const effortIgnored: ParameterFields = { fields: {}, ignored: ['reasoning_effort'] };

/** The caller's `thinking`, in Anthropic's format, takes precedence. */
export function thinkingOf(
  request: CompletionRequest,
  model: ClaudeModel,
  maxTokens: number,
): ParameterFields {
  const effort = request.reasoningEffort;
  if (effort === null) return { fields: {}, ignored: [] };
  if (request.providerFields.thinking !== undefined) return effortIgnored;
  if (effort === 'none') return withoutThinking(model);
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

function withoutThinking({ thinking, thinkingOff }: ClaudeModel): ParameterFields {
  if (thinkingOff === null) return effortIgnored;
  // A model with a budget does not think without one.
  return { fields: thinking === 'adaptive' ? { thinking: { type: thinkingOff } } : {}, ignored: [] };
}

/**
 * Since version 4.5, models accept either temperature or top_p; newer models accept neither, and thinking excludes both.
 * https://platform.claude.com/docs/en/models/haiku-5-5/migration-guide#remove-sampling-parameters
 */
export function samplingOf(
  { temperature, topP, topK }: CompletionRequest,
  { model, thinking }: { model: ClaudeModel; thinking: unknown },
): ParameterFields {
  const isAdjustable = model.sampling && !isThinking(thinking);
  const requested = [
    // 1 is the default.
    { name: 'temperature', value: temperature === 1 ? null : temperature, accepted: isAdjustable },
    { name: 'top_p', value: topP === 1 ? null : topP, accepted: isAdjustable && (temperature ?? 1) === 1 },
    { name: 'top_k', value: topK, accepted: isAdjustable },
  ].filter(({ value }) => value !== null);
  return {
    fields: Object.fromEntries(
      requested.filter(({ accepted }) => accepted).map(({ name, value }) => [name, value]),
    ),
    ignored: requested.filter(({ accepted }) => !accepted).map(({ name }) => name),
  };
}
