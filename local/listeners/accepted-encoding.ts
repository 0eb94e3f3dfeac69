/** The first of the encodings that the header `accept-encoding` names; `undefined` if it names none. */
export function acceptedEncoding<Encoding extends string>(
  acceptEncoding: string | undefined,
  encodings: readonly Encoding[],
): Encoding | undefined {
  const accepted = (acceptEncoding ?? '')
    .split(',')
    .filter((item) => !/;\s*q=0(\.0+)?\s*$/i.test(item))
    .map((item) => item.split(';')[0]?.trim().toLowerCase());
  return encodings.find((encoding) => accepted.includes(encoding));
}
