/** The values of attributes in one canonical form, in which equal values have equal JSON, and DynamoDB's decimal arithmetic. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, NumberValueImpl as NumberValue } from '@aws-sdk/util-dynamodb';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';

/** Becomes a `ValidationException` of a call, or a reason of a canceled transaction. */
export class ValidationError extends Error {}

/** By name. Never changed, so that states can share them. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

export function toAttributes(item: Item): Attributes {
  const attributes: Record<string, AttributeValue> = {};
  for (const name of Object.keys(item)) {
    const value = toAttribute(item[name]);
    if (value !== undefined) attributes[name] = value;
  }
  return attributes;
}

/** `undefined` for what `marshall` leaves out. It takes ten times as long for the most frequent types. */
function toAttribute(value: unknown): AttributeValue | undefined {
  if (typeof value === 'string') return { S: value };
  if (value instanceof NumberValue) return { N: canonicalNumber(value.value) };
  const { attribute } = marshall({ attribute: value }, { removeUndefinedValues: true });
  return attribute && canonical(attribute);
}

/** By name, in the order of UTF-16. */
export function sortedEntries<Value>(
  values: Readonly<Record<string, Value>>,
): [name: string, value: Value][] {
  return Object.entries(values).toSorted(([one], [other]) => (one < other ? -1 : 1));
}

function canonicalMembers(members: Attributes): Attributes {
  return Object.fromEntries(sortedEntries(members).map(([name, value]) => [name, canonical(value)]));
}

function canonical(value: AttributeValue): AttributeValue {
  if (value.N !== undefined) return { N: canonicalNumber(value.N) };
  if (value.L !== undefined) return { L: value.L.map(canonical) };
  if (value.SS !== undefined) return { SS: value.SS.toSorted() };
  if (value.NS !== undefined) return { NS: value.NS.map(canonicalNumber).toSorted() };
  if (value.M !== undefined) return { M: canonicalMembers(value.M) };
  if (value.B !== undefined || value.BS !== undefined) throw new Error('Binary values are not supported');
  return value;
}

export function isEqual(one: AttributeValue, other: AttributeValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Negative if `one` is less; `null` if the values have no order, as those of different types. */
export function compareValues(one: AttributeValue, other: AttributeValue): number | null {
  if (one.N !== undefined && other.N !== undefined) {
    const [left, right] = aligned(parseDecimal(one.N), parseDecimal(other.N));
    return left < right ? -1 : Number(left > right);
  }
  if (one.S === undefined || other.S === undefined) return null;
  // JavaScript would compare UTF-16.
  return Buffer.compare(Buffer.from(one.S), Buffer.from(other.S));
}

/** Throws a `ValidationError` for a result that DynamoDB cannot store. */
export function addNumbers(one: string, operator: '+' | '-', other: string): string {
  const [left, right, decimals] = aligned(parseDecimal(one), parseDecimal(other));
  return decimalText({ units: operator === '+' ? left + right : left - right, decimals });
}

/** The number is `units` × 10^−`decimals`. */
interface Decimal {
  units: bigint;
  /** At least 0. */
  decimals: number;
}

function canonicalNumber(text: string): string {
  return decimalText(parseDecimal(text));
}

function parseDecimal(text: string): Decimal {
  const [, sign, whole, fraction = '', exponent = '0'] =
    /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (whole === undefined) throw new ValidationError(`${text} is not a number`);
  const units = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`);
  const decimals = fraction.length - Number(exponent);
  return decimals < 0 ? { units: units * 10n ** BigInt(-decimals), decimals: 0 } : { units, decimals };
}

function aligned(one: Decimal, other: Decimal): [left: bigint, right: bigint, decimals: number] {
  const decimals = Math.max(one.decimals, other.decimals);
  const unitsOf = (number: Decimal) => number.units * 10n ** BigInt(decimals - number.decimals);
  return [unitsOf(one), unitsOf(other), decimals];
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html */
const limits = { digits: 38, minExponent: -130, maxExponent: 125 };

/** Plain notation without superfluous zeros. */
function decimalText({ units, decimals }: Decimal): string {
  if (units === 0n) return '0';
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const [whole, fraction] = [digits.slice(0, point), digits.slice(point).replace(/0+$/, '')];
  const significant = (whole + fraction).replace(/^0+/, '').replace(/0+$/, '');
  const exponent = whole === '0' ? -1 - fraction.search(/[1-9]/) : whole.length - 1;
  if (significant.length > limits.digits || exponent < limits.minExponent || exponent > limits.maxExponent) {
    throw new ValidationError(`${sign}${whole}.${fraction} exceeds the range or the precision of numbers`);
  }
  return `${sign}${whole}${fraction && `.${fraction}`}`;
}
