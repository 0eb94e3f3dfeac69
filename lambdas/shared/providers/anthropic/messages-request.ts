/** A chat completion request, as one to the Messages API. https://platform.claude.com/docs/en/api/messages/create */
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { ProviderCall } from '../provider.ts';
import { compiledSchema } from '../translation/compiled-schema.ts';
import {
  type CompletionRequest,
  type ResponseFormat,
  readCompletionRequest,
} from '../translation/completion-request.ts';
import { jsonOnly } from '../translation/json-only.ts';
import { ignoredParameters } from '../translation/parameters.ts';
import { withProviderFields } from '../translation/provider-fields.ts';
import { detailsOf } from '../translation/request-details.ts';
import { claudeModel } from './claude-models.ts';
import { contentBlocks } from './messages-content.ts';
import { samplingOf, thinkingOf } from './messages-parameters.ts';
import { toolFields } from './messages-tools.ts';
import { messagesOf } from './messages-turns.ts';

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
