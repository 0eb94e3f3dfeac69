/**
 * Returns the data of each server-sent event; skips comments and events without data.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function eventData(text: string): string[] {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .split('\n\n')
    .flatMap((event) => {
      const lines = event.split('\n').filter((line) => line.startsWith('data:'));
      return lines.length === 0 ? [] : [lines.map((line) => line.replace(/^data: ?/, '')).join('\n')];
    });
}
