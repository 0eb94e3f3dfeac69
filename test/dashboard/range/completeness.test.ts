import type { UseQueryResult } from '@tanstack/react-query';
import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { serverTimeMs } from '#dashboard/api/server-clock.ts';
import { Completeness } from '#dashboard/range/completeness.tsx';
import { RangeBar } from '#dashboard/range/range-bar.tsx';
import { names, only, textOf } from '../rendering/markup.ts';
import { renderOnPage } from '../rendering/page.ts';

type Report = UseQueryResult<{ complete_until: string }>;

/** A report fetched some seconds after the moment up to which it is complete. */
function report(delaySeconds: number, fields: Partial<Report> = {}): Report {
  const fetchedAtMs = Date.UTC(2026, 10, 23, 12, 4);
  const completeUntil = new Date(serverTimeMs(fetchedAtMs) - delaySeconds * 1000).toISOString();
  return {
    data: { complete_until: completeUntil },
    dataUpdatedAt: fetchedAtMs,
    isPlaceholderData: false,
    ...fields,
  } as Report;
}

/** The text, and the part of it that is announced. */
async function completenessOf(...queries: Report[]): Promise<[all: string, announced: string]> {
  const markup = await renderOnPage(createElement(Completeness, { queries }));
  return [textOf(markup), textOf(only(markup, '[role=status]'))];
}

describe('The completeness of a view', () => {
  it('is told without announcing it', async () => {
    const [text, announced] = await completenessOf(report(20));
    expect(text).toMatch(/^Complete up to .*UTC$/);
    expect(announced).toBe('');
  });

  it('is announced if counting lags', async () => {
    const [text, announced] = await completenessOf(report(20), report(150));
    expect(text).toMatch(/^Counting lags by 2 minutes: requests after .* may be missing$/);
    expect(announced).toBe(text);
  });

  it('says nothing about reports that are loading, or are still those of another range', async () => {
    const pending = report(500, { data: undefined });
    const placeholder = report(500, { isPlaceholderData: true } as Partial<Report>);
    expect(await completenessOf(pending, placeholder)).toEqual(['', '']);
    expect((await completenessOf(pending, report(20), placeholder))[0]).toMatch(/^Complete/);
  });
});

describe('The button of the range', () => {
  it.each([
    ['', 'Time range: Last 30 daysUTC'],
    ['?range=7d&time_zone=America%2FNew_York', 'Time range: Last 7 daysAmerica/New York'],
    ['?range=nonsense&time_zone=Nowhere', 'Time range: Last 30 daysUTC'],
  ])('is named after the range of the link %s', async (search, name) => {
    const path = `/organizations/org_1/usage${search}`;
    const bar = await renderOnPage(createElement(RangeBar), { path });
    expect(names(bar, 'button')).toEqual([name]);
    expect(names(bar, '[aria-expanded=false]')).toEqual([name]);
  });
});
