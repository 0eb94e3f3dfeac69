/** Parses server-sent events. https://html.spec.whatwg.org/multipage/server-sent-events.html */

/** Returns the data of each event in the text of a stream; skips comments and events without data. */
export function eventData(text: string): string[] {
  return text.split(/\r?\n\r?\n/).flatMap((event) => {
    const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
    return lines.length === 0 ? [] : [lines.map((line) => line.replace(/^data: ?/, '')).join('\n')];
  });
}
