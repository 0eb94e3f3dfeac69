import { describe, expect, it } from 'vitest';
import { requestIdsIn, searchedIds } from '#dashboard/filters/request-ids.ts';
import { isAtEnd, searchOn, startOfSearch } from '#dashboard/filters/request-search.ts';
import { toListedEntry } from '#lambdas/accounts/analytics/logs.ts';
import { logEntry } from '#test/support/log-entries.ts';

const uuid = '01a2096d-2702-7028-9b4f-45a780d8ff00';

describe('The ids in a text', () => {
  it.each([
    [` x-gateway-request-id: ${uuid.toUpperCase()}\r`, { logId: uuid }],
    ['"id": "chatcmpl-AbC123def",', { responseId: 'chatcmpl-AbC123def' }],
    ['resp_68af0123456789', { responseId: 'resp_68af0123456789' }],
    ['msg_01XFDUDYJgAACzvnptvVoYEL', { responseId: 'msg_01XFDUDYJgAACzvnptvVoYEL' }],
    [`chatcmpl-${uuid}`, { logId: uuid, responseId: `chatcmpl-${uuid}` }],
    [uuid, { logId: uuid, providerRequestId: uuid }],
    ['req_0123456789abcdef', { providerRequestId: 'req_0123456789abcdef' }],
    ['4f1c9a0b2d3e4f5a6b7c', { providerRequestId: '4f1c9a0b2d3e4f5a6b7c' }],
    ['support-chat', {}],
    ['', {}],
  ])('%j are %j', (text, ids) => {
    expect(requestIdsIn(text)).toEqual({ logId: null, responseId: null, providerRequestId: null, ...ids });
  });

  it('are searched where they can be', () => {
    const searched = (text: string) => searchedIds(requestIdsIn(text));
    expect(searched('chatcmpl-AbC123def')).toEqual({ response_id: 'chatcmpl-AbC123def' });
    expect(searched('req_0123456789abcdef')).toEqual({ provider_request_id: 'req_0123456789abcdef' });
    expect(searched(uuid)).toEqual({ provider_request_id: uuid, response_id: uuid });
    expect(searched('support-chat')).toEqual({});
  });
});

describe('The search by an id', () => {
  const ids = { provider_request_id: 'abc', response_id: 'abc' };
  const found = toListedEntry(logEntry({ id: uuid }));
  const page = { data: [], next_cursor: null, searched_back_to: null };

  it('reads the pages of each field until an entry is found', async () => {
    const read: string[] = [];
    const readPage = async ({ cursor, response_id }: { cursor: string; response_id?: string }) => {
      read.push(`${response_id === undefined ? 'provider' : 'response'}${cursor}`);
      if (response_id === undefined) return page;
      return cursor === ''
        ? { ...page, next_cursor: '1', searched_back_to: '2026-11-23T00:00:00.000Z' }
        : { ...page, data: [found] };
    };
    const first = await searchOn(ids, startOfSearch(ids), readPage);
    expect(first).toEqual({
      logId: null,
      position: { cursors: { response_id: '1' }, searchedBackTo: '2026-11-23T00:00:00.000Z' },
    });
    expect(isAtEnd(first.position)).toBe(false);
    expect((await searchOn(ids, first.position, readPage)).logId).toBe(uuid);
    expect(read).toEqual(['provider', 'response', 'response1']);
  });

  it('has come as far as the field that is behind', async () => {
    const times = { abc: '2026-11-20T00:00:00.000Z', none: '2026-11-22T00:00:00.000Z' };
    const { position } = await searchOn(ids, startOfSearch(ids), async ({ response_id }) => ({
      ...page,
      next_cursor: '1',
      searched_back_to: times[response_id === undefined ? 'none' : 'abc'],
    }));
    expect(position.searchedBackTo).toBe(times.none);
  });

  it('ends when no field has another page', async () => {
    const { logId, position } = await searchOn(ids, startOfSearch(ids), async () => page);
    expect([logId, isAtEnd(position)]).toEqual([null, true]);
  });
});
