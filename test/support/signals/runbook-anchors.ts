/** Returns the anchors of the headings in a Markdown text, as GitHub derives them. */
export function readAnchors(markdown: string): Set<string> {
  const headings = [...markdown.matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = '']) => heading);
  const ids = [...markdown.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = '']) => id);
  const slugs = headings.map((heading) =>
    heading
      .trim()
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replace(/\s/g, '-'),
  );
  return new Set([...ids, ...slugs]);
}
