/** Finds places by what people type, which is rarely their exact title. */

interface Named {
  title: string;
  /** Everyday words for the same. */
  keywords?: string;
}

/** Words that say nothing about a place, unless they are all that was typed. */
const fillers = new Set(['a', 'an', 'and', 'by', 'for', 'from', 'in', 'my', 'of', 'the', 'to', 'with']);

/**
 * Returns those that have all words of the text, first those whose titles have them. A title may have them within its words;
 * other words begin with them.
 */
export function matching<Item extends Named>(items: readonly Item[], text: string): Item[] {
  const typed = text.toLowerCase().split(/\s+/).filter(Boolean);
  const telling = typed.filter((word) => !fillers.has(word));
  const words = telling.length > 0 ? telling : typed;
  const inTitle = (item: Item, word: string) => item.title.toLowerCase().includes(word);
  const inKeywords = ({ keywords = '' }: Item, word: string) =>
    keywords.split(' ').some((keyword) => keyword.startsWith(word));
  const byTitle = items.filter((item) => words.every((word) => inTitle(item, word)));
  const byKeywords = items.filter(
    (item) => !byTitle.includes(item) && words.every((word) => inTitle(item, word) || inKeywords(item, word)),
  );
  return [...byTitle, ...byKeywords];
}
