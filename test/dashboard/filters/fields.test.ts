import { describe, expect, it } from 'vitest';
import { filterFields, filterNames, isFilterValue, isStatus } from '#dashboard/filters/fields.ts';
import { fc } from '#test/support/fast-check.ts';

describe('The fields of filters', () => {
  it('have titles, in the order of menus and chips', () => {
    expect(filterNames.map((name) => filterFields[name].title)).toEqual([
      'Model',
      'Provider',
      'Operation',
      'Key',
      'Prompt',
      'Session',
      'User',
      'Route',
      'Outcome',
      'Status',
      'Error code',
      'Finish reason',
      'Service tier',
      'Response ID',
      'Provider’s request ID',
    ]);
    expect(filterNames.toSorted()).toEqual(Object.keys(filterFields).toSorted());
  });

  it('have an example unless their values are chosen from a list', () => {
    const chosen = filterNames.filter((name) => filterFields[name].placeholder === undefined);
    const examples = filterNames.flatMap((name) => filterFields[name].placeholder ?? []);
    expect(chosen).toEqual(['provider', 'operation', 'api_key_id', 'outcome']);
    expect(examples).toEqual([
      ...['gpt-4o-mini', 'summarize-ticket', 'session-4821', 'user-17', 'support'],
      ...['429', 'rate_limit_exceeded', 'length', 'priority', 'chatcmpl-…', 'req_…'],
    ]);
    expect(filterNames.filter((name) => filterFields[name].hint && chosen.includes(name))).toEqual([]);
  });

  it('name the header that each value of the caller comes from', () => {
    const hints = (['prompt_id', 'session_id', 'user_id'] as const).map((name) => filterFields[name].hint);
    expect(hints).toEqual([
      'From the header gateway-prompt-id.',
      'From the header gateway-session-id.',
      'From the header gateway-user-id.',
    ]);
  });

  it('have examples that are valid themselves', () => {
    const examples = filterNames.flatMap((name) => {
      const { placeholder } = filterFields[name];
      return placeholder === undefined ? [] : [isFilterValue(name, placeholder)];
    });
    expect(examples).toEqual(Array(11).fill(true));
  });
});

describe('The value of a filter', () => {
  it.each([
    ['outcome', 'provider_error', true],
    ['outcome', 'toString', false],
    ['outcome', '', false],
    ['operation', 'chat.completions', true],
    ['operation', 'Chat completions', false],
    ['status', '429', true],
    ['status', 'completed', false],
    ['model', '429', true],
    ['model', 'provider_error', true],
    ['model', '', false],
    ['user_id', ' ', true],
    ['service_tier', '', false],
  ] as const)('of %s can be "%s": %s', (name, value, expected) => {
    expect(isFilterValue(name, value)).toBe(expected);
  });

  it.each(['099', '600', '99', '1000', ' 200', '200\n', '2e2', '٢٠٠'])('of a status is not "%s"', (text) => {
    expect(isStatus(text)).toBe(false);
  });

  it('of a status is each whole number from 100 to 599', () => {
    fc.assert(
      fc.property(fc.nat(1200), (number) => {
        expect(isStatus(String(number))).toBe(number >= 100 && number < 600);
      }),
    );
  });
});
