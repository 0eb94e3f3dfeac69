/** Parses JSON, and keeps amounts of money as text with all digits, which `number` would round. */
export function parseAmounts<Body>(text: string): Body {
  return JSON.parse(text, (name, value, context?: { source?: string }) =>
    name.endsWith('_usd') && value !== null ? context?.source : value,
  ) as Body;
}

/** A cost breakdown as `GET /api/logs/{id}` returns it, parsed with `parseAmounts`. */
export type ParsedBreakdown = {
  model: string;
  charges: { type: string; count: number; price_usd: string; per: number; cost_usd: string }[];
  cost_usd: string;
}[];
