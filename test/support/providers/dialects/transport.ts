/**
 * Ways to write the same server-sent events, all of them valid:
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */

/** Changes the text of a stream whose lines end with LF. */
type Rewrite = (events: string) => string;

export const byteOrderMark = '\ufeff';

export const transportRewrites: Readonly<Record<string, Rewrite>> = {
  'a byte order mark': (events) => byteOrderMark + events,
  'lines that end with CRLF': (events) => events.replaceAll('\n', '\r\n'),
  'lines that end with CR': (events) => events.replaceAll('\n', '\r'),
  'no space after the colon': (events) => events.replaceAll(/^(data|event): /gm, '$1:'),
  'two spaces after the colon': (events) => events.replaceAll(/^data: /gm, 'data:  '),
  'ids, retry times and unknown fields': (events) =>
    events.replaceAll(/^data: /gm, 'id: 7\nretry: 1000\nfoo: bar\nfoo\nid\ndata: '),
  'fields after the data': (events) => events.replaceAll('\n\n', '\nid: 7\n: comment\n\n'),
  'an empty line of data in each event': (events) => events.replaceAll(/^data: /gm, 'data\ndata: '),
  'data in two lines': (events) => events.replaceAll(/^data: \{/gm, 'data: {\ndata: '),
  'empty data between the events': (events) => events.replaceAll('\n\n', '\n\ndata\n\ndata:\n\ndata: \n\n'),
  'comments between the events': (events) => `: wait\n\n${events.replaceAll('\n\n', '\n\n: wait\n\n:\n\n')}`,
  'blank lines between the events': (events) => `\n\n${events.replaceAll('\n\n', '\n\n\n\n\n')}`,
  'no blank line after the last event': (events) => events.slice(0, -2),
  'an incomplete event after the last one': (events) => `${events}: wai`,
};

/** Splits bytes into chunks of one size, which also splits characters and line ends. */
export function chunksOf(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}
