import { describe, expect, it } from 'vitest';
import { groupName } from '#dashboard/metrics/groups.ts';

describe('groupName', () => {
  it('is the name of a key, or its id when it is no longer listed', () => {
    const names = new Map([['key_1', 'production']]);
    expect(groupName('api_key', 'key_1', names)).toBe('production');
    expect(groupName('api_key', 'key_2', names)).toBe('key_2');
    expect(groupName('user_id', 'key_1', names)).toBe('key_1');
  });

  it('is the operation in words', () => {
    expect(groupName('operation', 'chat.completions', new Map())).toBe('Chat completions');
    expect(groupName('model', 'embeddings', new Map())).toBe('embeddings');
  });

  it('says that requests have no value', () => {
    expect(groupName('prompt_id', null, new Map())).toBe('No prompt');
  });
});
