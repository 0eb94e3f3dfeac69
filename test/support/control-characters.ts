/** The characters that are escaped in what is printed to a terminal, by their ranges in Unicode. */
const ranges = [
  // C0 without tab and line feed.
  [0x00, 0x08],
  [0x0b, 0x1f],
  // DEL and C1.
  [0x7f, 0x9f],
  // Line and paragraph separator, embeddings and overrides of the direction of text.
  [0x2028, 0x202e],
  // Isolates of the direction of text.
  [0x2066, 0x2069],
] as const;

export const controlCharacters: readonly string[] = ranges.flatMap(([first, last]) =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index)),
);

/** Returns each of them that a text has, once. */
export function controlCharactersIn(text: string): string[] {
  const found = new Set(text);
  return controlCharacters.filter((character) => found.has(character));
}
