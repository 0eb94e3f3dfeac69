/** Whether an amount is greater than another, to the last digit. Amounts have at most 12 decimals. */
export function isGreaterUsd(amount: string, other: string): boolean {
  return toUnits(amount) > toUnits(other);
}

function toUnits(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(12, '0'));
}
