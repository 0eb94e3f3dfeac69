/** The events in the text of a stream. https://html.spec.whatwg.org/multipage/server-sent-events.html */

/** The data of each event that has some; comments have none. */
export function eventData(text: string): string[] {
  return text.split(/\r?\n\r?\n/).flatMap((event) => {
    const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
    return lines.length === 0 ? [] : [lines.map((line) => line.replace(/^data: ?/, '')).join('\n')];
  });
}
