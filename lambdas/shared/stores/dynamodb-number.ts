/** How the stores read DynamoDB's numbers. */

/**
 * A DynamoDB number: whole ones as numbers, decimals as text, since `number` would round them. The text has all of its
 * digits and no exponent, though the service promises neither form.
 */
export function readNumber(text: string): number | string {
  const plain = withoutExponent(text);
  return /^-?\d{1,15}$/.test(plain) ? Number(plain) : plain;
}

function withoutExponent(text: string): string {
  return text.replace(
    /^(-?)(\d+)(?:\.(\d*))?[eE]([+-]?\d+)$/,
    (_, sign, whole, fraction = '', exponent) =>
      sign + shiftPoint({ digits: whole + fraction, place: whole.length + Number(exponent) }),
  );
}

/** The digits with a decimal point at this place, which may lie outside of them. */
function shiftPoint({ digits, place }: { digits: string; place: number }): string {
  if (place <= 0) return `0.${'0'.repeat(-place)}${digits}`;
  const padded = digits.padEnd(place, '0');
  return place === padded.length ? padded : `${padded.slice(0, place)}.${padded.slice(place)}`;
}
