import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ExpiryField, useExpiry } from '#dashboard/keys/expiry-field.tsx';
import { type ExpiryChoice, expiryChoices, formatExpiry } from '#dashboard/keys/expiry-presets.ts';
import { runHook } from '../rendering/hook.ts';
import { all, only, renderComponent, texts } from '../rendering/markup.ts';

beforeEach(() => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  vi.useFakeTimers({ now: new Date('2026-11-23T13:05:42.123Z'), toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

type Expiry = ReturnType<typeof useExpiry>;

/** The states of the field from its first value through others. */
function statesOf(first: [ExpiryChoice, string], ...others: [ExpiryChoice, string][]): Expiry[] {
  const steps = others.map(
    ([choice, day]) =>
      (expiry: Expiry) =>
        expiry.field.onValueChange({ choice, day }),
  );
  return runHook(() => useExpiry({ choice: first[0], day: first[1] }), steps);
}

describe('The expiry in a form', () => {
  it('is sent as the time that is shown, or null', () => {
    const states = statesOf(
      ['never', ''],
      ['7-days', ''],
      ['1-year', ''],
      ['date', ''],
      ['date', '2026-12-24'],
    );

    expect(states.map(({ expiresAt }) => expiresAt)).toEqual([
      null,
      '2026-11-30T13:05:00.000Z',
      '2027-11-23T13:05:00.000Z',
      null,
      '2026-12-24T22:59:00.000Z',
    ]);
    expect(states.map(({ field }) => field.time?.toISOString() ?? null)).toEqual(
      states.map(({ expiresAt }) => expiresAt),
    );
  });

  it('counts from when the form was opened', () => {
    const [, later] = runHook(
      () => useExpiry({ choice: '7-days', day: '' }),
      [() => void vi.setSystemTime('2026-11-25T00:00:00Z')],
    );
    expect(later?.expiresAt).toBe('2026-11-30T13:05:00.000Z');
  });

  it('has a field of the API, at which errors are shown, only for a date', () => {
    const states = statesOf(['never', ''], ['30-days', ''], ['date', '']);
    expect(states.map(({ fieldNames }) => fieldNames)).toEqual([[], [], ['expires_at']]);
  });
});

describe('The field of an expiry', () => {
  const fieldOf = (choice: ExpiryChoice, day = '') => {
    const [state] = statesOf([choice, day]);
    if (state === undefined) throw new Error('The hook was not rendered');
    return renderComponent(ExpiryField, state.field);
  };

  it('offers presets, never and a date', () => {
    const field = fieldOf('30-days');
    expect(texts(field, '[role=radio]')).toEqual([
      'Never',
      '7 days',
      '30 days',
      '90 days',
      '1 year',
      'Custom date',
    ]);
    expect(texts(field, '[aria-checked=true]')).toEqual(['30 days']);
    expect(expiryChoices).toHaveLength(6);
  });

  it.each([
    ['never', '', 'Works until it is revoked.'],
    ['date', '', 'Choose the last day on which it works.'],
  ] as const)('for %s "%s" says what follows', (choice, day, text) => {
    expect(texts(fieldOf(choice, day), '[role=status]')).toEqual([text]);
  });

  it.each([
    ['7-days', '', '2026-11-30T13:05:00Z'],
    ['date', '2026-12-24', '2026-12-24T22:59:00Z'],
  ] as const)('for %s "%s" says that the key works until %s', (choice, day, time) => {
    const text = `Works until ${formatExpiry(new Date(time))}.`.replaceAll('\u202f', ' ');
    expect(texts(fieldOf(choice, day), '[role=status]')).toEqual([text]);
  });

  it('has an input for a date from today on', () => {
    expect(only(fieldOf('date', '2026-12-24'), 'input[type=date]').attributes).toMatchObject({
      value: '2026-12-24',
      min: '2026-11-23',
    });
    expect(all(fieldOf('7-days'), 'input[type=date]')).toEqual([]);
  });
});
