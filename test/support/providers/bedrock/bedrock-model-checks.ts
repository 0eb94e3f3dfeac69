/**
 * What a model refuses, in the words of Converse or, behind "The model returned the following errors", its own.
 * From github.com/vercel/ai packages/amazon-bedrock/src/__fixtures__ and the pages of AWS and Anthropic.
 */
import { isJsonObject, type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import { checkClaudeFields } from './bedrock-claude-checks.ts';
import { modelRefuses, refuse } from './bedrock-errors.ts';
import type { BedrockModel } from './bedrock-models.ts';
import type { ConverseRequest } from './bedrock-request.ts';

export function checkForModel(request: ConverseRequest, model: BedrockModel): void {
  checkToolChoice(request, model);
  checkInference(request, model);
  checkContent(request, model);
  checkCachePoints(request, model);
  checkStructuredOutput(request, model);
  const fields = request.additionalModelRequestFields ?? {};
  switch (model.vendor) {
    case 'anthropic':
      checkClaudeFields(request, model, fields);
      break;
    case 'amazon':
      checkNovaFields(request, model, fields);
      break;
    case 'openai':
      checkOpenAiFields(fields);
      break;
    case 'meta':
    case 'mistral':
      break;
    default:
      model.vendor satisfies never;
  }
}

function unsupportedField(field: string, name = field): never {
  refuse(`This model doesn't support the ${field} field. Remove ${name} and try again.`);
}

function checkToolChoice({ toolConfig }: ConverseRequest, { vendor, toolChoices }: BedrockModel): void {
  const choice = Object.keys(toolConfig?.toolChoice ?? {})[0];
  if (choice === undefined || toolChoices.some((supported) => supported === choice)) return;
  if (vendor === 'anthropic')
    modelRefuses('tool_choice: type "tool" and "any" are not supported for this model.');
  unsupportedField(`toolConfig.toolChoice.${choice}`);
}

function checkInference({ inferenceConfig = {} }: ConverseRequest, model: BedrockModel): void {
  const { temperature, topP, stopSequences = [] } = inferenceConfig;
  if (model.vendor !== 'anthropic' && stopSequences.length > 4) {
    modelRefuses(
      'Malformed input request: #/stopSequences: expected maximum item count: 4, please reformat your input and try again.',
    );
  }
  if (stopSequences.some((sequence) => sequence.trim() === '') && model.vendor === 'anthropic') {
    modelRefuses('stop_sequences: each stop sequence must contain non-whitespace');
  }
  if (model.sampling !== true) {
    if (temperature !== undefined) modelRefuses('`temperature` is deprecated for this model.');
    if (topP !== undefined) modelRefuses('`top_p` is deprecated for this model.');
  }
  if (model.samplingIsExclusive === true && temperature !== undefined && topP !== undefined) {
    modelRefuses('`temperature` and `top_p` cannot both be specified for this model. Please use only one.');
  }
}

function checkContent({ messages = [] }: ConverseRequest, { images, vendor }: BedrockModel): void {
  const blocks = messages.flatMap(({ content }) => content);
  if (images !== true && blocks.some(({ image }) => image !== undefined)) {
    refuse("This model doesn't support the image field for user messages. Remove image and try again.");
  }
  if (
    vendor !== 'anthropic' &&
    blocks.some(({ reasoningContent }) => reasoningContent?.reasoningText?.signature)
  ) {
    unsupportedField('reasoningContent.reasoningText.signature');
  }
}

function checkCachePoints(
  { system = [], messages = [], toolConfig }: ConverseRequest,
  model: BedrockModel,
): void {
  const content = messages.flatMap((turn) => turn.content);
  const marks = [...(toolConfig?.tools ?? []), ...system, ...content].flatMap(
    ({ cachePoint }) => cachePoint ?? [],
  );
  if (marks.length === 0) return;
  if (model.caching !== true) {
    refuse(
      'You invoked an unsupported model or your request did not allow prompt caching. See the documentation for more information.',
    );
  }
  if (marks.length > 4) {
    modelRefuses(`A maximum of 4 blocks with cache_control may be provided. Found ${marks.length}.`);
  }
  const shortened = marks.findIndex(({ ttl }) => ttl !== '1h');
  if (shortened !== -1 && marks.slice(shortened).some(({ ttl }) => ttl === '1h')) {
    modelRefuses("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.");
  }
  if (model.vendor === 'amazon' && marks.some(({ ttl }) => ttl === '1h')) unsupportedField('cachePoint.ttl');
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html */
function checkStructuredOutput({ outputConfig, toolConfig }: ConverseRequest, model: BedrockModel): void {
  if (outputConfig?.effort !== undefined) unsupportedField('effort');
  const asked = outputConfig?.textFormat?.structure.jsonSchema.schema;
  const strict = toolConfig?.tools.findIndex(({ toolSpec }) => toolSpec?.strict === true) ?? -1;
  if (model.structuredOutput !== true) {
    if (asked !== undefined && model.vendor === 'anthropic') {
      modelRefuses('output_config.format: Extra inputs are not permitted');
    }
    if (asked !== undefined) unsupportedField('outputConfig.textFormat');
    if (strict !== -1) modelRefuses(`tools.${strict}.custom.strict: Extra inputs are not permitted`);
    return;
  }
  if (asked === undefined) return;
  const schema = parseJson(asked);
  if (!isJsonObject(schema))
    refuse('The schema at outputConfig.textFormat.structure.jsonSchema is not valid JSON.');
  const problem = schemaProblem(schema);
  if (problem !== null) modelRefuses(`output_config.format.schema: ${problem}`);
}

const unsupportedKeywords = [
  'maxItems',
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'uniqueItems',
];

function schemaProblem(schema: JsonObject): string | null {
  const { type } = schema;
  if (type === 'object' && schema.additionalProperties !== false) {
    return "For 'object' type, 'additionalProperties' must be explicitly set to false";
  }
  const keyword = unsupportedKeywords.find((name) => schema[name] !== undefined);
  if (keyword !== undefined) return `For '${String(type)}' type, property '${keyword}' is not supported`;
  const { properties, items } = schema;
  const parts = [...(isJsonObject(properties) ? Object.values(properties) : []), items];
  return (
    parts
      .filter(isJsonObject)
      .map(schemaProblem)
      .find((problem) => problem !== null) ?? null
  );
}

/** https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html */
function checkNovaFields(
  { inferenceConfig = {} }: ConverseRequest,
  model: BedrockModel,
  fields: JsonObject,
): void {
  const unknown = Object.keys(fields).find(
    (name) => name !== 'inferenceConfig' && name !== 'reasoningConfig',
  );
  if (unknown !== undefined) {
    modelRefuses(
      `Malformed input request: #: extraneous key [${unknown}] is not permitted, please reformat your input and try again.`,
    );
  }
  const reasoning = fields.reasoningConfig;
  if (!isJsonObject(reasoning)) return;
  if (model.reasoning !== 'nova') {
    modelRefuses(
      'Malformed input request: the provided reasoning config value is invalid, please reformat your input and try again.',
    );
  }
  if (reasoning.maxReasoningEffort !== 'high') return;
  const set = (['maxTokens', 'temperature', 'topP'] as const).find(
    (name) => inferenceConfig[name] !== undefined,
  );
  if (set !== undefined) {
    modelRefuses(
      `\`${set}\` must be unset when reasoningConfig type is 'enabled' and maxReasoningEffort is 'high'. Please consult our documentation at https://docs.aws.amazon.com/nova/latest/userguide`,
    );
  }
}

function checkOpenAiFields(fields: JsonObject): void {
  const unknown = Object.keys(fields).find((name) => name !== 'reasoning_effort');
  if (unknown === undefined) return;
  const error = { code: 'unknown_parameter', message: `Unknown parameter: '${unknown}'.`, param: unknown };
  modelRefuses(JSON.stringify({ error: { ...error, type: 'invalid_request_error' } }));
}
