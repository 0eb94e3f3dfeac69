import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { assignColours, colourOfHash, useModelColours } from '#dashboard/charts/model-colours.ts';
import { OrganizationContext } from '#dashboard/current-organization/use-organization.ts';
import { acme } from '../rendering/page.ts';

const names = Array.from({ length: 12 }, (_, index) => `openai/model-${index}`);

describe('assignColours', () => {
  it('gives the first ten names different colours, and the others that of their hash', () => {
    const colours = assignColours(names);

    const firstTen = names.slice(0, 10).map((name) => colours.get(name));
    expect(firstTen.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(names.slice(10).map((name) => colours.get(name))).toEqual(names.slice(10).map(colourOfHash));
  });

  it('gives a name the next free colour when that of its hash is taken', () => {
    const [first, second] = ['openai/model-0', 'openai/model-20'];
    expect(colourOfHash(second)).toBe(colourOfHash(first));

    const colours = assignColours([first, second]);
    expect(colours.get(first)).toBe(colourOfHash(first));
    expect(colours.get(second)).toBe((colourOfHash(first) + 1) % 10);
  });

  it('keeps the colour of a name when a cheaper one follows', () => {
    expect(assignColours(names).get('openai/model-3')).toBe(
      assignColours(names.slice(0, 4)).get('openai/model-3'),
    );
  });
});

describe('useModelColours', () => {
  afterEach(() => vi.useRealTimers());

  it('reads the costs by model once, also when a month ends while the page is open', () => {
    const client = new QueryClient();
    const Reader = () => String(useModelColours()('openai/model-0'));
    const organization = createElement(OrganizationContext, { value: acme }, createElement(Reader));
    const page = createElement(QueryClientProvider, { client }, organization);
    for (const now of ['2026-11-30T23:59:00Z', '2026-12-01T00:01:00Z']) {
      vi.setSystemTime(now);
      expect(renderToStaticMarkup(page)).toBe(String(colourOfHash('openai/model-0')));
    }

    expect(client.getQueryCache().getAll()).toHaveLength(1);
  });
});
