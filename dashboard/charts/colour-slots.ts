import { paletteSize } from './chart.ts';

/** Assigns each name, in order, the colour of its hash, or else the next free one; when all are taken, that of its hash. */
export function assignColours(names: readonly string[]): Map<string, number> {
  const colours = new Map<string, number>();
  const taken = new Set<number>();
  for (const name of names) {
    const first = colourOfHash(name);
    const candidates = Array.from({ length: paletteSize }, (_, offset) => (first + offset) % paletteSize);
    const colour = candidates.find((candidate) => !taken.has(candidate)) ?? first;
    colours.set(name, colour);
    taken.add(colour);
  }
  return colours;
}

/** FNV-1a of the UTF-16 code units. */
export function colourOfHash(name: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % paletteSize;
}
