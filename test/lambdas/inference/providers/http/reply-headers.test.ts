import { describe, expect, it } from 'vitest';
import { requestIdOf, retryAfterOf } from '#lambdas/inference/providers/http/headers.ts';

describe("the provider's id of a request", () => {
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
  ])('in %j is %j', (headers, id) => {
    expect(requestIdOf(headers, ['x-best', 'x-id'])).toBe(id);
  });
});

describe('when to come again', () => {
  it.each([
    ['7', '7'],
    [' 7 ', '7'],
    ['0', '0'],
    ['0.25', '1'],
    ['34.4', '35'],
    ['999999999', '999999999'],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 'Wed, 21 Oct 2026 07:28:00 GMT'],
  ])('is told as %j: %j', (text, told) => {
    expect(retryAfterOf(text)).toBe(told);
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
  ])('is not told as %j', (text) => {
    expect(retryAfterOf(text)).toBeUndefined();
  });
});
