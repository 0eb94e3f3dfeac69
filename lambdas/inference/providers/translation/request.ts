/**
 * Parses and validates a chat completion request in OpenAI's format.
 * https://platform.openai.com/docs/api-reference/chat/create
 */
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { ContentPart } from './content-parts.ts';
import {
  assistantMessages,
  type Conversation,
  readMessages,
  type ToolCall,
  type ToolMessage,
  type Turn,
  toConversation,
} from './messages.ts';
import {
  isAbsent,
  providerFields,
  readObject,
  readOptionalBoolean,
  readOptionalNumber,
  readOptionalText,
  readText,
} from './parameters.ts';
import { readToolUse, type ToolUse } from './tools.ts';

export interface CompletionRequest extends Conversation, ToolUse {
  parallelToolCalls: boolean | null;
  responseFormat: ResponseFormat;
  stop: readonly string[];
  maxTokens: number | null;
  temperature: number | null;
  topP: number | null;
  topK: number | null;
  frequencyPenalty: number | null;
  presencePenalty: number | null;
  seed: number | null;
  n: number | null;
  reasoningEffort: ReasoningEffort | null;
  user: EndUser | null;
  providerFields: JsonObject;
}

/** The end user, for the provider's abuse detection. */
interface EndUser {
  id: string;
  /** The field of the request. */
  param: 'safety_identifier' | 'user';
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

/** Throws a `GatewayError` (400) that names the invalid field. */
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
    reasoningEffort: readEffort(body.reasoning_effort),
    user: readUser(body, 'safety_identifier') ?? readUser(body, 'user'),
    providerFields: providerFields(body),
  };
}

function readUser(body: JsonObject, param: EndUser['param']): EndUser | null {
  const id = readOptionalText(body[param], param);
  return id === null ? null : { id, param };
}

function readStop(stop: unknown): string[] {
  if (isAbsent(stop)) return [];
  if (typeof stop === 'string') return [stop];
  if (!Array.isArray(stop)) throw invalidRequestError('stop', 'stop must be a string or an array of strings');
  return stop.map((sequence, index) => readText(sequence, `stop[${index}]`));
}

function readEffort(value: unknown): ReasoningEffort | null {
  if (isAbsent(value)) return null;
  const effort = reasoningEfforts.find((known) => known === value);
  if (effort !== undefined) return effort;
  const message = `reasoning_effort must be one of ${reasoningEfforts.join(', ')}`;
  throw invalidRequestError('reasoning_effort', message);
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
      throw invalidRequestError(
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

/** Features of messages and tools that can be left out, because a provider does not support them. */
interface OptionalFeatures {
  /** The reported names of those that no native API supports. */
  ignored: string[];
  filenames: boolean;
  cacheBreakpoints: { inMessages: boolean; inTools: boolean };
}

export function findOptionalFeatures({ system, turns, tools }: CompletionRequest): OptionalFeatures {
  const contents = turns.flatMap(listContent);
  const media = contents.filter((part) => 'type' in part && part.type === 'media');
  const assistant = assistantMessages(turns);
  const calls = assistant.flatMap(({ toolCalls }) => toolCalls);
  const features: [string, boolean][] = [
    ['image_url.detail', media.some(({ detail }) => (detail ?? 'auto') !== 'auto')],
    // Images that the model generated, as some providers return them.
    [
      'messages.images',
      assistant.some(({ source: { images } }) => Array.isArray(images) && images.length > 0),
    ],
    ['messages.tool_calls.function.arguments', calls.some(({ hasInvalidArguments }) => hasInvalidArguments)],
  ];
  return {
    ignored: features.filter(([, isUsed]) => isUsed).map(([name]) => name),
    filenames: media.some(({ filename }) => filename !== null),
    cacheBreakpoints: {
      inMessages: [...system, ...contents].some(({ cacheControl }) => cacheControl !== null),
      inTools: tools.some((tool) => tool.type === 'function' && tool.cacheControl !== null),
    },
  };
}

function listContent(turn: Turn): (ContentPart | ToolCall | ToolMessage)[] {
  if (turn.role === 'user') {
    return [...turn.toolResults.flatMap((result) => [result, ...result.parts]), ...turn.parts];
  }
  return turn.messages.flatMap(({ parts, toolCalls }) => [...parts, ...toolCalls]);
}
