/** A tool loop of Codex: a request, the outputs of the calls of its response, and the text that follows. */
import { filterObjects, type JsonObject } from '#lambdas/platform/json/json.ts';
import type { TranslatedGateway, TranslatedResult } from '../messages/translated-gateway.ts';
import { imageData, type LoopOptions, type LoopResults, runLoop } from '../translation/tool-loop.ts';
import { responseProblems, streamProblems } from './schema.ts';

const schema = (name: string) => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
  additionalProperties: false,
});

const weather = {
  type: 'function',
  name: 'weather',
  description: 'Tells the weather',
  strict: false,
  parameters: schema('city'),
};
const write = {
  type: 'custom',
  name: 'write',
  description: 'Writes a note',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' },
};
const askAgent = {
  type: 'function',
  name: 'ask',
  description: 'Asks an agent',
  strict: false,
  parameters: schema('text'),
};

/** The request with what Codex sends: instructions in the input, all kinds of tools, and hints. */
export const loopRequest = {
  instructions: 'Be brief.',
  input: [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'You have a shell.' }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Where does it rain?' }] },
  ],
  tools: [
    weather,
    write,
    { type: 'namespace', name: 'agents', description: 'Other agents', tools: [askAgent] },
    { type: 'web_search', external_web_access: true },
  ],
  tool_choice: 'auto',
  reasoning: { effort: 'low', summary: 'auto' },
  store: false,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: 'session-1',
  client_metadata: { turn: '1' },
};

/** Each tool at the provider: its name there, its description, and the schema of its arguments. */
export const loopTools = [
  { name: 'weather', description: 'Tells the weather', schema: schema('city') },
  {
    name: 'write',
    description: 'Writes a note\n\nThe input must match this lark grammar:\nstart: /.+/',
    schema: {
      type: 'object',
      properties: { input: { type: 'string', description: 'The whole input of the tool, as text.' } },
      required: ['input'],
      additionalProperties: false,
    },
  },
  { name: 'agents__ask', description: 'Asks an agent', schema: schema('text') },
];

/** A response of the provider with reasoning, a text and three calls, whose ids are those of the provider. */
export const loopCompletion = {
  reasoning: 'It may rain',
  text: 'I look.',
  calls: [
    { id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' },
    { id: 'call_2', name: 'write', arguments: '{"input":"Wind: \\"5\\"\\n"}' },
    { id: 'call_3', name: 'agents__ask', arguments: '{"text":"Rome?"}' },
  ],
};

interface ItemsOptions {
  /** The encrypted content of the reasoning. `null` if the provider shows none. */
  reasoning: string | null;
  /** The encrypted content of reasoning without a summary before the calls, for what the provider has signed. */
  signed?: string;
}

/** The items of the response. */
export function loopItems(requestId: string, { reasoning, signed }: ItemsOptions): JsonObject[] {
  const { text, calls } = loopCompletion;
  const items = [
    ...(reasoning === null ? [] : [reasoningItem(loopCompletion.reasoning, reasoning)]),
    messageItem(text),
    ...(signed === undefined ? [] : [reasoningItem('', signed)]),
    callItem('call_1', { name: 'weather', arguments: calls[0]?.arguments }),
    {
      id: 'ctc_gateway_',
      type: 'custom_tool_call',
      status: 'completed',
      call_id: 'call_2',
      name: 'write',
      input: 'Wind: "5"\n',
    },
    callItem('call_3', { name: 'ask', namespace: 'agents', arguments: calls[2]?.arguments }),
  ];
  return items.map((item, index) => ({ ...item, id: `${item.id}${requestId}_${index}` }));
}

const reasoningItem = (text: string, encrypted: string) => ({
  id: 'rs_gateway_',
  type: 'reasoning',
  status: 'completed',
  summary: text === '' ? [] : [{ type: 'summary_text', text }],
  encrypted_content: encrypted,
});

const messageItem = (text: string) => ({
  id: 'msg_gateway_',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
});

const callItem = (callId: string, fields: JsonObject) => ({
  id: 'fc_gateway_',
  type: 'function_call',
  status: 'completed',
  call_id: callId,
  ...fields,
});

/** The problems of both responses, by OpenAI's schema and the order of events. */
export function loopProblems({ first, second }: LoopResults): string[] {
  return [first, second].flatMap(({ text, body, entry }) => [
    ...responseProblems(body),
    ...(entry.stream ? streamProblems(text) : []),
  ]);
}

/** Sends the items back as they are, with an output for each call, of which the first one has an image, and a question. */
export function runToolLoop(
  gateway: Pick<TranslatedGateway, 'ask'>,
  options: LoopOptions,
): Promise<LoopResults> {
  const next = (first: TranslatedResult) => ({ input: [...itemsAfter(first), userMessage('Go on.')] });
  return runLoop(gateway, options, { request: loopRequest, next });
}

export const userMessage = (text: string): JsonObject => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});

/** The conversation with the items of the first response, and the outputs of its calls. */
export function itemsAfter(first: TranslatedResult): JsonObject[] {
  const items = filterObjects(first.body.output);
  const image = { type: 'input_image', image_url: `data:image/png;base64,${imageData}`, detail: 'high' };
  const outputs = items
    .filter(({ type }) => type === 'function_call' || type === 'custom_tool_call')
    .map(({ type, call_id }, index) => ({
      type: `${type}_output`,
      call_id,
      output: index === 0 ? [{ type: 'input_text', text: 'Rain' }, image] : `Output ${index}`,
    }));
  return [...loopRequest.input, ...items, ...outputs];
}
