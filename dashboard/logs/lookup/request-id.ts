const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** Finds the id in a text, which may be the whole header or a line of a log; null without one. */
export function findRequestId(text: string): string | null {
  return uuid.exec(text)?.[0].toLowerCase() ?? null;
}
