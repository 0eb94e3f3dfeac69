import { type Rates, tokenKinds } from '#lambdas/pricing/rates.ts';

/** The same price for every kind of token. */
export function flatRates(usdPerMillion: number): Rates {
  const rates = Object.fromEntries(tokenKinds.map((kind) => [kind, usdPerMillion]));
  return {
    usdPerMillion: rates as Rates['usdPerMillion'],
    usdPerThousandRequests: 0,
    units: {},
    isAssumed: false,
    assumedKinds: [],
  };
}
