/** Formats US dollars, which are exact decimal text: `Intl` reads it without a binary number in between. */

import { type Locale, numberFormat } from './locale.ts';

/** Before an amount that is not certain. */
export const approximately = '≈ ';

/**
 * Returns text such as "$1,234.57": rounded half up to cents. Amounts below ten cents keep two significant digits, such as
 * "$0.00042".
 */
export function formatUsd(amount: string, locale?: Locale): string {
  return format(amount, Math.max(2, leadingZeros(amount) + 2), locale);
}

/** Amounts in the API have at most this many. */
const maxDecimals = 12;

/** Returns all decimals of the amount, and at least two. */
export function formatExactUsd(amount: string, locale?: Locale): string {
  return format(amount, maxDecimals, locale);
}

function format(amount: string, decimals: number, locale: Locale): string {
  if (!isDecimal(amount)) return amount;
  return numberFormat(
    {
      style: 'currency',
      currency: 'USD',
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: 2,
      maximumFractionDigits: decimals,
    },
    locale,
  ).format(amount);
}

function isDecimal(text: string): text is `${number}` {
  return /^-?\d+(\.\d+)?$/.test(text);
}

/** The zeros between the point and the first other digit, for amounts below one dollar. */
function leadingZeros(amount: string): number {
  return /^-?0+\.(0*)[1-9]/.exec(amount)?.[1]?.length ?? 0;
}

/** Whether an amount is greater than another, to the last digit. Amounts have at most 12 decimals. */
export function isGreaterUsd(amount: string, other: string): boolean {
  return toUnits(amount) > toUnits(other);
}

function toUnits(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(12, '0'));
}
