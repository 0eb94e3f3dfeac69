/** Translates OpenAI's parameters for reasoning and sampling, as far as the model accepts them. */
import type { CompletionRequest, ReasoningEffort } from '#lambdas/inference/completion/request.ts';
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { adaptiveThinking, budgetThinking, isThinkingEnabled } from '../translation/claude.ts';
import type { BedrockModel } from './models.ts';

interface ParameterFields {
  inferenceConfig: JsonObject;
  modelFields: JsonObject;
  ignored: string[];
}

const noFields: ParameterFields = { inferenceConfig: {}, modelFields: {}, ignored: [] };

/** The models' fields for thinking, which take precedence over `reasoning_effort`. */
const thinkingFieldNames = ['thinking', 'output_config', 'reasoningConfig', 'reasoning_config', 'reasoning'];

/**
 * Converse also documents `outputConfig.effort` for Claude, but still rejects it.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-extended-thinking.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-adaptive-thinking.html
 */
export function translateThinking(
  request: CompletionRequest,
  { thinking }: BedrockModel,
  { callerModelFields, forced }: { callerModelFields: JsonObject; forced: boolean },
): ParameterFields {
  const effort = request.reasoningEffort;
  if (effort === null) return noFields;
  const effortIgnored: ParameterFields = { ...noFields, ignored: [request.names.reasoningEffort] };
  if (thinkingFieldNames.some((name) => callerModelFields[name] !== undefined)) return effortIgnored;
  switch (thinking.kind) {
    case 'none':
      return effort === 'none' ? noFields : effortIgnored;
    case 'budget': {
      if (effort === 'none') return noFields;
      // The limit is always sent, since the budget must be within it.
      const maxTokens = request.maxTokens ?? thinking.maxOutputTokens;
      const fields = budgetThinking(effort, { request, maxTokens, forced });
      return fields === null
        ? effortIgnored
        : { ...noFields, inferenceConfig: { maxTokens }, modelFields: { thinking: fields } };
    }
    case 'adaptive': {
      const { off, summarized } = thinking;
      if (effort !== 'none')
        return { ...noFields, modelFields: adaptiveThinking(effort, { forced, summarized }) };
      if (off === 'never') return effortIgnored;
      return off === 'implicit' ? noFields : { ...noFields, modelFields: { thinking: { type: off } } };
    }
    case 'nova':
      return novaThinking(effort, request);
    case 'effort':
      return { ...noFields, modelFields: nested(thinking.path, effort) };
    default:
      return thinking satisfies never;
  }
}

const novaEfforts: Readonly<Record<ReasoningEffort, 'low' | 'medium' | 'high' | null>> = {
  none: null,
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

/**
 * At high effort, `maxTokens` "must be unset", so that a request with a limit gets the next lower effort.
 * https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html
 */
function novaThinking(effort: ReasoningEffort, { maxTokens, names }: CompletionRequest): ParameterFields {
  const known = novaEfforts[effort];
  if (known === null) return noFields;
  const maxReasoningEffort = known === 'high' && maxTokens !== null ? 'medium' : known;
  const isLowered = maxReasoningEffort !== effort && effort !== 'minimal';
  return {
    ...noFields,
    modelFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort } },
    ignored: isLowered ? [names.reasoningEffort] : [],
  };
}

/** Claude's defaults for temperature and top_p are 1; its newer models accept only one of the two, or neither. */
export function translateSampling(
  { temperature, topP, topK, names }: CompletionRequest,
  { model, thinkingFields }: { model: BedrockModel; thinkingFields: JsonObject },
): ParameterFields {
  const omitDefault = (value: number | null) => (model.vendor === 'anthropic' && value === 1 ? null : value);
  // Claude's thinking requires the default sampling parameters.
  const isAdjustable = model.sampling !== 'none' && !isThinkingEnabled(thinkingFields.thinking);
  const acceptsTemperature = isAdjustable && !isNovaAtHighEffort(thinkingFields);
  const excludesTopP = model.sampling === 'either' && omitDefault(temperature) !== null;
  const requested = [
    { field: 'temperature', value: omitDefault(temperature), accepted: acceptsTemperature },
    { field: 'topP', value: omitDefault(topP), accepted: acceptsTemperature && !excludesTopP },
    { field: 'topK', value: topK, accepted: isAdjustable && model.topK !== null },
  ] as const;
  const given = requested.filter(({ value }) => value !== null);
  const accepted = new Set<string>(given.filter((parameter) => parameter.accepted).map(({ field }) => field));
  return {
    inferenceConfig: {
      ...(accepted.has('temperature') && { temperature }),
      ...(accepted.has('topP') && { topP }),
    },
    modelFields: model.topK !== null && accepted.has('topK') ? nested(model.topK, topK) : {},
    ignored: given.filter((parameter) => !parameter.accepted).map(({ field }) => names[field]),
  };
}

/** At high effort, "`temperature` must be unset". */
function isNovaAtHighEffort({ reasoningConfig }: JsonObject): boolean {
  return isJsonObject(reasoningConfig) && reasoningConfig.maxReasoningEffort === 'high';
}

function nested(path: readonly string[], value: unknown): JsonObject {
  const [name = '', ...rest] = path;
  return { [name]: rest.length === 0 ? value : nested(rest, value) };
}
