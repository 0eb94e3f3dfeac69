/** Requests as callers send them: a few long texts, and little else. */

export interface ChatBodyOptions {
  /** As `upstream.ts` reads it: `d20-c300-g5`. */
  manner: string;
  stream: boolean;
  /** Of the whole body. Left out: as many as a short question has. */
  bytes?: number;
  /** What the texts are made of, again and again. */
  words?: string;
}

const texts = 4;
const defaultBytes = 1000;

/** Exactly as many bytes as asked for, in UTF-8. Throws when there is no room for the rest of the request. */
export function chatBody({
  manner,
  stream,
  bytes = defaultBytes,
  words = 'Tell me more. ',
}: ChatBodyOptions) {
  const write = (content: string[]) =>
    JSON.stringify({
      model: `openai/${manner}`,
      messages: content.map((text, place) => ({ role: place === 0 ? 'system' : 'user', content: text })),
      stream,
      ...(stream && { stream_options: { include_usage: true } }),
    });
  const room = bytes - write(Array(texts).fill('')).length;
  const each = Math.floor(room / texts);
  if (each < 0) throw new Error(`A request does not fit in ${bytes} bytes`);
  const sizes = Array.from({ length: texts }, (_, place) => (place === 0 ? room - each * (texts - 1) : each));
  return Buffer.from(write(sizes.map((size) => textOf(size, words))));
}

/** A character that would be cut gives way to spaces. */
function textOf(bytes: number, words: string): string {
  const wordBytes = Buffer.byteLength(words);
  const whole = words.repeat(Math.floor(bytes / wordBytes));
  return whole + ' '.repeat(bytes % wordBytes);
}
