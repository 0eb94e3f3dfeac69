import { describe, expect, it } from 'vitest';
import { requestIdOf, retryAfterMsOf, retryAfterOf } from '#lambdas/inference/providers/http/headers.ts';

describe('requestIdOf', () => {
  it.each([
    [{ 'x-id': 'req_1' }, 'req_1'],
    [{ 'x-id': ' req 1 ' }, 'req 1'],
    [{ 'x-best': 'b', 'x-id': 'req_1' }, 'b'],
    [{ 'x-best': 'é', 'x-id': 'req_1' }, 'req_1'],
    [{ 'x-best': '', 'x-id': 'req_1' }, 'req_1'],
    [{ 'x-id': 'a'.repeat(129) }, 'a'.repeat(128)],
    [{ 'x-id': 'a\tb' }, null],
    [{ 'x-id': 'a\u007f' }, null],
    [{ 'x-id': 'a\nb' }, null],
    [{ 'x-id': '  ' }, null],
    [{ 'x-other': 'req_1' }, null],
    [{ 'x-id': 'for sk-1' }, 'for ****'],
    [{ 'x-id': `${'a'.repeat(126)}sk-1` }, `${'a'.repeat(126)}**`],
  ])('reads the request id of %j as %j', (headers, id) => {
    expect(requestIdOf(headers, ['x-best', 'x-id'], 'sk-1')).toBe(id);
  });
});

describe('retryAfterOf', () => {
  it.each([
    ['7', '7'],
    [' 7 ', '7'],
    ['0', '0'],
    ['0.25', '1'],
    ['34.4', '35'],
    ['999999999', '999999999'],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 'Wed, 21 Oct 2026 07:28:00 GMT'],
  ])('normalizes retry-after %j to %j', (text, retryAfter) => {
    expect(retryAfterOf(text)).toBe(retryAfter);
  });

  it.each([
    undefined,
    '',
    '-1',
    '1e9',
    '7s',
    '7, 8',
    '1234567890',
    'soon',
    '2026-10-21T07:28:00Z',
    'Wed, 21 Oct 2026 07:28:00 GMT\r\nset-cookie: a',
    'Wed, 21 Oct 2026 07:28:00 CET',
  ])('ignores the invalid retry-after %j', (text) => {
    expect(retryAfterOf(text)).toBeUndefined();
  });
});

describe('retryAfterMsOf', () => {
  const date = 'Fri, 20 Nov 2026 10:00:00 GMT';
  it.each<[Record<string, string>, number | null]>([
    [{}, null],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': ' 1.5 ' }, 1500],
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after-ms': 'x', 'retry-after': '9' }, 9000],
    [{ 'retry-after': 'Fri, 20 Nov 2026 10:00:02 GMT', date }, 2000],
    [{ 'retry-after': 'Fri, 20 Nov 2026 09:59:58 GMT', date }, 0],
    [{ 'retry-after': 'Fri, 20 Nov 2026 10:00:02 GMT' }, null],
    [{ 'retry-after': 'Fri, 20 Nov 2026 10:00:02 GMT', date: '2026-11-20' }, null],
    [{ 'retry-after': '2026-11-20T10:00:02Z', date }, null],
    [{ 'retry-after': '' }, null],
    [{ 'retry-after': '-1' }, null],
    [{ 'retry-after': '1e9' }, null],
    [{ 'retry-after': '9999999999' }, null],
    [{ 'retry-after': '0x10' }, null],
  ])('reads the retry delay of %j as %j ms', (headers, milliseconds) => {
    expect(retryAfterMsOf(headers)).toBe(milliseconds);
  });
});
