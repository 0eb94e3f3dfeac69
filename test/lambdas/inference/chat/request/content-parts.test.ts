import { describe, expect, it } from 'vitest';
import { readContent } from '#lambdas/inference/chat/request/content-parts.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';

const param = 'messages[2].content';
const read = (...parts: unknown[]) => readContent(parts, param, null);

function thrownError(work: () => unknown) {
  try {
    work();
  } catch (error) {
    if (error instanceof GatewayError)
      return { code: error.code, param: error.param, message: error.message };
    throw error;
  }
  return null;
}

const text = (value: string, overrides = {}) => ({
  type: 'text',
  text: value,
  cacheControl: null,
  param: `${param}[0]`,
  ...overrides,
});

const media = (overrides: object) => ({
  type: 'media',
  filename: null,
  detail: null,
  cacheControl: null,
  param: `${param}[0]`,
  ...overrides,
});

describe('readContent', () => {
  it.each([null, undefined, ''])('reads content %j as no parts', (content) => {
    expect(readContent(content, param, { type: 'ephemeral' })).toEqual([]);
  });

  it('reads a string as one part with the cache_control of its message', () => {
    const cacheControl = { type: 'ephemeral' };
    expect(readContent('Hi', param, cacheControl)).toEqual([text('Hi', { cacheControl, param })]);
  });

  it.each([5, true, { type: 'text', text: 'Hi' }])('rejects content %j', (content) => {
    expect(thrownError(() => readContent(content, param, null))).toEqual({
      code: 'invalid_request_error',
      param,
      message: 'messages[2].content must be a string or an array of content parts',
    });
  });

  it('keeps the order and the path of each part', () => {
    const parts = read(
      { type: 'text', text: 'a' },
      { type: 'refusal', refusal: 'b' },
      { type: 'text', text: 'c' },
    );
    expect(parts).toEqual([
      text('a'),
      text('b', { param: `${param}[1]` }),
      text('c', { param: `${param}[2]` }),
    ]);
  });
});

describe('readContent with cache_control', () => {
  const short = { type: 'ephemeral' };
  const long = { type: 'ephemeral', ttl: '1h' };
  const readCacheControls = (content: unknown, messageCacheControl: Record<string, unknown> | null) =>
    readContent(content, param, messageCacheControl).map(({ cacheControl }) => cacheControl);

  it('keeps cache_control of a part, and moves that of the message to the last part', () => {
    const parts = [
      { type: 'text', text: 'a', cache_control: long },
      { type: 'text', text: 'b' },
    ];
    expect(readCacheControls(parts, null)).toEqual([long, null]);
    expect(readCacheControls(parts, short)).toEqual([long, short]);
  });

  it('prefers cache_control of a part over that of the message', () => {
    expect(readCacheControls([{ type: 'text', text: 'a', cache_control: long }], short)).toEqual([long]);
  });

  it('moves cache_control of an empty text to the previous part, unless that has its own', () => {
    const empty = { type: 'text', text: '', cache_control: long };
    expect(readCacheControls([{ type: 'text', text: 'a' }, empty], null)).toEqual([long]);
    expect(readCacheControls([{ type: 'text', text: 'a', cache_control: short }, empty], null)).toEqual([
      short,
    ]);
    expect(readCacheControls([empty], null)).toEqual([]);
  });

  it('reads cache_control of media, and null as none', () => {
    const image = { type: 'image_url', image_url: { url: 'https://x.example/y.png' } };
    expect(
      readCacheControls(
        [
          { ...image, cache_control: short },
          { ...image, cache_control: null },
        ],
        null,
      ),
    ).toEqual([short, null]);
  });

  it.each(['ephemeral', true, []])('rejects cache_control %j', (cacheControl) => {
    expect(thrownError(() => read({ type: 'text', text: 'a', cache_control: cacheControl }))).toMatchObject({
      param: `${param}[0].cache_control`,
    });
  });
});

describe('readContent parts', () => {
  it.each([
    [{ type: 'text', text: 'Hé 🙂' }, text('Hé 🙂')],
    [{ type: 'text', text: ' ' }, text(' ')],
    [{ type: 'refusal', refusal: 'No' }, text('No')],
    [
      { type: 'image_url', image_url: { url: 'https://x.example/y.png?a=b,c', detail: 'low' } },
      media({
        medium: 'image',
        source: { kind: 'url', url: 'https://x.example/y.png?a=b,c' },
        detail: 'low',
      }),
    ],
    [
      { type: 'image_url', image_url: { url: 'HTTP://x.example' } },
      media({ medium: 'image', source: { kind: 'url', url: 'HTTP://x.example' } }),
    ],
    [
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
      media({ medium: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'iVBO' } }),
    ],
    [
      { type: 'image_url', image_url: { url: 'DATA:image/PNG;name=a%20b.png;charset=x;BASE64,iV,BO' } },
      media({ medium: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'iV,BO' } }),
    ],
    [
      { type: 'image_url', image_url: { url: 'data:image/svg+xml;base64,' } },
      media({ medium: 'image', source: { kind: 'base64', mediaType: 'image/svg+xml', data: '' } }),
    ],
    [
      { type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } },
      media({ medium: 'video', source: { kind: 'base64', mediaType: 'video/mp4', data: 'AAAA' } }),
    ],
    [
      { type: 'video_url', video_url: { url: 'https://video.example/v' } },
      media({ medium: 'video', source: { kind: 'url', url: 'https://video.example/v' } }),
    ],
    [
      { type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } },
      media({ medium: 'audio', source: { kind: 'base64', mediaType: 'audio/wav', data: 'UklG' } }),
    ],
    [
      { type: 'input_audio', input_audio: { data: 'UklG', format: 'constructor' } },
      media({ medium: 'audio', source: { kind: 'base64', mediaType: 'audio/constructor', data: 'UklG' } }),
    ],
    [
      { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' } },
      media({
        medium: 'document',
        source: { kind: 'base64', mediaType: 'application/pdf', data: 'JVBE' },
        filename: 'a.pdf',
      }),
    ],
    [
      { type: 'file', file: { file_data: 'https://x.example/a.pdf', filename: null, file_id: null } },
      media({ medium: 'document', source: { kind: 'url', url: 'https://x.example/a.pdf' } }),
    ],
    [
      { type: 'file', file: { file_data: 'data:image/png;base64,iVBO', file_id: 'file-1' } },
      media({ medium: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'iVBO' } }),
    ],
    [
      { type: 'file', file: { file_data: 'data:audio/mpeg;base64,SUQz' } },
      media({ medium: 'audio', source: { kind: 'base64', mediaType: 'audio/mpeg', data: 'SUQz' } }),
    ],
    [
      { type: 'file', file: { file_data: 'data:video/mp4;base64,AAAA' } },
      media({ medium: 'video', source: { kind: 'base64', mediaType: 'video/mp4', data: 'AAAA' } }),
    ],
  ])('reads the part %j', (part, expected) => {
    expect(read(part)).toEqual([expected]);
  });

  const image = (url: unknown) => ({ type: 'image_url', image_url: { url } });
  it.each<[unknown, string]>([
    [null, ''],
    ['Hi', ''],
    [[], ''],
    [{}, '.type'],
    [{ type: 'tool_result' }, '.type'],
    [{ type: '__proto__' }, '.type'],
    [{ type: 'text' }, '.text'],
    [{ type: 'text', text: null }, '.text'],
    [{ type: 'text', text: { value: 'a' } }, '.text'],
    [{ type: 'refusal', text: 'a' }, '.refusal'],
    [{ type: 'image_url' }, '.image_url'],
    [{ type: 'image_url', image_url: 'https://x.example/y.png' }, '.image_url'],
    [{ type: 'image_url', image_url: {} }, '.image_url.url'],
    [{ type: 'image_url', image_url: { url: 'https://x.example', detail: 1 } }, '.image_url.detail'],
    [image(5), '.image_url.url'],
    [image(''), '.image_url.url'],
    [image('ftp://x.example/y.png'), '.image_url.url'],
    [image('file:///etc/passwd'), '.image_url.url'],
    [image('/y.png'), '.image_url.url'],
    [image('iVBORw0KGgo='), '.image_url.url'],
    [image(' https://x.example'), '.image_url.url'],
    [image('data:image/png,iVBO'), '.image_url.url'],
    [image('data:image/png;base64'), '.image_url.url'],
    [image('data:;base64,iVBO'), '.image_url.url'],
    [image('data:png;base64,iVBO'), '.image_url.url'],
    [image('data:image/png;base64;name=x,iVBO'), '.image_url.url'],
    [image(`data:image/png;name=${'x'.repeat(1000)};base64,iVBO`), '.image_url.url'],
    [{ type: 'video_url' }, '.video_url'],
    [{ type: 'video_url', video_url: { url: 'x' } }, '.video_url.url'],
    [{ type: 'input_audio' }, '.input_audio'],
    [{ type: 'input_audio', input_audio: { data: 'x' } }, '.input_audio.format'],
    [{ type: 'input_audio', input_audio: { format: 'wav' } }, '.input_audio.data'],
    [{ type: 'file' }, '.file'],
    [{ type: 'file', file: {} }, '.file.file_data'],
    [{ type: 'file', file: { file_data: 'JVBE' } }, '.file.file_data'],
    [{ type: 'file', file: { file_data: 'https://x.example', filename: 1 } }, '.file.filename'],
  ])('rejects the part %j with param suffix %j', (part, path) => {
    expect(thrownError(() => read({ type: 'text', text: 'a' }, part))).toMatchObject({
      code: 'invalid_request_error',
      param: `messages[2].content[1]${path}`,
    });
  });

  it('rejects a file_id as unsupported', () => {
    expect(thrownError(() => read({ type: 'file', file: { file_id: 'file-1' } }))).toEqual({
      code: 'unsupported_parameter',
      param: 'messages[2].content[0].file.file_id',
      message:
        'messages[2].content[0].file.file_id names a file that this provider does not have: send file_data instead',
    });
  });
});

describe('readContent with a 6 MB data URL', () => {
  /** As long as the largest request. Built as a Buffer, because V8 flattens concatenated strings only on first read. */
  const largeUrl = (before: string, filling: string, after = '') => {
    const bytes = Buffer.alloc(6_000_000, filling);
    bytes.write(before);
    bytes.write(after, bytes.length - after.length);
    return bytes.toString('latin1');
  };

  it.each([
    ['of valid data', largeUrl('data:image/png;base64,', 'A')],
    ['without a comma', largeUrl('data:image/png;base64', 'A')],
    ['with an endless media type', largeUrl('data:', 'A', ',A')],
    ['with a media type of slashes', largeUrl('data:', '/', ',A')],
    ['of empty parameters', largeUrl('data:image/png', ';', ';base64,A')],
    ['of parameters', largeUrl('data:image/png', ';a', ';base64,A')],
    ['of commas', largeUrl('data:image/png', ',', ';base64,A')],
    ['without a scheme', largeUrl('', 'A')],
  ])('reads a URL %s in linear time', (_, url) => {
    const start = performance.now();
    thrownError(() => read({ type: 'image_url', image_url: { url } }));
    // Quadratic time would take hours, also on a fast machine; linear time takes milliseconds, also on a busy one.
    expect(performance.now() - start).toBeLessThan(30_000);
  });

  it('keeps every byte of its data', () => {
    const url = largeUrl('data:image/png;base64,', 'A');
    const [part] = read({ type: 'image_url', image_url: { url } });
    const source = part?.type === 'media' ? part.source : null;
    expect(source?.kind === 'base64' && source.data === url.slice(22)).toBe(true);
  });
});
