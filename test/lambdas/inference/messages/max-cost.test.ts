/** The upper bound of what a Messages request can cost, for hard budgets. */
import { describe, expect, it } from 'vitest';
import { measureMaxCost } from '#lambdas/inference/completion/max-cost.ts';
import { messagesFormat } from '#lambdas/inference/messages/attachments.ts';
import { looseJson, looseObject } from '#lambdas/platform/json/loose-json.ts';

const attachmentsIn = (body: string | object) =>
  [
    ...messagesFormat.listAttachments(
      looseObject(looseJson(typeof body === 'string' ? body : JSON.stringify(body))),
    ),
  ].map(({ medium, data }) => [medium, data]);

const withContent = (...content: unknown[]) => ({ messages: [{ role: 'user', content }] });
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'BBBB' } };

describe('The attachments of a Messages request', () => {
  it.each<[string, string | object, [string, string][]]>([
    ['an image', withContent(image), [['image', 'AAAA']]],
    ['a document', withContent(pdf), [['document', 'BBBB']]],
    [
      'a URL',
      withContent({ type: 'image', source: { type: 'url', url: 'https://x.test' } }),
      [['image', 'https://x.test']],
    ],
    [
      'an uploaded file',
      withContent({ type: 'document', source: { type: 'file', file_id: 'file_1' } }),
      [['document', '']],
    ],
    [
      'a tool result',
      withContent({ type: 'tool_result', content: [image, pdf] }),
      [
        ['image', 'AAAA'],
        ['document', 'BBBB'],
      ],
    ],
    [
      'the content of a document',
      withContent({ type: 'document', source: { type: 'content', content: [image] } }),
      [['image', 'AAAA']],
    ],
    ['the system prompt', { system: [image], messages: [] }, [['image', 'AAAA']]],
    [
      'text, whose bytes count',
      withContent(
        { type: 'document', source: { type: 'text', data: 'long' } },
        { type: 'text', text: 'image' },
      ),
      [],
    ],
    [
      'a type in another case, which only some servers know',
      withContent({ ...image, type: 'Image' }),
      [['image', '']],
    ],
    [
      'a source that is given twice',
      '{"messages":[{"content":[{"type":"image","source":{"type":"url","url":"a"},"source":{"type":"url","url":"b"}}]}]}',
      [['image', '']],
    ],
    [
      'messages that are given twice',
      '{"messages":[{"content":[{"type":"image","source":{"type":"url","url":"a"}}]}],"Messages":[{"content":[{"type":"image"}]}]}',
      [
        ['image', ''],
        ['image', ''],
      ],
    ],
  ])('are found in %s', (_, body, attachments) => {
    expect(attachmentsIn(body)).toEqual(attachments);
  });
});

describe('measureMaxCost', () => {
  it('counts the bytes of a request without its attachments, and finds the options that change prices', () => {
    const text = JSON.stringify({
      speed: 'fast',
      service_tier: 'auto',
      tools: [{ name: 'priority' }],
      ...withContent(image),
    });

    expect(measureMaxCost(text, messagesFormat)).toEqual({
      textBytes: Buffer.byteLength(text) - 4,
      attachments: { image: 1, audio: 0, video: 0, document: 0 },
      serviceTier: 'auto',
      optionsText: '[["speed","fast"],["service_tier","auto"]]',
      withAudio: false,
      withImages: true,
      withCaching: false,
      withOutput: true,
    });
  });

  it('finds marks for the cache anywhere', () => {
    const cached = withContent({ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', ttl: '1h' } });

    expect(measureMaxCost(JSON.stringify(cached), messagesFormat).withCaching).toBe(true);
  });
});
