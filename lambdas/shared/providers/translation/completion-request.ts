/**
 * A chat completion request in OpenAI's format, read for a provider that speaks another.
 * https://platform.openai.com/docs/api-reference/chat/create
 */
import { invalidRequest } from '../../domain/gateway-error.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { type Conversation, toConversation } from './conversation.ts';
import { readMessages } from './messages.ts';
import { providerFields } from './parameters.ts';
import { readOptionalBoolean, readOptionalNumber, readOptionalText, readText } from './request-fields.ts';
import { readToolUse, type ToolUse } from './tools.ts';

export interface CompletionRequest extends Conversation, ToolUse {
  parallelToolCalls: boolean | null;
  responseFormat: ResponseFormat;
  stop: readonly string[];
  /** `max_completion_tokens`, or else `max_tokens`. */
  maxTokens: number | null;
  temperature: number | null;
  topP: number | null;
  topK: number | null;
  frequencyPenalty: number | null;
  presencePenalty: number | null;
  seed: number | null;
  n: number | null;
  reasoningEffort: string | null;
  user: string | null;
  /** Fields that are none of OpenAI's: the provider's own, to be passed on as they are. */
  providerFields: JsonObject;
}

export type ResponseFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | {
      type: 'json_schema';
      name: string;
      description: string | null;
      schema: JsonObject;
      strict: boolean | null;
    };

/** Throws a `GatewayError` (400) that names the field at fault. */
export function readCompletionRequest(body: JsonObject): CompletionRequest {
  const number = (name: string) => readOptionalNumber(body[name], name);
  return {
    ...toConversation(readMessages(body.messages)),
    ...readToolUse(body),
    parallelToolCalls: readOptionalBoolean(body.parallel_tool_calls, 'parallel_tool_calls'),
    responseFormat: readResponseFormat(body.response_format),
    stop: readStop(body.stop),
    maxTokens: number('max_completion_tokens') ?? number('max_tokens'),
    temperature: number('temperature'),
    topP: number('top_p'),
    topK: number('top_k'),
    frequencyPenalty: number('frequency_penalty'),
    presencePenalty: number('presence_penalty'),
    seed: number('seed'),
    n: number('n'),
    reasoningEffort: readOptionalText(body.reasoning_effort, 'reasoning_effort'),
    user: readOptionalText(body.user, 'user'),
    providerFields: providerFields(body),
  };
}

function readStop(stop: unknown): string[] {
  if (stop === undefined || stop === null) return [];
  if (typeof stop === 'string') return [stop];
  if (!Array.isArray(stop)) throw invalidRequest('stop', 'stop must be text or a list of texts');
  return stop.map((sequence, index) => readText(sequence, `stop[${index}]`));
}

function readResponseFormat(format: unknown): ResponseFormat {
  if (format === undefined || format === null) return { type: 'text' };
  const type = isJsonObject(format) ? format.type : undefined;
  if (type === 'text' || type === 'json_object') return { type };
  if (!isJsonObject(format) || type !== 'json_schema') {
    throw invalidRequest(
      'response_format',
      'response_format must be an object of type text, json_object or json_schema',
    );
  }
  const definition = format.json_schema;
  if (!isJsonObject(definition) || !isJsonObject(definition.schema)) {
    throw invalidRequest(
      'response_format.json_schema',
      'response_format.json_schema must have a name and a schema',
    );
  }
  return {
    type,
    name: readText(definition.name, 'response_format.json_schema.name'),
    description: readOptionalText(definition.description, 'response_format.json_schema.description'),
    schema: definition.schema,
    strict: readOptionalBoolean(definition.strict, 'response_format.json_schema.strict'),
  };
}
