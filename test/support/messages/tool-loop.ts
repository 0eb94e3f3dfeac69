/** A tool loop of a coding agent: a request, the results of the calls of its response, and the text that follows. */
import { filterObjects, type JsonObject } from '#lambdas/platform/json/json.ts';
import { imageData, type LoopOptions, type LoopResults, runLoop } from '../translation/tool-loop.ts';
import type { TranslatedGateway, TranslatedResult } from './translated-gateway.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

/** The request with what agents send: instructions, cache breakpoints, thinking, a tool of Anthropic, and hints. */
export const loopRequest = {
  max_tokens: 4000,
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  messages: [{ role: 'user', content: 'Where does it rain?' }],
  tools: [
    { name: 'weather', description: 'Tells the weather', input_schema: schema },
    { type: 'web_search_20250305', name: 'web_search', max_uses: 8 },
  ],
  thinking: { type: 'enabled', budget_tokens: 2000 },
  context_management: { edits: [] },
};

export const loopSchema = schema;

/** A response with thinking, a text and two calls, whose ids are those of the provider. */
export const loopCompletion = {
  reasoning: 'It may rain',
  text: 'I look.',
  calls: [
    { id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' },
    { id: 'call_2', name: 'weather', arguments: '{"city":"Rome"}' },
  ],
};

export const toolUse = (id: string, city: string) => ({
  type: 'tool_use',
  id,
  name: 'weather',
  input: { city },
  caller: { type: 'direct' },
});

/** Sends the message back as it is, with a failed result that has an image, another one if there are two calls, and a question. */
export function runToolLoop(
  gateway: Pick<TranslatedGateway, 'ask'>,
  options: LoopOptions,
): Promise<LoopResults> {
  const next = (first: TranslatedResult) => ({ messages: messagesAfter(first) });
  return runLoop(gateway, options, { request: loopRequest, next });
}

function messagesAfter({ body: { content } }: TranslatedResult): JsonObject[] {
  const [oslo, rome] = filterObjects(content).filter(({ type }) => type === 'tool_use');
  const image = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: imageData },
  };
  const results = [
    {
      type: 'tool_result',
      tool_use_id: oslo?.id,
      content: [{ type: 'text', text: 'No station' }, image],
      is_error: true,
    },
    ...(rome === undefined ? [] : [{ type: 'tool_result', tool_use_id: rome.id, content: 'Rain' }]),
    { type: 'text', text: 'Go on.' },
  ];
  return [...loopRequest.messages, { role: 'assistant', content }, { role: 'user', content: results }];
}
