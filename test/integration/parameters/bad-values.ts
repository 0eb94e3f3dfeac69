/** Values that hardly any parameter accepts. A parameter may accept some of them. */

/** In JSON. The longest text fits into the bodies that the dashboard's functions accept. */
export const badJsonValues: readonly unknown[] = ['', null, true, 7, [], {}, 'x'.repeat(7000), '\ud800'];

/** In a query, as they stand in the URL. The last is a surrogate without its other half, in UTF-8. */
export const badQueryValues: readonly string[] = ['x'.repeat(10_000), '-1', '%00', '%ED%A0%80'];

/** A part of a path, as it stands in the URL. */
export const badPathParts: readonly string[] = ['', '%2F', '%', ...badQueryValues];

/** For messages, without the rest of a long text. */
export function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 40) ?? 'missing';
}

/** Texts of bodies that are no JSON object. */
export const badBodies: readonly string[] = ['', 'null', '[]', '"text"', '{'];
