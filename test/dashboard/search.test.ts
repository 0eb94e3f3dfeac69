import { describe, expect, it } from 'vitest';
import { parseSearch, stringifySearch } from '#dashboard/search.ts';

describe('Search parameters', () => {
  it('keep texts that look like other types', () => {
    const search = { user: '007', model: 'openai/gpt-4o', flag: 'true', text: 'ä & "b"' };
    expect(parseSearch(stringifySearch(search))).toEqual(search);
  });

  it('leave out what is not set', () => {
    expect(stringifySearch({ error: undefined, return_to: '/account' })).toBe('?return_to=%2Faccount');
    expect(stringifySearch({ error: undefined })).toBe('');
  });
});
