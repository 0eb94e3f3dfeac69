/** Money in JSON: a number with every digit of its decimal text, which `number` would round. */
import type { Usd } from '../domain/usd.ts';

declare global {
  interface JSON {
    /** In Node since 22, not yet in TypeScript's library: https://github.com/tc39/proposal-json-parse-with-source */
    rawJSON(text: string): unknown;
  }
}

export function usdJson(amount: Usd): unknown {
  return JSON.rawJSON(amount);
}
