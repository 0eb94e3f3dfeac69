/** How much a model thinks and how it samples: OpenAI's parameters, as far as the model accepts them. */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { adaptiveThinking, budgetThinking, isThinking } from '../translation/claude.ts';
import type { CompletionRequest, ReasoningEffort } from '../translation/request.ts';
import type { BedrockModel } from './models.ts';

export interface ParameterFields {
  /** Fields of `inferenceConfig`. */
  inference: JsonObject;
  /** Fields of `additionalModelRequestFields`. */
  modelFields: JsonObject;
  /** The parameters that the model does not accept. */
  ignored: string[];
}

const nothing: ParameterFields = { inference: {}, modelFields: {}, ignored: [] };
const effortIgnored: ParameterFields = { ...nothing, ignored: ['reasoning_effort'] };

/** The models' own fields for thinking, which take precedence over `reasoning_effort`. */
const thinkingFieldNames = ['thinking', 'output_config', 'reasoningConfig', 'reasoning_config', 'reasoning'];

/**
 * `callerFields` are the caller's own fields for the model; the model is `forced` if it has to call a tool. Converse also
 * has the field `outputConfig.effort` for Claude, but refuses it still.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-extended-thinking.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-adaptive-thinking.html
 */
export function thinkingOf(
  request: CompletionRequest,
  { thinking }: BedrockModel,
  { callerFields, forced }: { callerFields: JsonObject; forced: boolean },
): ParameterFields {
  const effort = request.reasoningEffort;
  if (effort === null) return nothing;
  if (thinkingFieldNames.some((name) => callerFields[name] !== undefined)) return effortIgnored;
  switch (thinking.kind) {
    case 'none':
      return effort === 'none' ? nothing : effortIgnored;
    case 'budget': {
      if (effort === 'none') return nothing;
      // The limit is always sent, since the budget has to fit into it.
      const maxTokens = request.maxTokens ?? thinking.maxOutputTokens;
      const fields = budgetThinking(effort, { request, maxTokens, forced });
      return fields === null
        ? effortIgnored
        : { ...nothing, inference: { maxTokens }, modelFields: { thinking: fields } };
    }
    case 'adaptive': {
      const { off, summarized } = thinking;
      if (effort !== 'none')
        return { ...nothing, modelFields: adaptiveThinking(effort, { forced, summarized }) };
      if (off === 'never') return effortIgnored;
      return off === 'implicit' ? nothing : { ...nothing, modelFields: { thinking: { type: off } } };
    }
    case 'nova':
      return { ...nothing, modelFields: novaThinking(effort) };
    case 'effort':
      return { ...nothing, modelFields: nested(thinking.path, effort) };
    default:
      return thinking satisfies never;
  }
}

/** https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html */
function novaThinking(effort: ReasoningEffort): JsonObject {
  if (effort === 'none') return {};
  const maxReasoningEffort = effort === 'minimal' ? 'low' : effort;
  return { reasoningConfig: { type: 'enabled', maxReasoningEffort } };
}

/**
 * Parameters that a model does not accept are left out. Claude's defaults of temperature and top_p are 1, so that 1 need
 * not be sent; its newer models accept only one of the two, or none.
 */
export function samplingOf(
  { temperature, topP, topK }: CompletionRequest,
  { model, thinkingFields }: { model: BedrockModel; thinkingFields: JsonObject },
): ParameterFields {
  const changed = (value: number | null) => (model.vendor === 'anthropic' && value === 1 ? null : value);
  // Claude thinks at a temperature of 1.
  const isSampled = model.sampling !== 'none' && !isThinking(thinkingFields.thinking);
  const isFree = isSampled && !isNovaAtFullEffort(thinkingFields);
  const excludesTopP = model.sampling === 'either' && changed(temperature) !== null;
  const requested = [
    { name: 'temperature', value: changed(temperature), accepted: isFree },
    { name: 'top_p', value: changed(topP), accepted: isFree && !excludesTopP },
    { name: 'top_k', value: topK, accepted: isSampled && model.topK !== null },
  ].filter(({ value }) => value !== null);
  const accepted = new Set(requested.filter((parameter) => parameter.accepted).map(({ name }) => name));
  return {
    inference: {
      ...(accepted.has('temperature') && { temperature }),
      ...(accepted.has('top_p') && { topP }),
    },
    modelFields: model.topK !== null && accepted.has('top_k') ? nested(model.topK, topK) : {},
    ignored: requested.filter((parameter) => !parameter.accepted).map(({ name }) => name),
  };
}

/** At the highest effort, "`temperature` must be unset". */
function isNovaAtFullEffort({ reasoningConfig }: JsonObject): boolean {
  return isJsonObject(reasoningConfig) && reasoningConfig.maxReasoningEffort === 'high';
}

function nested(path: readonly string[], value: unknown): JsonObject {
  const [name = '', ...rest] = path;
  return { [name]: rest.length === 0 ? value : nested(rest, value) };
}
