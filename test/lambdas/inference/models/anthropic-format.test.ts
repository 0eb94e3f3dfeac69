import { describe, expect, it } from 'vitest';
import { pageOf } from '#lambdas/inference/models/anthropic-format.ts';
import type { RawQueryParameters } from '#lambdas/platform/http/query.ts';
import { fc } from '#test/support/fast-check.ts';

const ids = Array.from({ length: 1050 }, (_, number) => `p/${String(number).padStart(4, '0')}`);

function idsOf(query: RawQueryParameters, listed = ids) {
  const { data, ...page } = pageOf(listed, query);
  return { ids: data.map(({ id }) => id), ...page };
}

describe('A page of models', () => {
  it('has the first 20 by default', () => {
    expect(idsOf({})).toEqual({
      ids: ids.slice(0, 20),
      has_more: true,
      first_id: 'p/0000',
      last_id: 'p/0019',
    });
  });

  it('has up to 1,000', () => {
    expect(idsOf({ limit: ['1000'] }).ids).toEqual(ids.slice(0, 1000));
    expect(idsOf({ limit: ['1000'] }, ids.slice(0, 1000)).has_more).toBe(false);
  });

  it('is empty if there are no models', () => {
    expect(pageOf([], {})).toEqual({ data: [], has_more: false, first_id: null, last_id: null });
  });

  it('begins after the model in after_id', () => {
    expect(idsOf({ after_id: ['p/0019'], limit: ['2'] })).toEqual({
      ids: ['p/0020', 'p/0021'],
      has_more: true,
      first_id: 'p/0020',
      last_id: 'p/0021',
    });
    expect(idsOf({ after_id: ['p/1049'] })).toMatchObject({ ids: [], has_more: false });
  });

  it('ends before the model in before_id, and tells whether more precede', () => {
    const page = { ids: ['p/0003', 'p/0004'], first_id: 'p/0003', last_id: 'p/0004' };
    expect(idsOf({ before_id: ['p/0005'], limit: ['2'] })).toEqual({ ...page, has_more: true });
    expect(idsOf({ before_id: ['p/0002'], limit: ['2'] })).toMatchObject({ has_more: false });
    expect(idsOf({ before_id: ['p/0000'] })).toMatchObject({ ids: [], has_more: false });
  });

  it('leads to all models in both directions, whatever the limit', () => {
    const listed = ids.slice(0, 30);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.boolean(), (limit, isForward) => {
        const seen: string[] = [];
        let query: RawQueryParameters = isForward ? {} : { before_id: ['p/0029'] };
        for (;;) {
          const page = idsOf({ ...query, limit: [String(limit)] }, listed);
          if (isForward) seen.push(...page.ids);
          else seen.unshift(...page.ids);
          if (!page.has_more) break;
          query = isForward ? { after_id: [page.last_id ?? ''] } : { before_id: [page.first_id ?? ''] };
        }
        expect(seen).toEqual(isForward ? listed : listed.slice(0, 29));
      }),
    );
  });

  it.each<[string, RawQueryParameters]>([
    ['limit', { limit: ['0'] }],
    ['limit', { limit: ['1001'] }],
    ['limit', { limit: ['ten'] }],
    ['limit', { limit: [''] }],
    ['limit', { limit: ['1', '2'] }],
    ['after_id', { after_id: ['p/nosuch'] }],
    ['before_id', { before_id: [''] }],
    ['before_id', { after_id: ['p/0001'], before_id: ['p/0005'] }],
  ])('is an error that names %s for %j', (param, query) => {
    expect(() => pageOf(ids, query)).toThrow(
      expect.objectContaining({ status: 400, code: 'invalid_request_error', param }),
    );
  });

  it('does not depend on other parameters', () => {
    expect(pageOf(ids, { beta: ['true'], lifecycle: ['active', 'retired'] })).toEqual(pageOf(ids, {}));
  });
});
