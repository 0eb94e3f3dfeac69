/**
 * Parses and validates a chat completion request in OpenAI's format.
 * https://platform.openai.com/docs/api-reference/chat/create
 */

import {
  type CompletionRequest,
  type ReasoningEffort,
  type ResponseFormat,
  reasoningEfforts,
} from '#lambdas/inference/completion/request.ts';
import { exactBody, type RequestBody } from '#lambdas/inference/exact-body.ts';
import { readSchemaFormat, readUser } from '#lambdas/inference/openai-fields.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import {
  isAbsent,
  readObject,
  readOptionalBoolean,
  readOptionalNumber,
  readText,
} from '#lambdas/platform/json/fields.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { chatSettings, ignoredMessageFields, isProviderField, providerFields } from '../parameters.ts';
import { type InstructionPlacement, readMessages, toConversation } from './messages.ts';
import { chatNames } from './names.ts';
import { readToolUse } from './tools.ts';

/** Like `readCompletionRequest`, with the digits of numbers that are passed on. */
export function readChatCompletion(
  request: RequestBody,
  placement: InstructionPlacement = {},
): CompletionRequest {
  return readCompletionRequest(exactBody(request, isPassedOn), placement);
}

/** Messages, which can be large, contain numbers only in the text of call arguments. */
function isPassedOn(field: string): boolean {
  return field === 'tools' || field === 'response_format' || isProviderField(field);
}

/** Throws a `GatewayError` (400) that names the invalid field. */
export function readCompletionRequest(
  body: JsonObject,
  placement: InstructionPlacement = {},
): CompletionRequest {
  const number = (name: string) => readOptionalNumber(body[name], name);
  return {
    ...toConversation(readMessages(body.messages), placement),
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
    reasoningBudget: null,
    reasoningSummary: null,
    user: readUser(body, 'safety_identifier') ?? readUser(body, 'user'),
    settings: chatSettings(body),
    omissions: ignoredMessageFields(body),
    names: chatNames,
    providerFields: providerFields(body),
  };
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
      return readSchemaFormat(
        readObject(definition, 'response_format.json_schema'),
        'response_format.json_schema',
      );
    default:
      throw invalidRequestError(
        'response_format.type',
        'response_format.type must be text, json_object or json_schema',
      );
  }
}
