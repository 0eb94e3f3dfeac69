/**
 * US dollars as decimal text, added without binary floating point.
 *
 * Most prices per million tokens have at most six decimals, so most costs have at most twelve; sums use this scale.
 * DynamoDB's numbers are decimal, with 38 digits, so they store and add amounts exactly.
 */

/** Plain decimal notation without trailing zeros, such as `0`, `1.5` or `0.000000000001`. Differences can be negative. */
export type Usd = string;

/** `count` units at `usd` for every `per` of them, for example 1,200 tokens at 2.5 USD per 1,000,000. */
export interface Charge {
  count: number;
  usd: number;
  per: ChargeUnit;
}

/** Prices are per million tokens, per thousand requests or searches, and per minute of audio, counted in seconds. */
export type ChargeUnit = 1_000_000 | 1_000 | 60;

const decimals = 12;
const scale = 10n ** BigInt(decimals);

/** Rounds to twelve decimals, which removes binary rounding errors. Throws for a negative or infinite amount. */
export function usdFromNumber(amount: number): Usd {
  if (!Number.isFinite(amount) || amount < 0)
    throw new RangeError('an amount of money must be finite and not negative');
  return trimZeros(amount.toFixed(decimals));
}

/** A common multiple of all charge units. */
const commonUnit = 3_000_000;

/** Adds without rounding, and rounds the sum once, half up, to twelve decimals. */
export function sumCharges(charges: readonly Charge[]): Usd {
  let sum = 0n;
  for (const charge of charges) sum += exactAmount(charge);
  return fromUnits(roundHalfUp(sum));
}

/**
 * Returns the amount of each charge. They add up to `sumCharges`: an amount with more than twelve decimals is rounded up
 * or down, every other is exact.
 */
export function roundCharges(charges: readonly Charge[]): Usd[] {
  let sum = 0n;
  return charges.map((charge) => {
    const before = roundHalfUp(sum);
    sum += exactAmount(charge);
    return fromUnits(roundHalfUp(sum) - before);
  });
}

/** In units of 10⁻¹² dollars, multiplied by `commonUnit`. */
function exactAmount({ count, usd, per }: Charge): bigint {
  return BigInt(count) * toUnits(usdFromNumber(usd)) * BigInt(commonUnit / per);
}

function roundHalfUp(amount: bigint): bigint {
  return (2n * amount + BigInt(commonUnit)) / BigInt(2 * commonUnit);
}

export function addUsd(left: Usd, right: Usd): Usd {
  return fromUnits(toUnits(left) + toUnits(right));
}

export function subtractUsd(left: Usd, right: Usd): Usd {
  return fromUnits(toUnits(left) - toUnits(right));
}

/** Rounding to a double keeps the order, so the exact difference is needed only for amounts that round to the same number. */
export function compareUsd(one: Usd, other: Usd): number {
  return Number(one) - Number(other) || Math.sign(Number(subtractUsd(one, other)));
}

export function isPositive(usd: Usd): boolean {
  return toUnits(usd) > 0n;
}

export function isNegative(usd: Usd): boolean {
  return toUnits(usd) < 0n;
}

export function minUsd(left: Usd, right: Usd): Usd {
  return toUnits(left) < toUnits(right) ? left : right;
}

export function maxUsd(left: Usd, right: Usd): Usd {
  return toUnits(left) < toUnits(right) ? right : left;
}

/**
 * Splits an amount in proportion to the weights, so that the parts add up to it. The first part gets what cannot be split:
 * the remainder, or everything if all weights are 0.
 */
export function splitUsd(amount: Usd, weights: readonly Usd[]): Usd[] {
  const units = weights.map(toUnits);
  const total = units.reduce((sum, weight) => sum + weight, 0n);
  const parts = units.map((weight) => (total === 0n ? 0n : (toUnits(amount) * weight) / total));
  const remainder = parts.reduce((rest, part) => rest - part, toUnits(amount));
  return parts.map((part, index) => fromUnits(index === 0 ? part + remainder : part));
}

/** Equal parts that add up to the amount. The first one has what cannot be divided. */
export function divideUsd(amount: Usd, count: number): Usd[] {
  return splitUsd(
    amount,
    Array.from({ length: count }, () => '1'),
  );
}

/** The amount divided by a count above 0, rounded half up to twelve decimals. */
export function meanUsd(sum: Usd, count: number): Usd {
  const divisor = BigInt(count);
  return fromUnits((2n * toUnits(sum) + divisor) / (2n * divisor));
}

const ratioScale = 10_000;

/** An amount relative to another one, rounded half up to four decimals: 0.25 is a quarter. `null` if the other one is 0. */
export function ratioOf(amount: Usd, whole: Usd): number | null {
  const ratio = scaledRatio(amount, whole);
  return ratio === null ? null : Number(ratio) / ratioScale;
}

/** The change of an amount relative to the former one, rounded like `ratioOf`. */
export function relativeChange(former: Usd, amount: Usd): number | null {
  const ratio = scaledRatio(amount, former);
  return ratio === null ? null : Number(ratio - BigInt(ratioScale)) / ratioScale;
}

/**
 * An amount in whole percent of one above 0, rounded half up. Less than the whole is at most 99: 100 means that it is reached.
 * Negative amounts are 0 percent.
 */
export function wholePercent(amount: Usd, whole: Usd): number {
  const [part, divisor] = [toUnits(amount), toUnits(whole)];
  if (part < 0n) return 0;
  const percent = (200n * part + divisor) / (2n * divisor);
  return Number(part < divisor && percent === 100n ? 99n : percent);
}

function scaledRatio(amount: Usd, whole: Usd): bigint | null {
  const divisor = toUnits(whole);
  if (divisor === 0n) return null;
  return (2n * toUnits(amount) * BigInt(ratioScale) + divisor) / (2n * divisor);
}

/** The amount in units of 10⁻¹² dollars. */
export function toUnits(amount: Usd): bigint {
  if (amount.startsWith('-')) return -toUnits(amount.slice(1));
  const [whole = '0', fraction = ''] = amount.split('.');
  if (fraction.length > decimals) throw new RangeError('an amount of money has at most twelve decimals');
  return BigInt(whole) * scale + BigInt(fraction.padEnd(decimals, '0'));
}

/** The inverse of `toUnits`. */
export function fromUnits(units: bigint): Usd {
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
