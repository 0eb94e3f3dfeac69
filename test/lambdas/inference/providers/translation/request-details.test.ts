import { expect, it } from 'vitest';
import { detailsOf, readCompletionRequest } from '#lambdas/inference/providers/translation/request.ts';

const mark = { cache_control: { type: 'ephemeral' } };
const tool = { type: 'function', function: { name: 'look' } };
const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } };
const png = 'data:image/png;base64,iVBORw0KGgo=';
const image = (detail?: string) => ({ type: 'image_url', image_url: { url: png, detail } });
const file = (filename?: string) => ({ type: 'file', file: { filename, file_data: png } });
const user = (...content: object[]) => ({ role: 'user', content });
const result = (...content: object[]) => ({ role: 'tool', tool_call_id: 'a', content });
const none = {
  imageDetail: false,
  filenames: false,
  drawnImages: false,
  cacheMarks: { inMessages: false, inTools: false },
};
const inMessages = { cacheMarks: { inMessages: true, inTools: false } };

it.each<[string, object[], object]>([
  ['nothing', [user(image('auto'), image(), file()), { role: 'assistant', tool_calls: [call] }], {}],
  ['an image of a resolution', [user(image('low'))], { imageDetail: true }],
  ['such an image of a tool', [result(image('high'))], { imageDetail: true }],
  ['the name of a file', [user(file('a.png'))], { filenames: true }],
  ['what a model drew', [{ role: 'assistant', content: 'Here', images: [image()] }], { drawnImages: true }],
  ['a mark in the system prompt', [{ role: 'system', content: 'Hi', ...mark }], inMessages],
  ['a mark on a part', [user({ type: 'text', text: 'Hi', ...mark })], inMessages],
  ['a mark on an answer', [{ role: 'assistant', content: 'Hi', ...mark }], inMessages],
  ['a mark on a call', [{ role: 'assistant', tool_calls: [{ ...call, ...mark }] }], inMessages],
  ['a mark on a result', [{ ...result(), ...mark }], inMessages],
])('the details of a request are %s', (_, messages, found) => {
  expect(detailsOf(readCompletionRequest({ messages }))).toEqual({ ...none, ...found });
});

it('a mark on a tool is told apart', () => {
  const request = readCompletionRequest({ messages: [], tools: [{ ...tool, ...mark }] });

  expect(detailsOf(request)).toEqual({ ...none, cacheMarks: { inMessages: false, inTools: true } });
});
