/** Amounts of cost reports, which may have more decimals than the gateway's money, and an exponent. */
import { z } from 'zod';
import { isRawNumber } from '#lambdas/platform/json/exact-json.ts';
import { fromUnits, toUnits, type Usd } from '#lambdas/platform/money.ts';

const decimalNumber = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,6}))?$/;

const unitDecimals = toUnits('1').toString().length - 1;
/** A hundred trillion dollars is no plausible cost, and larger exponents would take long to calculate. */
const maxWholeDigits = 14;

/**
 * Rounds half away from zero to twelve decimals. `dollarDecimals` is 2 if the text is in cents. Returns `null` for text
 * that is not a decimal number, or too large.
 */
export function usdFromDecimal(text: string, dollarDecimals = 0): Usd | null {
  const match = decimalNumber.exec(text.trim());
  if (match === null) return null;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return '0';
  const scale = Number(exponent) - fraction.length - dollarDecimals;
  if (digits.length + scale > maxWholeDigits) return null;
  const units = scaleAndRound(digits, scale + unitDecimals);
  return fromUnits(sign === '-' ? -units : units);
}

/** The digits times a power of ten, rounded half up. */
function scaleAndRound(digits: string, exponent: number): bigint {
  if (exponent >= 0) return BigInt(digits + '0'.repeat(exponent));
  const kept = digits.length + exponent;
  if (kept < 0) return 0n;
  return BigInt(digits.slice(0, kept) || '0') + (digits.charAt(kept) >= '5' ? 1n : 0n);
}

/** Decimal text as dollars. */
export function decimalUsd({ dollarDecimals }: { dollarDecimals: number }) {
  return (text: string, context: z.RefinementCtx): Usd => {
    const usd = usdFromDecimal(text, dollarDecimals);
    if (usd !== null) return usd;
    context.addIssue('must be a decimal number of plausible size');
    return z.NEVER;
  };
}

/** A number of a document that was read with `parseExactJson`, or text. */
export const numberOrText = z.union(
  [z.string(), z.number().transform(String), z.custom(isRawNumber).transform((raw) => JSON.stringify(raw))],
  'must be a decimal number',
);

export const usDollars = z
  .string('must be a currency')
  .refine((currency) => currency.toLowerCase() === 'usd', 'must be USD: other currencies cannot be compared');
