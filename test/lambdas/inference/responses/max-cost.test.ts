/** The upper bound of what a Responses request can cost, for hard budgets. */
import { describe, expect, it } from 'vitest';
import { measureMaxCost } from '#lambdas/inference/completion/max-cost.ts';
import { responsesFormat } from '#lambdas/inference/responses/attachments.ts';
import { looseJson, looseObject } from '#lambdas/platform/json/loose-json.ts';

const attachmentsIn = (body: string | object) =>
  [
    ...responsesFormat.listAttachments(
      looseObject(looseJson(typeof body === 'string' ? body : JSON.stringify(body))),
    ),
  ].map(({ medium, data }) => [medium, data]);

const withItems = (...input: unknown[]) => ({ input });
const withContent = (...content: unknown[]) => withItems({ role: 'user', content });
const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA' };
const file = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' };

describe('The attachments of a Responses request', () => {
  it.each<[string, string | object, [string, string][]]>([
    ['text', { input: 'input_image' }, []],
    ['an image', withContent(image), [['image', image.image_url]]],
    ['a file', withContent(file), [['document', file.file_data]]],
    ['an uploaded file', withContent({ type: 'input_file', file_id: 'file_1' }), [['document', '']]],
    [
      'a recording',
      withContent({ type: 'input_audio', input_audio: { data: 'CCCC', format: 'wav' } }),
      [['audio', 'CCCC']],
    ],
    [
      'the result of a function',
      withItems({ type: 'function_call_output', output: [image, file] }),
      [
        ['image', image.image_url],
        ['document', file.file_data],
      ],
    ],
    [
      'the screen of a computer',
      withItems({
        type: 'computer_call_output',
        output: { type: 'computer_screenshot', image_url: 'https://x' },
      }),
      [['image', 'https://x']],
    ],
    [
      'a generated image',
      withItems({ type: 'image_generation_call', id: 'ig_1', result: 'DDDD' }),
      [['image', 'DDDD']],
    ],
    [
      'a type in another case, which only some servers know',
      withContent({ ...image, type: 'Input_Image' }),
      [['image', '']],
    ],
    [
      'data that are given twice',
      '{"input":[{"content":[{"type":"input_image","image_url":"a","image_url":"b"}]}]}',
      [['image', '']],
    ],
    [
      'input that is given twice',
      '{"input":[{"content":[{"type":"input_image","image_url":"a"}]}],"Input":[{"content":[{"type":"input_image"}]}]}',
      [
        ['image', ''],
        ['image', ''],
      ],
    ],
  ])('are found in %s', (_, body, attachments) => {
    expect(attachmentsIn(body)).toEqual(attachments);
  });
});

it('A request counts with its bytes, but without its attachments, and with the options that change prices', () => {
  const text = JSON.stringify({
    service_tier: 'priority',
    instructions: 'audio',
    tools: [{ type: 'function', name: 'flex' }],
    prompt_cache_options: { ttl: '12h' },
    ...withContent(image),
  });

  expect(measureMaxCost(text, responsesFormat)).toEqual({
    textBytes: Buffer.byteLength(text) - image.image_url.length,
    attachments: { image: 1, audio: 0, video: 0, document: 0 },
    serviceTier: 'priority',
    optionsText: '[["service_tier","priority"],["prompt_cache_options",{"ttl":"12h"}]]',
    withAudio: false,
    withImages: true,
    withCaching: true,
    withOutput: true,
  });
});
