/**
 * Parses and validates the body of a Responses request.
 * https://platform.openai.com/docs/api-reference/responses/create
 */
import {
  type CompletionRequest,
  type ReasoningSummary,
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
  readOptionalObject,
} from '#lambdas/platform/json/fields.ts';
import { filterObjects, type JsonObject } from '#lambdas/platform/json/json.ts';
import { readConversation } from './items.ts';
import { responsesNames } from './names.ts';
import {
  ignoredFields,
  isLimitedToOneCall,
  isProviderField,
  providerFields,
  responsesSettings,
} from './settings.ts';
import { isToolItem, readToolUse } from './tools.ts';

/**
 * Reads the request with the digits of numbers that are passed on. Throws a `GatewayError` (400) that names the invalid field,
 * such as `input[0].content[1].image_url`. `provider` is the one whose data in encrypted content is kept.
 */
export function readResponsesCompletion(request: RequestBody, provider: string | null): CompletionRequest {
  const body = exactBody(request, passedOnFields(request.body));
  const number = (name: string) => readOptionalNumber(body[name], name);
  const reasoning = readOptionalObject(body.reasoning, 'reasoning');
  const parallelToolCalls = readOptionalBoolean(body.parallel_tool_calls, 'parallel_tool_calls');
  return {
    ...readConversation(body, provider),
    ...readToolUse(body),
    parallelToolCalls: isLimitedToOneCall(body) ? null : parallelToolCalls,
    responseFormat: readFormat(readOptionalObject(body.text, 'text').format),
    stop: [],
    maxTokens: number('max_output_tokens'),
    temperature: number('temperature'),
    topP: number('top_p'),
    topK: null,
    frequencyPenalty: number('frequency_penalty'),
    presencePenalty: number('presence_penalty'),
    seed: null,
    n: null,
    reasoningEffort: oneOf(reasoningEfforts, reasoning.effort, 'reasoning.effort'),
    reasoningBudget: null,
    reasoningSummary: readSummary(reasoning),
    user: readUser(body, 'safety_identifier') ?? readUser(body, 'user'),
    settings: responsesSettings(body),
    omissions: ignoredFields(body, provider),
    names: responsesNames,
    providerFields: providerFields(body),
  };
}

/** Items have numbers only in tools: the arguments of calls are text. */
function passedOnFields({ input }: JsonObject): (field: string) => boolean {
  const hasTools = filterObjects(input).some(isToolItem);
  return (field) =>
    field === 'tools' || field === 'text' || (field === 'input' && hasTools) || isProviderField(field);
}

function oneOf<Value extends string>(values: readonly Value[], value: unknown, param: string): Value | null {
  if (isAbsent(value)) return null;
  const known = values.find((each) => each === value);
  if (known !== undefined) return known;
  throw invalidRequestError(param, `${param} must be one of ${values.join(', ')}`);
}

const summaries: readonly ReasoningSummary[] = ['auto', 'concise', 'detailed'];

/** The second field is the older name. */
function readSummary({ summary, generate_summary }: JsonObject): ReasoningSummary | null {
  return (
    oneOf(summaries, summary, 'reasoning.summary') ??
    oneOf(summaries, generate_summary, 'reasoning.generate_summary')
  );
}

function readFormat(value: unknown): ResponseFormat {
  if (isAbsent(value)) return { type: 'text' };
  const param = 'text.format';
  const format = readObject(value, param);
  const { type } = format;
  switch (type) {
    case 'text':
    case 'json_object':
      return { type };
    case 'json_schema':
      return readSchemaFormat(format, param);
    default:
      throw invalidRequestError(`${param}.type`, `${param}.type must be text, json_object or json_schema`);
  }
}
