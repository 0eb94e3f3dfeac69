/**
 * What each Claude model accepts, as documented and as others have measured it by November 2026.
 *
 * https://platform.claude.com/docs/en/models/overview
 * https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting
 * https://platform.claude.com/docs/en/build-with-claude/effort
 */

type ThinkingType = 'adaptive' | 'enabled' | 'disabled' | 'between_tools';

export interface ModelRules {
  maxOutputTokens: number;
  thinking: readonly ThinkingType[];
  /** Without upfront thinking, efforts above `high` are refused. */
  needsThinkingAboveHigh: boolean;
  /** Empty where the model has no effort at all. */
  efforts: readonly string[];
  /** Whether temperature, top_p and top_k may have other values than their defaults. */
  sampling: boolean;
  /** Whether `tool_choice` may force a call. */
  forcedTools: boolean;
  /** Whether the conversation may end with an assistant turn. */
  prefill: boolean;
  structuredOutputs: boolean;
}

const allEfforts = ['low', 'medium', 'high', 'xhigh', 'max'];

const alwaysThinking: ModelRules = {
  maxOutputTokens: 128_000,
  thinking: ['adaptive'],
  needsThinkingAboveHigh: true,
  efforts: allEfforts,
  sampling: false,
  forcedTools: false,
  prefill: false,
  structuredOutputs: true,
};
const thinkingCanBeOff: ModelRules = {
  ...alwaysThinking,
  thinking: ['adaptive', 'disabled'],
  forcedTools: true,
};
const version47: ModelRules = { ...thinkingCanBeOff, needsThinkingAboveHigh: false };
const version46: ModelRules = {
  ...version47,
  thinking: ['adaptive', 'enabled', 'disabled'],
  efforts: ['low', 'medium', 'high', 'max'],
  sampling: true,
};
const version45: ModelRules = {
  ...version46,
  maxOutputTokens: 64_000,
  thinking: ['enabled', 'disabled'],
  efforts: [],
  prefill: true,
};

const rulesByModel: Record<string, ModelRules> = {
  'claude-fable-5-1': alwaysThinking,
  'claude-fable-5': { ...alwaysThinking, forcedTools: true },
  'claude-opus-5-5': alwaysThinking,
  'claude-sonnet-5-5': { ...alwaysThinking, thinking: ['adaptive', 'between_tools'] },
  'claude-haiku-5-5': thinkingCanBeOff,
  'claude-opus-5': thinkingCanBeOff,
  'claude-sonnet-5': version47,
  'claude-opus-4-8': version47,
  'claude-opus-4-7': version47,
  'claude-opus-4-6': version46,
  'claude-sonnet-4-6': version46,
  'claude-opus-4-5': { ...version45, efforts: ['low', 'medium', 'high'] },
  'claude-sonnet-4-5': version45,
  'claude-haiku-4-5': version45,
  'claude-opus-4-1': { ...version45, maxOutputTokens: 32_000 },
  'claude-3-haiku': {
    ...version45,
    maxOutputTokens: 4_096,
    thinking: ['disabled'],
    structuredOutputs: false,
  },
};

/** Aliases of the models from before dateless ids. */
const snapshots: Record<string, string> = {
  'claude-opus-4-5': 'claude-opus-4-5-20251101',
  'claude-sonnet-4-5': 'claude-sonnet-4-5-20250929',
  'claude-haiku-4-5': 'claude-haiku-4-5-20251001',
};

/** The model that answers when `model` was asked for. */
export function servedModel(model: string): string {
  return snapshots[model] ?? model;
}

/** `null` for what is no Claude model; a Claude model of the future has the rules of today's. */
export function rulesOf(model: string): ModelRules | null {
  if (!model.startsWith('claude-')) return null;
  return rulesByModel[model.replace(/-\d{8}$/, '')] ?? thinkingCanBeOff;
}
