/** How much Claude thinks, and how it samples: what OpenAI's parameters become, as far as the model takes them. */
import { invalidRequest } from '../../domain/gateway-error.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { CompletionRequest } from '../translation/completion-request.ts';
import type { ClaudeModel } from './claude-models.ts';
import { thinkingBlocks } from './messages-turns.ts';

export interface ParameterChoice {
  fields: JsonObject;
  ignored: string[];
}

/** The share of the output that a model with a budget may think for, by effort; the rest is left for the answer. */
const budgetTokens: Readonly<Record<string, number>> = {
  minimal: 1_024,
  low: 4_096,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};
const smallestBudget = 1_024;
const largestShare = 0.8;

const efforts = ['none', ...Object.keys(budgetTokens)];

export interface ThinkingQuestion {
  request: CompletionRequest;
  model: ClaudeModel;
  maxTokens: number;
}

/** https://platform.claude.com/docs/en/build-with-claude/effort and …/extended-thinking for models with a budget */
export function thinkingOf({ request, model, maxTokens }: ThinkingQuestion): ParameterChoice {
  const effort = request.reasoningEffort;
  if (effort === null || request.providerFields.thinking !== undefined) return { fields: {}, ignored: [] };
  if (!efforts.includes(effort)) {
    throw invalidRequest('reasoning_effort', `reasoning_effort must be one of ${efforts.join(', ')}`);
  }
  if (effort === 'none') return withoutThinking(model);
  switch (model.thinking) {
    case 'none':
      return notTaken;
    case 'adaptive':
      return { fields: adaptiveThinking(effort, forcesTool(request)), ignored: [] };
    case 'budget': {
      const budget = Math.min(budgetTokens[effort] ?? smallestBudget, Math.floor(maxTokens * largestShare));
      if (budget < smallestBudget || forcesTool(request) || lacksThoughts(request)) return notTaken;
      return { fields: { thinking: { type: 'enabled', budget_tokens: budget } }, ignored: [] };
    }
    default:
      return model.thinking satisfies never;
  }
}

const notTaken: ParameterChoice = { fields: {}, ignored: ['reasoning_effort'] };

function withoutThinking({ thinking, thinkingOff }: ClaudeModel): ParameterChoice {
  if (thinkingOff === null) return notTaken;
  // Those with a budget do not think unless they are given one.
  return { fields: thinking === 'adaptive' ? { thinking: { type: thinkingOff } } : {}, ignored: [] };
}

/** Claude's lowest effort is `low`. A call that is forced is made without thinking. */
function adaptiveThinking(effort: string, forced: boolean): JsonObject {
  return {
    // Newer models keep the text of their thoughts to themselves unless they are asked.
    ...(!forced && { thinking: { type: 'adaptive', display: 'summarized' } }),
    output_config: { effort: effort === 'minimal' ? 'low' : effort },
  };
}

function forcesTool({ choice }: CompletionRequest): boolean {
  return choice?.mode === 'required' || choice?.mode === 'function';
}

/**
 * With a budget, the last turn of the model has to begin with its thoughts if it called tools, and most clients do
 * not keep them.
 */
function lacksThoughts({ turns }: CompletionRequest): boolean {
  const last = turns.findLast((turn) => turn.role === 'assistant');
  const called = last?.messages.some(({ toolCalls }) => toolCalls.length > 0) === true;
  return called && thinkingBlocks(last?.messages[0]?.source ?? {}).length === 0;
}

/**
 * Temperature and top_p exclude each other from version 4.5 on; newer models take neither, nor does thinking beside
 * them. https://platform.claude.com/docs/en/models/haiku-5-5/migration-guide#remove-sampling-parameters
 */
export function samplingOf(
  { temperature, topP, topK }: CompletionRequest,
  { model, thinking }: { model: ClaudeModel; thinking: unknown },
): ParameterChoice {
  const isFree = model.sampling && !thinks(thinking);
  const asked = [
    // 1 is what it is without being said.
    { name: 'temperature', value: temperature === 1 ? null : temperature, taken: isFree },
    { name: 'top_p', value: topP === 1 ? null : topP, taken: isFree && (temperature ?? 1) === 1 },
    { name: 'top_k', value: topK, taken: isFree },
  ].filter(({ value }) => value !== null);
  return {
    fields: Object.fromEntries(asked.filter(({ taken }) => taken).map(({ name, value }) => [name, value])),
    ignored: asked.filter(({ taken }) => !taken).map(({ name }) => name),
  };
}

function thinks(thinking: unknown): boolean {
  return isJsonObject(thinking) && (thinking.type === 'enabled' || thinking.type === 'adaptive');
}
