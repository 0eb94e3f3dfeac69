/**
 * Translates a request to Converse or ConverseStream, which accept the same.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { ProviderCall } from '../provider.ts';
import { compiledSchema, jsonOnly } from '../translation/claude.ts';
import {
  commonParameters,
  ignoredParameters,
  isAbsent,
  readObject,
  withProviderFields,
} from '../translation/parameters.ts';
import {
  type CompletionRequest,
  detailsOf,
  type ResponseFormat,
  readCompletionRequest,
} from '../translation/request.ts';
import { isForced } from '../translation/tools.ts';
import { contentBlocks, messagesOf } from './messages.ts';
import { type BedrockModel, bedrockModel } from './models.ts';
import { samplingOf, thinkingOf } from './parameters.ts';
import { jsonOutputToolName, toolFields } from './tools.ts';

export interface ConverseRequest {
  body: JsonObject;
  ignored: readonly string[];
}

const supported: ReadonlySet<string> = new Set([
  ...commonParameters,
  'parallel_tool_calls',
  'reasoning_effort',
]);

export function toConverseRequest(call: ProviderCall, provider: string): ConverseRequest {
  const { body } = call.request;
  const ignored = ignoredParameters(body, { provider, supported });
  const request = readCompletionRequest(body);
  const model = bedrockModel(call.model);
  const callerFields = sortedFields(request.providerFields);
  const tools = toolFields(request, model);
  // A model can be forced to call a tool only to respond in JSON.
  const forced = isForced(request.choice) || jsonOutputToolName(request, model) !== null;
  const thinking = thinkingOf(request, model, { callerFields: callerFields.ofModel, forced });
  const thinkingFields = withProviderFields(thinking.modelFields, callerFields.ofModel);
  const sampling = samplingOf(request, { model, thinkingFields });
  const written = {
    ...systemField(request, model),
    messages: messagesOf(request.turns, model),
    ...fieldOf('inferenceConfig', {
      ...(request.maxTokens !== null && { maxTokens: request.maxTokens }),
      ...thinking.inference,
      ...sampling.inference,
      ...(request.stop.length > 0 && { stopSequences: request.stop }),
    }),
    ...(tools.toolConfig !== null && { toolConfig: tools.toolConfig }),
    ...outputField(request.responseFormat, model),
    ...fieldOf('additionalModelRequestFields', {
      ...thinking.modelFields,
      ...sampling.modelFields,
      ...tools.modelFields,
    }),
  };
  const ofModel = fieldOf('additionalModelRequestFields', callerFields.ofModel);
  return {
    body: withProviderFields(written, { ...callerFields.ofConverse, ...ofModel }),
    ignored: [
      ...ignored,
      ...thinking.ignored,
      ...sampling.ignored,
      ...tools.ignored,
      ...ignoredDetails(request, model),
    ],
  };
}

const converseFields: ReadonlySet<string> = new Set([
  'additionalModelResponseFieldPaths',
  'guardrailConfig',
  'inferenceConfig',
  'outputConfig',
  'performanceConfig',
  'promptVariables',
  'requestMetadata',
  'serviceTier',
  'system',
  'toolConfig',
]);

/** Splits the caller's own fields into those of Converse and those of the model. */
function sortedFields({ additionalModelRequestFields: modelFields, ...fields }: JsonObject) {
  const all = Object.entries(fields);
  const ofConverse = Object.fromEntries(all.filter(([name]) => converseFields.has(name)));
  const others = Object.fromEntries(all.filter(([name]) => !converseFields.has(name)));
  const named = isAbsent(modelFields) ? {} : readObject(modelFields, 'additionalModelRequestFields');
  return { ofConverse, ofModel: withProviderFields(others, named) };
}

function fieldOf(name: string, value: JsonObject): JsonObject {
  return Object.keys(value).length === 0 ? {} : { [name]: value };
}

function systemField({ system, responseFormat }: CompletionRequest, model: BedrockModel): JsonObject {
  const blocks = contentBlocks(system, model);
  if (responseFormat.type === 'json_object') blocks.push({ text: jsonOnly });
  return blocks.length === 0 ? {} : { system: blocks };
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html */
function outputField(format: ResponseFormat, { jsonSchema }: BedrockModel): JsonObject {
  // Bedrock refuses a schema for models without support for it.
  if (format.type !== 'json_schema' || jsonSchema === 'tool') return {};
  const { name, description } = format;
  const schema = JSON.stringify(compiledSchema(format.schema));
  const definition = { schema, name, ...(description !== null && { description }) };
  return { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema: definition } } } };
}

/** Details that Converse or the model does not support. */
function ignoredDetails(request: CompletionRequest, { caching }: BedrockModel): string[] {
  const { cacheMarks, imageDetail, drawnImages } = detailsOf(request);
  const losesMark =
    (cacheMarks.inMessages && caching === 'none') || (cacheMarks.inTools && caching !== 'everywhere');
  return [
    ...(imageDetail ? ['image_url.detail'] : []),
    ...(losesMark ? ['cache_control'] : []),
    ...(drawnImages ? ['messages.images'] : []),
  ];
}
