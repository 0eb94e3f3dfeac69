/**
 * The fields that Open Responses requires of responses and their items, which OpenAI's schema leaves out in part.
 * https://github.com/openresponses/openresponses/blob/main/schema/responses.tsp (ResponseResource), items.tsp, tools.tsp
 */
import { Ajv2020 } from 'ajv/dist/2020.js';

const text = { type: 'string' };
const integer = { type: 'integer' };
const number = { type: 'number' };
const boolean = { type: 'boolean' };
const list = { type: 'array' };
const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });

/** An object with these fields, all of which are required. */
const record = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});
const typed = (type: string, properties: Record<string, object>) =>
  record({ type: { const: type }, ...properties });

const itemStatus = { enum: ['in_progress', 'completed', 'incomplete'] };
const part = {
  anyOf: [
    typed('output_text', { text, annotations: list, logprobs: list }),
    typed('refusal', { refusal: text }),
  ],
};

/** The specification has no custom tools: their items are those of OpenAI. */
const item = {
  anyOf: [
    typed('message', {
      id: text,
      status: itemStatus,
      role: { const: 'assistant' },
      content: { ...list, items: part },
    }),
    typed('function_call', { id: text, call_id: text, name: text, arguments: text, status: itemStatus }),
    typed('reasoning', { id: text, summary: { ...list, items: typed('summary_text', { text }) } }),
    typed('custom_tool_call', { id: text, call_id: text, name: text, input: text }),
  ],
};

const tool = {
  anyOf: [
    typed('function', {
      name: text,
      description: orNull(text),
      parameters: orNull({ type: 'object' }),
      strict: orNull(boolean),
    }),
    { type: 'object', properties: { type: { not: { const: 'function' } } } },
  ],
};

const usage = record({
  input_tokens: integer,
  output_tokens: integer,
  total_tokens: integer,
  input_tokens_details: record({ cached_tokens: integer }),
  output_tokens_details: record({ reasoning_tokens: integer }),
});

/** `user` is required by the schema that is published as OpenAPI. */
const response = record({
  id: text,
  object: { const: 'response' },
  created_at: integer,
  completed_at: orNull(integer),
  status: text,
  incomplete_details: orNull(record({ reason: text })),
  model: text,
  previous_response_id: orNull(text),
  instructions: orNull(text),
  output: { ...list, items: item },
  error: orNull(record({ code: text, message: text })),
  tools: { ...list, items: tool },
  tool_choice: { anyOf: [{ enum: ['none', 'auto', 'required'] }, { type: 'object', required: ['type'] }] },
  truncation: { enum: ['auto', 'disabled'] },
  parallel_tool_calls: boolean,
  text: record({ format: { type: 'object', required: ['type'] } }),
  top_p: number,
  presence_penalty: number,
  frequency_penalty: number,
  top_logprobs: integer,
  temperature: number,
  reasoning: orNull(record({ effort: orNull(text), summary: orNull(text) })),
  user: orNull(text),
  usage: orNull(usage),
  max_output_tokens: orNull(integer),
  max_tool_calls: orNull(integer),
  store: boolean,
  background: boolean,
  service_tier: text,
  metadata: { type: 'object' },
  safety_identifier: orNull(text),
  prompt_cache_key: orNull(text),
});

export const requiredResponseFields: readonly string[] = response.required;

const validate = new Ajv2020({ strict: false, allErrors: true }).compile(response);

export function openResponsesProblems(value: unknown): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
