/** How much Claude thinks, and how it samples: what OpenAI's parameters become, as far as the model takes them. */
import type { JsonObject } from '../../domain/json.ts';
import {
  claudeEffort,
  isThinking,
  lacksThoughts,
  type ThinkingEffort,
  thinkingBudget,
} from '../translation/claude-thinking.ts';
import type { CompletionRequest } from '../translation/completion-request.ts';
import { isForced } from '../translation/tools.ts';
import type { ClaudeModel } from './claude-models.ts';

export interface ParameterChoice {
  fields: JsonObject;
  ignored: string[];
}

export interface ThinkingQuestion {
  request: CompletionRequest;
  model: ClaudeModel;
  maxTokens: number;
}

/** What the caller says of thinking in Anthropic's own words wins. */
export function thinkingOf({ request, model, maxTokens }: ThinkingQuestion): ParameterChoice {
  const effort = request.reasoningEffort;
  if (effort === null) return { fields: {}, ignored: [] };
  if (request.providerFields.thinking !== undefined) return notTaken;
  if (effort === 'none') return withoutThinking(model);
  switch (model.thinking) {
    case 'none':
      return notTaken;
    case 'adaptive':
      return { fields: adaptiveThinking(effort, isForced(request.choice)), ignored: [] };
    case 'budget': {
      const budget = thinkingBudget(effort, maxTokens);
      if (budget === null || isForced(request.choice) || lacksThoughts(request)) return notTaken;
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

/** A call that is forced is made without thinking. */
function adaptiveThinking(effort: ThinkingEffort, forced: boolean): JsonObject {
  return {
    // Newer models keep the text of their thoughts to themselves unless they are asked.
    ...(!forced && { thinking: { type: 'adaptive', display: 'summarized' } }),
    output_config: { effort: claudeEffort(effort) },
  };
}

/**
 * Temperature and top_p exclude each other from version 4.5 on; newer models take neither, nor does thinking beside
 * them. https://platform.claude.com/docs/en/models/haiku-5-5/migration-guide#remove-sampling-parameters
 */
export function samplingOf(
  { temperature, topP, topK }: CompletionRequest,
  { model, thinking }: { model: ClaudeModel; thinking: unknown },
): ParameterChoice {
  const isFree = model.sampling && !isThinking(thinking);
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
