/**
 * A chat completion request in OpenAI's format, read for a provider that speaks another.
 * https://platform.openai.com/docs/api-reference/chat/create
 */
import { invalidRequest } from '../../domain/gateway-error.ts';
import type { JsonObject } from '../../domain/json.ts';
import { type Conversation, toConversation } from './conversation.ts';
import { readMessages } from './messages.ts';
import { providerFields } from './parameters.ts';
import {
  isAbsent,
  readObject,
  readOptionalBoolean,
  readOptionalNumber,
  readOptionalText,
  readText,
} from './request-fields.ts';
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
  reasoningEffort: ReasoningEffort | null;
  /** `safety_identifier`, or else `user`: who is behind the request, for the provider's watch over misuse. */
  user: string | null;
  /** Fields that are none of OpenAI's: the provider's own, to be passed on as they are. */
  providerFields: JsonObject;
}

const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

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
  const safetyIdentifier = readOptionalText(body.safety_identifier, 'safety_identifier');
  const user = readOptionalText(body.user, 'user');
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
    reasoningEffort: readEffort(body.reasoning_effort),
    user: safetyIdentifier ?? user,
    providerFields: providerFields(body),
  };
}

function readStop(stop: unknown): string[] {
  if (isAbsent(stop)) return [];
  if (typeof stop === 'string') return [stop];
  if (!Array.isArray(stop)) throw invalidRequest('stop', 'stop must be text or a list of texts');
  return stop.map((sequence, index) => readText(sequence, `stop[${index}]`));
}

function readEffort(value: unknown): ReasoningEffort | null {
  if (isAbsent(value)) return null;
  const effort = reasoningEfforts.find((known) => known === value);
  if (effort !== undefined) return effort;
  const message = `reasoning_effort must be one of ${reasoningEfforts.join(', ')}`;
  throw invalidRequest('reasoning_effort', message);
}

function readResponseFormat(format: unknown): ResponseFormat {
  if (isAbsent(format)) return { type: 'text' };
  const { type, json_schema: definition } = readObject(format, 'response_format');
  switch (type) {
    case 'text':
    case 'json_object':
      return { type };
    case 'json_schema':
      return { type, ...readSchema(readObject(definition, 'response_format.json_schema')) };
    default:
      throw invalidRequest(
        'response_format.type',
        'response_format.type must be text, json_object or json_schema',
      );
  }
}

function readSchema({ name, description, schema, strict }: JsonObject) {
  const param = 'response_format.json_schema';
  return {
    name: readText(name, `${param}.name`),
    description: readOptionalText(description, `${param}.description`),
    schema: readObject(schema, `${param}.schema`),
    strict: readOptionalBoolean(strict, `${param}.strict`),
  };
}
