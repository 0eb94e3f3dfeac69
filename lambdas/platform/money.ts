/**
 * US dollars as decimal text, added without binary floating point.
 *
 * A price is at most six decimals per million tokens, so a cost has at most twelve decimals; that is the scale
 * that sums are made in. DynamoDB's numbers hold 38 digits and add in decimal, so text goes in and out unharmed.
 */

/** Plain decimal notation without trailing zeros, such as `0`, `1.5` or `0.000000000001`; a difference may be `-0.5`. */
export type Usd = string;

/** A whole number of things, such as tokens, and the price of a million of them. */
export interface Charge {
  count: number;
  usdPerMillion: number;
}

const decimals = 12;
const scale = 10n ** BigInt(decimals);

/** Rounds a computed amount, which may carry a binary rounding error, to the twelve decimals of a cost. */
export function usdFromNumber(amount: number): Usd {
  if (!Number.isFinite(amount) || amount < 0) throw new RangeError('an amount of money must not be negative');
  return trim(amount.toFixed(decimals));
}

/** Exact for prices of up to six decimals. A few price lists have more; their sum is rounded once, at its end. */
export function usdOf(charges: readonly Charge[]): Usd {
  let millionths = 0n;
  for (const { count, usdPerMillion } of charges) {
    millionths += BigInt(count) * toUnits(usdFromNumber(usdPerMillion));
  }
  return fromUnits((millionths + 500_000n) / 1_000_000n);
}

export function addUsd(left: Usd, right: Usd): Usd {
  return fromUnits(toUnits(left) + toUnits(right));
}

export function subtractUsd(left: Usd, right: Usd): Usd {
  return fromUnits(toUnits(left) - toUnits(right));
}

function toUnits(amount: Usd): bigint {
  if (amount.startsWith('-')) return -toUnits(amount.slice(1));
  const [whole = '0', fraction = ''] = amount.split('.');
  if (fraction.length > decimals) throw new RangeError('an amount of money has at most twelve decimals');
  return BigInt(whole) * scale + BigInt(fraction.padEnd(decimals, '0'));
}

function fromUnits(units: bigint): Usd {
  if (units < 0n) return `-${fromUnits(-units)}`;
  return trim(`${units / scale}.${(units % scale).toString().padStart(decimals, '0')}`);
}

function trim(amount: string): Usd {
  return amount.includes('.') ? amount.replace(/\.?(?<!0)0+$/, '') : amount;
}

declare global {
  interface JSON {
    /** In Node since 22, not yet in TypeScript's library: https://github.com/tc39/proposal-json-parse-with-source */
    rawJSON(text: string): unknown;
  }
}

/** A JSON number with every digit of the decimal text, which `number` would round. */
export function usdJson(amount: Usd): unknown {
  return JSON.rawJSON(amount);
}
