import { expect, it } from 'vitest';
import { renderChatRequest } from '#lambdas/inference/providers/openai/conversion/request.ts';
import { filterObjects, type JsonObject, objectOrEmpty, parseJson } from '#lambdas/platform/json/json.ts';
import { fc } from '#test/support/fast-check.ts';
import { readRequest } from '#test/support/providers/provider-call.ts';

const target = {
  provider: 'some',
  model: 'a-model',
  stream: false,
  entry: { requestRules: null, reasoningField: 'reasoning_content', isOpenAi: false },
} as const;

/** Sends a chat request on as if its caller used another format. */
const rendered = (body: JsonObject): JsonObject =>
  objectOrEmpty(
    parseJson(JSON.stringify(renderChatRequest(readRequest({ model: 'a-model', ...body }), target).body)),
  );

/** Returns the same for requests that differ only in ways that no provider distinguishes. */
function meaningOf(body: JsonObject) {
  const { messages, max_tokens, max_completion_tokens, stop, response_format, tool_choice, tools, ...rest } =
    body;
  const choice = objectOrEmpty(tool_choice);
  const allowed = objectOrEmpty(choice.allowed_tools);
  const allowedNames = filterObjects(allowed.tools).map((tool) => objectOrEmpty(tool.function).name);
  const offered = filterObjects(tools).filter(
    (tool) => choice.type !== 'allowed_tools' || allowedNames.includes(objectOrEmpty(tool.function).name),
  );
  const isText = objectOrEmpty(response_format).type === 'text';
  const present = Object.entries(rest).filter(([, value]) => value !== null);
  return {
    ...Object.fromEntries(present),
    limit: max_completion_tokens ?? max_tokens ?? null,
    stop: [stop ?? []].flat(),
    format: isText ? null : (response_format ?? null),
    choice: choice.type === 'allowed_tools' ? allowed.mode : (tool_choice ?? null),
    tools: offered.map(withoutNulls),
    ...conversationOf(messages),
  };
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(entries.map(([name, member]) => [name, withoutNulls(member)]));
}

interface MeantTurn {
  role: 'user' | 'assistant';
  results: unknown[];
  parts: unknown[];
  /** The messages of the assistant. */
  messages: unknown[];
}

function partsOf(content: unknown): JsonObject[] {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : filterObjects(content);
  return parts
    .map((part) =>
      part.type === 'refusal' ? { type: 'text', text: part.refusal } : objectOrEmpty(withoutNulls(part)),
    )
    .filter((part) => part.type !== 'text' || part.text !== '');
}

function conversationOf(messages: unknown) {
  const system: unknown[] = [];
  const turns: MeantTurn[] = [];
  const turn = (role: MeantTurn['role']): MeantTurn => {
    const last = turns.at(-1);
    if (last?.role === role) return last;
    const next: MeantTurn = { role, results: [], parts: [], messages: [] };
    turns.push(next);
    return next;
  };
  for (const message of filterObjects(messages)) {
    const parts = partsOf(message.content);
    switch (message.role) {
      case 'system':
      case 'developer':
        system.push(...parts);
        break;
      case 'tool': {
        const { results, parts: media } = turn('user');
        results.push({ id: message.tool_call_id, texts: parts.filter(({ type }) => type === 'text') });
        media.push(...parts.filter(({ type }) => type !== 'text'));
        break;
      }
      case 'assistant': {
        const calls = filterObjects(message.tool_calls).map(({ id, function: callee }) => {
          const { name, arguments: text } = objectOrEmpty(callee);
          return { id, name, arguments: parseJson(String(text) || '{}') };
        });
        const texts = parts.length > 0 ? parts : partsOf(message.refusal);
        turn('assistant').messages.push({ texts, calls, reasoning: message.reasoning_content ?? null });
        break;
      }
      default:
        turn('user').parts.push(...parts);
    }
  }
  // Media of results stands before the other parts, wherever the results came.
  const isText = (part: unknown) => objectOrEmpty(part).type === 'text';
  return {
    system,
    turns: turns.map((it) => ({ ...it, parts: it.results.length > 0 ? sorted(it.parts, isText) : it.parts })),
  };
}

function sorted(parts: unknown[], isText: (part: unknown) => boolean): unknown[] {
  return [...parts.filter((part) => !isText(part)), ...parts.filter(isText)];
}

const text = fc.constantFrom('Hi', 'Well: ', ' ', 'é 🙂', '{"a":1}');
const textPart = text.map((value) => ({ type: 'text', text: value }));
const png = 'data:image/png;base64,iVBORw0KGgo=';
const mediaPart = fc.constantFrom<JsonObject>(
  { type: 'image_url', image_url: { url: png, detail: 'low' } },
  { type: 'image_url', image_url: { url: 'https://x.example/y.png' } },
  { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
  { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
  { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
  { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0x' } },
  { type: 'file', file: { filename: 'a.pdf', file_data: 'https://x.example/a.pdf' } },
  { type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } },
);
const content = fc.oneof(text, fc.array(fc.oneof(textPart, mediaPart), { minLength: 1, maxLength: 3 }));
const texts = fc.oneof(text, fc.array(textPart, { minLength: 1, maxLength: 3 }));
const toolNames = ['look', 'look_up', 'go-1'];

const plainMessage = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer'), content: texts }).map((it): JsonObject[] => [it]),
  fc.record({ role: fc.constant('user'), content }).map((it): JsonObject[] => [it]),
  fc
    .record(
      { role: fc.constant('assistant'), content: texts, reasoning_content: fc.constantFrom('Hm', 'So …') },
      { requiredKeys: ['role', 'content'] },
    )
    .map((it): JsonObject[] => [it]),
  fc.constant<JsonObject[]>([{ role: 'assistant', content: null, refusal: 'No' }]),
  fc.constant<JsonObject[]>([{ role: 'assistant', content: [{ type: 'refusal', refusal: 'No' }] }]),
);

interface Callee {
  name: string;
  arguments: string;
}

/** An assistant message with calls, and their results. The ids are set afterwards. */
const round = fc
  .tuple(
    fc.array(
      fc.record<Callee>({
        name: fc.constantFrom(...toolNames),
        arguments: fc.constantFrom('{}', '{"n":1.5,"m":[null,true,"x"]}', ''),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    fc.oneof(fc.constant(null), texts),
    fc.array(content, { minLength: 3, maxLength: 3 }),
  )
  .map(([functions, spoken, results]): JsonObject[] => [
    {
      role: 'assistant',
      content: spoken,
      tool_calls: functions.map((callee, index) => ({ id: `${index}`, type: 'function', function: callee })),
    },
    ...functions.map((_, index) => ({ role: 'tool', tool_call_id: `${index}`, content: results[index] })),
  ]);

const conversation = fc
  .array(fc.oneof(plainMessage, round), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.flatMap((messages, position) => messages.map((it) => withIds(it, position))));

function withIds(message: JsonObject, position: number): JsonObject {
  const { tool_calls: calls, tool_call_id: id } = message;
  return {
    ...message,
    ...(id !== undefined && { tool_call_id: `call_${position}_${id}` }),
    ...(calls !== undefined && {
      tool_calls: filterObjects(calls).map((call) => ({ ...call, id: `call_${position}_${call.id}` })),
    }),
  };
}

const schema = { type: 'object', properties: { n: { type: 'integer' } } };
const functionTool = fc.record(
  {
    description: fc.constantFrom('Looks', null),
    parameters: fc.constantFrom(schema, null),
    strict: fc.constantFrom(true, false, null),
  },
  { requiredKeys: [] },
);
const toolUse = fc
  .tuple(
    fc.array(functionTool, { minLength: 3, maxLength: 3 }),
    fc.constantFrom<unknown>(
      ...['auto', 'none', 'required', null],
      { type: 'function', function: { name: 'look' } },
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'go-1' } }] },
      },
    ),
    fc.constantFrom(true, false, null),
    fc.boolean(),
  )
  .map(([definitions, tool_choice, parallel_tool_calls, hasCustom]) => ({
    tools: [
      ...definitions.map((it, index) => ({ type: 'function', function: { name: toolNames[index], ...it } })),
      ...(hasCustom ? [{ type: 'custom', custom: { name: 'write', description: 'Writes' } }] : []),
      { type: 'web_search_preview' },
    ],
    tool_choice,
    parallel_tool_calls,
  }))
  // An allow-list leaves out all tools that it does not name.
  .map(({ tools, ...others }) =>
    objectOrEmpty(others.tool_choice).type === 'allowed_tools'
      ? { tools: tools.slice(0, 3), ...others }
      : { tools, ...others },
  );

const parameters = fc.record<JsonObject>(
  {
    max_tokens: fc.constantFrom(5, null),
    max_completion_tokens: fc.constantFrom(7, null),
    stop: fc.constantFrom('END', ['a', 'b'], [], null),
    temperature: fc.constantFrom(0, 1, 0.5),
    top_p: fc.constantFrom(0.1, 1),
    top_k: fc.constant(5),
    frequency_penalty: fc.constantFrom(0, -1.5),
    presence_penalty: fc.constantFrom(0, 2),
    seed: fc.nat(9),
    n: fc.constantFrom(1, 3),
    reasoning_effort: fc.constantFrom('none', 'high'),
    response_format: fc.constantFrom<JsonObject[]>(
      { type: 'text' },
      { type: 'json_object' },
      { type: 'json_schema', json_schema: { name: 's', schema } },
      { type: 'json_schema', json_schema: { name: 's', description: 'd', schema, strict: true } },
    ),
    user: fc.constant('u'),
    logit_bias: fc.constant({ '50256': -100 }),
    logprobs: fc.boolean(),
    top_logprobs: fc.constant(3),
    metadata: fc.constant({ team: 'a' }),
    modalities: fc.constant(['text', 'audio']),
    audio: fc.constant({ voice: 'alloy', format: 'wav' }),
    prediction: fc.constant({ type: 'content', content: 'x' }),
    prompt_cache_key: fc.constant('k'),
    prompt_cache_retention: fc.constant('24h'),
    service_tier: fc.constantFrom('auto', 'flex'),
    store: fc.boolean(),
    verbosity: fc.constantFrom('low', 'medium'),
    web_search_options: fc.constant({}),
    functions: fc.constant([{ name: 'f' }]),
    function_call: fc.constant('auto'),
    // A field outside of OpenAI's format.
    thinking: fc.constant({ type: 'enabled' }),
  },
  { requiredKeys: [] },
);

it('A chat request that is read into the neutral form and rendered again means the same', () => {
  fc.assert(
    fc.property(
      conversation,
      parameters,
      fc.oneof(toolUse, fc.constant({})),
      (messages, settings, tools: JsonObject) => {
        const body = { model: 'a-model', messages, ...settings, ...tools };
        expect(meaningOf(rendered(body))).toEqual(meaningOf(body));
      },
    ),
  );
});
