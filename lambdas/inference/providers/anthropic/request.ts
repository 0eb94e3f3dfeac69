/** Translates a request to the Messages API. https://platform.claude.com/docs/en/api/messages/create */
import type { CompletionRequest, SettingKey } from '#lambdas/inference/completion/request.ts';
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { jsonOnlyInstruction, withTrimmedPrefill } from '../translation/claude.ts';
import { responseSchema } from '../translation/compilable-schema.ts';
import { refuseCustomTools, withoutForeignHostedTools } from '../translation/foreign-tools.ts';
import { withOpeningUserTurn } from '../translation/opening-turn.ts';
import { findOptionalFeatures } from '../translation/optional-features.ts';
import { commonParameters, ignoredParameters, withProviderFields } from '../translation/parameters.ts';
import { withoutSystemTurns } from '../translation/system-turns.ts';
import { withProviderToolNames } from '../translation/tool-names.ts';
import { contentBlocks, toMessages } from './messages.ts';
import {
  claudeModel,
  type ParameterFields,
  translateSampling,
  translateThinking,
  translateUser,
} from './parameters.ts';
import { toolFields, toolNameRule } from './tools.ts';

interface MessagesRequest {
  body: JsonObject;
  ignored: readonly string[];
}

const supported: ReadonlySet<SettingKey> = new Set([
  ...commonParameters,
  'parallelToolCalls',
  'reasoningEffort',
  'user',
]);

export function toMessagesRequest(
  completion: CompletionRequest,
  { provider, model: name, stream }: { provider: string; model: string; stream: boolean },
): MessagesRequest {
  const ignored = ignoredParameters(completion, { provider, supported });
  refuseCustomTools(completion);
  const { request: offered, ignored: hosted } = withoutForeignHostedTools(completion, 'anthropic');
  const dialog = withoutSystemTurns(withProviderToolNames(offered, toolNameRule));
  const opened = withOpeningUserTurn(dialog.request);
  const { request, ignored: trimmed } = withTrimmedPrefill(opened.request);
  const model = claudeModel(name);
  const maxTokens = request.maxTokens ?? model.maxOutputTokens;
  const thinking = translateThinking(request, model, maxTokens);
  const sampling = translateSampling(request, {
    model,
    thinking: request.providerFields.thinking ?? thinking.fields.thinking,
  });
  const user = translateUser(request);
  const tools = toolFields(request);
  const output = outputField(request, thinking.fields.output_config);
  const translated = {
    model: name,
    max_tokens: maxTokens,
    ...systemField(request),
    messages: toMessages(request.turns),
    ...tools.fields,
    ...(request.stop.length > 0 && { stop_sequences: request.stop }),
    ...sampling.fields,
    ...thinking.fields,
    ...output.fields,
    ...user.fields,
    ...(stream && { stream: true }),
  };
  return {
    body: withProviderFields(translated, request.providerFields),
    ignored: [
      ...new Set([
        ...ignored,
        ...hosted,
        ...dialog.ignored,
        ...opened.ignored,
        ...trimmed,
        ...user.ignored,
        ...thinking.ignored,
        ...sampling.ignored,
        ...tools.ignored,
        ...output.ignored,
        ...findOptionalFeatures(request).ignored,
      ]),
    ],
  };
}

function systemField({ system, responseFormat }: CompletionRequest): JsonObject {
  const blocks = contentBlocks(system);
  if (responseFormat.type === 'json_object') blocks.push({ type: 'text', text: jsonOnlyInstruction });
  return blocks.length === 0 ? {} : { system: blocks };
}

/** https://platform.claude.com/docs/en/build-with-claude/structured-outputs */
function outputField({ responseFormat: format, names }: CompletionRequest, config: unknown): ParameterFields {
  if (format.type !== 'json_schema') return { fields: {}, ignored: [] };
  const description = format.description === null ? {} : { description: format.description };
  const { schema, ignored } = responseSchema({ ...description, ...format.schema }, names);
  const outputFormat = { type: 'json_schema', schema };
  return {
    fields: { output_config: { ...(isJsonObject(config) && config), format: outputFormat } },
    ignored,
  };
}
