/** Translates a request to the Messages API. https://platform.claude.com/docs/en/api/messages/create */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import type { ProviderCall } from '../provider.ts';
import { compilableSchema, jsonOnlyInstruction } from '../translation/claude.ts';
import { commonParameters, ignoredParameters, withProviderFields } from '../translation/parameters.ts';
import {
  type CompletionRequest,
  findOptionalFeatures,
  type ResponseFormat,
  readCompletionRequest,
} from '../translation/request.ts';
import { withProviderToolNames } from '../translation/tool-names.ts';
import { contentBlocks, toMessages, toolFields, toolNameRule } from './messages.ts';
import { claudeModel, translateSampling, translateThinking } from './parameters.ts';

export interface MessagesRequest {
  body: JsonObject;
  ignored: readonly string[];
}

const supported: ReadonlySet<string> = new Set([
  ...commonParameters,
  'parallel_tool_calls',
  'reasoning_effort',
  'safety_identifier',
  'user',
]);

export function toMessagesRequest(call: ProviderCall, provider: string): MessagesRequest {
  const { body } = call.request;
  const ignored = ignoredParameters(body, { provider, supported });
  const request = withProviderToolNames(readCompletionRequest(body), body, toolNameRule);
  const model = claudeModel(call.model);
  const maxTokens = request.maxTokens ?? model.maxOutputTokens;
  const thinking = translateThinking(request, model, maxTokens);
  const sampling = translateSampling(request, {
    model,
    thinking: request.providerFields.thinking ?? thinking.fields.thinking,
  });
  const translated = {
    model: call.model,
    max_tokens: maxTokens,
    ...systemField(request),
    messages: toMessages(request.turns),
    ...toolFields(request),
    ...(request.stop.length > 0 && { stop_sequences: request.stop }),
    ...sampling.fields,
    ...thinking.fields,
    ...outputField(request.responseFormat, thinking.fields.output_config),
    ...(request.user !== null && { metadata: { user_id: request.user } }),
    ...(call.request.stream && { stream: true }),
  };
  return {
    body: withProviderFields(translated, request.providerFields),
    ignored: [...ignored, ...thinking.ignored, ...sampling.ignored, ...findOptionalFeatures(request).ignored],
  };
}

function systemField({ system, responseFormat }: CompletionRequest): JsonObject {
  const blocks = contentBlocks(system);
  if (responseFormat.type === 'json_object') blocks.push({ type: 'text', text: jsonOnlyInstruction });
  return blocks.length === 0 ? {} : { system: blocks };
}

/** https://platform.claude.com/docs/en/build-with-claude/structured-outputs */
function outputField(format: ResponseFormat, config: unknown): JsonObject {
  if (format.type !== 'json_schema') return {};
  const description = format.description === null ? {} : { description: format.description };
  const schema = { ...description, ...compilableSchema(format.schema) };
  return {
    output_config: { ...(isJsonObject(config) && config), format: { type: 'json_schema', schema } },
  };
}
