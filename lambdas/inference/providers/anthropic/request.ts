/** A chat completion request, as one to the Messages API. https://platform.claude.com/docs/en/api/messages/create */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import type { ProviderCall } from '../provider.ts';
import {
  claudeEffort,
  compiledSchema,
  isThinking,
  jsonOnly,
  lacksThoughts,
  type ThinkingEffort,
  thinkingBudget,
} from '../translation/claude.ts';
import { ignoredParameters, withProviderFields } from '../translation/parameters.ts';
import {
  type CompletionRequest,
  detailsOf,
  type ResponseFormat,
  readCompletionRequest,
} from '../translation/request.ts';
import { isForced } from '../translation/tools.ts';
import { contentBlocks, messagesOf, toolFields } from './messages.ts';
import { type ClaudeModel, claudeModel } from './models.ts';
export interface MessagesRequest {
  body: JsonObject;
  ignored: readonly string[];
}

const taken: ReadonlySet<string> = new Set([
  'max_completion_tokens',
  'max_tokens',
  'parallel_tool_calls',
  'reasoning_effort',
  'response_format',
  'safety_identifier',
  'stop',
  'temperature',
  'tool_choice',
  'tools',
  'top_k',
  'top_p',
  'user',
]);

export function writeMessagesRequest(call: ProviderCall, provider: string): MessagesRequest {
  const { body } = call.request;
  const ignored = ignoredParameters(body, { provider, taken });
  const request = readCompletionRequest(body);
  const model = claudeModel(call.model);
  const maxTokens = request.maxTokens ?? model.maxOutputTokens;
  const thinking = thinkingOf({ request, model, maxTokens });
  const sampling = samplingOf(request, {
    model,
    thinking: request.providerFields.thinking ?? thinking.fields.thinking,
  });
  const written = {
    model: call.model,
    max_tokens: maxTokens,
    ...systemField(request),
    messages: messagesOf(request.turns),
    ...toolFields(request),
    ...(request.stop.length > 0 && { stop_sequences: request.stop }),
    ...sampling.fields,
    ...thinking.fields,
    ...outputField(request.responseFormat, thinking.fields.output_config),
    ...(request.user !== null && { metadata: { user_id: request.user } }),
    ...(call.request.stream && { stream: true }),
  };
  return {
    body: withProviderFields(written, request.providerFields),
    ignored: [...ignored, ...thinking.ignored, ...sampling.ignored, ...ignoredDetails(request)],
  };
}

function systemField({ system, responseFormat }: CompletionRequest): JsonObject {
  const blocks = contentBlocks(system);
  if (responseFormat.type === 'json_object') blocks.push({ type: 'text', text: jsonOnly });
  return blocks.length === 0 ? {} : { system: blocks };
}

/** https://platform.claude.com/docs/en/build-with-claude/structured-outputs */
function outputField(format: ResponseFormat, config: unknown): JsonObject {
  if (format.type !== 'json_schema') return {};
  const description = format.description === null ? {} : { description: format.description };
  const schema = { ...description, ...compiledSchema(format.schema) };
  return {
    output_config: { ...(isJsonObject(config) && config), format: { type: 'json_schema', schema } },
  };
}

function ignoredDetails(request: CompletionRequest): string[] {
  const { imageDetail, drawnImages } = detailsOf(request);
  return [...(imageDetail ? ['image_url.detail'] : []), ...(drawnImages ? ['messages.images'] : [])];
}

// How much Claude thinks, and how it samples: what OpenAI's parameters become, as far as the model takes them.

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
