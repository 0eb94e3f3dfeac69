/** How much a model thinks, and how it samples: what OpenAI's parameters become, as far as the model takes them. */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { claudeEffort, isThinking, lacksThoughts, thinkingBudget } from '../translation/claude.ts';
import type { CompletionRequest, ReasoningEffort } from '../translation/request.ts';
import type { BedrockModel, Thinking } from './models.ts';

export interface ParameterChoice {
  /** For `inferenceConfig`. */
  inference: JsonObject;
  /** For `additionalModelRequestFields`. */
  modelFields: JsonObject;
  ignored: string[];
}

const nothing: ParameterChoice = { inference: {}, modelFields: {}, ignored: [] };
const notTaken: ParameterChoice = { ...nothing, ignored: ['reasoning_effort'] };

/** What a caller may say of thinking in the model's own words, which win. */
const ownWords = ['thinking', 'output_config', 'reasoningConfig', 'reasoning_config', 'reasoning'];

export interface ThinkingQuestion {
  request: CompletionRequest;
  model: BedrockModel;
  /** The model's own fields that the caller wrote. */
  callerFields: JsonObject;
  /** Whether the model has to call a tool, if only to answer in JSON. */
  forced: boolean;
}

export function thinkingOf(question: ThinkingQuestion): ParameterChoice {
  const { request, model, callerFields } = question;
  const effort = request.reasoningEffort;
  if (effort === null) return nothing;
  if (ownWords.some((name) => callerFields[name] !== undefined)) return notTaken;
  const { thinking } = model;
  switch (thinking.kind) {
    case 'none':
      return effort === 'none' ? nothing : notTaken;
    case 'budget':
      return budgetThinking(effort, thinking, question);
    case 'adaptive':
      return adaptiveThinking(effort, thinking, question);
    case 'nova':
      return { ...nothing, modelFields: novaThinking(effort) };
    case 'effort':
      return { ...nothing, modelFields: nested(thinking.path, effort) };
    default:
      return thinking satisfies never;
  }
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-extended-thinking.html */
function budgetThinking(
  effort: ReasoningEffort,
  { maxOutputTokens }: Extract<Thinking, { kind: 'budget' }>,
  { request, forced }: ThinkingQuestion,
): ParameterChoice {
  if (effort === 'none') return nothing;
  const maxTokens = request.maxTokens ?? maxOutputTokens;
  const budget = thinkingBudget(effort, maxTokens);
  if (budget === null || forced || lacksThoughts(request)) return notTaken;
  // Said, since the budget has to fit into it.
  const inference = { maxTokens };
  return { ...nothing, inference, modelFields: { thinking: { type: 'enabled', budget_tokens: budget } } };
}

/**
 * https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-adaptive-thinking.html. Converse has a field
 * `outputConfig.effort` for the same, which it refuses still.
 */
function adaptiveThinking(
  effort: ReasoningEffort,
  { off, isTold }: Extract<Thinking, { kind: 'adaptive' }>,
  { forced }: ThinkingQuestion,
): ParameterChoice {
  if (effort === 'none') {
    if (off === 'never') return notTaken;
    return off === 'unsaid' ? nothing : { ...nothing, modelFields: { thinking: { type: off } } };
  }
  // Newer models keep the text of their thoughts to themselves unless they are asked. A forced call has no thinking.
  const thinking = { type: 'adaptive', ...(isTold && { display: 'summarized' }) };
  const output_config = { effort: claudeEffort(effort) };
  return { ...nothing, modelFields: { ...(!forced && { thinking }), output_config } };
}

/** https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html */
function novaThinking(effort: ReasoningEffort): JsonObject {
  if (effort === 'none') return {};
  const maxReasoningEffort = effort === 'minimal' ? 'low' : effort;
  return { reasoningConfig: { type: 'enabled', maxReasoningEffort } };
}

/**
 * What a model does not take is left out. Claude's own temperature and top_p are 1, so that this need not be said, and
 * its newer models take one of the two at a time, or none.
 */
export function samplingOf(
  { temperature, topP, topK }: CompletionRequest,
  { model, thinkingFields }: { model: BedrockModel; thinkingFields: JsonObject },
): ParameterChoice {
  const said = (value: number | null) => (model.vendor === 'anthropic' && value === 1 ? null : value);
  // Claude thinks at a temperature of 1.
  const isSampled = model.sampling !== 'none' && !isThinking(thinkingFields.thinking);
  const isFree = isSampled && !isNovaAtFullEffort(thinkingFields);
  const excludesTopP = model.sampling === 'either' && said(temperature) !== null;
  const asked = [
    { name: 'temperature', value: said(temperature), taken: isFree },
    { name: 'top_p', value: said(topP), taken: isFree && !excludesTopP },
    { name: 'top_k', value: topK, taken: isSampled && model.topK !== null },
  ].filter(({ value }) => value !== null);
  const taken = new Set(asked.filter((parameter) => parameter.taken).map(({ name }) => name));
  return {
    inference: {
      ...(taken.has('temperature') && { temperature }),
      ...(taken.has('top_p') && { topP }),
    },
    modelFields: model.topK !== null && taken.has('top_k') ? nested(model.topK, topK) : {},
    ignored: asked.filter((parameter) => !parameter.taken).map(({ name }) => name),
  };
}

/** Then "`temperature` must be unset". */
function isNovaAtFullEffort({ reasoningConfig }: JsonObject): boolean {
  return isJsonObject(reasoningConfig) && reasoningConfig.maxReasoningEffort === 'high';
}

function nested(path: readonly string[], value: unknown): JsonObject {
  const [name = '', ...rest] = path;
  return { [name]: rest.length === 0 ? value : nested(rest, value) };
}
