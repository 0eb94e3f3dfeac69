import { describe, expect, it } from 'vitest';
import { readMessages, refusalOf } from '#test/support/messages/read.ts';

const ephemeral = { type: 'ephemeral', ttl: '1h' };
const path = 'messages.0.content';

const userParts = (...content: unknown[]) => {
  const [turn] = readMessages({ messages: [{ role: 'user', content }] }).turns;
  return turn?.role === 'user' ? turn.parts : [];
};
const refusal = (block: unknown) => refusalOf({ messages: [{ role: 'user', content: [block] }] });

const text = (value: string, at: number, fields: object = {}) => ({
  type: 'text',
  text: value,
  cacheControl: null,
  param: `${path}.${at}`,
  ...fields,
});
const media = (medium: string, source: object, at: number, fields: object = {}) => ({
  type: 'media',
  medium,
  source,
  filename: null,
  detail: null,
  cacheControl: null,
  param: `${path}.${at}`,
  ...fields,
});

describe('The content of a user message', () => {
  it('is a text', () => {
    expect(readMessages({ messages: [{ role: 'user', content: 'Hi' }] }).turns).toEqual([
      {
        role: 'user',
        toolResults: [],
        parts: [{ type: 'text', text: 'Hi', cacheControl: null, param: path }],
      },
    ]);
  });

  it('is a list of texts and images, with their cache breakpoints', () => {
    const image = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
    expect(
      userParts(
        { type: 'text', text: 'Look', cache_control: ephemeral },
        { type: 'image', source: image, cache_control: ephemeral },
        { type: 'image', source: { type: 'url', url: 'https://x.example/y.png' }, cache_control: null },
      ),
    ).toEqual([
      text('Look', 0, { cacheControl: ephemeral }),
      media('image', { kind: 'base64', mediaType: 'image/png', data: 'iVBORw0KGgo=' }, 1, {
        cacheControl: ephemeral,
      }),
      media('image', { kind: 'url', url: 'https://x.example/y.png' }, 2),
    ]);
  });

  it('has the type that the bytes of an image show', () => {
    const source = { type: 'base64', media_type: 'IMAGE/PNG', data: '/9j/4AAQ' };
    expect(userParts({ type: 'image', source })).toEqual([
      media('image', { kind: 'base64', mediaType: 'image/jpeg', data: '/9j/4AAQ' }, 0),
    ]);
  });

  it('has documents with their titles', () => {
    const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0x' };
    expect(
      userParts(
        { type: 'document', source: pdf, title: 'Report', citations: { enabled: true } },
        { type: 'document', source: { type: 'url', url: 'https://x.example/y.pdf' } },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Grüße' }, title: '' },
      ),
    ).toEqual([
      media('document', { kind: 'base64', mediaType: 'application/pdf', data: 'JVBERi0x' }, 0, {
        filename: 'Report',
      }),
      media('document', { kind: 'url', url: 'https://x.example/y.pdf' }, 1),
      media('document', { kind: 'base64', mediaType: 'text/plain', data: 'R3LDvMOfZQ==' }, 2, {
        filename: null,
      }),
    ]);
  });

  it('has the context of a document before it', () => {
    const source = { type: 'url', url: 'https://x.example/y.pdf' };
    expect(userParts({ type: 'document', source, title: 'Report', context: 'Of 2025' })).toEqual([
      text('Of 2025', 0),
      media('document', { kind: 'url', url: source.url }, 0, { filename: 'Report' }),
    ]);
  });

  it('has the blocks of a document in its place, after its title and its context', () => {
    const document = (content: unknown) => ({
      type: 'document',
      source: { type: 'content', content },
      title: 'Report',
      context: 'Of 2025',
      cache_control: ephemeral,
    });
    const inner = [
      { type: 'text', text: 'One' },
      { type: 'image', source: { type: 'url', url: 'https://x.example/y.png' } },
    ];
    const heading = (at: number) => [text('Report', at), text('Of 2025', at)];
    expect(userParts(document(inner), document('Two'))).toEqual([
      ...heading(0),
      { ...text('One', 0), param: `${path}.0.source.content.0` },
      {
        ...media('image', { kind: 'url', url: 'https://x.example/y.png' }, 0),
        param: `${path}.0.source.content.1`,
        cacheControl: ephemeral,
      },
      ...heading(1),
      { ...text('Two', 1), param: `${path}.1.source.content`, cacheControl: ephemeral },
    ]);
  });

  it('has search results as text', () => {
    expect(
      userParts({
        type: 'search_result',
        title: 'Manual',
        source: 'https://x.example/manual',
        content: [{ type: 'text', text: 'Press the button.' }],
        cache_control: ephemeral,
      }),
    ).toEqual([
      text('Manual', 0),
      text('https://x.example/manual', 0),
      {
        ...text('Press the button.', 0),
        param: `${path}.0.content.0`,
        cacheControl: ephemeral,
      },
    ]);
  });

  it('has no empty text, whose breakpoint moves to the part before it', () => {
    expect(
      userParts({ type: 'text', text: 'Hi' }, { type: 'text', text: '', cache_control: ephemeral }),
    ).toEqual([text('Hi', 0, { cacheControl: ephemeral })]);
    expect(readMessages({ messages: [{ role: 'user', content: '' }] }).turns).toEqual([
      { role: 'user', toolResults: [], parts: [] },
    ]);
  });

  it.each([
    [5, `${path}.0`],
    [{}, `${path}.0.type`],
    [{ type: 'text' }, `${path}.0.text`],
    [{ type: 'text', text: 'Hi', cache_control: 'ephemeral' }, `${path}.0.cache_control`],
    [{ type: 'image' }, `${path}.0.source`],
    [{ type: 'image', source: {} }, `${path}.0.source.type`],
    [
      { type: 'image', source: { type: 'text', media_type: 'text/plain', data: '' } },
      `${path}.0.source.type`,
    ],
    [{ type: 'image', source: { type: 'base64', data: '' } }, `${path}.0.source.media_type`],
    [{ type: 'image', source: { type: 'base64', media_type: 'image/png' } }, `${path}.0.source.data`],
    [{ type: 'image', source: { type: 'url' } }, `${path}.0.source.url`],
    [{ type: 'document', source: { type: 'text' } }, `${path}.0.source.data`],
    [{ type: 'document', source: { type: 'content', content: 5 } }, `${path}.0.source.content`],
    [{ type: 'document', source: { type: 'url', url: 'x' }, title: 5 }, `${path}.0.title`],
    [{ type: 'document', source: { type: 'url', url: 'x' }, context: 5 }, `${path}.0.context`],
    [{ type: 'search_result', title: 'x' }, `${path}.0.source`],
    [{ type: 'tool_reference' }, `${path}.0.tool_name`],
  ])('is refused with %j', (block, param) => {
    expect(refusal(block)).toMatchObject({ code: 'invalid_request_error', param });
  });

  it('names the sources that a block can have', () => {
    expect(refusal({ type: 'image', source: { type: 'data' } }).message).toBe(
      'messages.0.content.0.source.type must be one of base64, url',
    );
    expect(refusal({ type: 'document', source: { type: 'data' } }).message).toBe(
      'messages.0.content.0.source.type must be one of base64, url, text, content',
    );
  });

  it.each(['image', 'document'])('is refused with an uploaded file as %s', (type) => {
    expect(refusal({ type, source: { type: 'file', file_id: 'file_1' } })).toEqual({
      code: 'unsupported_parameter',
      param: 'messages.0.content.0.source.file_id',
      message:
        'messages.0.content.0.source.file_id names a file that this provider does not have: send its content instead',
    });
  });

  it.each(['container_upload', 'thinking', 'tool_use'])('is refused with a block of the type %s', (type) => {
    expect(refusal({ type })).toEqual({
      code: 'unsupported_parameter',
      param: 'messages.0.content.0.type',
      message: `messages.0.content.0.type is ${type}, which this provider does not support here`,
    });
  });
});
