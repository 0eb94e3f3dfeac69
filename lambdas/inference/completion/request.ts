/** A request for a completion, independent of the format of its caller and of its provider. */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { Conversation, DialogTurn } from './conversation.ts';
import type { ToolUse } from './tools.ts';

export interface CompletionRequest extends Conversation, ToolUse {
  parallelToolCalls: boolean | null;
  responseFormat: ResponseFormat;
  stop: readonly string[];
  maxTokens: number | null;
  temperature: number | null;
  topP: number | null;
  topK: number | null;
  frequencyPenalty: number | null;
  presencePenalty: number | null;
  seed: number | null;
  n: number | null;
  reasoningEffort: ReasoningEffort | null;
  /** Tokens, in place of those of the effort; `null` for a format without it. */
  reasoningBudget: number | null;
  /** How the provider summarizes reasoning that it does not show; `null` to ask for no summary. */
  reasoningSummary: ReasoningSummary | null;
  user: EndUser | null;
  /** All settings that the caller gives, in the order of the caller's format: those above, and others. */
  settings: readonly Setting[];
  /** The caller's names of message fields that no native API supports. */
  omissions: readonly string[];
  names: ParameterNames;
  /** Fields outside the caller's format, which are passed to the provider unchanged. */
  providerFields: JsonObject;
}

/** A request without instructions between its turns. */
export interface DialogRequest extends CompletionRequest {
  turns: DialogTurn[];
}

/** The end user, for the provider's abuse detection. */
interface EndUser {
  id: string;
  /** The field of the request. */
  param: string;
}

export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

/** https://platform.openai.com/docs/guides/reasoning#reasoning-summaries */
export type ReasoningSummary = 'auto' | 'concise' | 'detailed';

export type ResponseFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | {
      type: 'json_schema';
      name: string;
      description: string | null;
      schema: JsonObject;
      strict: boolean | null;
    };

/** The effect of leaving out a setting: the `meaning` of the completion changes, or only a `hint` is lost. */
export type Loss = 'meaning' | 'hint';

export interface Setting {
  /** The caller's name for it. */
  name: string;
  /** `null` for a setting without a neutral equivalent, which no provider with another format supports. */
  key: SettingKey | null;
  /** In the caller's format, unless `key` is one that the formats of OpenAI share. */
  value: unknown;
  /** True if leaving it out makes no difference. */
  isDefault: boolean;
  loss: Loss;
  /** The caller's name of the setting to use instead; `null` if there is none. */
  replacement: string | null;
}

export type SettingKey = FieldKey | SharedKey;

/** Settings that the neutral request has as fields. */
type FieldKey =
  | 'maxTokens'
  | 'responseFormat'
  | 'stop'
  | 'tools'
  | 'toolChoice'
  | 'parallelToolCalls'
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'frequencyPenalty'
  | 'presencePenalty'
  | 'seed'
  | 'n'
  | 'reasoningEffort'
  | 'user';

/** Settings whose values the formats of OpenAI share, and which no other format has. */
type SharedKey =
  | 'audio'
  | 'functionCall'
  | 'functions'
  | 'logitBias'
  | 'logprobs'
  | 'metadata'
  | 'modalities'
  | 'moderation'
  | 'prediction'
  | 'promptCacheKey'
  | 'promptCacheOptions'
  | 'promptCacheRetention'
  | 'serviceTier'
  | 'store'
  | 'topLogprobs'
  | 'verbosity'
  | 'webSearchOptions';

/** The caller's names of what a provider may refuse or what may be left out, for errors and for reports. */
export type ParameterNames = Readonly<Record<ParameterName, string>>;

export type ParameterName =
  | FieldKey
  | 'messages'
  /** The content and the role of a message. */
  | 'content'
  | 'role'
  | 'callArguments'
  | 'reasoningBudget'
  | 'reasoningSummary'
  /** Reasoning that the caller sends back. */
  | 'reasoning'
  /** A mark of a tool result as an error; a format without one never needs the name. */
  | 'resultError'
  /** Images that the model generated earlier. */
  | 'generatedImages'
  | 'imageDetail'
  | 'filename'
  | 'cacheControl'
  | 'strictTools'
  | 'toolParameters'
  | 'responseSchema';
