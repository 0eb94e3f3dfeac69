/** The figures of a request by which lists are sorted and narrowed, by the names of the API's parameters. */

/** In the order of menus and chips. */
export const figureNames = [
  'cost_usd',
  'latency_ms',
  'time_to_first_token_ms',
  'total_tokens',
  'retries',
] as const;

export type FigureName = (typeof figureNames)[number];

/** Both inclusive, as decimal text. */
export type FigureBounds = { [Name in `${'min' | 'max'}_${FigureName}`]?: string };

export const figureTitles: Record<FigureName, string> = {
  cost_usd: 'Cost',
  latency_ms: 'Latency',
  time_to_first_token_ms: 'First token',
  total_tokens: 'Tokens',
  retries: 'Retries',
};

export function isFigureName(value: unknown): value is FigureName {
  return figureNames.some((name) => name === value);
}

export function hasBounds(bounds: FigureBounds, name: FigureName): boolean {
  return bounds[`min_${name}`] !== undefined || bounds[`max_${name}`] !== undefined;
}

/** Returns the bounds of a link. Ignores what is not valid, and bounds of a figure between which there is nothing. */
export function parseFigureBounds(search: Record<string, unknown>): FigureBounds {
  const bounds: FigureBounds = {};
  for (const name of figureNames) {
    const [min, max] = [boundOf(name, search[`min_${name}`]), boundOf(name, search[`max_${name}`])];
    if (min !== undefined && max !== undefined && Number(min) > Number(max)) continue;
    if (min !== undefined) bounds[`min_${name}`] = min;
    if (max !== undefined) bounds[`max_${name}`] = max;
  }
  return bounds;
}

function boundOf(name: FigureName, value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && isBound(name, text) ? text : undefined;
}

/** Amounts have at most 12 decimals, all other figures none. */
export function isBound(name: FigureName, text: string): boolean {
  return name === 'cost_usd' ? /^\d{1,9}(\.\d{1,12})?$/.test(text) : /^\d{1,12}$/.test(text);
}
