import { describe, expect, it } from 'vitest';
import { parseListSearch, parseSearch, stringifySearch } from '#dashboard/shell/search.ts';
import { fc } from '#test/support/fast-check.ts';

describe('Search parameters', () => {
  it('keep texts that look like other types', () => {
    const search = { user: '007', model: 'openai/gpt-4o', flag: 'true', text: 'ä & "b"' };
    expect(parseSearch(stringifySearch(search))).toEqual(search);
  });

  it('keep any text', () => {
    // Without lone surrogates, which no address can have.
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(fc.dictionary(text, text, { noNullPrototype: true }), (search) => {
        expect(Object.entries(parseSearch(stringifySearch(search)))).toEqual(Object.entries(search));
      }),
    );
  });

  it('leave out what is not set, but not what is empty or zero', () => {
    expect(stringifySearch({ error: undefined, return_to: '/account' })).toBe('?return_to=%2Faccount');
    expect(stringifySearch({ error: undefined, group: null })).toBe('');
    expect(stringifySearch({ model: '', page: 0, live: false })).toBe('?model=&page=0&live=false');
  });
});

describe('The link of a prompt or session', () => {
  it('has what is selected, and the range', () => {
    const search = { range: '7d', prompt_id: 'summarize', session_id: 's-1', group: 'model' };
    expect(parseListSearch(search, 'prompt_id')).toEqual({ range: '7d', prompt_id: 'summarize' });
    expect(parseListSearch(search, 'session_id')).toEqual({ range: '7d', session_id: 's-1' });
  });

  it.each([undefined, '', 7])('selects none for %j', (value) => {
    expect(parseListSearch({ prompt_id: value }, 'prompt_id')).toEqual({});
    expect(parseListSearch({ session_id: value }, 'session_id')).toEqual({});
  });
});
