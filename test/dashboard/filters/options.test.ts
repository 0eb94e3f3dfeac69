import { describe, expect, it } from 'vitest';
import { filterNames, isFilterValue } from '#dashboard/filters/fields.ts';
import {
  operationOptions,
  outcomeOptions,
  providerOptions,
  statusOptions,
  suggestedOptions,
} from '#dashboard/filters/options.ts';
import { logEntry } from '#test/support/log-entries.ts';

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
