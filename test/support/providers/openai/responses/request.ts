/** Reads requests to a fake Responses API, and refuses invalid fields in OpenAI's words. */
import { filterObjects, isJsonObject, type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import { inputItemTypes, responsesParameters } from '#test/support/responses/schema.ts';

export interface ResponsesRequest extends JsonObject {
  model: string;
  input?: string | JsonObject[];
  stream?: boolean | null;
  store?: boolean | null;
  include?: string[] | null;
  tools?: JsonObject[];
  tool_choice?: unknown;
  text?: JsonObject;
  reasoning?: JsonObject | null;
  service_tier?: string | null;
  previous_response_id?: string | null;
  max_output_tokens?: number | null;
}

export interface Refusal {
  status: number;
  message: string;
  param: string | null;
  code: string | null;
}

const invalid = (message: string, param: string, code: string): Refusal => ({
  status: 400,
  message,
  param,
  code,
});

const includeValues = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
];

/** Returns the request, or the refusal of its first invalid field. */
export function readRequest(bytes: Buffer): ResponsesRequest | Refusal {
  const body = parseJson(bytes.toString());
  if (!isJsonObject(body))
    return {
      status: 400,
      message: 'We could not parse the JSON body of your request.',
      param: null,
      code: null,
    };
  return findInvalid(body) ?? (body as ResponsesRequest);
}

/** Codex sends `client_metadata`, which is not published. */
function isParameter(name: string): boolean {
  return responsesParameters.has(name) || name === 'client_metadata';
}

function findInvalid(body: JsonObject): Refusal | null {
  const unknown = Object.keys(body).find((name) => !isParameter(name));
  if (unknown !== undefined) return invalid(`Unknown parameter: '${unknown}'.`, unknown, 'unknown_parameter');
  if (typeof body.model !== 'string')
    return invalid("Missing required parameter: 'model'.", 'model', 'missing_required_parameter');
  if ([body.input, body.previous_response_id, body.prompt, body.conversation].every((value) => value == null))
    return invalid(
      'One of "input" or "previous_response_id" or \'prompt\' or \'conversation_id\' must be provided.',
      'input',
      'missing_required_parameter',
    );
  return findInvalidValue(body) ?? findInvalidItem(body) ?? findInvalidTool(body);
}

function findInvalidValue(body: JsonObject): Refusal | null {
  const { input, previous_response_id, conversation, include, stream, stream_options } = body;
  if (input != null && typeof input !== 'string' && !Array.isArray(input))
    return invalid(
      `Invalid type for 'input': expected one of a string or array of input items, but got ${typeof input === 'object' ? 'an object' : `a ${typeof input}`} instead.`,
      'input',
      'invalid_type',
    );
  if (previous_response_id != null && conversation != null)
    return invalid(
      "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing one of: 'previous_response_id' or 'conversation'.",
      'previous_response_id',
      'mutually_exclusive_parameters',
    );
  if (typeof body.max_output_tokens === 'number' && body.max_output_tokens < 16)
    return invalid(
      `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${body.max_output_tokens} instead.`,
      'max_output_tokens',
      'integer_below_min_value',
    );
  const wrong = Array.isArray(include) ? include.findIndex((value) => !includeValues.includes(value)) : -1;
  if (wrong >= 0 && Array.isArray(include))
    return invalid(
      `Invalid value: '${include[wrong]}'. Supported values are: ${includeValues.map((value) => `'${value}'`).join(', ')}.`,
      `include[${wrong}]`,
      'invalid_value',
    );
  if (isJsonObject(stream_options)) {
    const option = Object.keys(stream_options).find((name) => name !== 'include_obfuscation');
    const param = `stream_options.${option}`;
    if (option !== undefined) return invalid(`Unknown parameter: '${param}'.`, param, 'unknown_parameter');
    if (stream !== true)
      return invalid(
        "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        'stream_options',
        'invalid_value',
      );
  }
  return null;
}

/** Codex sends `agent_message`, which is not published. */
const itemTypes = [...inputItemTypes, 'agent_message'];

/** The starts of the ids of items. */
const idStarts: Record<string, string> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fc',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctc',
  agent_message: 'amsg',
  web_search_call: 'ws',
  file_search_call: 'fs',
  code_interpreter_call: 'ci',
};

/** Roles of messages, with the types of their parts. */
const partTypes: Record<string, string[]> = {
  user: ['input_text', 'input_image', 'input_file'],
  system: ['input_text', 'input_image', 'input_file'],
  developer: ['input_text', 'input_image', 'input_file'],
  assistant: ['output_text', 'refusal'],
};

const quote = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

function findInvalidItem({ input }: JsonObject): Refusal | null {
  for (const [at, item] of filterObjects(input).entries()) {
    const type = String(item.type ?? (item.role === undefined ? 'item_reference' : 'message'));
    const idStart = idStarts[type] ?? '';
    const param = `input[${at}]`;
    if (!itemTypes.includes(type))
      return invalid(
        `Invalid value: '${type}'. Supported values are: ${quote(itemTypes)}.`,
        param,
        'invalid_value',
      );
    if (typeof item.id === 'string' && !item.id.startsWith(idStart))
      return invalid(
        `Invalid '${param}.id': '${item.id}'. Expected an ID that begins with '${idStart}'.`,
        `${param}.id`,
        'invalid_value',
      );
    const required = requiredFields(type).find((name) => item[name] === undefined);
    if (required !== undefined)
      return invalid(
        `Missing required parameter: '${param}.${required}'.`,
        `${param}.${required}`,
        'missing_required_parameter',
      );
    const types = partTypes[String(item.role)] ?? [];
    const parts = type === 'message' ? filterObjects(item.content) : [];
    const wrong = parts.findIndex((part) => !types.includes(String(part.type)));
    if (wrong >= 0)
      return invalid(
        `Invalid value: '${parts[wrong]?.type}'. Supported values are: ${quote(types)}.`,
        `${param}.content[${wrong}]`,
        'invalid_value',
      );
  }
  return null;
}

function requiredFields(type: string): readonly string[] {
  if (type === 'message') return ['role', 'content'];
  if (type === 'function_call') return ['call_id', 'name', 'arguments'];
  if (type === 'custom_tool_call') return ['call_id', 'name', 'input'];
  if (type.endsWith('_output')) return ['call_id', 'output'];
  if (type === 'reasoning') return ['summary'];
  return type === 'item_reference' ? ['id'] : [];
}

/** Tools of chat completions, whose function is an object of its own, are the usual mistake. */
function findInvalidTool({ tools }: JsonObject): Refusal | null {
  const at = filterObjects(tools).findIndex(
    ({ type, name }) => /^(function|custom|namespace)$/.test(String(type)) && typeof name !== 'string',
  );
  const param = `tools[${at}].name`;
  return at < 0
    ? null
    : invalid(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
}
