import { describe, expect, it } from 'vitest';
import { readResponses, refusalOf } from '#test/support/responses/read.ts';

const path = 'input[0].content';
const png = 'data:image/png;base64,iVBORw0KGgo=';
const pdf = 'data:application/pdf;base64,JVBERi0=';

const partsOf = (...content: unknown[]) => {
  const [turn] = readResponses({ input: [{ role: 'user', content }] }).turns;
  return turn?.role === 'user' ? turn.parts : [];
};
const media = (medium: string, source: object, fields: object = {}) => ({
  type: 'media',
  medium,
  source,
  filename: null,
  detail: null,
  cacheControl: null,
  param: `${path}[0]`,
  ...fields,
});
const base64 = (mediaType: string, data: string) => ({ kind: 'base64', mediaType, data });
const url = (value: string) => ({ kind: 'url', url: value });

describe('A part of the content', () => {
  it.each<[part: object, read: object]>([
    [{ type: 'input_image', image_url: png }, media('image', base64('image/png', 'iVBORw0KGgo='))],
    [
      { type: 'input_image', image_url: 'https://x.example/y.png', detail: 'high' },
      media('image', url('https://x.example/y.png'), { detail: 'high' }),
    ],
    [
      { type: 'input_image', image_url: png, file_id: null, detail: null },
      media('image', base64('image/png', 'iVBORw0KGgo=')),
    ],
    [
      { type: 'input_file', file_data: pdf, filename: 'plan.pdf' },
      media('document', base64('application/pdf', 'JVBERi0='), { filename: 'plan.pdf' }),
    ],
    [
      { type: 'input_file', file_url: 'https://x.example/plan.pdf' },
      media('document', url('https://x.example/plan.pdf')),
    ],
    // The content itself goes before the reference.
    [
      { type: 'input_file', file_data: pdf, file_url: 'https://x.example', file_id: 'file_1' },
      media('document', base64('application/pdf', 'JVBERi0=')),
    ],
    [
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
      media('audio', base64('audio/wav', 'UklGRg==')),
    ],
    [{ type: 'input_file', file_data: png }, media('image', base64('image/png', 'iVBORw0KGgo='))],
  ])('%j is read', (part, read) => {
    expect(partsOf(part)).toEqual([read]);
  });

  it.each([
    [{ type: 'input_text', text: 'Hi' }],
    [{ type: 'output_text', text: 'Hi', annotations: [], logprobs: [] }],
    [{ type: 'text', text: 'Hi' }],
    [{ type: 'summary_text', text: 'Hi' }],
    [{ type: 'reasoning_text', text: 'Hi' }],
    [{ type: 'refusal', refusal: 'Hi' }],
  ])('%j is text', (part) => {
    expect(partsOf(part)).toEqual([{ type: 'text', text: 'Hi', cacheControl: null, param: `${path}[0]` }]);
  });

  it('stays in its order, and is left out without text', () => {
    expect(
      partsOf(
        { type: 'input_text', text: 'One' },
        { type: 'input_text', text: '' },
        { type: 'input_image', image_url: png },
        { type: 'input_text', text: 'Two' },
      ),
    ).toMatchObject([
      { text: 'One', param: `${path}[0]` },
      { medium: 'image', param: `${path}[2]` },
      { text: 'Two', param: `${path}[3]` },
    ]);
  });

  it.each<[part: unknown, param: string]>([
    [5, '[0]'],
    [{}, '[0].type'],
    [{ type: 'input_video', video_url: 'https://x.example' }, '[0].type'],
    [{ type: 'input_text' }, '[0].text'],
    [{ type: 'refusal', text: 'No' }, '[0].refusal'],
    [{ type: 'input_image' }, '[0].image_url'],
    [{ type: 'input_image', image_url: { url: png } }, '[0].image_url'],
    [{ type: 'input_image', image_url: 'data:image/png,x' }, '[0].image_url'],
    [{ type: 'input_image', image_url: png, detail: 5 }, '[0].detail'],
    [{ type: 'input_file' }, '[0].file_data'],
    [{ type: 'input_file', file_data: pdf, filename: 5 }, '[0].filename'],
    [{ type: 'input_audio' }, '[0].input_audio'],
    [{ type: 'input_audio', input_audio: { format: 'wav' } }, '[0].input_audio.data'],
  ])('%j is refused', (part, param) => {
    expect(refusalOf({ input: [{ role: 'user', content: [part] }] })).toMatchObject({
      code: 'invalid_request_error',
      param: `${path}${param}`,
    });
  });

  it.each([
    [{ type: 'input_image', file_id: 'file_1' }, 'image_url'],
    [{ type: 'input_file', file_id: 'file_1' }, 'file_data'],
  ])('%j names a file of another provider', (part, field) => {
    expect(refusalOf({ input: [{ role: 'user', content: [part] }] })).toEqual({
      code: 'unsupported_parameter',
      param: `${path}[0].file_id`,
      message: `${path}[0].file_id names a file that this provider does not have: send ${field} instead`,
    });
  });

  it.each(['assistant', 'system', 'developer'])('is only text in a message of the role %s', (role) => {
    const content = [
      { type: 'input_text', text: 'Hi' },
      { type: 'input_image', image_url: png },
    ];
    expect(refusalOf({ input: [{ role, content }] })).toMatchObject({
      code: 'invalid_request_error',
      param: `${path}[1]`,
    });
  });

  it('can be an image in the output of a call', () => {
    const { turns } = readResponses({
      input: [
        { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' },
        {
          type: 'function_call_output',
          call_id: 'a',
          output: [
            { type: 'input_image', image_url: png, detail: 'high' },
            { type: 'input_file', file_data: pdf },
            { type: 'input_text', text: 'See' },
          ],
        },
      ],
    });
    expect(turns[1]).toMatchObject({
      toolResults: [
        {
          parts: [
            { medium: 'image', detail: 'high', param: 'input[1].output[0]' },
            { medium: 'document', param: 'input[1].output[1]' },
            { type: 'text', text: 'See', param: 'input[1].output[2]' },
          ],
        },
      ],
    });
  });
});
