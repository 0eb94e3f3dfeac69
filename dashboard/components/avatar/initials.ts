/** Returns one or two capital letters for a name, or for an address if there is no name. */
export function initials(name: string | null, email: string): string {
  const words = (name ?? '').split(/[\s-]+/).filter((word) => /^\p{L}/u.test(word));
  const [first, last] = [words.at(0), words.length > 1 ? words.at(-1) : undefined];
  return [first ?? email, last]
    .map((word) => Array.from(word ?? '').at(0) ?? '')
    .join('')
    .toUpperCase();
}
