/**
 * Translates a request to Converse or ConverseStream, which have the same request format.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
import type { CompletionRequest, SettingKey } from '#lambdas/inference/completion/request.ts';
import { isForced } from '#lambdas/inference/completion/tools.ts';
import { isAbsent, readObject } from '#lambdas/platform/json/fields.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { jsonOnlyInstruction, withTrimmedPrefill } from '../translation/claude.ts';
import { responseSchema } from '../translation/compilable-schema.ts';
import { refuseCustomTools, withoutForeignHostedTools } from '../translation/foreign-tools.ts';
import { withOpeningUserTurn } from '../translation/opening-turn.ts';
import { findOptionalFeatures } from '../translation/optional-features.ts';
import { commonParameters, ignoredParameters, withProviderFields } from '../translation/parameters.ts';
import { withoutSystemTurns } from '../translation/system-turns.ts';
import { withProviderToolNames } from '../translation/tool-names.ts';
import { contentBlocks, toMessages } from './messages.ts';
import { type BedrockModel, bedrockModel, mayBeClaude } from './models.ts';
import { translateSampling, translateThinking } from './parameters.ts';
import { jsonOutputToolName, toolFields, toolNameRule } from './tools.ts';

interface ConverseRequest {
  body: JsonObject;
  ignored: readonly string[];
}

const supported: ReadonlySet<SettingKey> = new Set([
  ...commonParameters,
  'parallelToolCalls',
  'reasoningEffort',
]);

export function toConverseRequest(
  completion: CompletionRequest,
  { provider, model: name }: { provider: string; model: string },
): ConverseRequest {
  const ignored = ignoredParameters(completion, { provider, supported });
  const model = bedrockModel(name);
  refuseCustomTools(completion);
  const { request: offered, ignored: hosted } = withoutForeignHostedTools(completion, 'bedrock');
  const dialog = withoutSystemTurns(withConverseNames(offered));
  const opened = withOpeningUserTurn(dialog.request);
  const { request, ignored: trimmed } = mayBeClaude(model)
    ? withTrimmedPrefill(opened.request)
    : { request: opened.request, ignored: [] };
  const { converseFields, modelFields } = splitProviderFields(request.providerFields);
  const tools = toolFields(request, model);
  // JSON output through a tool also forces a call.
  const forced = isForced(request.choice) || jsonOutputToolName(request, model) !== null;
  const thinking = translateThinking(request, model, { callerModelFields: modelFields, forced });
  const thinkingFields = withProviderFields(thinking.modelFields, modelFields);
  const sampling = translateSampling(request, { model, thinkingFields });
  const output = outputField(request, model);
  const translated = {
    ...systemField(request, model),
    messages: toMessages(request.turns, model),
    ...optionalField('inferenceConfig', {
      ...(request.maxTokens !== null && { maxTokens: request.maxTokens }),
      ...thinking.inferenceConfig,
      ...sampling.inferenceConfig,
      ...(request.stop.length > 0 && { stopSequences: request.stop }),
    }),
    ...(tools.toolConfig !== null && { toolConfig: tools.toolConfig }),
    ...output.fields,
    ...optionalField('additionalModelRequestFields', {
      ...thinking.modelFields,
      ...sampling.modelFields,
      ...tools.modelFields,
    }),
  };
  const additionalFields = optionalField('additionalModelRequestFields', modelFields);
  return {
    body: withProviderFields(translated, { ...converseFields, ...additionalFields }),
    ignored: [
      ...new Set([
        ...ignored,
        ...hosted,
        ...dialog.ignored,
        ...opened.ignored,
        ...trimmed,
        ...thinking.ignored,
        ...sampling.ignored,
        ...tools.ignored,
        ...output.ignored,
        ...ignoredFeatures(request, model),
      ]),
    ],
  };
}

/** Returns the request with the names that its tools have at Bedrock. */
export function withConverseNames(request: CompletionRequest): CompletionRequest {
  return withProviderToolNames(request, toolNameRule);
}

const converseFieldNames: ReadonlySet<string> = new Set([
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

function splitProviderFields({ additionalModelRequestFields: additional, ...fields }: JsonObject) {
  const all = Object.entries(fields);
  const converseFields = Object.fromEntries(all.filter(([name]) => converseFieldNames.has(name)));
  const others = Object.fromEntries(all.filter(([name]) => !converseFieldNames.has(name)));
  const explicit = isAbsent(additional) ? {} : readObject(additional, 'additionalModelRequestFields');
  return { converseFields, modelFields: withProviderFields(others, explicit) };
}

function optionalField(name: string, value: JsonObject): JsonObject {
  return Object.keys(value).length === 0 ? {} : { [name]: value };
}

function systemField({ system, responseFormat }: CompletionRequest, model: BedrockModel): JsonObject {
  const blocks = contentBlocks(system, model);
  if (responseFormat.type === 'json_object') blocks.push({ text: jsonOnlyInstruction });
  return blocks.length === 0 ? {} : { system: blocks };
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html */
function outputField({ responseFormat: format, names }: CompletionRequest, { jsonSchema }: BedrockModel) {
  // With `none`, Bedrock itself rejects the schema.
  if (format.type !== 'json_schema' || jsonSchema === 'tool') return { fields: {}, ignored: [] };
  const { name, description } = format;
  const { schema, ignored } = responseSchema(format.schema, names);
  const definition = { schema: JSON.stringify(schema), name, ...(description !== null && { description }) };
  const textFormat = { type: 'json_schema', structure: { jsonSchema: definition } };
  return { fields: { outputConfig: { textFormat } }, ignored };
}

function ignoredFeatures(request: CompletionRequest, { caching }: BedrockModel): string[] {
  const { ignored, cacheBreakpoints } = findOptionalFeatures(request);
  const losesBreakpoint =
    (cacheBreakpoints.inMessages && caching === 'none') ||
    (cacheBreakpoints.inTools && caching !== 'everywhere');
  return [...ignored, ...(losesBreakpoint ? [request.names.cacheControl] : [])];
}
