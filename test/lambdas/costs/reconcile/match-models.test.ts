import { expect, it } from 'vitest';
import { matchModels } from '#lambdas/costs/reconcile/match-models.ts';

it.each<[name: string, gateway: string[], provider: string[], matches: [string, string][]]>([
  [
    'equal names',
    ['gpt-4o', 'o3'],
    ['o3', 'gpt-4o'],
    [
      ['gpt-4o', 'gpt-4o'],
      ['o3', 'o3'],
    ],
  ],
  ['an alias and its snapshot', ['gpt-4o'], ['gpt-4o-2024-08-06'], [['gpt-4o-2024-08-06', 'gpt-4o']]],
  [
    'a snapshot and its alias',
    ['claude-opus-4-5-20251101'],
    ['claude-opus-4-5'],
    [['claude-opus-4-5', 'claude-opus-4-5-20251101']],
  ],
  ['no snapshots of different dates', ['gpt-4o-2024-05-13'], ['gpt-4o-2024-08-06'], []],
  [
    'no alias that the other side has, too',
    ['gpt-4o', 'gpt-4o-2024-08-06'],
    ['gpt-4o-2024-08-06'],
    [['gpt-4o-2024-08-06', 'gpt-4o-2024-08-06']],
  ],
  ['no alias of two snapshots', ['gpt-4o'], ['gpt-4o-2024-05-13', 'gpt-4o-2024-08-06'], []],
  [
    'no snapshot of an alias and another snapshot',
    ['gpt-4o', 'gpt-4o-2024-05-13'],
    ['gpt-4o-2024-08-06'],
    [],
  ],
  ['no names that only begin equally', ['gpt-4o'], ['gpt-4o-mini', 'gpt-4o-2024'], []],
])('matches %s', (_, gateway, provider, matches) => {
  expect([...matchModels(gateway, provider)].sort()).toEqual(matches);
});
