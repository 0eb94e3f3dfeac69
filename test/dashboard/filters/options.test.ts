import { describe, expect, it } from 'vitest';
import { filterNames, isFilterValue } from '#dashboard/filters/fields.ts';
import {
  keyOptions,
  operationOptions,
  outcomeOptions,
  providerOptions,
  statusOptions,
  suggestedOptions,
} from '#dashboard/filters/options.ts';
import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';
import { logEntry } from '#test/support/log-entries.ts';

const key = (id: string, state: ApiKeySummary['state']) =>
  ({ id, name: `name of ${id}`, last_four: `${id}…`, state }) as ApiKeySummary;

const provider = (name: string, isSetUp: boolean) => ({ name, set_up: isSetUp, has_credential: true });

describe('The options of a filter', () => {
  it('by outcome and operation are all of them, in words', () => {
    expect(outcomeOptions).toEqual([
      { value: 'completed', label: 'Completed' },
      { value: 'client_closed', label: 'Closed by the client' },
      { value: 'provider_error', label: 'Provider error' },
      { value: 'timeout', label: 'Timeout' },
      { value: 'rejected', label: 'Rejected' },
      { value: 'interrupted', label: 'Interrupted' },
    ]);
    expect(operationOptions).toEqual([
      { value: 'chat.completions', label: 'Chat completions' },
      { value: 'embeddings', label: 'Embeddings' },
      { value: 'messages', label: 'Messages' },
      { value: 'responses', label: 'Responses' },
    ]);
  });

  it('by status are those that the gateway itself returns, with their meaning', () => {
    expect(statusOptions.map(({ label, detail }) => `${label} ${detail}`)).toEqual([
      '200 OK',
      '400 Bad request',
      '401 Unauthorized',
      '403 Forbidden',
      '413 Request too large',
      '429 Too many requests',
      '500 Internal error',
      '502 Bad gateway',
      '503 Unavailable',
      '504 Gateway timeout',
    ]);
  });

  it('are values of the filter', () => {
    const values = { outcome: outcomeOptions, operation: operationOptions, status: statusOptions };
    for (const name of filterNames) {
      if (name !== 'outcome' && name !== 'operation' && name !== 'status') continue;
      expect(values[name].filter(({ value }) => !isFilterValue(name, value))).toEqual([]);
    }
  });

  it('by key begin with the keys in use, in the order of the list', () => {
    const keys = [key('a', 'revoked'), key('b', 'active'), key('c', 'expired'), key('d', 'active')];
    expect(keyOptions(keys)).toEqual([
      { value: 'b', label: 'name of b', detail: '…b…' },
      { value: 'd', label: 'name of d', detail: '…d…' },
      { value: 'a', label: 'name of a', detail: 'Revoked' },
      { value: 'c', label: 'name of c', detail: 'Expired' },
    ]);
  });

  it('by provider begin with those that are set up', () => {
    const providers = [provider('anthropic', false), provider('demo', true), provider('openai', true)];
    expect(providerOptions(providers)).toEqual([
      { value: 'demo', label: 'demo', detail: undefined },
      { value: 'openai', label: 'openai', detail: undefined },
      { value: 'anthropic', label: 'anthropic', detail: 'Not set up' },
    ]);
  });
});

describe('Suggested values', () => {
  it('are those of the listed entries, once each, the newest first, and never that there is none', () => {
    const entries = ['b', null, 'a', 'b', 'c'].map((prompt_id) => logEntry({ prompt_id }));
    expect(suggestedOptions('prompt_id', entries)).toEqual([
      { value: 'b', label: 'b' },
      { value: 'a', label: 'a' },
      { value: 'c', label: 'c' },
    ]);
    expect(suggestedOptions('user_id', [])).toEqual([]);
  });

  it('are at most eight', () => {
    const entries = Array.from({ length: 20 }, (_, index) => logEntry({ user_id: `user-${index >> 1}` }));
    expect(suggestedOptions('user_id', entries).map(({ value }) => value)).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7].map((number) => `user-${number}`),
    );
  });

  it('are texts, also of numbers', () => {
    expect(suggestedOptions('status', [logEntry({ status: 429 })])).toEqual([{ value: '429', label: '429' }]);
  });
});
