export interface Secret {
  /** For failure messages, which do not repeat the secret itself. */
  name: string;
  text: string;
}

export interface WrittenText {
  /** For failure messages, such as `log line 17`. */
  place: string;
  text: string;
}

const secretPatterns: Record<string, RegExp> = {
  'a key of the gateway': /pt_live_[0-9A-Za-z]{32}/,
  "a provider's key": /\bsk-[\w-]*\w/,
};

/** Searches for secrets in all common encodings. Returns a message per leak with the secret's name and the place. */
export function findLeaks(writtenTexts: readonly WrittenText[], secrets: readonly Secret[]): string[] {
  const all = writtenTexts.map(({ text }) => text).join('\n');
  const patterns = Object.entries(secretPatterns).filter(([, pattern]) => pattern.test(all));
  const leaked = secrets.flatMap(({ name, text }) =>
    encodingsOf(text)
      .filter((encoding) => all.includes(encoding))
      .map((encoding) => ({ name, encoding })),
  );
  return writtenTexts.flatMap(({ place, text }) => [
    ...patterns.filter(([, pattern]) => pattern.test(text)).map(([name]) => `${name} in ${place}`),
    ...leaked.filter(({ encoding }) => text.includes(encoding)).map(({ name }) => `${name} in ${place}`),
  ]);
}

/** Plain, JSON-escaped, URL-encoded, hexadecimal, and base64 at each offset within a longer text. */
export function encodingsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const inJson = JSON.stringify(text).slice(1, -1);
  const inBase64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    // The first and the last character may also encode bits of the neighbouring text.
    return encoded.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
  });
  const encodings = [text, inJson, encodeURIComponent(text), bytes.toString('hex'), ...inBase64];
  return [...new Set(encodings)];
}
