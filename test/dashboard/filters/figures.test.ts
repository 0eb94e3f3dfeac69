import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { BoundsForm, checkBound, readBounds } from '#dashboard/filters/bounds-form.tsx';
import { formatBounds, formatFigure } from '#dashboard/filters/figure-text.ts';
import { figureNames } from '#dashboard/filters/figures.ts';
import { editableFigure, parseFigure } from '#dashboard/filters/parse-figure.ts';
import { fc } from '#test/support/fast-check.ts';
import { all, texts } from '../rendering/markup.ts';
import { renderOnPage } from '../rendering/page.ts';

describe('A figure that is typed', () => {
  it.each([
    ['cost_usd', '$0.0002', '0.0002'],
    ['cost_usd', '12', '12'],
    ['cost_usd', '-1', null],
    ['cost_usd', 'cheap', null],
    ['latency_ms', '845', '845'],
    ['latency_ms', '845 ms', '845'],
    ['latency_ms', '1.32 s', '1320'],
    ['latency_ms', '2 min 5 s', '125000'],
    ['latency_ms', '1 h 2 min', '3720000'],
    ['latency_ms', '1.5m', '90000'],
    ['latency_ms', '3 parsecs', null],
    ['latency_ms', 's', null],
    ['time_to_first_token_ms', '.', null],
    ['total_tokens', '1,234', '1234'],
    ['total_tokens', '1.5M', '1500000'],
    ['total_tokens', '20k', '20000'],
    ['retries', '2', '2'],
    ['retries', '', null],
  ] as const)('for %s as "%s" is %s', (name, text, value) => {
    expect(parseFigure(name, text, 'en-US')).toBe(value);
  });

  it.each(['en-US', 'de-DE', 'ar', 'ja', 'hi-IN'])('can be what is displayed in %s', (locale) => {
    const value = fc.integer({ min: 0, max: 10_000_000 });
    fc.assert(
      fc.property(fc.constantFrom(...figureNames), value, (name, number) => {
        const text =
          name === 'cost_usd' ? (number / 1_000_000).toFixed(6).replace(/\.?0+$/, '') : String(number);
        expect(parseFigure(name, formatFigure(name, text, locale), locale)).toSatisfy(
          (parsed) => Number(parsed) === Number(text),
        );
        expect(Number(parseFigure(name, editableFigure(name, text, locale), locale))).toBe(Number(text));
      }),
    );
  });
});

describe('The bounds of a figure', () => {
  it('are shown as a condition', () => {
    expect(formatBounds('cost_usd', { min_cost_usd: '0.01' }, 'en-US')).toBe('≥ $0.01');
    expect(formatBounds('latency_ms', { max_latency_ms: '1500' }, 'en-US')).toBe('≤ 1.5 s');
    expect(formatBounds('latency_ms', { min_latency_ms: '1501' }, 'en-US')).toBe('≥ 1,501 ms');
    expect(formatBounds('retries', { min_retries: '3', max_retries: '3' }, 'en-US')).toBe('= 3');
    expect(
      formatBounds('total_tokens', { min_total_tokens: '1000', max_total_tokens: '2000' }, 'de-DE'),
    ).toBe('1.000 – 2.000');
    expect(formatBounds('total_tokens', { min_retries: '1' }, 'en-US')).toBe('');
  });

  it('are entered in one field each, of which one may be empty', async () => {
    const form = await renderOnPage(
      createElement(BoundsForm, {
        name: 'latency_ms',
        bounds: { min_latency_ms: '2500', min_retries: '1' },
        onApply: () => {},
      }),
    );
    expect(texts(form, 'legend')).toEqual(['Latency']);
    expect(texts(form, 'label')).toEqual(['At least', 'At most']);
    expect(all(form, 'input').map(({ attributes }) => attributes.value)).toEqual(['2.5 s', '']);
    expect(texts(form, 'p')).toEqual(['Such as 800 ms, 1.5 s or 2 min. A number alone is in milliseconds.']);
    expect(readBounds('latency_ms', '', '2 s')).toEqual({
      min_latency_ms: undefined,
      max_latency_ms: '2000',
    });
  });

  it('say what is expected', () => {
    expect(checkBound('cost_usd', '')).toBeNull();
    expect(checkBound('cost_usd', '0.5')).toBeNull();
    expect(checkBound('cost_usd', 'x')).toBe('Enter an amount in US dollars, such as $0.01');
    expect(checkBound('latency_ms', 'x')).toBe('Enter a duration, such as 2.5 s');
    expect(checkBound('total_tokens', '-1')).toBe('Enter a whole number, such as 1,000');
  });
});
