/** Writes the texts of an item's parts, each of which comes in deltas, as a whole, or as both. */

interface TextParts {
  /** `index` is that of the part. */
  add(index: unknown, delta: unknown): void;
  /** Writes what the deltas have not had. Returns true if there were none. */
  complete(index: unknown, text: unknown): boolean;
  isEmpty(): boolean;
}

/** `separator` is written between the parts. */
export function createTextParts(write: (text: string) => void, separator = ''): TextParts {
  const lengths = new Map<number, number>();
  const append = (index: number, text: string) => {
    if (text === '') return;
    const length = lengths.get(index);
    if (length === undefined && lengths.size > 0 && separator !== '') write(separator);
    lengths.set(index, (length ?? 0) + text.length);
    write(text);
  };
  return {
    add: (index, delta) => append(toIndex(index), toText(delta)),
    complete(index, text) {
      const at = toIndex(index);
      const written = lengths.get(at) ?? 0;
      append(at, toText(text).slice(written));
      return written === 0;
    },
    isEmpty: () => lengths.size === 0,
  };
}

function toIndex(index: unknown): number {
  return typeof index === 'number' ? index : 0;
}

function toText(text: unknown): string {
  return typeof text === 'string' ? text : '';
}
