/** Formats US dollars, which are exact decimal text: `Intl` reads it without a binary number in between. */

import { type Locale, numberFormat } from './locale.ts';

/** Before an amount that is not certain. */
export const approximately = '≈ ';

/**
 * Returns text such as "$1,234.57": rounded half up to cents. Amounts below ten cents keep two significant digits, such as
 * "$0.00042".
 */
export function formatUsd(amount: string, locale?: Locale): string {
  return format(amount, significantDecimals(amount), locale);
}

/** In columns that are aligned on the decimal point. Smaller amounts stick out. */
const alignedDecimals = 6;

/**
 * For a column of amounts: the text, always with both significant digits, such as "$0.0080", and as many zeros as it takes to
 * fill it up after the text, invisibly.
 */
export function formatAlignedUsd(amount: string, locale?: Locale): { text: string; fill: string } {
  const decimals = significantDecimals(amount);
  return {
    text: format(amount, decimals, locale, decimals),
    fill: '0'.repeat(Math.max(0, alignedDecimals - decimals)),
  };
}

/** Amounts in the API have at most this many. */
const maxDecimals = 12;

/** Returns all decimals of the amount, and at least two. */
export function formatExactUsd(amount: string, locale?: Locale): string {
  return format(amount, maxDecimals, locale);
}

function format(amount: string, decimals: number, locale: Locale, minDecimals = 2): string {
  if (!isDecimal(amount)) return amount;
  return numberFormat(
    {
      style: 'currency',
      currency: 'USD',
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: minDecimals,
      maximumFractionDigits: decimals,
    },
    locale,
  ).format(amount);
}

function isDecimal(text: string): text is `${number}` {
  return /^-?\d+(\.\d+)?$/.test(text);
}

/** At least 2, and enough for two significant digits. */
function significantDecimals(amount: string): number {
  const leadingZeros = /^-?0+\.(0*)[1-9]/.exec(amount)?.[1]?.length ?? 0;
  return Math.max(2, leadingZeros + 2);
}

/** Whether an amount is greater than another, to the last digit. Amounts have at most 12 decimals. */
export function isGreaterUsd(amount: string, other: string): boolean {
  return toUnits(amount) > toUnits(other);
}

function toUnits(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(12, '0'));
}
