/**
 * US dollars as decimal text, added without binary floating point.
 *
 * A price per million tokens has at most six decimals, so a cost has at most twelve; sums use this scale. DynamoDB's
 * numbers are decimal, with 38 digits, so they store and add amounts exactly.
 */

/** Plain decimal notation without trailing zeros, such as `0`, `1.5` or `0.000000000001`. Differences can be negative. */
export type Usd = string;

export interface Charge {
  count: number;
  usdPerMillion: number;
}

const decimals = 12;
const scale = 10n ** BigInt(decimals);

/** Rounds to twelve decimals, which removes binary rounding errors. Throws for a negative or infinite amount. */
export function usdFromNumber(amount: number): Usd {
  if (!Number.isFinite(amount) || amount < 0)
    throw new RangeError('an amount of money must be finite and not negative');
  return trimZeros(amount.toFixed(decimals));
}

/** Exact for prices of up to six decimals. A few price lists have more; their sum is rounded once, at the end. */
export function sumCharges(charges: readonly Charge[]): Usd {
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
  return trimZeros(`${units / scale}.${(units % scale).toString().padStart(decimals, '0')}`);
}

function trimZeros(amount: string): Usd {
  return amount.includes('.') ? amount.replace(/\.?(?<!0)0+$/, '') : amount;
}

declare global {
  interface JSON {
    /**
     * Available since Node.js 22, missing from TypeScript's library:
     * https://github.com/tc39/proposal-json-parse-with-source
     */
    rawJSON(text: string): unknown;
  }
}

/** Returns a raw JSON value, which `JSON.stringify` writes as a number with all digits; a `number` would be rounded. */
export function usdJson(amount: Usd): unknown {
  return JSON.rawJSON(amount);
}
