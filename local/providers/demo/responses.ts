/**
 * Responses of the demo provider, with all fields that OpenAI's schema or https://www.openresponses.org requires: a text or, where
 * `tool_choice` wants one, a call of a function without arguments. Nothing is stored.
 */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { asList, isObject, type JsonObject } from '#local/untyped-json.ts';
import { createText, estimateTokens, eventStreamHeaders, paced } from './text.ts';

interface DemoResponse {
  /** As in the last event of a stream. */
  body: JsonObject;
  item: JsonObject;
  /** `null` for a call. */
  words: string[] | null;
}

const noArguments = '{}';

export function createResponse(request: JsonObject): DemoResponse {
  const { instructions, tools, input } = request;
  const items = asList(input);
  const text = createText(items);
  const functionName = requestedFunction(request);
  const item = functionName === null ? messageOf(text.words) : callOf(functionName);
  const context = [instructions, ...asList(tools)].filter((part) => part != null);
  const inputTokens = text.inputTokens + (context.length > 0 ? estimateTokens(JSON.stringify(context)) : 0);
  const outputTokens = functionName === null ? text.outputTokens : estimateTokens(functionName + noArguments);
  return {
    body: bodyOf(request, { item, usage: usageOf(inputTokens, outputTokens) }),
    item,
    words: functionName === null ? text.words : null,
  };
}

/** Returns `null` unless a call is required, and not once it has a result: otherwise the loop of an agent would not end. */
function requestedFunction({ input, tools, tool_choice }: JsonObject): string | null {
  const last = asList(input).at(-1);
  if (isObject(last) && last.type === 'function_call_output') return null;
  const names = asList(tools)
    .filter(isObject)
    .filter(({ type }) => type === 'function')
    .map(({ name }) => String(name));
  if (tool_choice === 'required') return names[0] ?? null;
  if (!isObject(tool_choice) || tool_choice.type !== 'function') return null;
  return names.find((name) => name === tool_choice.name) ?? null;
}

function messageOf(words: readonly string[]): JsonObject {
  return {
    id: newId('msg'),
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [textPart(words.join(''))],
  };
}

function textPart(text: string): JsonObject {
  return { type: 'output_text', annotations: [], logprobs: [], text };
}

function callOf(name: string): JsonObject {
  const id = newId('fc');
  return {
    id,
    type: 'function_call',
    status: 'completed',
    arguments: noArguments,
    call_id: newId('call'),
    name,
  };
}

/** The parameters that a response repeats, by their defaults. */
const repeatedParameters = {
  frequency_penalty: 0,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  safety_identifier: null,
  temperature: 1,
  tool_choice: 'auto',
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
};

function bodyOf(request: JsonObject, { item, usage }: { item: JsonObject; usage: JsonObject }): JsonObject {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const { model, reasoning, text, tools } = request;
  const repeated = Object.entries(repeatedParameters).map(([name, value]) => [name, request[name] ?? value]);
  return {
    id: newId('resp'),
    object: 'response',
    created_at: nowSeconds,
    status: 'completed',
    background: false,
    completed_at: nowSeconds,
    error: null,
    incomplete_details: null,
    model,
    output: [item],
    reasoning: { effort: null, summary: null, ...(isObject(reasoning) && reasoning) },
    service_tier: 'default',
    store: false,
    text: { format: { type: 'text' }, ...(isObject(text) && text) },
    tools: asList(tools).filter(isObject).map(withDefaults),
    usage,
    ...Object.fromEntries(repeated),
  };
}

function withDefaults(tool: JsonObject): JsonObject {
  return tool.type === 'function' ? { description: null, parameters: null, strict: true, ...tool } : tool;
}

function usageOf(inputTokens: number, outputTokens: number): JsonObject {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}

function newId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll('-', '')}`;
}

export async function sendResponseEvents(
  response: ServerResponse,
  { body, item, words }: DemoResponse,
): Promise<void> {
  let sequenceNumber = 0;
  const send = (type: string, fields: JsonObject) => {
    const event = { type, ...fields, sequence_number: sequenceNumber };
    response.write(`event: ${type}\ndata: ${JSON.stringify(event)}\n\n`);
    sequenceNumber += 1;
  };
  const sendDone = () => {
    send('response.output_item.done', { item, output_index: 0 });
    send('response.completed', { response: body });
    response.end();
  };
  response.writeHead(200, eventStreamHeaders);
  const unfinished = { ...body, status: 'in_progress', completed_at: null, output: [], usage: null };
  send('response.created', { response: unfinished });
  send('response.in_progress', { response: unfinished });
  const empty = words === null ? { arguments: '' } : { content: [] };
  send('response.output_item.added', {
    item: { ...item, status: 'in_progress', ...empty },
    output_index: 0,
  });
  if (words === null) {
    const position = { item_id: item.id, output_index: 0 };
    send('response.function_call_arguments.delta', { ...position, delta: noArguments });
    send('response.function_call_arguments.done', { ...position, arguments: noArguments, name: item.name });
    return sendDone();
  }
  const position = { item_id: item.id, output_index: 0, content_index: 0 };
  const text = words.join('');
  send('response.content_part.added', { ...position, part: textPart('') });
  for await (const delta of paced(words)) {
    if (response.destroyed) return;
    send('response.output_text.delta', { ...position, delta, logprobs: [] });
  }
  send('response.output_text.done', { ...position, text, logprobs: [] });
  send('response.content_part.done', { ...position, part: textPart(text) });
  sendDone();
}
