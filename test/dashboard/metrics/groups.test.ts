import { describe, expect, it } from 'vitest';
import { capitalize, groupName, groupTitles, isRowGroup } from '#dashboard/metrics/groups.ts';
import type { GroupBy } from '#lambdas/accounts/analytics/responses.ts';

const groups = Object.keys(groupTitles) as GroupBy[];
const keyNames = new Map([['key_1', 'production']]);

describe('The name of a group', () => {
  it('is that of a key, or its id when it is no longer listed', () => {
    expect(groupName('api_key', 'key_1', keyNames)).toBe('production');
    expect(groupName('api_key', 'key_2', keyNames)).toBe('key_2');
    expect(groupName('user_id', 'key_1', keyNames)).toBe('key_1');
  });

  it('is the operation in words', () => {
    expect(groupName('operation', 'chat.completions', keyNames)).toBe('Chat completions');
    expect(groupName('operation', 'toString', keyNames)).toBe('toString');
    expect(groupName('model', 'embeddings', keyNames)).toBe('embeddings');
  });

  it('says that requests have no value', () => {
    expect(groups.map((group) => groupName(group, null, keyNames))).toEqual([
      'No model',
      'No provider',
      'No operation',
      'No key',
      'No prompt',
      'No session',
      'No user',
      'No route',
      'No error code',
    ]);
  });

  it('is that of no key, if a value is empty', () => {
    expect(groupName('user_id', '', keyNames)).toBe('');
  });
});

describe('Groups', () => {
  it('are called by their plural', () => {
    expect(groups.map((group) => groupTitles[group].many)).toEqual([
      'models',
      'providers',
      'operations',
      'keys',
      'prompts',
      'sessions',
      'users',
      'routes',
      'error codes',
    ]);
  });

  it('combine with every filter if they are models, providers or operations', () => {
    expect(groups.filter(isRowGroup)).toEqual(['model', 'provider', 'operation']);
  });

  it.each([
    ['error code', 'Error code'],
    ['élan', 'Élan'],
    ['', ''],
  ])('begin a title in a capital: "%s" as "%s"', (text, title) => {
    expect(capitalize(text)).toBe(title);
  });
});
