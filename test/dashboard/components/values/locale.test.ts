import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { monthTitle } from '#dashboard/billing/months.ts';
import { dateFormat } from '#dashboard/components/values/locale.ts';
import {
  formatChange,
  formatCompact,
  formatCompactUsd,
  formatCount,
  formatDuration,
  formatPercent,
  formatShare,
} from '#dashboard/components/values/number-format.ts';
import { formatDateTime, secondsFormat } from '#dashboard/components/values/time-format.ts';
import { formatUsd } from '#dashboard/components/values/usd-format.ts';
import { requestsText } from '#dashboard/keys/key-cells.tsx';
import { completeText } from '#dashboard/range/counting.ts';
import { projectRoot } from '#test/support/source/modules.ts';

const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ');
const time = new Date('2026-10-26T16:27:05Z');

describe.each([
  ['en-US', '1,234.5K'],
  ['de-DE', '1.234,5K'],
  ['ar-EG', '1,234.5K'],
  ['ja-JP', '1,234.5K'],
])('In %s', (locale) => {
  const isGerman = locale === 'de-DE';
  it('all figures have the same separators, and units are English', () => {
    const figures = [
      formatCount(1_234_567, locale),
      formatCompact(1_234_567, locale),
      formatCompactUsd(12_500, locale),
      formatShare(0.015, locale),
      formatChange(0.015, locale),
      formatPercent(106, locale),
      formatDuration(1324, locale),
      formatUsd('1234.5', locale),
      requestsText(2_500_000, locale),
    ].map(plain);
    expect(figures).toEqual(
      isGerman
        ? [
            '1.234.567',
            '1,23M',
            '12,5K $',
            '1,5 %',
            '1,5 %',
            '106 %',
            '1,32 s',
            '1.234,50 $',
            '2,5M requests',
          ]
        : ['1,234,567', '1.23M', '$12.5K', '1.5%', '1.5%', '106%', '1.32 s', '$1,234.50', '2.5M requests'],
    );
  });

  it('months, days and units are English', () => {
    expect(monthTitle('2026-10', locale)).toBe('October 2026');
    expect(dateFormat({ weekday: 'long', timeZone: 'UTC' }, locale).format(time)).toBe('Monday');
    const counting = { completeUntil: time, lagMs: null };
    const text = completeText(counting, { timeZone: 'UTC', now: time, locale });
    expect(text).toMatch(/^Complete up to [\d:]+(?: [AP]M| [ap]m)? UTC$/u);
  });
});

describe('Times', () => {
  it.each([
    ['en-US', 'Oct 26, 2026, 4:27 PM UTC', 'Oct 26, 4:27:05 PM'],
    ['en-GB', '26 Oct 2026, 16:27 UTC', '26 Oct, 16:27:05'],
    ['es-US', 'Oct 26, 2026, 4:27 PM UTC', 'Oct 26, 4:27:05 PM'],
    ['de-DE', '26 Oct 2026, 16:27 UTC', '26 Oct, 16:27:05'],
    ['ja-JP', '26 Oct 2026, 16:27 UTC', '26 Oct, 16:27:05'],
    ['ar-EG', '26 Oct 2026, 4:27 pm UTC', '26 Oct, 4:27:05 pm'],
    ['ar-SA', '26 Oct 2026, 4:27 pm UTC', '26 Oct, 4:27:05 pm'],
    ['th-TH', '26 Oct 2026, 16:27 UTC', '26 Oct, 16:27:05'],
  ])('have the order and the clock of %s', (locale, dateTime, seconds) => {
    expect(plain(formatDateTime(time, locale, 'UTC'))).toBe(dateTime);
    expect(plain(secondsFormat('UTC', locale).format(time))).toBe(seconds);
  });
});

describe('The page', () => {
  it('formats numbers and times in one place', () => {
    const exceptions = ['components/values/locale.ts', 'components/values/number-format.ts', 'range/zone.ts'];
    const files = globSync('dashboard/**/*.{ts,tsx}', { cwd: projectRoot });
    const found = files.filter((file) => {
      const code = readFileSync(join(projectRoot, file), 'utf8');
      return /new Intl\.(NumberFormat|DateTimeFormat)\((?!\)\.resolvedOptions)|\.toLocale\w*String\(/.test(
        code,
      );
    });
    expect(found.sort()).toEqual(exceptions.map((file) => `dashboard/${file}`));
  });
});
